"""What `unevaluatedProperties` and `unevaluatedItems` may still see, decided here: entries that hold under guards.

A guard is a plan of the same value (an arm, a condition, the presence of a member); no set of names is built at run.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from turnwire_codegen.lower.context import Context
from turnwire_codegen.lower.document import Site
from turnwire_codegen.lower.layers import flatten
from turnwire_codegen.rules import Evaluated, Guard, Plan, Required, Rule, Type, Unevaluated

__all__ = ["unevaluated_rules"]


class _Scan(NamedTuple):
    """Where the scan stands: whose keyword it is, under which guards, below which schemas."""

    owner: Site
    of: Literal["items", "members"]
    guards: tuple[Guard, ...] = ()
    above: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        return "unevaluatedItems" if self.of == "items" else "unevaluatedProperties"

    def under(self, *guards: Guard) -> "_Scan":
        return self._replace(guards=(*self.guards, *guards))


def unevaluated_rules(context: Context, layer: Site) -> Iterator[Rule]:
    """The rules of the two keywords of one layer; each sees what this layer and those below it speak of."""
    kinds: tuple[Literal["items", "members"], ...] = ("members", "items")
    for of in kinds:
        scan = _Scan(layer, of)
        child = context.keywords.child(layer, scan.key)
        if child is None:
            continue
        plan = context.target(child)
        # By their JSON, in which 1, 1.0 and true differ.
        said = {msgspec.json.encode(entry): entry for entry in _entries(context, layer, scan) if _speaks(entry)}
        entries = tuple(said.values())
        if plan != Plan() and Evaluated(everything=True) not in entries:
            yield Unevaluated(of, plan, entries)


def _speaks(entry: Evaluated) -> bool:
    return entry.everything or bool(entry.names or entry.patterns or entry.first)


def _entries(context: Context, site: Site, scan: _Scan) -> Iterator[Evaluated]:
    if site.pointer in scan.above:
        return  # a schema that asks itself about the same value is refused when all plans are known
    scan = scan._replace(above=scan.above | {site.pointer})
    for layer in flatten(context.keywords, site).sites:
        yield _members(context, layer, scan) if scan.of == "members" else _items(context, layer, scan)
        yield from _branches(context, layer, scan)


def _members(context: Context, layer: Site, scan: _Scan) -> Evaluated:
    read = context.keywords
    inner = layer.pointer != scan.owner.pointer and read.has(layer, scan.key)
    return Evaluated(
        scan.guards,
        names=tuple(name for name, _ in read.mapped(layer, "properties")),
        patterns=tuple(source for source, _ in read.mapped(layer, "patternProperties")),
        everything=inner or read.has(layer, "additionalProperties"),
    )


def _items(context: Context, layer: Site, scan: _Scan) -> Evaluated:
    read = context.keywords
    if read.has(layer, "contains"):
        at = context.place(scan.owner) / scan.key
        at.error("unevaluatedItems beside contains cannot be said", "close the array with items")
    inner = layer.pointer != scan.owner.pointer and read.has(layer, scan.key)
    return Evaluated(
        scan.guards,
        first=len(read.prefix(layer)),
        everything=inner or read.rest(layer) is not None,
    )


def _branches(context: Context, layer: Site, scan: _Scan) -> Iterator[Evaluated]:
    """What the arms, conditions and dependent schemas of a layer speak of, where they hold."""
    read = context.keywords
    for key in ("anyOf", "oneOf"):
        for arm in read.children(layer, key):
            yield from _entries(context, arm, scan.under(Guard(context.target(arm))))
    for name, child in read.dependent_schemas(layer):
        present = Plan((Type(("object",)), Required((name,))))
        yield from _entries(context, child, scan.under(Guard(present)))
    condition = read.child(layer, "if")
    if condition is None:
        return
    plan, then, other = context.target(condition), read.child(layer, "then"), read.child(layer, "else")
    yield from _entries(context, condition, scan.under(Guard(plan)))
    if then is not None:
        yield from _entries(context, then, scan.under(Guard(plan)))
    if other is not None:
        yield from _entries(context, other, scan.under(Guard(plan, holds=False)))
