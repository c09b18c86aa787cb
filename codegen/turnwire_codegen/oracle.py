"""The second opinion: jsonschema judges, and its errors are mapped to the pointer that our validators must tell.

It is the only importer of jsonschema and regress here. Two of the library's habits are cured: patterns go through an
ECMA-262 engine, and `false` is rewritten to `{"not": {}}`, since an error of a bare `false` forgets where it happened.
Layers and tags are read by `lower`, as the rule of the pointer demands; the verdicts are jsonschema's own.
"""

import datetime as dt
import ipaddress
import string
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

import jsonschema
import regress
from jsonschema import _keywords, _legacy_keywords, _utils, validators

from turnwire_codegen.lower.document import Document, Site, read_document
from turnwire_codegen.lower.keywords import Keywords
from turnwire_codegen.lower.layers import flatten
from turnwire_codegen.lower.tags import tagging_of

__all__ = ["Oracle"]

_FALSE = {"not": {}, "$comment": "written as false"}
_MAPS = ("$defs", "definitions", "properties", "patternProperties", "dependentSchemas", "dependencies")
_DATA = ("const", "enum", "default", "examples", "required", "dependentRequired", "type")
# Where in the order of faults a keyword stands; what is not named here is a scalar rule.
_PHASES = {
    **dict.fromkeys(("type",), 0),
    **dict.fromkeys(("const", "enum"), 1),
    **dict.fromkeys(("required", "minItems", "maxItems", "minProperties", "maxProperties"), 3),
    **dict.fromkeys(("uniqueItems", "contains", "minContains", "maxContains"), 7),
    **dict.fromkeys(("not",), 8),
    **dict.fromkeys(("dependentRequired", "dependencies"), 9),
}
_SCALAR, _DECLARED, _KEYS, _MEMBERS, _CONDITIONS, _CHOICES, _UNEVALUATED = 2, 4, 5, 6, 9, 10, 11
Pointer = tuple[str | int, ...]
Key = tuple[tuple[Any, ...], ...]


class Oracle:
    """A schema as jsonschema understands it; `judge` raises what the library raises for a broken schema."""

    def __init__(self, schema: Any) -> None:
        rewritten = _rewrite(schema)
        document = read_document(rewritten, "schema", [])
        self._map = _Map(Keywords(document), document)
        checker = _extended(validators.validator_for(rewritten, default=jsonschema.Draft202012Validator))
        # A reference to a schema that names its dialect would go on with the library's own validator, not this one.
        unnamed = rewritten is True or {key: rewritten[key] for key in rewritten if key != "$schema"}
        self._validator = checker(unnamed, format_checker=_formats())

    def judge(self, value: Any) -> str | None:
        """The JSON pointer of the first fault (empty at the value itself), or None when the value is valid."""
        with _ecma_patterns():
            errors = list(self._validator.iter_errors(value))
            steps = self._map.first(errors, self._map.document.root, skip=0) if errors else None
        if steps is None:
            return None
        return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


class _Placed(NamedTuple):
    """An error with the sort key of its place, and the union that it is the error of, if any."""

    key: Key
    steps: Pointer
    union: tuple[Site, ...]
    error: Any


class _Walk(NamedTuple):
    """Where the evaluation of a value stands: `scope` owns the layers, `site` is one of them."""

    scope: Site
    site: Site
    steps: Pointer
    key: Key = ()


