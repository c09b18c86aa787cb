"""The protocol's tables as Python rows."""

import msgspec

from turnwire_codegen.emit.header import one_line
from turnwire_codegen.emit.python.names import class_name
from turnwire_codegen.emit.python.text import docstring, quoted
from turnwire_codegen.ir import Capability, ErrorRow, Machine, Method
from turnwire_codegen.words import upper_snake

__all__ = [
    "ErrorView",
    "MachineView",
    "MethodsView",
    "RowView",
    "StateView",
    "TypeView",
    "capability_view",
    "error_view",
    "machine_view",
    "method_view",
]


class TypeView(msgspec.Struct, frozen=True):
    """A type and the module it lives in."""

    name: str
    module: str


class RowView(msgspec.Struct, frozen=True, kw_only=True):
    """A row that is built by keyword arguments."""

    key: str
    doc: str
    arguments: tuple[str, ...]


class MethodsView(msgspec.Struct, frozen=True):
    """The method table, and where each type lives."""

    rows: list[RowView]
    types: tuple[TypeView, ...]


class ErrorView(msgspec.Struct, frozen=True, kw_only=True):
    """An error and its constant."""

    key: str
    constant: str
    quoted_constant: str
    code: int
    doc: tuple[str, ...]
    arguments: str


class StateView(msgspec.Struct, frozen=True):
    """A row of a machine."""

    state: str
    cells: tuple[str, ...]


class MachineView(msgspec.Struct, frozen=True, kw_only=True):
    """A machine."""

    key: str
    doc: str
    initial: str
    terminal: str
    rows: tuple[StateView, ...]


def method_view(method: Method) -> RowView:
    """A row of METHODS."""
    values = {
        "name": quoted(method.name),
        "sender": quoted(method.sender),
        "kind": quoted(method.kind),
        "params": _name(method.params),
        "result": _name(method.result),
        "errors": _tuple(method.errors),
        "emits": _tuple(method.emits),
        "durable": repr(method.durable),
        "capability": _optional(method.capability),
        "stability": quoted(method.stability),
        "since": _optional(method.since),
        "scope": _optional(method.scope),
        "clause": quoted(method.clause),
    }
    return RowView(key=quoted(method.name), doc=one_line(method.doc), arguments=_arguments(values))


def error_view(error: ErrorRow) -> ErrorView:
    """A row of ERRORS and its constant."""
    constant = upper_snake(error.name)
    values = [repr(error.code), quoted(error.name), repr(error.retryable), _name(error.data), quoted(error.clause)]
    return ErrorView(
        key=quoted(error.name),
        constant=constant,
        quoted_constant=quoted(constant),
        code=error.code,
        doc=docstring(error.when, indent=0),
        arguments=", ".join(values),
    )


def machine_view(machine: Machine) -> MachineView:
    """A machine with its cells in the order of the table."""
    return MachineView(
        key=quoted(machine.name),
        doc=one_line(machine.doc),
        initial=quoted(machine.initial),
        terminal=_tuple(machine.terminal),
        rows=tuple(
            StateView(quoted(state), tuple(f"{quoted(event)}: {_optional(target)}" for event, target in events.items()))
            for state, events in machine.transitions.items()
        ),
    )


def capability_view(row: Capability) -> RowView:
    """A row of a table of capabilities."""
    values = {
        "key": quoted(row.key),
        "promise": quoted(row.promise),
        "methods": _tuple(row.methods),
        "members": _tuple(row.members),
    }
    return RowView(key=quoted(row.key), doc="", arguments=_arguments(values))


def _arguments(values: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in values.items())


def _name(name: str | None) -> str:
    return "None" if name is None else quoted(class_name(name))


def _optional(value: str | None) -> str:
    return "None" if value is None else quoted(value)


def _tuple(values: tuple[str, ...]) -> str:
    inner = ", ".join(quoted(value) for value in values)
    return f"({inner},)" if len(values) == 1 else f"({inner})"
