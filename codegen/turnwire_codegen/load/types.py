"""The types of members, items and map values, in the narrow form that our own schema keeps."""

from typing import Any

from turnwire_codegen import rules
from turnwire_codegen.ir import AnyValue, Const, ListOf, MapOf, Nullable, Ref, Scalar, TypeNode
from turnwire_codegen.load.refs import Names
from turnwire_codegen.load.shape import integer, members, text, truth, unexpected
from turnwire_codegen.patterns import PatternError, parse
from turnwire_codegen.problems import Place

__all__ = ["read_type"]

_ANNOTATIONS = frozenset({"description", "default"})
_NARROW = "see protocol/meta/family.json for what may stand here"


def read_type(node: Any, place: Place, names: Names) -> TypeNode:
    """The type that `node` describes; what has no form is reported and becomes AnyValue so that reading goes on."""
    schema = members(node, place)
    if schema.get("x-opaque") is True:
        return _opaque(schema, place)
    if "$ref" in schema:
        unexpected(schema, _ANNOTATIONS | {"$ref"}, place, fix="beside a reference only description and x- keywords")
        return Ref(names.resolve(schema["$ref"], place / "$ref"))
    if "const" in schema:
        unexpected(schema, _ANNOTATIONS | {"const"}, place, fix="a const needs no other keyword")
        return _const(schema["const"], place / "const")
    if "anyOf" in schema:
        return _nullable(schema, place, names)
    return _typed(schema, place, names)


def _opaque(schema: dict[str, Any], place: Place) -> TypeNode:
    """Any JSON, or with `"type": "object"` any object; it is kept as it came."""
    if "type" not in schema:
        unexpected(schema, _ANNOTATIONS, place, fix="an opaque value that is no object has no other keyword")
        return AnyValue()
    unexpected(schema, _ANNOTATIONS | {"type", "minProperties", "maxProperties"}, place, fix=_NARROW)
    if schema["type"] != "object":
        (place / "type").error("an opaque value of a scalar type", 'leave out the type, or write "type": "object"')
    return MapOf(AnyValue(), _member_count(schema, place))


def _typed(schema: dict[str, Any], place: Place, names: Names) -> TypeNode:
    match schema.get("type"):
        case "string":
            return _string(schema, place)
        case "integer" | "number" as kind:
            unexpected(schema, _ANNOTATIONS | _NUMERIC, place, fix=_NARROW)
            return Scalar(kind, _number_rules(schema))
        case "boolean":
            unexpected(schema, _ANNOTATIONS | {"type"}, place, fix=_NARROW)
            return Scalar("boolean")
        case "array":
            return _list(schema, place, names)
        case "object":
            return _map(schema, place, names)
        case _:
            place.error("no type of the narrow form", "give it a type, a $ref, a const, or x-opaque")
            return AnyValue()


_NUMERIC = frozenset({"type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})


def _number_rules(schema: dict[str, Any]) -> tuple[rules.Rule, ...]:
    found: list[rules.Rule] = []
    bound = rules.Bound(
        min=schema.get("minimum"),
        max=schema.get("maximum"),
        above=schema.get("exclusiveMinimum"),
        below=schema.get("exclusiveMaximum"),
    )
    if bound != rules.Bound():
        found.append(bound)
    if "multipleOf" in schema:
        found.append(rules.Multiple(schema["multipleOf"]))
    return tuple(found)


def _string(schema: dict[str, Any], place: Place) -> Scalar:
    unexpected(schema, _ANNOTATIONS | {"type", "minLength", "maxLength", "pattern", "format"}, place, fix=_NARROW)
    found: list[rules.Rule] = []
    if "minLength" in schema or "maxLength" in schema:
        found.append(rules.Length(integer(schema, "minLength", place) or 0, integer(schema, "maxLength", place)))
    if "pattern" in schema:
        found.append(rules.Pattern(_portable(text(schema, "pattern", place), place / "pattern")))
    if "format" in schema:
        found.append(rules.Format(text(schema, "format", place)))
    return Scalar("string", tuple(found))


def _list(schema: dict[str, Any], place: Place, names: Names) -> ListOf:
    unexpected(schema, _ANNOTATIONS | {"type", "items", "minItems", "maxItems", "uniqueItems"}, place, fix=_NARROW)
    found: list[rules.Rule] = []
    if "minItems" in schema or "maxItems" in schema:
        low, high = integer(schema, "minItems", place), integer(schema, "maxItems", place)
        found.append(rules.Count("items", low or 0, high))
    if truth(schema, "uniqueItems", place):
        found.append(rules.Unique())
    if "items" not in schema:
        place.error("an array without items", "say what the items are, x-opaque if anything")
        return ListOf(AnyValue(), tuple(found))
    return ListOf(read_type(schema["items"], place / "items", names), tuple(found))


def _map(schema: dict[str, Any], place: Place, names: Names) -> MapOf:
    allowed = _ANNOTATIONS | {"type", "additionalProperties", "minProperties", "maxProperties"}
    unexpected(schema, allowed, place, fix="give an object a name of its own in $defs, only maps stand inline")
    found = _member_count(schema, place)
    if "additionalProperties" not in schema:
        place.error("an anonymous object", "give it a name in $defs, or additionalProperties to make it a map")
        return MapOf(AnyValue(), found)
    return MapOf(read_type(schema["additionalProperties"], place / "additionalProperties", names), found)


def _member_count(schema: dict[str, Any], place: Place) -> tuple[rules.Rule, ...]:
    if "minProperties" not in schema and "maxProperties" not in schema:
        return ()
    low, high = integer(schema, "minProperties", place), integer(schema, "maxProperties", place)
    return (rules.Count("members", low or 0, high),)


def _nullable(schema: dict[str, Any], place: Place, names: Names) -> TypeNode:
    unexpected(schema, _ANNOTATIONS | {"anyOf"}, place, fix=_NARROW)
    arms = schema["anyOf"]
    if not isinstance(arms, list) or len(arms) != 2 or arms[1] != {"type": "null"}:
        (place / "anyOf").error("anyOf is only for nullable members", 'write "anyOf": [S, {"type": "null"}]')
        return AnyValue()
    return Nullable(read_type(arms[0], place / "anyOf" / 0, names))


def _const(value: Any, place: Place) -> TypeNode:
    if value is None or isinstance(value, str | int | float | bool):
        return Const(value)
    place.error("a const that is no scalar", "use a string, a number or a boolean")
    return AnyValue()


def _portable(source: str, place: Place) -> str:
    try:
        parse(source)
    except PatternError as error:
        place.error(f"the pattern is not portable: {error}", "keep to what every engine reads alike")
        return ""
    return source
