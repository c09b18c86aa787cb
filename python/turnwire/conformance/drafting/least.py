"""The least value that a schema takes: what a draft says where a person would have to choose.

It is made by the keywords that schemas of protocols use, and proved by the oracle where that matters.
"""

from typing import Any

__all__ = ["least"]

# A schema that holds itself in a member that it wants has no least value; this deep nobody meant it.
DEPTH = 12
WORD = "turnwire-check"


def least(schema: Any, definitions: dict[str, Any], depth: int = 0) -> Any:
    """The least value; members that need not be there are not."""
    if not isinstance(schema, dict) or depth > DEPTH:
        return {}
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name in definitions:
        return least(definitions[name], definitions, depth + 1)
    for keyword in ("const", "default"):
        if keyword in schema:
            return schema[keyword]
    if schema.get("enum"):
        return schema["enum"][0]
    for keyword in ("oneOf", "anyOf", "allOf"):
        if arms := [arm for arm in schema.get(keyword) or () if arm != {"type": "null"}]:
            return _merged(schema, [least(arm, definitions, depth + 1) for arm in arms], keyword, definitions, depth)
    return _of_type(schema, definitions, depth)


def _merged(schema: dict[str, Any], values: list[Any], keyword: str, definitions: dict[str, Any], depth: int) -> Any:
    chosen = values if keyword == "allOf" else values[:1]
    if "properties" in schema:
        chosen = [_of_type({**schema, "type": "object"}, definitions, depth), *chosen]
    if all(isinstance(value, dict) for value in chosen):
        return {name: member for value in chosen for name, member in value.items()}
    return chosen[0]


def _of_type(schema: dict[str, Any], definitions: dict[str, Any], depth: int) -> Any:
    kind = schema.get("type")
    kind = next((one for one in kind if one != "null"), "null") if isinstance(kind, list) else kind
    if kind == "object" or (kind is None and "properties" in schema):
        properties = schema.get("properties", {})
        return {name: least(properties.get(name), definitions, depth + 1) for name in schema.get("required", ())}
    if kind == "array":
        return [least(schema.get("items"), definitions, depth + 1)] * int(schema.get("minItems", 0))
    if kind == "string":
        return WORD[: schema.get("maxLength", len(WORD))].ljust(schema.get("minLength", 0), "x")
    if kind in ("integer", "number"):
        return max(schema.get("minimum", 1), schema.get("exclusiveMinimum", 0) + 1)
    return {"boolean": False, "null": None}.get(str(kind), {})
