"""Small typed changes to JSON values: what a careless or hostile peer might send instead of what the schema wants."""

import copy
import random
from collections.abc import Iterator
from typing import Any

__all__ = ["mutants"]

# Texts at which engines differ, and numbers at the edges of being one another.
_TEXTS = ["", "a", "x", "b", "a\n", "\u0663", "e\u0301", "\U0001f600", "toString", "2024-02-30T00:00:00Z", "A" * 9]
_NUMBERS = [0, 1, -1, 1.0, 0.5, 2, 10, 11, 1.5, -5, 2**53 + 1, 1e300, 0.3]
_NAMES = ["z", "\ufffd", "\U0001f600", "a/b", "m~n", "__proto__", "constructor", "0", "10", "2", "", "a\n"]


def mutants(rng: random.Random, schema: Any, values: list[Any], count: int) -> Iterator[Any]:
    """Changed copies of the values, some changed in several places, with names that the schema knows and others."""
    names = sorted(set(_known_names(schema))) + _NAMES
    for _ in range(count):
        value = copy.deepcopy(rng.choice(values))
        for _ in range(rng.choice([1, 1, 2, 3])):
            value = _changed(rng, value, names)
        yield value


def _known_names(schema: Any) -> Iterator[str]:
    """Names of members and constant strings, so that a change can hit what the schema speaks of."""
    if isinstance(schema, dict):
        for key, inner in schema.items():
            if key in ("properties", "dependentRequired", "dependentSchemas") and isinstance(inner, dict):
                yield from inner
            if key in ("const", "enum", "required"):
                yield from (text for text in (inner if isinstance(inner, list) else [inner]) if isinstance(text, str))
            yield from _known_names(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _known_names(inner)


def _changed(rng: random.Random, value: Any, names: list[str]) -> Any:
    """The value with one change in it, somewhere."""
    if isinstance(value, dict) and value and rng.random() < 0.65:
        name = rng.choice(list(value))
        return {**value, name: _changed(rng, value[name], names)}
    if isinstance(value, list) and value and rng.random() < 0.65:
        index = rng.randrange(len(value))
        return [*value[:index], _changed(rng, value[index], names), *value[index + 1 :]]
    if isinstance(value, dict) and rng.random() < 0.8:
        return _changed_object(rng, value, names)
    if isinstance(value, list) and rng.random() < 0.8:
        return _changed_array(rng, value, names)
    if isinstance(value, str) and rng.random() < 0.6:
        return rng.choice([value + "\n", value[:-1], value + value, value.upper(), rng.choice(names), *_TEXTS])
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300 and rng.random() < 0.6:
        return rng.choice([value + 1, value - 1, -value, value + 0.5, float(value), *_NUMBERS])
    return _anything(rng, names)


def _changed_object(rng: random.Random, value: dict[str, Any], names: list[str]) -> dict[str, Any]:
    if value and rng.random() < 0.4:
        lost = rng.choice(list(value))
        return {name: inner for name, inner in value.items() if name != lost}
    members = list({**value, rng.choice(names): _anything(rng, names)}.items())
    rng.shuffle(members)
    return dict(members)


def _changed_array(rng: random.Random, value: list[Any], names: list[str]) -> list[Any]:
    if value and rng.random() < 0.4:
        lost = rng.randrange(len(value))
        return value[:lost] + value[lost + 1 :]
    added = copy.deepcopy(rng.choice(value)) if value and rng.random() < 0.5 else _anything(rng, names)
    return [*value, added] if rng.random() < 0.7 else [added, *value]


def _anything(rng: random.Random, names: list[str]) -> Any:
    simple = rng.choice([None, True, False, rng.choice(_NUMBERS), rng.choice(_TEXTS), rng.choice(names)])
    return rng.choice([simple, simple, simple, [], {}, [simple], {rng.choice(names): simple}])
