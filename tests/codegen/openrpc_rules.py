"""What the meta schema of OpenRPC 1.3 asks of a document, by hand: every fault by its place."""

import re
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft7Validator
from jsonschema.exceptions import SchemaError

__all__ = ["faults"]

# For each kind of object: required members, then those that may be there too; `x-` members may be everywhere but in
# errors and references.
OBJECTS: dict[str, tuple[set[str], set[str]]] = {
    "document": ({"openrpc", "info", "methods"}, {"servers", "components", "externalDocs", "$schema"}),
    "info": ({"title", "version"}, {"description", "termsOfService", "contact", "license"}),
    "method": (
        {"name", "params"},
        {"description", "summary", "servers", "tags", "paramStructure", "result", "errors", "links", "examples"}
        | {"deprecated", "externalDocs"},
    ),
    "descriptor": ({"name", "schema"}, {"description", "summary", "required", "deprecated"}),
    "error": ({"code", "message"}, {"data"}),
    "tag": ({"name"}, {"description", "externalDocs"}),
    "example": ({"name", "value"}, {"summary", "description"}),
    "pairing": ({"name", "params"}, {"description", "summary", "result"}),
}
TYPES: dict[str, type | tuple[type, ...]] = {
    "openrpc": str, "title": str, "version": str, "description": str, "name": str, "summary": str, "message": str,
    "code": int, "required": bool, "deprecated": bool, "methods": list, "params": list, "tags": list, "errors": list,
    "examples": list, "info": dict, "result": dict, "components": dict, "schema": (dict, bool),
}  # fmt: skip
COMPONENTS = {
    *("schemas", "links", "errors", "examples", "examplePairings", "contentDescriptors", "tags"),
}


def faults(document: Any) -> list[str]:
    """Every fault of an OpenRPC document."""
    return list(_document(document))


def _document(document: Any) -> Iterator[str]:
    yield from _object("document", document, "#")
    if not re.fullmatch(r"1\.3\.[0-2]", document.get("openrpc", "")):
        yield "#/openrpc: no version 1.3"
    yield from _object("info", document.get("info", {}), "#/info")
    names = [method.get("name") for method in document.get("methods", [])]
    yield from (f"#/methods: {name} stands twice" for name in sorted({n for n in names if names.count(n) > 1}))
    for method in document.get("methods", []):
        yield from _method(method, document, f"#/methods/{method.get('name')}")
    components = document.get("components", {})
    yield from (f"#/components: no {kind}" for kind in sorted(components.keys() - COMPONENTS))
    for kind, some in components.items():
        yield from (f"#/components/{kind}: {key}" for key in some if not re.fullmatch(r"[A-Za-z0-9.\-_]+", key))
    for key, error in components.get("errors", {}).items():
        yield from _object("error", error, f"#/components/errors/{key}")
    for key, schema in components.get("schemas", {}).items():
        yield from _schema(schema, document, f"#/components/schemas/{key}")


def _method(method: Any, document: Any, at: str) -> Iterator[str]:
    yield from _object("method", method, at)
    if method.get("paramStructure", "either") not in {"by-name", "by-position", "either"}:
        yield f"{at}/paramStructure: no structure"
    names = [param.get("name") for param in method.get("params", [])]
    yield from (f"{at}/params: {name} stands twice" for name in sorted({n for n in names if names.count(n) > 1}))
    descriptors = [*method.get("params", []), *([method["result"]] if "result" in method else [])]
    for descriptor in descriptors:
        yield from _object("descriptor", descriptor, f"{at}/{descriptor.get('name')}")
        yield from _schema(descriptor.get("schema", True), document, f"{at}/{descriptor.get('name')}/schema")
    for error in method.get("errors", []):
        yield from _reference(error, document, at) if "$ref" in error else _object("error", error, f"{at}/errors")
    for tag in method.get("tags", []):
        yield from _object("tag", tag, f"{at}/tags")
    for pairing in method.get("examples", []):
        yield from _pairing(pairing, method, at)


def _pairing(pairing: Any, method: Any, at: str) -> Iterator[str]:
    yield from _object("pairing", pairing, f"{at}/examples")
    shown = [*pairing.get("params", []), *([pairing["result"]] if "result" in pairing else [])]
    for example in shown:
        yield from _object("example", example, f"{at}/examples")
    params = {param["name"]: param.get("required", False) for param in method["params"]}
    given = {example.get("name") for example in pairing.get("params", [])}
    yield from (f"{at}/examples: no param {name}" for name in sorted(given - params.keys()))
    yield from (f"{at}/examples: lacks {name}" for name in sorted(n for n in params if params[n] and n not in given))
    if ("result" in pairing) != ("result" in method):
        yield f"{at}/examples: a notification has no result, a request has one"


def _object(kind: str, value: Any, at: str) -> Iterator[str]:
    required, optional = OBJECTS[kind]
    yield from (f"{at}: lacks {name}" for name in sorted(required - value.keys()))
    others = value.keys() - required - optional
    yield from (f"{at}: no {name}" for name in sorted(others) if kind == "error" or not name.startswith("x-"))
    for name, member in value.items():
        if name in TYPES and (not isinstance(member, TYPES[name]) or member == ""):
            yield f"{at}/{name}: of another kind, or empty"


def _schema(schema: Any, document: Any, at: str) -> Iterator[str]:
    """A schema of draft 7 whose references lead somewhere, and have no siblings, which draft 7 would not see."""
    try:
        Draft7Validator.check_schema(schema)
    except SchemaError as error:
        yield f"{at}: {error.message}"
    for node in _nodes(schema):
        yield from _reference(node, document, at) if "$ref" in node else ()
        yield from (f"{at}: draft 7 has no {word}" for word in sorted({"prefixItems", "$defs"} & node.keys()))


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, list):
        for item in schema:
            yield from _nodes(item)
    elif isinstance(schema, dict):
        yield schema
        for word, value in schema.items():
            if word == "properties":
                yield from _nodes(list(value.values()))
            elif word not in {"const", "enum", "default", "examples"} and not word.startswith("x-"):
                yield from _nodes(value)


def _reference(node: Any, document: Any, at: str) -> Iterator[str]:
    if len(node) != 1:
        yield f"{at}: a reference with siblings"
    found = document
    for step in node["$ref"].removeprefix("#/").split("/"):
        found = found.get(step) if isinstance(found, dict) else None
    if found is None:
        yield f"{at}: {node['$ref']} leads nowhere"
