"""The protocol's tables as Markdown: methods by family, errors, capabilities, state machines."""

from collections.abc import Mapping

import msgspec

from turnwire_codegen.emit.docs.diagram import diagram, machine_table
from turnwire_codegen.emit.docs.names import anchor, group_of, target
from turnwire_codegen.emit.docs.text import block, code, inline, link, table
from turnwire_codegen.emit.docs.types import type_link
from turnwire_codegen.emit.docs.uses import emitters, error_link, method_link
from turnwire_codegen.emit.docs.view import Examples, TypeView, said, told, type_view
from turnwire_codegen.ir import Capability, Declaration, Method, Protocol
from turnwire_codegen.passes.graph import declarations

__all__ = [
    "GroupView",
    "MachineView",
    "MethodView",
    "OffersView",
    "PartView",
    "capability_views",
    "clause_link",
    "described",
    "error_table",
    "group_views",
    "machine_views",
]

Clauses = Mapping[str, str]


class PartView(msgspec.Struct, frozen=True):
    """Params or result: `types` holds the one type where this is the only method that has it, else it is a link."""

    role: str
    link: str
    types: tuple[TypeView, ...]


class MethodView(msgspec.Struct, frozen=True, kw_only=True):
    """A method."""

    anchor: str
    name: str
    facts: str
    doc: tuple[str, ...]
    parts: tuple[PartView, ...]
    lists: tuple[str, ...]


class GroupView(msgspec.Struct, frozen=True):
    """The methods of a family."""

    anchor: str
    title: str
    methods: tuple[MethodView, ...]


class OffersView(msgspec.Struct, frozen=True):
    """What one side can offer."""

    title: str
    table: tuple[str, ...]


class MachineView(msgspec.Struct, frozen=True, kw_only=True):
    """A state machine."""

    anchor: str
    name: str
    doc: tuple[str, ...]
    clause: str
    diagram: tuple[str, ...]
    table: tuple[str, ...]


def clause_link(clause: str, clauses: Clauses) -> str:
    """A clause's id, linked where the clause is at hand."""
    return link(clause, clauses[clause]) if clause in clauses else inline(clause)


def described(protocol: Protocol) -> frozenset[str]:
    """Definitions that are the params or the result of one method only: they stand with it, and nowhere else."""
    named = [name for row in protocol.methods for name in (row.params, row.result) if name is not None]
    return frozenset(name for name in named if named.count(name) == 1)


def group_views(protocol: Protocol, clauses: Clauses, examples: Examples) -> tuple[GroupView, ...]:
    """Every method under its family, families in the order in which the table names them first."""
    groups: dict[str, list[Method]] = {}
    for row in protocol.methods:
        groups.setdefault(group_of(row.name), []).append(row)
    known, own = declarations(protocol), described(protocol)
    return tuple(
        GroupView(
            anchor("methods", group),
            inline(f"`{group}/…`") if group else "Without a family",
            tuple(_method(row, protocol, clauses, examples, {name: known[name] for name in own}) for row in rows),
        )
        for group, rows in groups.items()
    )


def error_table(protocol: Protocol, clauses: Clauses) -> tuple[str, ...]:
    """The rows of the error table, each with an anchor."""
    rows = [
        (
            str(row.code),
            f'<a id="{anchor("error", row.name)}"></a>{code(row.name)}',
            "yes" if row.retryable else "no",
            type_link(row.data) if row.data else "",
            inline(row.when),
            clause_link(row.clause, clauses),
        )
        for row in protocol.errors
    ]
    return table(("Code", "Name", "Retryable", "Data", "When", "Clause"), rows)


def capability_views(protocol: Protocol, clauses: Clauses) -> tuple[OffersView, ...]:
    """What the server can offer, and what the client can; a side that offers nothing is left out."""
    linked = {row.name for row in protocol.methods}
    views = []
    for side in ("server", "client"):
        rows = [
            (
                f'<a id="{anchor("capability", side, row.key)}"></a>{code(row.key)}',
                told(row.promise, row.notes),
                ", ".join(method_link(name) if name in linked else code(name) for name in row.methods),
                ", ".join(_member_link(name, protocol) for name in row.members),
                clause_link(row.notes.get("clause", ""), clauses),
            )
            for row in protocol.capabilities
            if row.side == side
        ]
        lines = table(("Capability", "Promise", "Methods", "Members", "Clause"), rows)
        views += [OffersView(f"Of the {side}", lines)] if lines else []
    return tuple(views)


def machine_views(protocol: Protocol, clauses: Clauses) -> tuple[MachineView, ...]:
    """Every state machine, drawn and as a table."""
    return tuple(
        MachineView(
            anchor=anchor("machine", machine.name),
            name=inline(machine.name),
            doc=block(machine.doc),
            clause=clause_link(machine.notes.get("clause", ""), clauses),
            diagram=diagram(machine),
            table=machine_table(machine),
        )
        for machine in protocol.machines
    )


def _method(
    row: Method, protocol: Protocol, clauses: Clauses, examples: Examples, own: Mapping[str, Declaration]
) -> MethodView:
    doc = block(row.doc, said(row.notes))
    parts = {"Params": row.params, "Result": row.result}
    lists = {
        "Errors": [error_link(name) for name in row.errors],
        "Emits": [method_link(name) for name in row.emits],
        "Emitted by": emitters(protocol).get(row.name, ()),
    }
    return MethodView(
        anchor=anchor("method", row.name),
        name=code(row.name),
        facts=_facts(row, protocol, clauses),
        doc=doc,
        parts=tuple(
            PartView(role, type_link(name), (_part(own[name], doc, examples),) if name in own else ())
            for role, name in parts.items()
            if name is not None
        ),
        lists=tuple(f"{title}: {', '.join(links)}" for title, links in lists.items() if links),
    )


def _part(declaration: Declaration, told: tuple[str, ...], examples: Examples) -> TypeView:
    """Params and their method are often described in the same words, which are then said once."""
    view = type_view(declaration, examples)
    return msgspec.structs.replace(view, doc=()) if view.doc == told else view


def _facts(row: Method, protocol: Protocol, clauses: Clauses) -> str:
    """What the table says of a method, in one line; a foreign schema says little of it."""
    sender = "either side" if row.sender == "both" else f"the {row.sender}"
    facts = [
        f"**{row.kind.capitalize()}** of {sender}",
        f"capability {_capability_link(row, protocol.capabilities)}" if row.capability else "",
        f"scope {inline(row.scope)}" if row.scope else "",
        "durable" if row.durable else "",
        row.stability if protocol.version else "",
        f"since {inline(row.since)}" if row.since else "",
        clause_link(row.clause, clauses),
    ]
    return " · ".join(filter(None, facts))


def _capability_link(method: Method, rows: tuple[Capability, ...]) -> str:
    """Both sides may have a capability of one name; the one that names the method is meant."""
    assert method.capability is not None, "asked only for methods that have one"
    sides = [row.side for row in rows if row.key == method.capability and method.name in row.methods]
    sides += [row.side for row in rows if row.key == method.capability]
    shown = code(method.capability)
    return link(shown, target("capability", sides[0], method.capability)) if sides else shown


def _member_link(name: str, protocol: Protocol) -> str:
    owner = name.partition(".")[0]
    return link(code(name), target("type", owner)) if owner in declarations(protocol) else code(name)
