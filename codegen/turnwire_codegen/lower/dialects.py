"""The dialects of JSON Schema that are read, and which keywords each of them knows; unknown keywords say nothing."""

from typing import Any, NamedTuple

from turnwire_codegen.problems import Place

__all__ = ["DRAFT_07", "DRAFT_2019_09", "DRAFT_2020_12", "Dialect", "dialect_of"]

_DRAFT_07_RULES = frozenset({
    *("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"),
    *("type", "const", "enum", "format", "pattern", "minLength", "maxLength"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("items", "additionalItems", "contains", "uniqueItems", "minItems", "maxItems"),
    *("properties", "patternProperties", "additionalProperties", "propertyNames"),
    *("required", "minProperties", "maxProperties"),
})  # fmt: skip
_SINCE_2019_09 = frozenset({
    *("minContains", "maxContains", "dependentRequired", "dependentSchemas"),
    *("unevaluatedItems", "unevaluatedProperties"),
})  # fmt: skip


class Dialect(NamedTuple):
    """One release of JSON Schema. `siblings`: whether keywords beside `$ref` count."""

    name: str
    keywords: frozenset[str]
    siblings: bool = True


DRAFT_07 = Dialect("draft-07", _DRAFT_07_RULES | {"dependencies"}, siblings=False)
DRAFT_2019_09 = Dialect("2019-09", _DRAFT_07_RULES | _SINCE_2019_09 | {"$recursiveRef"})
# A list under `items` belongs to older drafts, but with no second meaning here it is read as they meant it.
DRAFT_2020_12 = Dialect("2020-12", _DRAFT_07_RULES | _SINCE_2019_09 | {"prefixItems", "$dynamicRef"})

_BY_URI = {
    "json-schema.org/draft-06/schema": DRAFT_07,
    "json-schema.org/draft-07/schema": DRAFT_07,
    "json-schema.org/draft/2019-09/schema": DRAFT_2019_09,
    "json-schema.org/draft/2020-12/schema": DRAFT_2020_12,
}
_REFUSED = ("json-schema.org/draft-03/schema", "json-schema.org/draft-04/schema")


def dialect_of(schema: Any, inherited: Dialect, place: Place) -> Dialect:
    """The dialect that `$schema` names, else the inherited one; one that is not read is reported."""
    if not isinstance(schema, dict) or "$schema" not in schema:
        return inherited
    uri, at = schema["$schema"], place / "$schema"
    if not isinstance(uri, str):
        at.error("$schema is no string", "name a dialect of JSON Schema")
        return inherited
    bare = uri.removesuffix("#").partition("://")[2]
    if bare in _REFUSED:
        at.error(f"the dialect {uri} is not read", "write draft-07, 2019-09 or 2020-12")
    elif bare not in _BY_URI:
        at.warn(f"the dialect {uri} is unknown", "it is read as JSON Schema 2020-12")
        return DRAFT_2020_12
    return _BY_URI.get(bare, inherited)
