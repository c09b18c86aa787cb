"""Schemas as OpenRPC wants them: JSON Schema draft 7, where `$ref` has no siblings and a tuple is an `items` array."""

from collections.abc import Mapping
from typing import Any

from turnwire_codegen.emit.jsonschema.types import Schema, declaration_schema
from turnwire_codegen.ir import Declaration
from turnwire_codegen.load.beside import Example
from turnwire_codegen.passes.graph import reachable

__all__ = ["component", "draft_7", "schema_components"]

_ONE = frozenset({"additionalProperties", "items", "not"})
_MANY = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_REFERENCES = "#/$defs/"


def component(kind: str, name: str) -> Schema:
    """A reference to a component of the document."""
    return {"$ref": f"#/components/{kind}/{name}"}


def draft_7(schema: Any) -> Any:
    """A schema of the bundle as one of the document; it means the same, and so do its references."""
    if not isinstance(schema, dict):
        return schema
    told = {word: _converted(word, value) for word, value in schema.items()}
    if "prefixItems" in told:
        told |= {"additionalItems": told.pop("items"), "items": told.pop("prefixItems")}
    if "$ref" not in told:
        return told
    named = component("schemas", told.pop("$ref").removeprefix(_REFERENCES))
    assert "allOf" not in told, "the bundle has no allOf"
    return {"allOf": [named], **told} if told else named


def schema_components(
    roots: set[str], known: Mapping[str, Declaration], examples: Mapping[str, tuple[Example, ...]]
) -> Schema:
    """`roots` and all that they refer to, by name, with their examples."""
    components = {name: draft_7(declaration_schema(known[name])) for name in sorted(reachable(roots, known))}
    for name in components.keys() & examples.keys():
        components[name]["examples"] = [example.value for example in examples[name]]
    return components


def _converted(word: str, value: Any) -> Any:
    if word == "properties":
        return {name: draft_7(member) for name, member in value.items()}
    if word in _ONE:
        return draft_7(value)
    return [draft_7(arm) for arm in value] if word in _MANY else value
