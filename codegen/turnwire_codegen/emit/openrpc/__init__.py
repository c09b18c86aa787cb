"""OpenRPC 1.3: a document of what a server answers, and one of what a client answers; each side is a service."""

from collections.abc import Mapping

from turnwire_codegen.emit.given import Files, Given
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.jsonschema import schema_text
from turnwire_codegen.emit.jsonschema.types import Schema
from turnwire_codegen.emit.openrpc.methods import method_object, types_of
from turnwire_codegen.emit.openrpc.schemas import component, schema_components
from turnwire_codegen.ir import Protocol
from turnwire_codegen.load.beside import Beside
from turnwire_codegen.passes.graph import declarations
from turnwire_codegen.problems import Finding
from turnwire_codegen.report import findings as findings_of

__all__ = ["DOCUMENTS", "OPENRPC", "emit", "emit_openrpc", "findings"]

OPENRPC = "1.3.2"
# The file by who sends; a method that both may send stands in both.
DOCUMENTS = {"client": "openrpc.json", "server": "openrpc.client.json"}
_DESCRIPTIONS = {
    "client": "What a client may send, and what the server answers.",
    "server": "What a server may send, and what the client answers.",
}


def emit(given: Given) -> Files:
    """The documents."""
    return emit_openrpc(given.protocol, given.beside, given.header)


def findings(protocol: Protocol, origins: Mapping[str, str]) -> list[Finding]:
    """The documents say every rule."""
    return findings_of(protocol, protocol, origins)


def emit_openrpc(protocol: Protocol, beside: Beside, header: Header) -> dict[str, bytes]:
    """A document for each side that sends anything."""
    senders = [side for side in DOCUMENTS if any(row.sender in (side, "both") for row in protocol.methods)]
    return {DOCUMENTS[side]: schema_text(_document(side, protocol, beside, header)) for side in senders}


def _document(side: str, protocol: Protocol, beside: Beside, header: Header) -> Schema:
    known = declarations(protocol)
    rows = [row for row in protocol.methods if row.sender in (side, "both")]
    roots = {name for row in rows for name in types_of(row, known)}
    roots |= {row.data for row in protocol.errors if row.data is not None}
    errors = {
        row.name: {
            "code": row.code,
            "message": row.when,
            # The meta schema lets nothing else stand here: the value that an error carries is told by its schema.
            **({} if row.data is None else {"data": component("schemas", row.data)}),
        }
        for row in protocol.errors
    }
    components: Schema = {"schemas": schema_components(roots, known, beside.examples)}
    return {
        "openrpc": OPENRPC,
        "info": {
            "title": protocol.title,
            # A foreign schema says no version, and the member must not be left out.
            "version": protocol.version or "0",
            "description": _DESCRIPTIONS[side],
            "x-schema-digest": header.digest,
        },
        "methods": [method_object(row, known, beside) for row in rows],
        "components": components | ({"errors": errors} if errors else {}),
    }
