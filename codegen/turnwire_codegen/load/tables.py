"""The four tables: methods, errors, state machines and capabilities, row by row."""

from typing import Any, Literal

from turnwire_codegen.ir import Capability, ErrorRow, Machine, Method
from turnwire_codegen.load.shape import integer, items, members, notes_of, one_of, text, truth, unexpected
from turnwire_codegen.problems import Place

__all__ = ["read_capabilities", "read_errors", "read_machines", "read_methods"]

_ROW = "see protocol/meta for the members of a row"
_TABLE = frozenset({"$schema", "$id", "title", "description"})
_METHOD = frozenset(
    {
        *("name", "sender", "kind", "params", "result", "errors", "emits", "durable"),
        *("capability", "scope", "stability", "since", "clause", "description"),
    },
)


def read_methods(node: Any, place: Place) -> tuple[Method, ...]:
    """The rows of methods.json."""
    table = members(node, place)
    unexpected(table, _TABLE | {"methods"}, place, fix=_ROW)
    rows = [_method(row, place / "methods" / index) for index, row in enumerate(items(table, "methods", place))]
    _refuse_twins([row.name for row in rows], place / "methods")
    return tuple(rows)


def _method(node: Any, place: Place) -> Method:
    row = members(node, place)
    unexpected(row, _METHOD, place, fix=_ROW)
    kind = _kind(row, place)
    if kind == "request" and text(row, "result", place, None) is None:
        place.error("a request without a result", "name the type of its result")
    return Method(
        name=text(row, "name", place),
        sender=one_of(row, "sender", place, ("client", "server", "both")),
        kind=kind,
        clause=text(row, "clause", place),
        doc=text(row, "description", place),
        params=text(row, "params", place, None),
        result=text(row, "result", place, None),
        errors=_strings(row, "errors", place),
        emits=_strings(row, "emits", place),
        durable=truth(row, "durable", place),
        capability=text(row, "capability", place, None),
        scope=text(row, "scope", place, None),
        stability=one_of(row, "stability", place, ("stable", "experimental")),
        since=text(row, "since", place, None),
        notes=notes_of(row),
    )


def _kind(row: dict[str, Any], place: Place) -> Literal["request", "notification"]:
    return one_of(row, "kind", place, ("request", "notification"))


def read_errors(node: Any, place: Place) -> tuple[ErrorRow, ...]:
    """The rows of errors.json."""
    table = members(node, place)
    unexpected(table, _TABLE | {"errors"}, place, fix=_ROW)
    rows = []
    for index, value in enumerate(items(table, "errors", place)):
        at = place / "errors" / index
        row = members(value, at)
        unexpected(row, frozenset({"code", "name", "retryable", "data", "when", "clause"}), at, fix=_ROW)
        code = integer(row, "code", at)
        if code is None:
            at.error("an error without a code", "give it the integer that the wire carries")
        rows.append(
            ErrorRow(
                code=code or 0,
                name=text(row, "name", at),
                retryable=truth(row, "retryable", at),
                when=text(row, "when", at),
                clause=text(row, "clause", at),
                data=text(row, "data", at, None),
                notes=notes_of(row),
            ),
        )
    _refuse_twins([row.name for row in rows], place / "errors")
    _refuse_twins([row.code for row in rows], place / "errors")
    return tuple(rows)


def read_machines(node: Any, place: Place) -> tuple[Machine, ...]:
    """The machines of states.json; every state that is named has a row, terminal ones an empty one."""
    table = members(node, place)
    unexpected(table, _TABLE | {"machines"}, place, fix=_ROW)
    machines = []
    for name, value in members(table.get("machines", {}), place / "machines").items():
        at = place / "machines" / name
        row = members(value, at)
        unexpected(row, frozenset({"initial", "terminal", "transitions", "description", "clause"}), at, fix=_ROW)
        machine = Machine(
            name=name,
            initial=text(row, "initial", at),
            terminal=_strings(row, "terminal", at),
            transitions=_transitions(row, at),
            doc=text(row, "description", at, ""),
            notes={"clause": row["clause"]} if "clause" in row else {},
        )
        _check_states(machine, at)
        machines.append(machine)
    return tuple(machines)


def _transitions(row: dict[str, Any], place: Place) -> dict[str, dict[str, str | None]]:
    at = place / "transitions"
    return {
        state: {event: text(events, event, at / state, None) for event in members(events, at / state)}
        for state, events in members(row.get("transitions", {}), at).items()
    }


def _check_states(machine: Machine, place: Place) -> None:
    states = set(machine.transitions)
    if machine.initial not in states:
        (place / "initial").error(f"no state {machine.initial!r}", "name a state of transitions")
    for index, state in enumerate(machine.terminal):
        if state not in states:
            (place / "terminal" / index).error(f"no state {state!r}", "give it an empty row in transitions")
    for state, events in machine.transitions.items():
        for event, target in events.items():
            if target is not None and target not in states:
                (place / "transitions" / state / event).error(f"no state {target!r}", "give it a row in transitions")


def read_capabilities(node: Any, place: Place) -> tuple[Capability, ...]:
    """The rows of capabilities.json, the server's before the client's."""
    table = members(node, place)
    unexpected(table, _TABLE | {"server", "client"}, place, fix=_ROW)
    rows = []
    for side in ("server", "client"):
        for index, value in enumerate(items(table, side, place)):
            at = place / side / index
            row = members(value, at)
            unexpected(row, frozenset({"key", "promise", "methods", "members", "clause"}), at, fix=_ROW)
            rows.append(
                Capability(
                    key=text(row, "key", at),
                    side="server" if side == "server" else "client",
                    promise=text(row, "promise", at),
                    methods=_strings(row, "methods", at),
                    members=_strings(row, "members", at),
                    notes={"clause": row["clause"]} if "clause" in row else {},
                ),
            )
    return tuple(rows)


def _strings(row: dict[str, Any], key: str, place: Place) -> tuple[str, ...]:
    values = items(row, key, place)
    for index, value in enumerate(values):
        if not isinstance(value, str):
            (place / key / index).error("a string is expected here", "write a string")
    return tuple(value for value in values if isinstance(value, str))


def _refuse_twins(values: list[Any], place: Place) -> None:
    for index, value in enumerate(values):
        if value in values[:index]:
            (place / index).error(f"{value!r} stands twice", "keep one row")