class _Map(NamedTuple):
    """From errors to pointers. Evaluation paths are walked keyword by keyword; each gives a part of the sort key."""

    keywords: Keywords
    document: Document

    def first(self, errors: Iterable[Any], scope: Site, *, skip: int) -> Pointer:
        """The steps to the first fault; `skip` leaves out the arm number with which paths in a union begin."""
        best = min((self._placed(error, scope, skip) for error in errors), key=lambda placed: placed.key)
        return best.steps + self._in_union(best) if best.union else best.steps

    def _in_union(self, placed: _Placed) -> Pointer:
        tagging = tagging_of(self.keywords, placed.union)
        value = placed.error.instance
        if tagging is None or not isinstance(value, dict) or tagging.tag not in value:
            return ()
        tag = value[tagging.tag]
        arm = tag if tag in tagging.values else None
        if not isinstance(tag, str) or arm not in tagging.values:
            return (tagging.tag,)
        index = tagging.values.index(arm)
        inside = [error for error in placed.error.context if error.relative_schema_path[0] == index]
        return self.first(inside, placed.union[index], skip=1)

    def _placed(self, error: Any, scope: Site, skip: int) -> _Placed:
        words = list(error.relative_schema_path)[skip:]
        path = list(error.relative_path)
        walk = _Walk(scope, scope, ())
        while words:
            word = words.pop(0)
            if word in ("anyOf", "oneOf") and not words:
                key = (_CHOICES, self._layer(walk), word)
                return _Placed((*walk.key, key), walk.steps, self.keywords.children(walk.site, word), error)
            if not words and (word not in _APPLICATORS or isinstance(walk.site.schema[word], list)):
                return _Placed((*walk.key, self._end(walk, word)), walk.steps, (), error)
            walk = self._step(walk, word, words, path)
            if word == "propertyNames":
                break
        return _Placed(walk.key, walk.steps, (), error)

    def _end(self, walk: _Walk, word: str) -> tuple[Any, ...]:
        if walk.site.schema == _FALSE:
            return (0,)
        return (_PHASES.get(word, _SCALAR), self._layer(walk))

    def _layer(self, walk: _Walk) -> int:
        pointers = [site.pointer for site in flatten(self.keywords, walk.scope).sites]
        return pointers.index(walk.site.pointer)

    def _step(self, walk: _Walk, word: str, words: list[Any], path: list[Any]) -> _Walk:
        """One keyword further; takes what belongs to it from both paths."""
        if word in ("$ref", "$dynamicRef", "$recursiveRef"):
            target = self.document.resolve(walk.site, walk.site.schema[word])
            assert target is not None, "jsonschema has resolved it"
            return walk._replace(site=target)
        if word == "allOf":
            return walk._replace(site=self.document.below(walk.site, word, words.pop(0)))
        if word in ("then", "else"):
            return self._enter(walk, (_CONDITIONS, self._layer(walk), 2), (word,))
        if word in ("dependentSchemas", "dependencies"):
            name = words.pop(0)
            order = list(walk.site.schema[word]).index(name)
            return self._enter(walk, (_CONDITIONS, self._layer(walk), 1, order), (word, name))
        step = path.pop(0)
        inner = [word, *([words.pop(0)] if word in _WITH_NAME or _is_tuple(walk.site, word) else [])]
        return self._enter(walk, self._order(walk, word, inner, step), tuple(inner), step)

    def _order(self, walk: _Walk, word: str, inner: list[Any], step: str | int) -> tuple[Any, ...]:
        layer = self._layer(walk)
        match word:
            case "properties":
                layers = flatten(self.keywords, walk.scope).sites
                names = list(dict.fromkeys(n for site in layers for n, _ in self.keywords.mapped(site, "properties")))
                return (_DECLARED, names.index(str(step)), layer)
            case "patternProperties":
                return (_MEMBERS, layer, step, list(walk.site.schema[word]).index(inner[1]))
            case "additionalProperties":
                return (_MEMBERS, layer, step)
            case "propertyNames":
                return (_KEYS, layer, step)
            case "unevaluatedProperties" | "unevaluatedItems":
                return (_UNEVALUATED, layer, step)
            case "prefixItems" | "items" | "additionalItems":
                return (_DECLARED, step, layer)
        raise AssertionError(f"jsonschema descends through {word}")

    def _enter(self, walk: _Walk, key: tuple[Any, ...], steps: tuple[Any, ...], *below: str | int) -> _Walk:
        site = self.document.below(walk.site, *steps)
        return _Walk(site, site, (*walk.steps, *below), (*walk.key, key))


_WITH_NAME = ("properties", "patternProperties", "prefixItems")
_APPLICATORS = (
    *("propertyNames", "additionalProperties", "items", "additionalItems"),
    *("unevaluatedProperties", "unevaluatedItems"),
)


def _is_tuple(site: Site, word: str) -> bool:
    return word == "items" and isinstance(site.schema[word], list)


