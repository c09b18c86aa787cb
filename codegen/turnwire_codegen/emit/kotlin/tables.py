"""The protocol's tables as Kotlin values: methods with their types, errors, machines, capabilities, and all types."""

from collections.abc import Iterable, Iterator

import msgspec

from turnwire_codegen.emit.kotlin.imports import import_lines
from turnwire_codegen.emit.kotlin.layout import Expression, laid_out
from turnwire_codegen.emit.kotlin.names import case_names, member_names, unbarred
from turnwire_codegen.emit.kotlin.scope import Scope
from turnwire_codegen.emit.kotlin.text import comment, quoted
from turnwire_codegen.emit.kotlin.types import symbol_of
from turnwire_codegen.emit.tables import MethodGroup, method_groups
from turnwire_codegen.ir import AnyValue, Capability, ErrorRow, Machine, Method, Protocol, Ref

__all__ = [
    "ChunkView",
    "ErrorView",
    "MachineView",
    "MethodTableView",
    "MethodView",
    "MethodsView",
    "RowView",
    "TypesView",
    "capability_row",
    "error_views",
    "methods_view",
    "states_view",
    "types_view",
]

# A function that tells so many names apart keeps well below what a method of the JVM can hold.
_TYPES_A_FUNCTION = 300


class MethodView(msgspec.Struct, frozen=True, kw_only=True):
    """A method as a property."""

    name: str
    doc: tuple[str, ...]
    lines: tuple[str, ...]


class MethodTableView(msgspec.Struct, frozen=True, kw_only=True):
    """All methods of one kind that one side sends."""

    name: str
    doc: tuple[str, ...]
    kind: str
    methods: tuple[MethodView, ...]


class MethodsView(msgspec.Struct, frozen=True):
    """All tables of methods."""

    imports: tuple[str, ...]
    tables: tuple[MethodTableView, ...]


class ErrorView(msgspec.Struct, frozen=True):
    """An error."""

    line: str
    doc: tuple[str, ...]


class RowView(msgspec.Struct, frozen=True):
    """A state, with where its events lead."""

    key: str
    values: tuple[str, ...]


class MachineView(msgspec.Struct, frozen=True, kw_only=True):
    """A machine as a property."""

    name: str
    doc: tuple[str, ...]
    wire: str
    initial: str
    terminal: str
    states: tuple[RowView, ...]


class ChunkView(msgspec.Struct, frozen=True):
    """Some of the types, each as a branch."""

    name: str
    lines: tuple[str, ...]


class TypesView(msgspec.Struct, frozen=True):
    """Every type by its name in the schema; `lookup` asks the chunks in turn."""

    imports: tuple[str, ...]
    lookup: str
    chunks: tuple[ChunkView, ...]


def methods_view(protocol: Protocol, scope: Scope) -> MethodsView:
    """The four tables, but for those without a row."""
    tables = tuple(_table(group, scope) for group in method_groups(protocol))
    return MethodsView(import_lines(tables), tables)


def error_views(rows: Iterable[ErrorRow]) -> tuple[ErrorView, ...]:
    """The entries of the enum of errors."""
    rows = tuple(rows)
    names = case_names({row.name: row.name for row in rows})
    return tuple(
        ErrorView(
            f"{names[row.name]}({quoted(row.name)}, {row.code}, {_truth(row.retryable)}, {quoted(row.clause)}),",
            comment(row.when, indent=4),
        )
        for row in rows
    )


def states_view(protocol: Protocol) -> tuple[MachineView, ...]:
    """The machines."""
    names = member_names({machine.name: "" for machine in protocol.machines}, reserved=("all",))
    return tuple(_machine(machine, unbarred(names[machine.name])) for machine in protocol.machines)


def capability_row(row: Capability) -> tuple[str, ...]:
    """What one side can offer, as lines."""
    arguments = (quoted(row.key), quoted(row.promise), _list(row.methods), _list(row.members))
    return tuple(laid_out(Expression("Capability", arguments), suffix=","))


def types_view(scope: Scope) -> TypesView:
    """The codec of every declaration, an alias too."""
    lines = [f"{quoted(name)} -> {symbol_of(Ref(name), scope).codec}" for name in sorted(scope.known)]
    chunks = [tuple(lines[start : start + _TYPES_A_FUNCTION]) for start in range(0, len(lines), _TYPES_A_FUNCTION)]
    views = tuple(ChunkView(f"types{number}", chunk) for number, chunk in enumerate(chunks))
    return TypesView(import_lines(views), " ?: ".join(f"{view.name}(name)" for view in views) or "null", views)


def _table(group: MethodGroup, scope: Scope) -> MethodTableView:
    side, kind, rows = group.side, group.kind, group.rows
    names = member_names({row.name: "" for row in rows}, reserved=("all",))
    return MethodTableView(
        name=f"{side.capitalize()}{kind.capitalize()}s",
        doc=comment(f"Every {kind} that the {side} sends.", indent=0),
        kind="RequestMethod<*, *>" if kind == "request" else "NotificationMethod<*>",
        methods=tuple(_method(row, unbarred(names[row.name]), scope) for row in rows),
    )


def _method(row: Method, name: str, scope: Scope) -> MethodView:
    params = None if row.params is None else symbol_of(Ref(row.params), scope)
    texts = ["Unit" if params is None else params.text]
    codecs = ["null" if params is None else params.codec]
    if row.kind == "request":
        result = symbol_of(AnyValue() if row.result is None else Ref(row.result), scope)
        texts.append(result.text)
        codecs.append(result.codec)
    kind = f"{row.kind.capitalize()}Method"
    facts = tuple(_facts(row))
    arguments: tuple[Expression | str, ...] = (
        quoted(row.name),
        *codecs,
        *([Expression("MethodFacts", facts)] if facts else []),
    )
    head = f"public val {name}: {kind}<{', '.join(texts)}> = "
    return MethodView(
        name=name, doc=comment(row.doc, indent=4), lines=tuple(laid_out(Expression(kind, arguments), head))
    )


def _facts(row: Method) -> Iterator[Expression | str]:
    if row.errors:
        yield _list(row.errors, "errors = ")
    if row.emits:
        yield _list(row.emits, "emits = ")
    if row.durable:
        yield "durable = true"
    if row.capability is not None:
        yield f"capability = {quoted(row.capability)}"
    if row.scope is not None:
        yield f"scope = {quoted(row.scope)}"
    if row.stability == "experimental":
        yield "experimental = true"
    if row.since is not None:
        yield f"since = {quoted(row.since)}"
    if row.clause:
        yield f"clause = {quoted(row.clause)}"


def _machine(machine: Machine, name: str) -> MachineView:
    return MachineView(
        name=name,
        doc=comment(machine.doc, indent=4),
        wire=quoted(machine.name),
        initial=quoted(machine.initial),
        terminal=f"setOf({', '.join(map(quoted, machine.terminal))})",
        states=tuple(
            RowView(quoted(state), tuple(f"{quoted(event)} to {_next(after)}," for event, after in events.items()))
            for state, events in machine.transitions.items()
        ),
    )


def _next(state: str | None) -> str:
    return "null" if state is None else quoted(state)


def _list(names: tuple[str, ...], prefix: str = "") -> Expression:
    return Expression(f"{prefix}listOf", tuple(map(quoted, names)))


def _truth(value: bool) -> str:  # noqa: FBT001 -- the value itself, not an option
    return "true" if value else "false"
