"""What Swift needs to have a name or a box: tuples inside other types, aliases and records that hold themselves."""

from collections.abc import Iterator, Mapping

import msgspec

from turnwire_codegen.ir import (
    Alias,
    Declaration,
    Enum,
    Field,
    ListOf,
    MapOf,
    Nullable,
    Protocol,
    Record,
    Ref,
    TupleOf,
    TypeNode,
    Union,
    Variant,
)
from turnwire_codegen.passes.graph import declarations, recursive, references
from turnwire_codegen.words import pascal

__all__ = ["boxed_members", "named_tuples", "wrapped_aliases"]

_Made = list[Alias]


def named_tuples(protocol: Protocol) -> Protocol:
    """The protocol in which a tuple stands only as the whole of an alias, called by the way to it."""
    taken = set(declarations(protocol))
    return msgspec.structs.replace(
        protocol,
        families=tuple(
            msgspec.structs.replace(
                family,
                declarations=tuple(made for decl in family.declarations for made in _split(decl, taken)),
            )
            for family in protocol.families
        ),
    )


def wrapped_aliases(known: Mapping[str, Declaration]) -> frozenset[str]:
    """Aliases that hold themselves without a union or a record between."""
    aliases = {name: decl for name, decl in known.items() if isinstance(decl, Alias)}
    edges = {name: set(references(decl)) & set(aliases) for name, decl in aliases.items()}
    return frozenset(name for name in aliases if name in recursive(known) and name in _reach(name, edges))


def boxed_members(known: Mapping[str, Declaration]) -> frozenset[tuple[str, str]]:
    """The members through which a record would contain itself; lists, maps and unions are boxes already."""
    edges = {name: set(_inside(decl)) for name, decl in known.items()}
    reach = {name: _reach(name, edges) for name, decl in known.items() if isinstance(decl, Record)}
    return frozenset(
        (name, field.wire)
        for name, decl in known.items()
        if isinstance(decl, Record) and name in reach[name]
        for field in decl.fields
        if any(inner == name or name in _reach(inner, edges) for inner in _direct(field.type))
    )


def _split(declaration: Declaration, taken: set[str]) -> Iterator[Declaration]:
    made: _Made = []
    name = declaration.name
    match declaration:
        case Record(fields=fields, extra=extra):
            yield msgspec.structs.replace(
                declaration,
                fields=tuple(_field(field, name, taken, made) for field in fields),
                extra=None if extra is None else _named(extra, f"{name}Extra", taken, made),
            )
        case Union(variants=variants):
            arms = tuple(_arm(arm, f"{name}{index + 1}", taken, made) for index, arm in enumerate(variants))
            yield msgspec.structs.replace(declaration, variants=arms)
        case Alias(type=TupleOf() as node):
            yield msgspec.structs.replace(declaration, type=_inner(node, name, taken, made))
        case Alias(type=node):
            yield msgspec.structs.replace(declaration, type=_named(node, name, taken, made))
        case Enum():
            yield declaration
    yield from made


def _field(field: Field, owner: str, taken: set[str], made: _Made) -> Field:
    return msgspec.structs.replace(field, type=_named(field.type, owner + pascal(field.wire), taken, made))


def _arm(arm: Variant, name: str, taken: set[str], made: _Made) -> Variant:
    return msgspec.structs.replace(arm, type=_named(arm.type, name, taken, made))


def _named(node: TypeNode, name: str, taken: set[str], made: _Made) -> TypeNode:
    match node:
        case ListOf(item=item):
            return msgspec.structs.replace(node, item=_named(item, f"{name}Item", taken, made))
        case MapOf(value=value):
            return msgspec.structs.replace(node, value=_named(value, f"{name}Value", taken, made))
        case Nullable(of=of):
            return Nullable(_named(of, name, taken, made))
        case TupleOf():
            free = f"{name}Tuple"
            while free in taken:
                free += "_"
            taken.add(free)
            made.append(Alias(name=free, doc="Some values in a fixed order.", type=_inner(node, name, taken, made)))
            return Ref(free)
    return node


def _inner(node: TupleOf, name: str, taken: set[str], made: _Made) -> TupleOf:
    items = tuple(_named(item, f"{name}{index + 1}", taken, made) for index, item in enumerate(node.items))
    return TupleOf(items, None if node.rest is None else _named(node.rest, f"{name}Rest", taken, made))


def _inside(declaration: Declaration) -> Iterator[str]:
    """The declarations whose values lie within a value of this one."""
    match declaration:
        case Record(fields=fields):
            for field in fields:
                yield from _direct(field.type)
        case Alias(type=node):
            yield from _direct(node)


def _direct(node: TypeNode) -> Iterator[str]:
    match node:
        case Ref(name=name):
            yield name
        case Nullable(of=of):
            yield from _direct(of)
        case TupleOf(items=items):
            for item in items:
                yield from _direct(item)


def _reach(start: str, edges: Mapping[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = list(edges.get(start, ()))
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += edges.get(name, ())
    return seen
