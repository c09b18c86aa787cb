"""Who refers to whom: between declarations, and between families."""

from collections.abc import Callable, Collection, Container, Iterator, Mapping
from typing import Any

import msgspec

from turnwire_codegen.ir import Declaration, Enum, Protocol, Record, Ref

__all__ = [
    "circular",
    "closure",
    "declarations",
    "homes",
    "mutual_families",
    "needed_first",
    "reachable",
    "recursive",
    "references",
    "unknown_name",
    "with_each",
]


def declarations(protocol: Protocol) -> dict[str, Declaration]:
    """Every declaration by name, in family order."""
    return {decl.name: decl for family in protocol.families for decl in family.declarations}


def with_each(protocol: Protocol, change: Callable[[Declaration], Declaration]) -> Protocol:
    """The protocol with every declaration as `change` leaves it."""
    families = tuple(
        msgspec.structs.replace(family, declarations=tuple(map(change, family.declarations)))
        for family in protocol.families
    )
    return msgspec.structs.replace(protocol, families=families)


def homes(protocol: Protocol) -> dict[str, str]:
    """Declaration name to family name."""
    return {decl.name: family.name for family in protocol.families for decl in family.declarations}


def references(node: Any) -> Iterator[str]:
    """The names that a node refers to, in reading order, repeated where they are repeated."""
    if isinstance(node, Ref):
        yield node.name
    elif isinstance(node, msgspec.Struct):
        for name in node.__struct_fields__:
            yield from references(getattr(node, name))
    elif isinstance(node, tuple):
        for item in node:
            yield from references(item)


def reachable(roots: set[str], known: Mapping[str, Declaration]) -> set[str]:
    """`roots` and all that they refer to, near or far."""
    seen: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += references(known[name])
    return seen


def mutual_families(protocol: Protocol) -> dict[str, frozenset[str]]:
    """For each family those others that it reaches and that reach it back; they cannot import each other's names."""
    home = homes(protocol)
    edges = {
        family.name: {home[name] for decl in family.declarations for name in references(decl)} - {family.name}
        for family in protocol.families
    }
    reach = {name: closure(name, edges) for name in edges}
    return {name: frozenset(other for other in reach[name] if name in reach[other] and other != name) for name in edges}


def recursive(known: Mapping[str, Declaration]) -> frozenset[str]:
    """Unions and aliases that hold themselves with no record between: no language can spell them out."""
    edges = {name: set() if isinstance(decl, Record | Enum) else set(references(decl)) for name, decl in known.items()}
    return circular(edges)


def unknown_name(union: str, taken: Container[str]) -> str:
    """What an open union's unknown arm is called: `UnknownItem`, or where that is a definition `UnknownItemArm`."""
    name = f"Unknown{union}"
    return f"{name}Arm" if name in taken else name


def closure(start: str, edges: Mapping[str, Collection[str]]) -> set[str]:
    """What is reached from `start` by one step or more; `start` itself only where a way leads back."""
    seen: set[str] = set()
    waiting = list(edges[start])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += edges.get(name, ())
    return seen


def circular(edges: Mapping[str, Collection[str]]) -> frozenset[str]:
    """What leads back to itself. Every edge is gone twice, forth and back, however long the ways are."""
    back: dict[str, list[str]] = {}
    for name, targets in edges.items():
        for target in targets:
            back.setdefault(target, []).append(name)
    found: set[str] = set()
    seen: set[str] = set()
    for name in reversed(needed_first(edges)):
        # Whoever leads here and was left later is led to from here too.
        circle = _entered(name, back, seen)
        if len(circle) > 1 or name in edges.get(name, ()):
            found.update(circle)
    return frozenset(found)


def needed_first(edges: Mapping[str, Collection[str]]) -> list[str]:
    """All names, each after those that it leads to, but for what leads back: as a walk in depth leaves them."""
    seen: set[str] = set()
    left: list[str] = []
    for start in edges:
        waiting = [(start, False)]
        while waiting:
            name, is_done = waiting.pop()
            if is_done:
                left.append(name)
            elif name not in seen:
                seen.add(name)
                waiting += [(name, True), *((target, False) for target in reversed([*edges.get(name, ())]))]
    return left


def _entered(start: str, edges: Mapping[str, Collection[str]], seen: set[str]) -> list[str]:
    """What is reached from `start` and was not seen; it is seen then."""
    found: list[str] = []
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            found.append(name)
            waiting += edges.get(name, ())
    return found
