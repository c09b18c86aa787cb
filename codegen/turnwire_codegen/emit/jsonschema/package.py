"""The folder of `generate-json-schema`: both bundles, and each type and method as a schema that needs no other file."""

from turnwire_codegen.emit.jsonschema import DIALECT, bundle, schema_text
from turnwire_codegen.emit.jsonschema.types import Schema, declaration_schema
from turnwire_codegen.ir import Method, Protocol
from turnwire_codegen.passes.graph import declarations, references

__all__ = ["emit_jsonschema"]


def emit_jsonschema(protocol: Protocol, whole: Protocol, stable: Protocol) -> dict[str, bytes]:
    """`protocol` is the one of the two whose types and methods get a file each."""
    base = protocol.id.rpartition("/")[0]
    output = {"bundle.json": bundle(whole).text, "bundle.stable.json": bundle(stable).text}
    closures = _Closures(protocol)
    for name in closures.schemas:
        output[f"types/{name}.json"] = schema_text(_type(name, closures, base))
    for method in protocol.methods:
        output[f"methods/{method.name}.json"] = schema_text(_method(method, closures, base))
    return output


class _Closures:
    """Each definition's schema and what it refers to, found out once for all the files that hold it."""

    def __init__(self, protocol: Protocol) -> None:
        known = declarations(protocol)
        self.schemas = {name: declaration_schema(known[name]) for name in sorted(known)}
        self._edges = {name: frozenset(references(known[name])) for name in known}

    def of(self, *names: str) -> Schema:
        """`names` and all that they reach, as `$defs`."""
        seen: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += self._edges[name]
        return {name: self.schemas[name] for name in sorted(seen)}


def _type(name: str, closures: _Closures, base: str) -> Schema:
    return {
        "$schema": DIALECT,
        "$id": f"{base}/types/{name}.json",
        "title": name,
        "$ref": f"#/$defs/{name}",
        "$defs": closures.of(name),
    }


def _method(method: Method, closures: _Closures, base: str) -> Schema:
    named = {"params": method.params, "result": method.result}
    members = {key: name for key, name in named.items() if name is not None}
    return {
        "$schema": DIALECT,
        "$id": f"{base}/methods/{method.name}.json",
        "title": method.name,
        "description": method.doc,
        "type": "object",
        "properties": {key: {"$ref": f"#/$defs/{name}"} for key, name in members.items()},
        "$defs": closures.of(*members.values()),
    }