def _rewrite(schema: Any) -> Any:
    """The schema with every `false` replaced by what refuses everything and keeps its place."""
    if schema is False:
        return dict(_FALSE)
    if isinstance(schema, list):
        return [_rewrite(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    rewritten = {}
    for key, value in schema.items():
        if key in _MAPS and isinstance(value, dict):
            rewritten[key] = {name: _rewrite(inner) for name, inner in value.items()}
        else:
            rewritten[key] = value if key in _DATA or key == "uniqueItems" else _rewrite(value)
    return rewritten


@cache
def _extended(base: Any) -> Any:
    """The validator with errors that name every reference, and the member or item at fault."""
    keywords = {
        "$ref": _named_reference(base.VALIDATORS["$ref"]),
        "propertyNames": _property_names,
        "unevaluatedProperties": _unevaluated("object", _finder(base, "find_evaluated_property_keys_by_schema")),
        "unevaluatedItems": _unevaluated("array", _finder(base, "find_evaluated_item_indexes_by_schema")),
    }
    return validators.extend(base, {name: keywords[name] for name in keywords if name in base.VALIDATORS})


def _finder(base: Any, name: str) -> Any:
    # That of 2019-09 overlooks some members behind references and conditions; there jsonschema-rs witnesses better.
    return getattr(_legacy_keywords if base is jsonschema.Draft201909Validator else _utils, name)


def _named_reference(original: Any) -> Any:
    def check(validator: Any, ref: Any, instance: Any, schema: Any) -> Iterator[Any]:
        for error in original(validator, ref, instance, schema) or ():
            error.schema_path.appendleft("$ref")
            yield error

    return check


def _property_names(validator: Any, names: Any, instance: Any, schema: Any) -> Iterator[Any]:  # noqa: ARG001 -- the library's shape
    for name in instance if isinstance(instance, dict) else ():
        if next(validator.descend(instance=name, schema=names), None) is not None:
            yield jsonschema.ValidationError(f"{name!r} is no name", path=[name])


def _unevaluated(kind: str, find: Any) -> Any:
    def check(validator: Any, inner: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if not validator.is_type(instance, kind):
            return
        done = set(find(validator, instance, schema))
        for step in instance if kind == "object" else range(len(instance)):
            if step not in done:
                yield from validator.descend(instance[step], inner, path=step)

    return check


class _Ecma:
    """Stands in for `re` inside jsonschema."""

    @staticmethod
    def search(pattern: str, text: str) -> Any:
        return _expression(pattern).find(text)


@cache
def _expression(pattern: str) -> Any:
    return regress.Regex(pattern, flags="u")


@contextmanager
def _ecma_patterns() -> Iterator[None]:
    """Every module of jsonschema that searches, or patternProperties and unevaluated members would still go by `re`."""
    modules = (_keywords, _utils, _legacy_keywords)
    originals = [module.re for module in modules]
    for module in modules:
        module.re = _Ecma
    try:
        yield
    finally:
        for module, original in zip(modules, originals, strict=True):
            module.re = original


@cache
def _formats() -> Any:
    checker = jsonschema.FormatChecker(formats=())
    checks: dict[str, Callable[[str], bool]] = {
        "date": _is_date,
        "date-time": lambda text: text[10:11].lower() == "t" and _is_date(text[:10]) and _is_time(text[11:]),
        "ipv4": _is_ipv4,
        "time": _is_time,
        "uuid": lambda text: (
            [len(part) for part in text.split("-")] == [8, 4, 4, 4, 12]
            and set(string.hexdigits) >= set(text.replace("-", ""))
        ),
    }
    for name, check in checks.items():
        checker.checks(name)(lambda value, check=check: not isinstance(value, str) or check(value))
    return checker


def _is_date(text: str) -> bool:
    parts = text.split("-")
    if [len(part) for part in parts] != [4, 2, 2] or not all(map(_is_digits, parts)):
        return False
    try:
        # The calendar repeats after 400 years, and the library's begins with year 1.
        dt.date(int(parts[0]) % 400 + 2000, int(parts[1]), int(parts[2]))
    except ValueError:
        return False
    return True


def _is_time(text: str) -> bool:
    upper = text.upper()
    clock, zone = (upper[:-1], "+00:00") if upper.endswith("Z") else (upper[:-6], upper[-6:])
    whole, dot, fraction = clock.partition(".")
    parts = [*whole.split(":"), *zone[1:].split(":")]
    if [len(part) for part in parts] != [2] * 5 or zone[0] not in "+-" or not all(map(_is_digits, parts)):
        return False
    if dot and not _is_digits(fraction):
        return False
    hour, minute, second, away_hour, away_minute = map(int, parts)
    if hour > 23 or minute > 59 or away_hour > 23 or away_minute > 59:
        return False
    away = dt.timedelta(hours=away_hour, minutes=away_minute)
    there = dt.datetime(2000, 1, 2, hour, minute, tzinfo=dt.UTC)
    universal = there - away if zone[0] == "+" else there + away
    return second < 60 or (second == 60 and (universal.hour, universal.minute) == (23, 59))


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _is_ipv4(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return text.isascii()
