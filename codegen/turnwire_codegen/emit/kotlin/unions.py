"""Unions as sealed interfaces: arms that have a type implement them, other arms are wrapped."""

from collections.abc import Iterable

import msgspec

from turnwire_codegen.emit.kotlin.names import type_name
from turnwire_codegen.emit.kotlin.scope import Scope
from turnwire_codegen.emit.kotlin.text import comment, deprecated, quoted
from turnwire_codegen.emit.kotlin.types import literal, symbol_of
from turnwire_codegen.emit.remarks import deprecation, remarks
from turnwire_codegen.ir import (
    AnyValue,
    ByField,
    Const,
    ListOf,
    MapOf,
    Nullable,
    Ref,
    Scalar,
    TupleOf,
    TypeNode,
    Union,
    Variant,
)
from turnwire_codegen.passes.graph import unknown_name
from turnwire_codegen.words import pascal

__all__ = ["UnionView", "UnknownView", "WrapperView", "union_view"]


class WrapperView(msgspec.Struct, frozen=True, kw_only=True):
    """An arm without a type of its own."""

    name: str
    type: str
    codec: str


class UnknownView(msgspec.Struct, frozen=True, kw_only=True):
    """What an open union makes of an object whose tag no arm has."""

    name: str
    doc: tuple[str, ...]


class UnionView(msgspec.Struct, frozen=True, kw_only=True):
    """A sealed interface. `tag` reads the tag by which one of `arms` is chosen; without one the `trials` are made."""

    name: str
    doc: tuple[str, ...]
    interfaces: str
    wrappers: tuple[WrapperView, ...]
    tag: str | None
    arms: tuple[str, ...]
    trials: tuple[str, ...]
    unknown: UnknownView | None


def union_view(union: Union, scope: Scope) -> UnionView:
    """The interface of a union and how its arms are told apart."""
    variants = [variant for variant in union.variants if not _is_plain(variant, union, scope)]
    wrapped = dict(zip(_wrapper_names(variants), variants, strict=True))
    wrappers = tuple(_wrapper(name, variant.type, scope) for name, variant in wrapped.items())
    unknown = None
    tag: str | None = None
    arms: list[str] = []
    trials: list[str] = []
    if isinstance(union.tagging, ByField):
        assert not wrappers, "arms with a tag are records"
        tag = _tag(union.tagging.wire, union.variants)
        arms = [f"{literal(variant.tag)} -> {_arm(variant)}.read(json)" for variant in union.variants]
        if union.open:
            unknown = _unknown(union, union.tagging.wire, scope)
            arms.append(f"else -> {unknown.name}(json as JsonObject)")
        else:
            arms.append(f"else -> noArm({quoted(union.tagging.wire)})")
    else:
        trials = [_trial(variant, wrapped) for variant in union.variants]
    old = deprecation(union.notes)
    return UnionView(
        name=type_name(union.name),
        doc=(*comment(union.doc, remarks(union.notes), old, indent=0), *deprecated(old)),
        interfaces=scope.interfaces(union.name),
        wrappers=wrappers,
        tag=tag,
        arms=tuple(arms),
        trials=tuple(dict.fromkeys(trials)),
        unknown=unknown,
    )


def _is_plain(variant: Variant, union: Union, scope: Scope) -> bool:
    return isinstance(variant.type, Ref) and scope.is_itself_arm(variant.type.name, union.name)


def _arm(variant: Variant) -> str:
    assert isinstance(variant.type, Ref), "an arm with a tag has a name"
    return type_name(variant.type.name)


def _trial(variant: Variant, wrapped: dict[str, Variant]) -> str:
    for name, other in wrapped.items():
        if other is variant:
            return f"{{ {name}.read(it) }},"
    return f"{{ {_arm(variant)}.read(it) }},"


def _tag(wire: str, variants: Iterable[Variant]) -> str:
    whole = all(isinstance(variant.tag, int) for variant in variants)
    return f"{'wholeTag' if whole else 'textTag'}(json, {quoted(wire)})"


def _unknown(union: Union, wire: str, scope: Scope) -> UnknownView:
    text = f"`{union.name}` with a `{wire}` that this version does not know, whole as it came."
    return UnknownView(name=type_name(unknown_name(union.name, scope.known)), doc=comment(text, indent=0))


def _wrapper(name: str, node: TypeNode, scope: Scope) -> WrapperView:
    symbol = symbol_of(node, scope)
    return WrapperView(name=name, type=symbol.text, codec=symbol.codec)


def _wrapper_names(variants: Iterable[Variant]) -> list[str]:
    """`OfString`, `OfLongList`: by what is held; the same words twice get a second name in the order of the schema."""
    names: list[str] = []
    for variant in variants:
        name = f"Of{_words(variant.type)}"
        while name in names:
            name += "_"
        names.append(name)
    return names


def _words(node: TypeNode) -> str:
    match node:
        case Scalar(kind):
            return pascal(kind)
        case Const(value):
            return pascal(str(value)) or "Constant"
        case Ref(name):
            return type_name(name)
        case ListOf(item):
            return f"{_words(item)}List"
        case MapOf(value):
            return f"{_words(value)}Map"
        case TupleOf(items):
            return "".join(map(_words, items)) + "Tuple"
        case Nullable(of):
            return f"Nullable{_words(of)}"
        case AnyValue():
            return "Any"
