"""Somebody's schema as the bundle of a contract: flat definitions, and a table of methods.

A table that is there is taken; OpenRPC has one of its own; else a method is an object schema whose member `method` is a
constant. Whatever the form, references lead to `#/$defs/` afterwards.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["NoContract", "read_contract"]

KEYWORDS = frozenset(
    {"$ref", "type", "properties", "oneOf", "anyOf", "allOf", "enum", "const", "not", "items", "description", "$schema"}
)
DIALECT = "https://json-schema.org/draft/2020-12/schema"
# How the name of a result follows from that of what is asked.
ENDINGS = ("Response", "Result")


class NoContract(ValueError):  # noqa: N818 - says what the schema is
    """The schema cannot be read as a contract; the message says why."""


def read_contract(value: Any) -> dict[str, Any]:
    """The bundle.

    Raises:
        NoContract: it is no JSON object.
    """
    if not isinstance(value, dict):
        raise NoContract("a schema is a JSON object")
    if isinstance(value.get("methods"), list) and "openrpc" in value:
        return _openrpc(value)
    definitions = _flat(value)
    bundle: dict[str, Any] = {"$schema": DIALECT, "$defs": definitions}
    bundle |= {name: value[name] for name in ("x-methods", "x-errors") if isinstance(value.get(name), list)}
    if "x-methods" not in bundle:
        rows = {row["name"]: row for row in _methods(definitions, value)}
        bundle["x-methods"] = [rows[name] for name in sorted(rows)]
    return bundle


def _flat(value: dict[str, Any]) -> dict[str, Any]:
    """The definitions by name, those of groups too, with every reference led to them."""
    groups = [value.get(keyword) for keyword in ("$defs", "definitions")]
    found: dict[str, Any] = {}
    for group in groups:
        if isinstance(group, dict):
            _gather(group, (), found)
    # A name is the end of a pointer; one that two groups have is told apart by its group.
    short = [name.rpartition("/")[2] for name in found]
    names = {
        name: last if short.count(last) == 1 else name.replace("/", ".")
        for name, last in zip(found, short, strict=True)
    }
    text = json.dumps({names[name]: schema for name, schema in found.items()})

    def led(match: re.Match[str]) -> str:
        return f'"$ref": "#/$defs/{names.get(match[1], match[1])}"'

    flat: dict[str, Any] = json.loads(re.sub(r'"\$ref": "#/(?:definitions|\$defs)/([^"]*)"', led, text))
    return flat


def _gather(group: Mapping[str, Any], path: tuple[str, ...], found: dict[str, Any]) -> None:
    for name, schema in group.items():
        place = (*path, name)
        is_group = isinstance(schema, dict) and schema and not KEYWORDS & set(schema)
        if is_group and all(isinstance(inner, dict) for inner in schema.values()):
            _gather(schema, place, found)
        else:
            found["/".join(place)] = schema


def _methods(definitions: dict[str, Any], root: Any) -> Iterator[dict[str, Any]]:
    """A row for each object schema whose `method` is a constant; it is named as what it stands in is."""
    for name, schema in [*definitions.items(), *([("", root)] if "method" in json.dumps(root)[: 10**7] else [])]:
        for owner, variant in _variants(name, schema):
            properties = variant["properties"]
            for method in _constants(properties["method"]):
                params = _named_params(properties.get("params"), method, definitions)
                kind = "request" if "id" in properties else "notification"
                # Only a name tells who says it; in doubt clients ask, and servers tell.
                says = owner.lower()
                is_server = "server" in says if ("server" in says) != ("client" in says) else kind == "notification"
                result = _result(params, owner, definitions) if kind == "request" else None
                yield {
                    "name": method, "sender": "server" if is_server else "client", "kind": kind,
                    "params": params, "result": result,
                }  # fmt: skip


def _variants(name: str, schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    if isinstance(properties, dict) and isinstance(properties.get("method"), dict):
        yield name or str(schema.get("title", "")), schema
    for keyword in ("oneOf", "anyOf"):
        for arm in schema.get(keyword) or ():
            yield from _variants(name or str(schema.get("title", "")), arm)


def _constants(schema: dict[str, Any]) -> list[str]:
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    return [value for value in values if isinstance(value, str)]


def _named_params(schema: Any, method: str, definitions: dict[str, Any]) -> str | None:
    """The definition of params; one that has no name gets one."""
    if not isinstance(schema, dict) or schema.get("type") == "null":
        return None
    for inner in [schema, *(schema.get("allOf") or ())]:
        name = str(inner.get("$ref", "")).removeprefix("#/$defs/") if isinstance(inner, dict) else ""
        if name in definitions:
            return name
    name = "".join(part[:1].upper() + part[1:] for part in re.split(r"\W+", method)) + "Params"
    definitions.setdefault(name, schema)
    return name


def _result(params: str | None, owner: str, definitions: dict[str, Any]) -> str | None:
    stems = [params.removesuffix("Params")] if params and params.endswith("Params") else []
    stems += [owner.removesuffix("Request")] if owner.endswith("Request") else []
    names = (f"{stem}{ending}" for stem in stems for ending in ENDINGS)
    return next((name for name in names if name in definitions), None)


def _openrpc(value: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(value).replace('"#/components/schemas/', '"#/$defs/')
    document = json.loads(text)
    definitions: dict[str, Any] = dict(document.get("components", {}).get("schemas", {}))
    rows = []
    for method in document["methods"]:
        if not isinstance(method, dict) or not isinstance(method.get("name"), str):
            continue
        name = "".join(part[:1].upper() + part[1:] for part in re.split(r"\W+", method["name"]))
        params = [one for one in method.get("params") or () if isinstance(one, dict) and "name" in one]
        definitions[f"{name}Params"] = {
            "type": "object",
            "properties": {one["name"]: one.get("schema", {}) for one in params},
            "required": [one["name"] for one in params if one.get("required")],
        }
        result = method.get("result")
        if isinstance(result, dict):
            definitions[f"{name}Result"] = result.get("schema", {})
        kind = "request" if isinstance(result, dict) else "notification"
        rows.append(
            {
                "name": method["name"], "sender": "client", "kind": kind,
                "params": f"{name}Params", "result": f"{name}Result" if isinstance(result, dict) else None,
            }
        )  # fmt: skip
    return {"$schema": DIALECT, "$defs": definitions, "x-methods": rows}
