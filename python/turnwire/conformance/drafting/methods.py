"""The methods of a schema that has no table of them: whose names and places say what nobody wrote down.

A method is an object schema whose member `method` is a constant, or params that say `x-method`. Unions tell who says
it: what is an arm of `ClientRequest` is asked by clients. In doubt clients ask, and servers tell.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["method_rows"]

LEAD = "#/$defs/"
# How the name of a result follows from that of what is asked.
ENDINGS = ("Response", "Result")


class _Found(NamedTuple):
    """A method, the definition that it stands in, and its schema."""

    method: str
    owner: str
    schema: dict[str, Any]
    # Whether it is an arm of what is defined there, and not the definition itself.
    is_arm: bool = False


def method_rows(definitions: dict[str, Any], root: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each method, by name; params that have no definition get one."""
    unions = _unions(definitions)
    rows: dict[str, dict[str, Any]] = {}
    for found in _found(definitions, root):
        kind = _kind(found)
        sender = _sender(found, unions, kind)
        params = _params(found, definitions)
        result = _result(params, found.owner, definitions) if kind == "request" else None
        row = {"name": found.method, "sender": sender, "kind": kind, "params": params, "result": result}
        rows.setdefault(found.method, row)
    return [rows[name] for name in sorted(rows)]


def _found(definitions: dict[str, Any], root: dict[str, Any]) -> Iterator[_Found]:
    for name, schema in [*definitions.items(), (str(root.get("title", "")), root)]:
        if not isinstance(schema, dict):
            continue
        if isinstance(schema.get("x-method"), str) and not name.endswith(ENDINGS):
            yield _Found(schema["x-method"], name, schema)
        for variant in _variants(schema):
            stated = variant["properties"]["method"]
            values = stated.get("enum", [stated["const"]] if "const" in stated else [])
            is_arm = variant is not schema
            yield from (_Found(value, name, variant, is_arm) for value in values if isinstance(value, str))


def _variants(schema: Any) -> Iterator[dict[str, Any]]:
    """The object schemas with a member `method`, in a schema and in the arms of its unions."""
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    if isinstance(properties, dict) and isinstance(properties.get("method"), dict):
        yield schema
    for keyword in ("oneOf", "anyOf"):
        for arm in schema.get(keyword) or ():
            yield from _variants(arm)


def _unions(definitions: dict[str, Any]) -> dict[str, str]:
    """Who says what stands in a union that is named for one side: definition -> `client` or `server`."""
    sides = {}
    for name, schema in definitions.items():
        side = _side(name)
        for keyword in ("oneOf", "anyOf"):
            for arm in (schema.get(keyword) or ()) if isinstance(schema, dict) and side else ():
                sides[_referred(arm)] = side
    return sides


def _kind(found: _Found) -> str:
    if "id" in found.schema.get("properties", {}) and "x-method" not in found.schema:
        return "request"
    return "request" if found.owner.endswith("Request") and not found.is_arm else "notification"


def _sender(found: _Found, unions: dict[str, str], kind: str) -> str:
    # `x-side` says who serves it, which is the other one.
    served = {"agent": "client", "server": "client", "client": "server"}.get(str(found.schema.get("x-side")), "")
    side = served or unions.get(found.owner, "") or _side(found.owner)
    return side or ("client" if kind == "request" else "server")


def _side(name: str) -> str:
    says = {word for word in ("client", "server") if word in name.lower()}
    return says.pop() if len(says) == 1 else ""


def _params(found: _Found, definitions: dict[str, Any]) -> str | None:
    if "x-method" in found.schema:
        return found.owner
    schema = found.schema["properties"].get("params")
    if not isinstance(schema, dict) or schema.get("type") == "null":
        return None
    for inner in [schema, *(schema.get("allOf") or ())]:
        if _referred(inner) in definitions:
            return _referred(inner)
    name = "".join(part[:1].upper() + part[1:] for part in re.split(r"\W+", found.method)) + "Params"
    definitions.setdefault(name, schema)
    return name


def _result(params: str | None, owner: str, definitions: dict[str, Any]) -> str | None:
    named = [(owner, "Request"), (params or "", "Params"), (params or "", "Request")]
    stems = [name.removesuffix(ending) for name, ending in named if name.endswith(ending)]
    names = (f"{stem}{ending}" for stem in stems for ending in ENDINGS)
    return next((name for name in names if name in definitions), None)


def _referred(schema: Any) -> str:
    return str(schema.get("$ref", "")).removeprefix(LEAD) if isinstance(schema, dict) else ""
