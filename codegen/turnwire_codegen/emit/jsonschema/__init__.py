"""JSON Schema: the bundle by which any validator can judge a line, flat and sorted by name, tables under `x-` keywords.

Members keep the order in which their family file declares them: of two faults the one in the first member is the first.
"""

import msgspec

from turnwire_codegen.emit.jsonschema.canonical import canonical_json, digest
from turnwire_codegen.emit.jsonschema.types import Schema, declaration_schema
from turnwire_codegen.ir import ErrorRow, Machine, Method, Protocol
from turnwire_codegen.passes.graph import declarations

__all__ = ["DIALECT", "Bundle", "bundle", "schema_text"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Bundle(msgspec.Struct, frozen=True):
    """The bundle as a value, as the text of `bundle.json`, in canonical form, and the digest of that form."""

    schema: Schema
    text: bytes
    canonical: bytes
    digest: str


def bundle(protocol: Protocol) -> Bundle:
    """The bundle of a protocol whose roots are derived; its root judges a line of either side."""
    known = declarations(protocol)
    schema: Schema = {
        "$schema": DIALECT,
        "$id": protocol.id,
        "title": f"{protocol.title} {protocol.version}",
        "description": "Every type of the protocol. Generated; the family files beside it are what people edit.",
        "$defs": {name: declaration_schema(known[name]) for name in sorted(known)},
        "x-version": protocol.version,
        "x-methods": [_method(row) for row in protocol.methods],
        "x-errors": [_error(row) for row in protocol.errors],
        "x-states": {row.name: _machine(row) for row in protocol.machines},
        "x-capabilities": {
            side: [
                {"key": row.key, "promise": row.promise, "methods": list(row.methods), "members": list(row.members)}
                for row in protocol.capabilities
                if row.side == side
            ]
            for side in ("server", "client")
        },
    }
    roots = [name for name in ("ClientToServer", "ServerToClient") if name in known]
    if roots:
        schema["anyOf"] = [{"$ref": f"#/$defs/{name}"} for name in roots]
    canonical = canonical_json(schema)
    return Bundle(schema, schema_text(schema), canonical, digest(canonical))


def schema_text(schema: Schema) -> bytes:
    """A schema as people read it: indented, members in the order in which they were said."""
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"


def _method(row: Method) -> Schema:
    schema: Schema = {
        "name": row.name,
        "sender": row.sender,
        "kind": row.kind,
        "errors": list(row.errors),
        "emits": list(row.emits),
        "durable": row.durable,
        "stability": row.stability,
        "clause": row.clause,
        "description": row.doc,
    }
    optional = {
        "params": row.params,
        "result": row.result,
        "capability": row.capability,
        "since": row.since,
        "scope": row.scope,
    }
    return schema | {name: value for name, value in optional.items() if value is not None}


def _error(row: ErrorRow) -> Schema:
    schema: Schema = {
        "code": row.code,
        "name": row.name,
        "retryable": row.retryable,
        "when": row.when,
        "clause": row.clause,
    }
    return schema | ({} if row.data is None else {"data": row.data})


def _machine(row: Machine) -> Schema:
    return {
        "description": row.doc,
        "initial": row.initial,
        "terminal": list(row.terminal),
        "transitions": row.transitions,
        **row.notes,
    }
