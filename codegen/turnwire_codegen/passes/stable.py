"""The stable protocol is the whole one without what is marked experimental, and without what only that needed."""

import msgspec

from turnwire_codegen.ir import Capability, Declaration, Enum, Family, Notes, Protocol, Record, Union
from turnwire_codegen.passes.graph import declarations, reachable

__all__ = ["stable_only"]


def stable_only(protocol: Protocol) -> Protocol:
    """Drop experimental methods, members, arms and values; then the types that nothing stable reaches any more."""
    methods = tuple(row for row in protocol.methods if row.stability == "stable")
    kept = {row.name for row in methods}
    families = tuple(
        msgspec.structs.replace(
            family,
            declarations=tuple(_stable(decl) for decl in family.declarations if not _experimental(decl.notes)),
        )
        for family in protocol.families
    )
    filtered = msgspec.structs.replace(
        protocol,
        families=families,
        methods=tuple(
            msgspec.structs.replace(row, emits=tuple(name for name in row.emits if name in kept)) for row in methods
        ),
        capabilities=_offers(protocol.capabilities, kept | _members(families)),
    )
    return _without(filtered, _reached(protocol) - _reached(filtered))


def _stable(declaration: Declaration) -> Declaration:
    match declaration:
        case Record(fields=fields):
            return msgspec.structs.replace(declaration, fields=tuple(f for f in fields if not _experimental(f.notes)))
        case Union(variants=variants):
            arms = tuple(variant for variant in variants if not _experimental(variant.notes))
            return msgspec.structs.replace(declaration, variants=arms)
        case Enum(cases=cases):
            return msgspec.structs.replace(declaration, cases=tuple(c for c in cases if not _experimental(c.notes)))
        case _:
            return declaration


def _members(families: tuple[Family, ...]) -> set[str]:
    """Every member as the capability table calls it."""
    return {
        f"{record.name}.{field.wire}"
        for family in families
        for record in family.declarations
        if isinstance(record, Record)
        for field in record.fields
    }


def _offers(rows: tuple[Capability, ...], kept: set[str]) -> tuple[Capability, ...]:
    """The offers with what is left behind them; one behind which nothing is left is no offer any more."""
    offers = []
    for row in rows:
        methods = tuple(name for name in row.methods if name in kept)
        members = tuple(name for name in row.members if name in kept)
        if methods or members or not (row.methods or row.members):
            offers.append(msgspec.structs.replace(row, methods=methods, members=members))
    return tuple(offers)


def _reached(protocol: Protocol) -> set[str]:
    """What the tables reach. Types that no table reaches were never an experiment's own, and stay."""
    known = declarations(protocol)
    roots = {name for row in protocol.methods for name in (row.params, row.result) if name is not None}
    roots |= {row.data for row in protocol.errors if row.data is not None}
    return reachable(roots, known)


def _without(protocol: Protocol, names: set[str]) -> Protocol:
    families = tuple(
        msgspec.structs.replace(family, declarations=tuple(d for d in family.declarations if d.name not in names))
        for family in protocol.families
    )
    return msgspec.structs.replace(protocol, families=tuple(family for family in families if family.declarations))


def _experimental(notes: Notes) -> bool:
    return notes.get("stability") == "experimental"
