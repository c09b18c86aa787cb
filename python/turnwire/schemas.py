"""JSON Schema 2020-12 as an oracle: the only module that meets `jsonschema` (extras `conformance` and `server`).

Two defects of the library are cured here, so that verdicts agree with ECMA 262 and every fault has its place:
patterns are run by `regress` where it is installed (Python's `$` also matches before a final line feed), and a `false`
subschema is written as `{"not": {}}` (the library forgets where it stood).
"""

import contextlib
import functools
import re
import threading
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import msgspec
from jsonschema import Draft202012Validator, _keywords, _utils
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

try:
    import regress
except ImportError:  # the extra `server` does without: patterns then are Python's
    regress: Any = None  # type: ignore[no-redef]

_BAD_PATTERN = (re.error,) if regress is None else (re.error, regress.RegressError)

__all__ = ["Fault", "InvalidSchema", "Schemas", "check_schema", "faults"]


class Fault(msgspec.Struct, frozen=True):
    """One place where an instance breaks its schema."""

    pointer: str
    expected: str
    message: str

    def __str__(self) -> str:
        return f"{self.pointer or '(root)'}: {self.message}"


class InvalidSchema(ValueError):  # noqa: N818 - says what the schema is
    """The schema itself is not JSON Schema 2020-12; the message names the place."""


class Schemas:
    """The definitions of one bundle, judged by name."""

    def __init__(self, bundle: Mapping[str, Any]) -> None:
        self._definitions = bundle.get("$defs", {})
        self._root = Draft202012Validator(_without_false(dict(bundle)))

    def __contains__(self, name: str) -> bool:
        return name in self._definitions

    def faults(self, name: str, value: Any) -> list[Fault]:
        """Where `value` breaks the definition `name`; nothing when it is valid.

        Raises:
            KeyError: the bundle has no such definition.
        """
        if name not in self._definitions:
            raise KeyError(name)
        pointer = "#/$defs/" + name.replace("~", "~0").replace("/", "~1")
        with _ecma_patterns():
            return _sorted(self._root.descend(value, {"$ref": pointer}))


def check_schema(schema: Any) -> None:
    """Refuse what is no JSON Schema.

    Raises:
        InvalidSchema: with the place and the reason.
    """
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise InvalidSchema(f"{error.json_path}: {error.message}") from None


def faults(schema: Any, value: Any) -> list[Fault]:
    """Where `value` breaks `schema`; nothing when it is valid. Nothing is fetched: no reference leaves the schema.

    Raises:
        InvalidSchema: a reference leads nowhere or never ends, or a pattern is none.
    """
    # An empty registry has no way to the network; the library's own would go there.
    registry: Registry[Any] = Registry()
    try:
        with _ecma_patterns():
            return _sorted(Draft202012Validator(_without_false(schema), registry=registry).iter_errors(value))
    except RecursionError:
        raise InvalidSchema("a reference never ends") from None
    except (Unresolvable, ValueError, *_BAD_PATTERN) as error:
        raise InvalidSchema(f"it cannot be applied: {error}") from None


def _sorted(errors: Iterator[ValidationError]) -> list[Fault]:
    found = {_fault(leaf) for error in errors for leaf in _leaves(error)}
    return sorted(found, key=lambda fault: (fault.pointer, fault.message))


def _leaves(error: ValidationError) -> list[ValidationError]:
    """A failed union is blamed on the arm that the tag names, and on the union itself when no arm is meant."""
    if error.validator not in ("oneOf", "anyOf") or not error.context:
        return [error]
    arms: dict[Any, list[ValidationError]] = {}
    for inner in error.context:
        arms.setdefault(inner.relative_schema_path[0], []).append(inner)
    # An arm is not meant when its tag, a const of one member, is another one or when the JSON type is another.
    meant = [arm for arm in arms.values() if not any(_turns_away(inner) for inner in arm)]
    if len(meant) != 1:
        return [error]
    return [leaf for inner in meant[0] for leaf in _leaves(inner)]


def _turns_away(error: ValidationError) -> bool:
    depth = len(error.relative_path)
    tag = error.validator in ("const", "enum", "not") and depth == 1
    return tag or (error.validator in ("type", "not") and depth == 0)


def _fault(error: ValidationError) -> Fault:
    steps = [str(step).replace("~", "~0").replace("/", "~1") for step in error.absolute_path]
    message = error.message if len(error.message) <= 200 else f"does not match {error.validator}"
    return Fault("".join(f"/{step}" for step in steps), str(error.validator), message)


# Keywords whose `false` the library reports well, at the container; everywhere else it loses the path.
_FALSE_IS_FINE = frozenset({"additionalProperties", "items", "unevaluatedProperties", "unevaluatedItems"})
_HOLDS_DATA = frozenset({"const", "enum", "default", "examples"})


def _without_false(schema: Any, keyword: str = "") -> Any:
    if schema is False and keyword not in _FALSE_IS_FINE:
        return {"not": {}}
    if isinstance(schema, list):
        return [_without_false(item, keyword) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: inner if key in _HOLDS_DATA or key.startswith("x-") else _below(key, inner)
        for key, inner in schema.items()
    }


def _below(key: str, inner: Any) -> Any:
    if key in ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas") and isinstance(
        inner, dict
    ):
        return {name: _without_false(member) for name, member in inner.items()}
    # `uniqueItems: false` and its like are values, not schemas.
    return inner if isinstance(inner, bool) and key not in _SCHEMA_KEYWORDS else _without_false(inner, key)


_SCHEMA_KEYWORDS = frozenset({"not", "if", "then", "else", "contains", "propertyNames"}) | _FALSE_IS_FINE


@functools.lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    return regress.Regex(pattern, "u")


def _search(pattern: str, text: str) -> Any:
    return _compiled(pattern).find(text)


_MODULES = (_keywords, _utils)
_ECMA = SimpleNamespace(search=_search, compile=re.compile)
_judging = threading.Lock()


@contextlib.contextmanager
def _ecma_patterns() -> Iterator[None]:
    """Patterns as ECMA 262 has them, while one value is judged: other users of the library keep what they have.

    Both modules look the name `re` up when a keyword runs; replacing the keyword `pattern` alone would leave
    patternProperties, additionalProperties and unevaluatedProperties on Python's dialect.
    """
    if regress is None:
        yield
        return
    with _judging:
        for module in _MODULES:
            module.re = _ECMA
        try:
            yield
        finally:
            for module in _MODULES:
                module.re = re
