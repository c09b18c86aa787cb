"""Values of any schema, made and spoilt by a seed: the same seed makes the same values, on every machine.

A value that is spoilt is judged again by the schema, because to spoil one place may leave the whole lawful; who uses
it goes by `is_valid`, never by the intention.
"""

import math
import random
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from turnwire.schemas import Schemas

__all__ = ["KINDS", "Mutant", "Walker"]

# Deep enough for every type of a protocol, shallow enough that a recursive one ends.
DEEPEST = 6
# A pattern and a length may contradict each other by chance; so often it is tried anew.
TRIES = 8
LONG = 5000
DEEP = 40
LETTERS = "abcXYZ019 _-é😀\u2028"
# Values of every JSON type, to stand where another type is meant.
OTHERS: tuple[Any, ...] = (True, 7, -1.5, "turnwire", [], {}, [None], {"a": 1})


class Mutant(NamedTuple):
    """A value that was spoilt: how, where, and whether it is lawful all the same."""

    kind: str
    pointer: str
    value: Any
    is_valid: bool


class Walker:
    """Walks over the definitions of one bundle."""

    def __init__(self, bundle: Mapping[str, Any], schemas: Schemas, seed: int) -> None:
        self._definitions: Mapping[str, Any] = bundle.get("$defs", {})
        self._schemas = schemas
        self._random = random.Random(seed)  # noqa: S311 - no secret: the same seed makes the same values

    def value(self, name: str) -> Any:
        """A lawful value of a definition.

        Raises:
            LookupError: none was found; the definition may have none.
        """
        for _ in range(TRIES):
            made = self._make(self._definitions[name], 0)
            if not self._schemas.faults(name, made):
                return made
        raise LookupError(f"no value of {name} was found in {TRIES} tries")

    def mutant(self, name: str, value: Any) -> Mutant:
        """A copy of a value, spoilt in one place."""
        kind = self._random.choice(list(KINDS))
        # Only a member more leaves the root what it is.
        places = [*([("", value)] if kind == "extra" else []), *_places(value, "")]
        pointer, found = self._random.choice(places)
        spoilt = KINDS[kind](self._random, found)
        made = _with(value, pointer.split("/")[1:], spoilt)
        return Mutant(kind, pointer, made, not self._schemas.faults(name, made))

    # Making

    def _make(self, schema: Any, depth: int) -> Any:
        if not isinstance(schema, dict):
            return self._random.choice(OTHERS)
        if "$ref" in schema:
            return self._make(self._definitions[schema["$ref"].rpartition("/")[2]], depth)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        for word in ("oneOf", "anyOf"):
            if word in schema:
                return self._make(self._random.choice(schema[word]), depth)
        return self._of_type(schema, depth)

    def _of_type(self, schema: Mapping[str, Any], depth: int) -> Any:
        kind = schema.get("type", "")
        if isinstance(kind, list):
            kind = self._random.choice(kind)
        match kind:
            case "object":
                return self._object(schema, depth)
            case "array":
                return [self._make(schema.get("items", True), depth + 1) for _ in range(self._count(schema, depth))]
            case "string":
                return self._string(schema)
            case "integer" | "number":
                return self._number(schema)
            case "boolean":
                return self._random.random() < 0.5
            case "null":
                return None
            case _:
                return self._random.choice(OTHERS)

    def _number(self, schema: Mapping[str, Any]) -> float:
        """A whole number, also where bounds are written as fractions; where none lies between them, the lower bound."""
        most = schema.get("maximum", math.inf)
        low = schema.get("minimum", min(-3, most))
        least = math.ceil(low)
        highest = math.floor(min(most, least + 9))
        return self._random.randint(least, highest) if least <= highest else low

    def _count(self, schema: Mapping[str, Any], depth: int) -> int:
        least = int(schema.get("minItems", 0))
        most = min(schema.get("maxItems", 2), 2) if depth < DEEPEST else least
        return self._random.randint(least, max(least, most))

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        needed = schema.get("required", ())
        made = {}
        for name, member in schema.get("properties", {}).items():
            if name in needed or (depth < DEEPEST and self._random.random() < 0.4):
                made[name] = self._make(member, depth + 1)
        return made

    def _string(self, schema: Mapping[str, Any]) -> str:
        least = schema.get("minLength", 0)
        if "pattern" in schema:
            return _matching(schema["pattern"], self._random)
        length = self._random.randint(least, min(schema.get("maxLength", least + 12), least + 12))
        return "".join(self._random.choice(LETTERS) for _ in range(length))


