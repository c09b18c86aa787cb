"""jsonschema's errors as records that a rule can order: where, by which keywords, and which members are meant.

Patterns are ECMA-262, by way of regress, wherever jsonschema would reach for `re`.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from unittest import mock

import jsonschema
import regress
from jsonschema import _keywords, _utils
from jsonschema.exceptions import ValidationError

__all__ = ["Path", "Record", "records_of", "traceable"]

Path = tuple[str | int, ...]


class Record(NamedTuple):
    """One error: the value it stands at, the keywords that led there (no $ref), and the members it names."""

    path: Path
    steps: Path
    keyword: str
    names: tuple[str | int, ...] = ()


def records_of(schema: dict[str, Any], value: Any) -> list[Record]:
    """Every error of `value`, those of the arms of unions included; `schema` is a traceable one."""
    validator = jsonschema.Draft202012Validator(schema)
    with mock.patch.object(_keywords, "re", _Ecma), mock.patch.object(_utils, "re", _Ecma):
        return [record for error in validator.iter_errors(value) for record in _records(validator, error)]


def traceable(schema: Any) -> Any:
    """The same schema, written so that every error can be placed.

    jsonschema forgets where a boolean false stood and names no $ref in a path: false becomes `{"not": {}}`, and a $ref
    beside keywords becomes the first branch of allOf, which is where the rule has it.
    """
    if schema is False:
        return {"not": {}}
    if not isinstance(schema, dict):
        return schema
    inner: dict[str, Callable[[Any], Any]] = dict.fromkeys(_ONES, traceable)
    inner |= dict.fromkeys(_LISTS, lambda arms: [traceable(arm) for arm in arms])
    inner |= dict.fromkeys(_MAPS, lambda members: {name: traceable(member) for name, member in members.items()})
    inner |= dict.fromkeys(_RESTS, lambda rest: rest if rest is False else traceable(rest))
    traced = {word: inner[word](value) if word in inner else value for word, value in schema.items()}
    if "$ref" in traced and len(traced) > 1:
        traced["allOf"] = [{"$ref": traced.pop("$ref")}, *traced.get("allOf", ())]
    return traced


_MAPS = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_ONES = ("then", "else", "if", "not", "contains", "propertyNames")
_RESTS = ("additionalProperties", "items", "unevaluatedProperties", "unevaluatedItems")


def _records(validator: Any, error: ValidationError) -> Iterator[Record]:
    steps: Path = tuple(error.absolute_schema_path)
    yield Record(tuple(error.absolute_path), steps, str(error.validator), _offenders(validator, error))
    # Errors under if, not, contains and propertyNames are reasons, not faults of their own: only unions are entered.
    if error.validator in ("anyOf", "oneOf"):
        for inner in error.context:
            yield from _records(validator, inner)


def _offenders(validator: Any, error: ValidationError) -> tuple[str | int, ...]:
    """The members or items that an error stands for when jsonschema points at their container."""
    instance, schema, keyword = error.instance, error.schema, str(error.validator)
    if keyword == "additionalProperties":
        return tuple(sorted(_additional(instance, schema)))
    if keyword == "items" and error.validator_value is False:
        return (len(schema.get("prefixItems", ())),)
    if keyword.startswith("unevaluated"):
        return tuple(_unevaluated(validator, error))
    if "propertyNames" in error.absolute_schema_path and isinstance(instance, str):
        return (instance,)
    return ()


def _additional(instance: dict[str, Any], schema: dict[str, Any]) -> Iterator[str]:
    patterns = schema.get("patternProperties", ())
    for name in instance:
        if name not in schema.get("properties", {}) and not any(_Ecma.search(p, name) for p in patterns):
            yield name


def _unevaluated(validator: Any, error: ValidationError) -> list[str | int]:
    here = validator.evolve(schema=error.schema, _resolver=validator._resolver)
    if error.validator == "unevaluatedProperties":
        seen = set(_utils.find_evaluated_property_keys_by_schema(here, error.instance, error.schema))
        return sorted(name for name in error.instance if name not in seen)
    done = set(_utils.find_evaluated_item_indexes_by_schema(here, error.instance, error.schema))
    return [index for index in range(len(error.instance)) if index not in done]


class _Ecma:
    """What jsonschema takes from `re`, with the regular expressions that JSON Schema means."""

    @staticmethod
    def search(pattern: str, text: str) -> object:
        return _compiled(pattern).find(text)


@functools.cache
def _compiled(pattern: str) -> Any:
    return regress.Regex(pattern, "u")
