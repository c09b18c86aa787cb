"""The protocol's tables as TypeScript: maps from method to types, and constants."""

import msgspec

from turnwire_codegen.emit.typescript.names import module_name, type_name
from turnwire_codegen.emit.typescript.text import comment, quoted
from turnwire_codegen.emit.typescript.view import import_line
from turnwire_codegen.ir import Method, Protocol, Record
from turnwire_codegen.passes.graph import declarations, homes

__all__ = [
    "EntryView",
    "ErrorView",
    "MapView",
    "MethodsView",
    "ProtocolView",
    "error_views",
    "methods_view",
    "protocol_view",
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


class ProtocolView(msgspec.Struct, frozen=True, kw_only=True):
    """protocol.ts."""

    version: str
    major: int
    id: str
    digest: str


def methods_view(protocol: Protocol) -> MethodsView:
    """The four maps, and the one of all methods."""
    maps = tuple(
        _map(protocol, side, kind, rows)
        for side in ("client", "server")
        for kind in ("request", "notification")
        if (rows := [row for row in protocol.methods if row.kind == kind and row.sender in (side, "both")])
    )
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


def protocol_view(protocol: Protocol, digest: str) -> ProtocolView:
    """The constants of protocol.ts."""
    return ProtocolView(
        version=quoted(protocol.version),
        major=int(protocol.version.partition(".")[0]),
        id=quoted(protocol.id),
        digest=quoted(digest),
    )


def _map(protocol: Protocol, side: str, kind: str, rows: list[Method]) -> MapView:
    return MapView(
        name=f"{side.capitalize()}{kind.capitalize()}Map",
        doc=comment(f"Every {kind} that the {side} sends.", indent=0),
        entries=tuple(
            EntryView(key=quoted(row.name), doc=comment(row.doc, indent=2), members=_members(protocol, row))
            for row in rows
        ),
    )


def _members(protocol: Protocol, row: Method) -> tuple[str, ...]:
    members = []
    if row.params is None:
        members.append("params?: never;")
    else:
        target = declarations(protocol)[row.params]
        required = not isinstance(target, Record) or any(field.required for field in target.fields)
        members.append(f"params{'' if required else '?'}: {type_name(row.params)};")
    if row.kind == "request":
        members.append(f"result: {'unknown' if row.result is None else type_name(row.result)};")
    return tuple(members)
