"""Somebody's schema as the bundle of a contract: flat definitions, and a table of methods.

A table that is there is taken; OpenRPC has one of its own; else methods are found where they stand. Whatever the form,
references lead to `#/$defs/` afterwards.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from turnwire.conformance.drafting.methods import method_rows

__all__ = ["NoContract", "read_contract"]

KEYWORDS = frozenset(
    {"$ref", "type", "properties", "oneOf", "anyOf", "allOf", "enum", "const", "not", "items", "description", "$schema"}
)
DIALECT = "https://json-schema.org/draft/2020-12/schema"


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
    definitions, root = _flat(value)
    bundle: dict[str, Any] = {"$schema": DIALECT, "$defs": definitions}
    bundle |= {name: value[name] for name in ("x-methods", "x-errors") if isinstance(value.get(name), list)}
    if "x-methods" not in bundle:
        bundle["x-methods"] = method_rows(definitions, root)
    return bundle


def _flat(value: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The definitions by name, those of groups too, and what stands beside them, with every reference led to them."""
    groups = [value.get(keyword) for keyword in ("$defs", "definitions")]
    found: dict[str, Any] = {}
    for group in groups:
        if isinstance(group, dict):
            _gather(group, (), found)
    # A name is the end of a pointer; one that two groups have is told apart by its group.
    ends = [path.rpartition("/")[2] for path in found]
    pairs = zip(found, ends, strict=True)
    names = {path: end if ends.count(end) == 1 else path.replace("/", ".") for path, end in pairs}
    beside = {name: inner for name, inner in value.items() if name not in ("$defs", "definitions")}
    text = json.dumps([{names[path]: schema for path, schema in found.items()}, beside])

    def led(match: re.Match[str]) -> str:
        return f'"$ref": "#/$defs/{names.get(match[1], match[1])}"'

    definitions, root = json.loads(re.sub(r'"\$ref": "#/(?:definitions|\$defs)/([^"]*)"', led, text))
    return definitions, root


def _gather(group: Mapping[str, Any], path: tuple[str, ...], found: dict[str, Any]) -> None:
    for name, schema in group.items():
        place = (*path, name)
        is_group = isinstance(schema, dict) and schema and not KEYWORDS & set(schema)
        if is_group and all(isinstance(inner, dict) for inner in schema.values()):
            _gather(schema, place, found)
        else:
            found["/".join(place)] = schema


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
