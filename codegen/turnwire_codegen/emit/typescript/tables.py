"""The protocol's tables as TypeScript: maps from method to types, and constants."""

from collections.abc import Iterator, Mapping

import msgspec

from turnwire_codegen.emit.tables import MethodGroup, method_groups, needs_params
from turnwire_codegen.emit.typescript.names import module_name, type_name
from turnwire_codegen.emit.typescript.text import comment, quoted
from turnwire_codegen.emit.typescript.view import import_line
from turnwire_codegen.ir import Declaration, Method, Protocol
from turnwire_codegen.passes.graph import declarations, homes

__all__ = [
    "EntryView",
    "ErrorView",
    "MapView",
    "MethodsView",
    "error_views",
    "methods_view",
]


class EntryView(msgspec.Struct, frozen=True, kw_only=True):
    """A method in a map."""

    key: str
    doc: tuple[str, ...]
    members: tuple[str, ...]


class MapView(msgspec.Struct, frozen=True, kw_only=True):
    """All methods of one kind that one side sends."""

    name: str
    doc: tuple[str, ...]
    entries: tuple[EntryView, ...]


class MethodsView(msgspec.Struct, frozen=True, kw_only=True):
    """methods.ts."""

    imports: tuple[str, ...]
    maps: tuple[MapView, ...]
    all: str


class ErrorView(msgspec.Struct, frozen=True, kw_only=True):
    """An error."""

    key: str
    code: int
    retryable: str
    doc: tuple[str, ...]


def methods_view(protocol: Protocol) -> MethodsView:
    """The four maps, and the one of all methods."""
    maps = tuple(_map(group, declarations(protocol)) for group in method_groups(protocol))
    home = homes(protocol)
    by_module: dict[str, set[str]] = {}
    for row in protocol.methods:
        for name in filter(None, (row.params, row.result)):
            by_module.setdefault(module_name(home[name]), set()).add(type_name(name))
    return MethodsView(
        imports=tuple(import_line(module, by_module[module]) for module in sorted(by_module)),
        maps=maps,
        all=" & ".join(view.name for view in maps) or "{}",
    )


def error_views(protocol: Protocol) -> list[ErrorView]:
    """The rows of errors.ts."""
    return [
        ErrorView(
            key=quoted(row.name),
            code=row.code,
            retryable="true" if row.retryable else "false",
            doc=comment(row.when, indent=2),
        )
        for row in protocol.errors
    ]


def _map(group: MethodGroup, known: Mapping[str, Declaration]) -> MapView:
    return MapView(
        name=f"{group.side.capitalize()}{group.kind.capitalize()}Map",
        doc=comment(f"Every {group.kind} that the {group.side} sends.", indent=0),
        entries=tuple(
            EntryView(key=quoted(row.name), doc=comment(row.doc, indent=2), members=tuple(_members(row, known)))
            for row in group.rows
        ),
    )


def _members(row: Method, known: Mapping[str, Declaration]) -> Iterator[str]:
    if row.params is None:
        yield "params?: never;"
    else:
        yield f"params{'' if needs_params(row, known) else '?'}: {type_name(row.params)};"
    if row.kind == "request":
        yield f"result: {'unknown' if row.result is None else type_name(row.result)};"
