"""Unions: what a checker sees, and what msgspec can decode, which is not always the same."""

from collections.abc import Mapping

import msgspec

from turnwire_codegen.emit.python.limits import is_bag
from turnwire_codegen.emit.python.names import class_name, member_names
from turnwire_codegen.emit.python.text import docstring, quoted
from turnwire_codegen.emit.python.types import Home, annotation
from turnwire_codegen.ir import (
    Alias,
    ByField,
    Const,
    Declaration,
    Enum,
    ListOf,
    MapOf,
    Record,
    Ref,
    Scalar,
    TupleOf,
    TypeNode,
    Union,
)
from turnwire_codegen.passes.graph import unknown_name

__all__ = ["UnionView", "UnknownView", "union_view"]

Imports = frozenset[tuple[str, str]]


class UnknownView(msgspec.Struct, frozen=True, kw_only=True):
    """What an open union makes of an object whose tag is unknown; `known` where a hole cannot tell."""

    name: str
    hole: str | None
    known: str | None
    doc: tuple[str, ...]
    tag_wire: str
    tag_name: str


class UnionView(msgspec.Struct, frozen=True, kw_only=True):
    """A union: the arms that a checker sees, one a line; `runtime` is what msgspec sees where that differs."""

    name: str
    arms: tuple[str, ...]
    plain: bool
    runtime: tuple[str, ...]
    unknown: UnknownView | None
    hole: str | None
    doc: tuple[str, ...]


def union_view(
    union: Union,
    home: Home,
    known: Mapping[str, Declaration],
    *,
    recursive: bool,
    tried: bool,
) -> tuple[UnionView, Imports]:
    """The view of a union and what its module must import; `recursive`: it holds itself, with no struct between."""
    name = class_name(union.name)
    # An arm inside its union has its tag checked by the union.
    home = Home(home.module, home.modules, home.lazy)
    symbols = [annotation(variant.type, home) for variant in union.variants]
    arms = [symbol.text for symbol in symbols]
    imports: Imports = frozenset().union(*(symbol.imports for symbol in symbols))
    unknown: UnknownView | None = None
    runtime: tuple[str, ...] = ()
    if isinstance(union.tagging, ByField) and union.open:
        unknown = _unknown(union, union.tagging.wire, unknown_name(union.name, known), tried=tried)
        imports |= {(".decoding", "Unknown"), ("typing", "TYPE_CHECKING")}
    if isinstance(union.tagging, ByField) and not tried:
        if unknown is not None:
            runtime = _lines([*arms, str(unknown.hole)], quote=False)
            imports |= {(".decoding", "Hole")}
    elif recursive or not _told_apart([variant.type for variant in union.variants], known):
        runtime = (_choice(name, arms, unknown),)
        imports |= {(".decoding", "choice"), ("typing", "TYPE_CHECKING")}
    if unknown is not None:
        arms.append(unknown.name)
    return UnionView(
        name=name,
        arms=_lines(arms, quote=recursive),
        plain=not runtime,
        runtime=runtime,
        unknown=unknown,
        hole=None if unknown is None else unknown.hole,
        doc=docstring(union.doc, indent=0),
    ), imports


def _lines(arms: list[str], *, quote: bool) -> tuple[str, ...]:
    """One arm a line; a type that holds itself is a string to Python, since its name does not exist yet."""
    lines = [arms[0], *(f"| {arm}" for arm in arms[1:])]
    return (quoted(" ".join(lines)),) if quote else tuple(lines)


def _choice(name: str, arms: list[str], unknown: UnknownView | None) -> str:
    """The marker of a union; its arms are named in a function, because they may need what is defined later."""
    last = "" if unknown is None else f", {unknown.name}"
    return f"choice({quoted(name)}, lambda: ({', '.join(arms)},){last})"


def _unknown(union: Union, wire: str, name: str, *, tried: bool) -> UnknownView:
    text = f"`{union.name}` with a `{wire}` that this version does not know: a dict that keeps every member."
    tags = ", ".join(quoted(str(variant.tag)) for variant in union.variants)
    return UnknownView(
        name=class_name(name),
        hole=None if tried else f"_{class_name(union.name)}Hole",
        known=f"frozenset({{{tags}}})" if tried else None,
        doc=docstring(text, indent=4),
        tag_wire=quoted(wire),
        tag_name=member_names({wire: ""})[wire],
    )


def _told_apart(arms: list[TypeNode], known: Mapping[str, Declaration]) -> bool:
    """Whether msgspec tells the arms apart by the kind of JSON: one of each kind, so that none hides another."""
    kinds = [_kind(arm, known) for arm in arms]
    return None not in kinds and len(set(kinds)) == len(kinds)


def _kind(node: TypeNode, known: Mapping[str, Declaration]) -> str | None:
    match node:
        case Scalar(kind):
            return kind
        case Const(value):
            return "string" if isinstance(value, str) else None
        case ListOf() | TupleOf():
            return "array"
        case MapOf():
            return "object"
        case Ref(name):
            match known[name]:
                case Record() as record:
                    # A bag is read by a hook, and msgspec has no union of what a hook reads with anything else.
                    return None if is_bag(record) else "object"
                case Alias(type=inner):
                    return _kind(inner, known)
                case Enum(cases=cases) if all(isinstance(case.value, str) for case in cases):
                    return "string"
    return None
