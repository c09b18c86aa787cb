"""Tuples: a generic class for each number of items that some type of the package asks for."""

from collections.abc import Iterable

import msgspec

__all__ = ["TupleView", "tuple_views"]


class TupleView(msgspec.Struct, frozen=True, kw_only=True):
    """A tuple class with its codec."""

    name: str
    types: str
    properties: str
    codecs: str
    wrong: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]


def tuple_views(arities: Iterable[tuple[int, bool]]) -> list[TupleView]:
    """The classes of these numbers of items, some with a rest of any length."""
    return [_tuple(count, more=more) for count, more in sorted(arities)]


def _tuple(count: int, *, more: bool) -> TupleView:
    places = range(1, count + 1)
    types = [f"T{place}" for place in places] + (["R"] if more else [])
    properties = [f"public val item{place}: T{place}" for place in places]
    reads = [f'under("{place - 1}") {{ codec{place}.read(items[{place - 1}]) }},' for place in places]
    writes = [f"codec{place}.write(value.item{place})," for place in places]
    codecs = [f"private val codec{place}: JsonCodec<T{place}>" for place in places]
    if more:
        properties.append("public val rest: List<R>")
        codecs.append("private val rest: JsonCodec<R>")
        reads.append(f"(({count} until items.size).map {{ under(it) {{ rest.read(items[it]) }} }}),")
    written = f"listOf({' '.join(writes).removesuffix(',')})"
    return TupleView(
        name=f"Tuple{count}{'AndRest' if more else ''}",
        types=", ".join(types),
        properties=", ".join(properties),
        codecs=", ".join(codecs),
        wrong=f"items.size {'<' if more else '!='} {count}",
        reads=tuple(reads),
        writes=(written + (" + value.rest.map(rest::write)," if more else ","),),
    )
