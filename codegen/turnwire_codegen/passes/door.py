"""Which patterns the types leave out in what a client sends, since a client reads the same types, and the ways to them.

A server follows the ways from the params or the answer that it is sent, and holds what it finds to the patterns.
"""

from collections.abc import Iterator, Mapping

import msgspec

from turnwire_codegen.ir import Alias, Declaration, ListOf, MapOf, Nullable, Protocol, Record, Ref, Scalar, Union
from turnwire_codegen.passes.graph import declarations, reachable
from turnwire_codegen.passes.readers import loosen_readers
from turnwire_codegen.rules import Pattern, Rule

__all__ = ["Way", "ways_to_patterns"]


class Way(msgspec.Struct, frozen=True):
    """A member whose texts, however deep in lists and maps, have patterns that no type holds, or that leads there."""

    wire: str
    patterns: tuple[str, ...]


def ways_to_patterns(protocol: Protocol) -> dict[str, tuple[Way, ...]]:
    """The ways of every record that a client sends, by its name; records without any are left out."""
    known, held = declarations(protocol), declarations(loosen_readers(protocol))
    sent = {name: decl for name, decl in known.items() if name in _sent(protocol, known) and isinstance(decl, Record)}
    left = {
        name: {member: patterns - _patterns(held[name], held).get(member, set()) for member, patterns in found.items()}
        for name, decl in sent.items()
        for found in (_patterns(decl, known),)
    }
    leading = _leading(sent, {name for name, members in left.items() if any(members.values())}, known)
    return {
        name: ways
        for name, record in sent.items()
        if (
            ways := tuple(
                Way(field.wire, tuple(sorted(left[name][field.wire])))
                for field in record.fields
                if left[name][field.wire] or leading & _records(field.type, known)
            )
        )
    }


def _sent(protocol: Protocol, known: Mapping[str, Declaration]) -> set[str]:
    """What a client sends: params of its methods, answers to the requests of a server, and all that these refer to."""
    roots = {row.params for row in protocol.methods if row.params and row.sender != "server"}
    roots |= {row.result for row in protocol.methods if row.result and row.sender != "client"}
    return reachable(roots, known)


def _leading(records: Mapping[str, Record], leading: set[str], known: Mapping[str, Declaration]) -> set[str]:
    """`leading`, and the records that lead there."""
    while more := {
        name
        for name, record in records.items()
        if name not in leading and any(leading & _records(field.type, known) for field in record.fields)
    }:
        leading = leading | more
    return leading


def _patterns(declaration: Declaration, known: Mapping[str, Declaration]) -> dict[str, set[str]]:
    """By member of a record, the patterns of its texts."""
    if not isinstance(declaration, Record):
        return {}
    return {
        field.wire: {
            rule.source for _, rules in _ends(field.type, known) for rule in rules if isinstance(rule, Pattern)
        }
        for field in declaration.fields
    }


def _records(node: object, known: Mapping[str, Declaration]) -> set[str]:
    return {name for name, _ in _ends(node, known) if name}


def _ends(
    node: object, known: Mapping[str, Declaration], rules: tuple[Rule, ...] = (), within: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[Rule, ...]]]:
    """What a type is below lists, maps, choices and other names: the name of a record, or the rules of a scalar."""
    match node:
        case Scalar(rules=own):
            yield "", (*rules, *own)
        case ListOf(item=inner) | MapOf(value=inner):
            yield from _ends(inner, known, (), within)
        case Nullable(of=inner):
            yield from _ends(inner, known, rules, within)
        case Ref(name=name, rules=own) if name not in within:
            match known[name]:
                case Record():
                    yield name, ()
                case Alias(type=inner):
                    yield from _ends(inner, known, (*rules, *own), (*within, name))
                case Union(variants=variants):
                    for variant in variants:
                        yield from _ends(variant.type, known, (), (*within, name))
