"""The folder of `generate-json-schema`: both bundles, and each type and method as a schema that needs no other file."""

import json

from turnwire_codegen.emit.jsonschema import DIALECT, bundle
from turnwire_codegen.emit.jsonschema.types import Schema, declaration_schema
from turnwire_codegen.ir import Declaration, Method, Protocol
from turnwire_codegen.passes.graph import declarations, reachable

__all__ = ["emit_jsonschema"]


def emit_jsonschema(protocol: Protocol, whole: Protocol, stable: Protocol) -> dict[str, bytes]:
    """`protocol` is the one of the two whose types and methods get a file each."""
    known = declarations(protocol)
    base = protocol.id.rpartition("/")[0]
    output = {"bundle.json": bundle(whole).text, "bundle.stable.json": bundle(stable).text}
    for name in known:
        output[f"types/{name}.json"] = _text(_type(name, known, base))
    for method in protocol.methods:
        output[f"methods/{method.name}.json"] = _text(_method(method, known, base))
    return output


def _type(name: str, known: dict[str, Declaration], base: str) -> Schema:
    return {
        "$schema": DIALECT,
        "$id": f"{base}/types/{name}.json",
        "title": name,
        "$ref": f"#/$defs/{name}",
        "$defs": _closure({name}, known),
    }


def _method(method: Method, known: dict[str, Declaration], base: str) -> Schema:
    named = {"params": method.params, "result": method.result}
    members = {key: name for key, name in named.items() if name is not None}
    return {
        "$schema": DIALECT,
        "$id": f"{base}/methods/{method.name}.json",
        "title": method.name,
        "description": method.doc,
        "type": "object",
        "properties": {key: {"$ref": f"#/$defs/{name}"} for key, name in members.items()},
        "$defs": _closure(set(members.values()), known),
    }


def _closure(names: set[str], known: dict[str, Declaration]) -> Schema:
    return {name: declaration_schema(known[name]) for name in sorted(reachable(names, known))}


def _text(schema: Schema) -> bytes:
    return (json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()
