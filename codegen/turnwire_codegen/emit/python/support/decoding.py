"""Decoding for types that msgspec alone cannot say: open unions, unions told apart by shape, tags that must be there.

The fast path is msgspec's own. Only when it refuses is the message read again, now with every object whose tag is
unknown set aside at the positions where the schema says that more arms may come. Such an object is kept as it came,
as a dict that encodes back equal. An integer that is written as 1.0 is an integer then, too, and members that a
`Keeper` does not declare are kept.
"""

from __future__ import annotations

import abc
from functools import cache
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    overload,
)

import msgspec

from .aside import Hole, Keeper, Unknown, items_of, judged, members_of, set_aside, undeclared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = [
    "Bag",
    "Choice",
    "Decoder",
    "Hole",
    "Keeper",
    "Unknown",
    "choice",
    "convert",
    "decode",
    "decoder",
    "recover",
    "tagged",
    "undeclared",
]


_Of = TypeVar("_Of")
# The tag of a hole among arms with integer tags; msgspec refuses a union in which an arm has it too.
NO_TAG = -(2**63)


# A class is the type that comes back; of a union only `Decoder` can say so to the checkers of Python 3.11.
@overload
def decoder(of: type[_Of]) -> Callable[[bytes | str], _Of]: ...
@overload
def decoder(of: object) -> Callable[[bytes | str], object]: ...
def decoder(of: object) -> Callable[[bytes | str], object]:
    """A function from JSON text to `of`; it raises msgspec.DecodeError, or msgspec.ValidationError with the path."""
    fast = msgspec.json.Decoder(tagged(of), dec_hook=_pick).decode

    def decode_or_recover(data: bytes | str, /) -> object:
        try:
            return fast(data)
        except msgspec.ValidationError:
            return recover(data, of)

    return decode_or_recover


@overload
def decode(data: bytes | str, of: type[_Of]) -> _Of: ...
@overload
def decode(data: bytes | str, of: object) -> object: ...
def decode(data: bytes | str, of: object) -> object:
    """`decoder(of)(data)`, for a type that is decoded once."""
    return decoder(of)(data)


class Decoder(Generic[_Of]):
    """A decoder that tells checkers what comes back, whatever it is: `Decoder[Event]()(data)` is an `Event`."""

    of: ClassVar[object]

    def __init__(self) -> None:
        self._read = decoder(self.of)

    def __call__(self, data: bytes | str, /) -> _Of:
        """The value in `data`; raises what the functions of `decoder` raise."""
        return cast("_Of", self._read(data))

    if not TYPE_CHECKING:

        def __class_getitem__(cls, of: object) -> type:
            return type(f"{cls.__name__}[{of}]", (cls,), {"of": of})


def recover(data: bytes | str, of: object) -> object:
    """What `decoder` does after the fast path refused; for callers who keep a msgspec decoder of their own."""
    try:
        value = msgspec.json.decode(data)
    except msgspec.ValidationError:
        # It is JSON, but no number can hold 1e400: refused as the fast path did it, with the path to the fault.
        return msgspec.json.decode(data, type=tagged(of), dec_hook=_pick)
    return judged(value, tagged(of), set_aside(value, tagged(of)), _pick)


@overload
def convert(value: object, of: type[_Of]) -> _Of: ...
@overload
def convert(value: object, of: object) -> object: ...
def convert(value: object, of: object) -> object:
    """Builtins to `of`, by the same rules; `value` is left as it is."""
    return _converted(value, of)


def _converted(value: Any, of: Any) -> Any:
    try:
        return msgspec.convert(value, tagged(of), dec_hook=_pick)
    except msgspec.ValidationError:
        plain = msgspec.to_builtins(value)
        found = set_aside(plain, tagged(of))
        if not found:
            # A second look would see the same; types that hold themselves would take it at every level.
            raise
        return judged(plain, tagged(of), found, _pick)


def tagged(of: object) -> object:
    """`of`, or for an arm of a tagged union a type that insists on the tag, which msgspec alone lets be absent."""
    wanted = of
    if isinstance(of, type) and issubclass(of, msgspec.Struct) and of.__struct_config__.tag is not None:
        tag = "" if isinstance(of.__struct_config__.tag, str) else NO_TAG
        wanted = Union[of, _seal(str(of.__struct_config__.tag_field), tag)]  # noqa: UP007 -- made at run time
    return wanted


class Bag(dict[str, object]):
    """An object whose undeclared members are data too: a dict, with a property for each declared member."""

    members: ClassVar[type[msgspec.Struct]]
    needs: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def extra(cls) -> object:
        """The type of members that are not declared."""
        return object

    @property
    def _held(self) -> dict[str, Any]:
        """The same for the properties of declared members, whose types decoding has seen to."""
        return self