def _drop(_random: random.Random, _value: Any) -> Any:
    return _GONE


def _retype(chooser: random.Random, value: Any) -> Any:
    others = [other for other in OTHERS if type(other) is not type(value)]
    return chooser.choice(others)


def _null(_random: random.Random, _value: Any) -> Any:
    return None


def _overlong(_random: random.Random, value: Any) -> Any:
    return value * LONG if isinstance(value, list) and value else "x" * LONG


def _bad_word(chooser: random.Random, value: Any) -> Any:
    return f"{value}{chooser.choice('!? ')}" if isinstance(value, str) else "no such word!"


def _extra(_random: random.Random, value: Any) -> Any:
    return {**value, "xTurnwireCheck": [1]} if isinstance(value, dict) else value


def _deep(_random: random.Random, value: Any) -> Any:
    for _ in range(DEEP):
        value = [value]
    return value


def _negative(_random: random.Random, value: Any) -> Any:
    return -1 - abs(value) if type(value) is int else -1


def _empty(_random: random.Random, value: Any) -> Any:
    return type(value)() if isinstance(value, str | list | dict) else ""


# The ways to spoil a value, by name.
KINDS: Mapping[str, Callable[[random.Random, Any], Any]] = {
    "drop": _drop,
    "retype": _retype,
    "null": _null,
    "overlong": _overlong,
    "bad word": _bad_word,
    "extra": _extra,
    "deep": _deep,
    "negative": _negative,
    "empty": _empty,
}
_GONE = object()


def _places(value: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    """Every place in a value but its root, which must stay what it is to be sent; the root alone where it is empty."""
    members: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(value, dict):
        members = iter(value.items())
    elif isinstance(value, list):
        members = iter(enumerate(value))
    is_empty = True
    for name, member in members:
        is_empty = False
        place = f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}"
        yield place, member
        yield from _below(member, place)
    if is_empty and not pointer:
        yield pointer, value


def _below(value: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list) and value:
        yield from _places(value, pointer)


def _with(value: Any, steps: list[str], spoilt: Any) -> Any:
    """A copy of a value with another one in one place, or with none there."""
    if not steps:
        return spoilt if isinstance(spoilt, dict) else value
    name = steps[0].replace("~1", "/").replace("~0", "~")
    if isinstance(value, list):
        place = int(name)
        inner = spoilt if len(steps) == 1 else _with(value[place], steps[1:], spoilt)
        return [*value[:place], *([] if inner is _GONE else [inner]), *value[place + 1 :]]
    inner = spoilt if len(steps) == 1 else _with(value[name], steps[1:], spoilt)
    rest = {key: member for key, member in value.items() if key != name}
    return rest if inner is _GONE else {**rest, name: inner}


# One atom of a simple pattern: a class of characters or a character, and how often it comes.
_ATOM = re.compile(r"(\[(?:\\.|[^\]\\])+\]|\\.|[^\\\[\](){}*+?|^$])(\{\d+(?:,\d*)?\}|[*+?])?")


def _matching(pattern: str, chooser: random.Random) -> str:
    """A text that matches a pattern of classes and repetitions; what is beyond that gives a text that may not match."""
    text = []
    for atom, often in _ATOM.findall(pattern):
        least, most = _bounds(often)
        text += [_one_of(atom, chooser) for _ in range(chooser.randint(least, most))]
    return "".join(text)


def _bounds(often: str) -> tuple[int, int]:
    match often[:1]:
        case "":
            return 1, 1
        case "*":
            return 0, 4
        case "+":
            return 1, 4
        case "?":
            return 0, 1
    least, _, most = often[1:-1].partition(",")
    return int(least), int(most or least)


def _one_of(atom: str, chooser: random.Random) -> str:
    if not atom.startswith("["):
        return {"\\d": "7", "\\w": "w", "\\s": " "}.get(atom, atom[-1])
    letters = [letter for letter in map(chr, range(32, 127)) if re.fullmatch(atom, letter)]
    return chooser.choice(letters) if letters else ""
