"""OpenRPC 1.3: a table of methods with schemas of params and results; a method without a result is a notification.

Params become a definition of their own: an object of members, or an array where the method takes positions only.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from turnwire_codegen.ir import Method
from turnwire_codegen.load.foreign.document import Document, Layout, escaped
from turnwire_codegen.load.foreign.plain import Loaded, load_plain
from turnwire_codegen.problems import Finding

__all__ = ["is_openrpc", "load_openrpc", "with_definitions"]

_COMPONENTS = "#/components/schemas"
# OpenRPC says its schemas in draft 7.
_DIALECT = "http://json-schema.org/draft-07/schema#"
_MADE = "definitions"


def is_openrpc(document: Any) -> bool:
    """Whether the file says its version of OpenRPC and has methods."""
    return isinstance(document, dict) and isinstance(document.get("openrpc"), str) and "methods" in document


def with_definitions(document: dict[str, Any]) -> dict[str, Any]:
    """The document as JSON Schema: params and results of each method stand beside the components, as definitions."""
    made: dict[str, Any] = {}
    for method in _methods(document):
        if method.get("params"):
            made[_key(method, "params")] = _params(method, document)
        result = _resolved(method.get("result"), document).get("schema")
        if result is not None and _component(result) is None:
            made[_key(method, "result")] = result
    info = document.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    head = {"$schema": _DIALECT} | ({"title": title} if isinstance(title, str) else {})
    return {**document, **head, _MADE: made}


def load_openrpc(document: Any, path: Path, layout: Layout) -> Loaded:
    """The types and methods of a document that `with_definitions` made; every method is one that a client calls."""
    folders = (_COMPONENTS, f"#/{_MADE}")
    loaded = load_plain(document, path, msgspec.structs.replace(layout, folders=folders, roots={}))
    names = {pointer: name for name, pointer in loaded.declared.items()}
    rows = tuple(_method(method, names, document) for method in _methods(document))
    protocol = msgspec.structs.replace(loaded.protocol, methods=rows)
    return msgspec.structs.replace(loaded, protocol=protocol, findings=[*loaded.findings, *_lost(document)])


def _methods(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every method with a name of its own; the others are lost."""
    seen: set[str] = set()
    for method in _listed(document["methods"]):
        found = _resolved(method, document)
        name = found.get("name")
        if isinstance(name, str) and name not in seen:
            seen.add(name)
            yield found


def _lost(document: dict[str, Any]) -> Iterator[Finding]:
    names = [_resolved(method, document).get("name") for method in _listed(document["methods"])]
    for index, name in enumerate(names):
        if not isinstance(name, str):
            yield Finding(f"#/methods/{index}", "degraded", "a method is an object with a name, or a reference to one")
        elif name in names[:index]:
            yield Finding(f"#/methods/{index}", "degraded", f"an earlier method is called {name} too")


def _method(method: dict[str, Any], names: dict[str, str], document: dict[str, Any]) -> Method:
    result = _resolved(method.get("result"), document).get("schema")
    pointer = None if result is None else _component(result) or _place(method, "result")
    return Method(
        name=method["name"],
        sender="client",
        kind="request" if "result" in method else "notification",
        clause="",
        doc=str(method.get("description") or method.get("summary") or ""),
        params=names.get(_place(method, "params")),
        result=None if pointer is None else names.get(pointer),
        notes={"deprecated": True} if method.get("deprecated") is True else {},
    )


def _key(method: dict[str, Any], part: str) -> str:
    """The name of a definition, which no two methods share, as two may that differ in dots and slashes only."""
    return f"{method['name']} {part}"


def _place(method: dict[str, Any], part: str) -> str:
    return f"#/{_MADE}/{escaped(_key(method, part))}"


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _params(method: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    resolved = [_resolved(param, document) for param in _listed(method["params"])]
    params = [param for param in resolved if isinstance(param.get("name"), str)]
    required = [param["name"] for param in params if param.get("required") is True]
    doc = f"What {method['name']} is called with."
    if method.get("paramStructure") == "by-position":
        items = [_described(param) for param in params]
        least = {"minItems": len(required), "maxItems": len(items), "additionalItems": False}
        return {"description": doc, "type": "array", "items": items, **least}
    members = {param["name"]: _described(param) for param in params}
    return {"description": doc, "type": "object", "properties": members, "required": required}


def _described(param: dict[str, Any]) -> Any:
    """The schema of a param, which is called by the param's own description where it has none."""
    schema, said = param.get("schema", True), param.get("description") or param.get("summary")
    if not said or not isinstance(schema, dict) or {"description", "$ref"} & set(schema):
        return schema
    return {"description": said, **schema}


def _component(schema: Any) -> str | None:
    """The component that `schema` is nothing but a reference to."""
    ref = schema.get("$ref") if isinstance(schema, dict) else None
    return ref if isinstance(ref, str) and ref.startswith(f"{_COMPONENTS}/") else None


def _resolved(node: Any, document: dict[str, Any]) -> dict[str, Any]:
    """`node`, or what it refers to; empty where that is no object."""
    ref = node.get("$ref") if isinstance(node, dict) else None
    if isinstance(ref, str):
        try:
            node = Document(document).at(ref)
        except KeyError:
            return {}
    return node if isinstance(node, dict) else {}
