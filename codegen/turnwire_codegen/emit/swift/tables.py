"""The protocol's tables as Swift: methods with the types of what they carry, errors, states, capabilities, versions."""

from collections.abc import Iterable

import msgspec

from turnwire_codegen.emit.swift.names import case_names, member_names
from turnwire_codegen.emit.swift.text import comment, quoted
from turnwire_codegen.emit.swift.types import Scope
from turnwire_codegen.ir import Capability, Machine, Method, Protocol

__all__ = [
    "CallView",
    "ErrorView",
    "MachineView",
    "MethodsView",
    "capability_row",
    "error_views",
    "machine_views",
    "methods_view",
]

_KINDS = {
    ("client", "request"): "ClientRequestMethod",
    ("client", "notification"): "ClientNotificationMethod",
    ("server", "request"): "ServerRequestMethod",
    ("server", "notification"): "ServerNotificationMethod",
}


class CallView(msgspec.Struct, frozen=True, kw_only=True):
    """A method as a value that knows its types."""

    extension: str
    name: str
    wire: str
    doc: tuple[str, ...]


class MethodsView(msgspec.Struct, frozen=True):
    """The methods one by one, and the rows of the table of all of them."""

    calls: tuple[CallView, ...]
    rows: tuple[str, ...]


class ErrorView(msgspec.Struct, frozen=True, kw_only=True):
    """An error."""

    case: str
    wire: str
    code: int
    retryable: str
    doc: tuple[str, ...]


class MachineView(msgspec.Struct, frozen=True, kw_only=True):
    """A state machine; its rows are states with the events that lead out of them."""

    name: str
    initial: str
    terminal: str
    rows: tuple[str, ...]
    doc: tuple[str, ...]


def methods_view(protocol: Protocol, scope: Scope) -> MethodsView:
    """Every method, of those that both sides send one for each side."""
    calls = [
        _call(row, _KINDS[side, row.kind], scope)
        for side in ("client", "server")
        for row in protocol.methods
        if row.sender in (side, "both")
    ]
    return MethodsView(tuple(calls), tuple(_row(row) for row in protocol.methods))


def error_views(protocol: Protocol) -> list[ErrorView]:
    """The rows of the errors."""
    names = case_names({row.name: "" for row in protocol.errors})
    return [
        ErrorView(
            case=names[row.name],
            wire=quoted(row.name),
            code=row.code,
            retryable="true" if row.retryable else "false",
            doc=comment(row.when, indent=4),
        )
        for row in protocol.errors
    ]


def machine_views(protocol: Protocol) -> list[MachineView]:
    """The state machines by name."""
    names = member_names({machine.name: "" for machine in protocol.machines})
    return [
        MachineView(
            name=names[machine.name],
            initial=quoted(machine.initial),
            terminal=_list(machine.terminal),
            rows=tuple(f"{quoted(state)}: {_events(machine, state)}," for state in machine.transitions),
            doc=comment(machine.doc, indent=4),
        )
        for machine in protocol.machines
    ]


def capability_row(row: Capability) -> str:
    """What one side can offer."""
    return (
        f"Capability({quoted(row.key)}, promise: {quoted(row.promise)}, "
        f"methods: {_list(row.methods)}, members: {_list(row.members)}),"
    )


def _call(row: Method, kind: str, scope: Scope) -> CallView:
    # Without params there is nothing to send, which is what JSONNull says to a client.
    params = "JSONNull" if row.params is None else scope.names[row.params]
    wanted = [f"Params == {params}"]
    if row.kind == "request":
        wanted.append(f"Reply == {'JSONValue' if row.result is None else scope.names[row.result]}")
    return CallView(
        extension=f"{kind} where {', '.join(wanted)}",
        name=case_names({row.name: ""})[row.name],
        wire=quoted(row.name),
        doc=comment(row.doc, indent=4),
    )


def _row(row: Method) -> str:
    facts = [
        quoted(row.name),
        f"sender: .{row.sender}",
        f"kind: .{row.kind}",
        f"capability: {'nil' if row.capability is None else quoted(row.capability)}",
        f"errors: {_list(row.errors)}",
        f"emits: {_list(row.emits)}",
        f"isDurable: {'true' if row.durable else 'false'}",
        f"isExperimental: {'true' if row.stability == 'experimental' else 'false'}",
    ]
    return f"MethodRow({', '.join(facts)}),"


def _events(machine: Machine, state: str) -> str:
    moves = [f"{quoted(event)}: {quoted(to)}" for event, to in machine.transitions[state].items() if to is not None]
    return f"[{', '.join(moves) or ':'}]"


def _list(names: Iterable[str]) -> str:
    return f"[{', '.join(map(quoted, names))}]"