class Choice(abc.ABC):  # noqa: B024 -- a marker for isinstance, it has no methods to be abstract
    """A union that msgspec cannot tell apart: all arms are tried, of those that fit the one that drops least is it."""

    unknown: ClassVar[type[Unknown] | None] = None

    @classmethod
    def arms(cls) -> tuple[object, ...]:
        """The types of the arms, known once their module is imported."""
        return ()


def choice(name: str, arms: Callable[[], tuple[object, ...]], unknown: type[Unknown] | None = None) -> object:
    """The marker of a union of `arms`, which may name the marker itself; every arm's class counts as its subclass."""

    made: list[tuple[object, ...]] = []

    class Marker(Choice):
        @classmethod
        def arms(cls) -> tuple[object, ...]:
            if not made:
                made.append(arms())
                for kind in _classes(cls, set()):
                    cls.register(kind)
            return made[0]

    Marker.__name__ = Marker.__qualname__ = name
    Marker.unknown = unknown
    return Marker


def _is_choice(of: Any) -> bool:
    """Whether `of` is a marker; the classes of its arms are its subclasses too, but do not inherit from it."""
    return isinstance(of, type) and Choice in of.__mro__


def _classes(of: Any, seen: set[Any]) -> Iterator[type]:
    """The classes that a value of `of` can have; unions that hold each other are each entered once."""
    origin = get_origin(of)
    if origin is Annotated:
        yield from _classes(get_args(of)[0], seen)
    elif origin in (Union, UnionType):
        for member in get_args(of):
            yield from _classes(member, seen)
    elif origin is Literal:
        yield from {type(value) for value in get_args(of)}
    elif _is_choice(of):
        members = () if of in seen else (*of.arms(), *([of.unknown] if of.unknown else []))
        seen.add(of)
        for member in members:
            yield from _classes(member, seen)
    elif of is object:
        yield from (dict, list, str, int, float, bool, type(None))
    elif isinstance(of, type) and issubclass(of, Hole):
        # An arm that nobody knows comes back as what its hole stands for.
        yield of.stands_for or of
    else:
        yield origin or (type(None) if of is None else of)


def _pick(of: Any, value: Any) -> Any:
    """The hook for what msgspec has no decoder for."""
    if of is object:
        return value
    if isinstance(of, type) and issubclass(of, Bag):
        return _bag(of, value)
    if not _is_choice(of):
        raise NotImplementedError(f"no decoder for {of!r}")
    union = cast("type[Choice]", of)
    arms, unknown = union.arms(), union.unknown
    if unknown and isinstance(tag := members_of(value).get(unknown.tag_field), str) and tag not in unknown.known:
        return unknown(value)
    fitting: list[tuple[int, int, Any]] = []
    for index, arm in enumerate(arms):
        try:
            found = _converted(value, arm)
        except msgspec.ValidationError:
            continue
        fitting.append((_dropped(value, found), index, found))
    if not fitting:
        raise ValueError(f"fits no arm of {union.__name__}")
    return min(fitting, key=lambda fit: fit[:2])[2]


def _bag(of: type[Bag], value: Any) -> Bag:
    """Each declared member as its type says, all others as `extra` says."""
    declared = _converted(value, of.members)
    missing = [wire for wire in of.needs if wire not in value]
    if missing:
        raise ValueError(f"Object missing required field `{missing[0]}`")
    names = dict(zip(of.members.__struct_encode_fields__, of.members.__struct_fields__, strict=True))
    bag = of()
    for wire, member in members_of(value).items():
        bag[wire] = getattr(declared, names[wire]) if wire in names else _converted(member, of.extra())
    return bag


def _dropped(value: Any, found: Any) -> int:
    """How many members of `value`, however deep, its type has no place for."""
    held: list[tuple[Any, Any]]
    if isinstance(found, msgspec.Struct):
        places = dict(zip(found.__struct_encode_fields__, found.__struct_fields__, strict=True))
        others = members_of(value).keys() - places.keys() - {found.__struct_config__.tag_field}
        if isinstance(found, Keeper):
            others |= {*found.__undeclared__}
        held = [(member, getattr(found, places[wire])) for wire, member in members_of(value).items() if wire in places]
    elif isinstance(found, dict):
        read = members_of(cast("object", found))
        others, held = set[str](), [(member, read[wire]) for wire, member in members_of(value).items()]
    else:
        inside = cast("Sequence[object]", found) if isinstance(found, list | tuple) else ()
        others, held = set[str](), list(zip(items_of(value), inside, strict=False))
    return len(others) + sum(_dropped(*pair) for pair in held)


@cache
def _seal(tag_field: str, tag: str | int) -> type[Hole]:
    class Seal(Hole, frozen=True, kw_only=True, tag_field=tag_field, tag=tag):
        pass

    return Seal
