"""Random schemas: keywords that nobody would write together, references, tags and unevaluated members too."""

import random
from collections.abc import Callable
from typing import Any

__all__ = ["SEEDS", "wild_schema"]

# Values from which mutants are made for every random schema.
SEEDS: list[Any] = [
    {"a": 1},
    {"kind": "a", "a": "x"},
    {"kind": "b", "b": [1, 2]},
    {"a": {"b": {"a": 1}}, "x-1": "a"},
    [1, "a"],
    [{"a": 1}, {"kind": "c"}],
    "ab",
    3,
    None,
    {},
]
_NAMES = ["a", "b", "kind", "x-1", "c/d", "__proto__", "1"]
_CONSTANTS = ["a", 1, None, True, 1.5, [1], {"a": 1}]
_SIMPLE: list[Any] = [
    *[{"type": kind} for kind in ("string", "integer", "number", "boolean", "null")],
    {"type": ["string", "null"]},
    {"type": "string", "minLength": 1},
    {"type": "integer", "minimum": 0},
    {"maxLength": 2},
    {"pattern": "^[a-z]+$"},
    {"pattern": r"\d"},
    {"minimum": 1.5},
    {"exclusiveMaximum": 5},
    {"multipleOf": 2},
    {"enum": ["b", 1, None]},
    True,
    False,
    {},
]


def wild_schema(rng: random.Random) -> dict[str, Any]:
    """One schema with three definitions; it may be one that has no plan."""
    return {**_object(rng, 2), "$defs": {name: _schema(rng, 2) for name in "ABC"}}


def _schema(rng: random.Random, depth: int) -> Any:
    if depth <= 0 or rng.random() < 0.15:
        return rng.choice([*_SIMPLE, {"const": rng.choice(_CONSTANTS)}])
    return _reference(rng) if rng.random() < 0.1 else _object(rng, depth)


def _object(rng: random.Random, depth: int) -> dict[str, Any]:
    kinds = rng.choice(["object", "object", "array", ["object", "array"], ["object", "null"]])
    schema: dict[str, Any] = {"type": kinds} if rng.random() < 0.6 else {}
    for keyword in rng.sample(_KEYWORDS, rng.randint(1, 4)):
        schema |= keyword(rng, depth - 1)
    return schema | (_reference(rng) if rng.random() < 0.1 else {})


def _reference(rng: random.Random) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{rng.choice('ABC')}"}


def _under(key: str) -> Callable[[random.Random, int], dict[str, Any]]:
    return lambda rng, depth: {key: _schema(rng, depth)}


def _fixed(**members: Any) -> Callable[[random.Random, int], dict[str, Any]]:
    return lambda *_: members


def _members(rng: random.Random, depth: int) -> dict[str, Any]:
    return {"properties": {name: _schema(rng, depth) for name in rng.sample(_NAMES, rng.randint(1, 3))}}


def _patterns(rng: random.Random, depth: int) -> dict[str, Any]:
    return {"patternProperties": {name: _schema(rng, depth) for name in rng.sample(["^a", "^x-", "1$"], 2)}}


def _prefix(rng: random.Random, depth: int) -> dict[str, Any]:
    return {"prefixItems": [_schema(rng, depth) for _ in range(rng.randint(1, 2))]}


def _condition(rng: random.Random, depth: int) -> dict[str, Any]:
    then, other = {"then": _schema(rng, depth)}, {"else": _schema(rng, depth)}
    return {"if": _schema(rng, depth), **rng.choice([then, other, then | other])}


def _arms(rng: random.Random, depth: int) -> dict[str, Any]:
    arms = _tagged(rng, depth) if rng.random() < 0.5 else [_schema(rng, depth) for _ in range(rng.randint(1, 3))]
    return {rng.choice(["anyOf", "oneOf"]): arms}


def _tagged(rng: random.Random, depth: int) -> list[Any]:
    tags = ["a", "b", "c"][: rng.randint(1, 3)]
    kinds = [rng.choice([{"const": tag}, {"type": "string", "enum": [tag]}]) for tag in tags]
    if rng.random() < 0.4:
        kinds.append({"type": "string", "not": {"enum": tags}})
    arms = [
        {"type": "object", "properties": {"kind": kind, "a": _schema(rng, depth)}, "required": ["kind"]}
        for kind in kinds
    ]
    rng.shuffle(arms)
    return arms


_KEYWORDS: list[Callable[[random.Random, int], dict[str, Any]]] = [
    _members,
    _members,
    _patterns,
    _prefix,
    _condition,
    _arms,
    _arms,
    lambda rng, _: {"required": rng.sample(_NAMES, rng.randint(1, 2))},
    lambda rng, depth: {"allOf": [_schema(rng, depth) for _ in range(rng.randint(1, 2))]},
    lambda rng, depth: {"dependentSchemas": {rng.choice(_NAMES): _schema(rng, depth)}},
    lambda rng, _: {"dependentRequired": {"a": rng.sample(_NAMES, 1)}},
    lambda rng, _: {
        "propertyNames": rng.choice([{"maxLength": 1}, {"pattern": "^[a-z]"}, {"enum": ["a", "b", "kind"]}])
    },
    lambda rng, _: {"unevaluatedProperties": rng.choice(_SIMPLE)},
    lambda rng, _: {"unevaluatedItems": rng.choice(_SIMPLE)},
    lambda rng, _: {"contains": rng.choice(_SIMPLE), "minContains": rng.randint(0, 2), "maxContains": 2},
    *map(_under, ["items", "not", "additionalProperties"]),
    _fixed(additionalProperties=False),
    _fixed(uniqueItems=True),
    _fixed(minItems=1, maxItems=2),
    _fixed(minProperties=1, maxProperties=2),
]
