"""Values at which languages differ: numbers at the borders of types, texts and lists at their bounds, names that mean
something to a runtime, members that nobody declares.

A lawful value mostly stays lawful, so that what comes back is compared, and not only where it is refused.
"""

from typing import Any

__all__ = ["NAMES", "NUMBERS", "bounds_of", "odd"]

NUMBERS = [
    *[0, -0.0, 1, 1.0, 1e2, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64],
    *[12345678901234567890, 10**21, 10**22, 1e20, 1e21, 1e22, 0.1 + 0.2, 1e-6, 1e-7, 5e-324, 1.7976931348623157e308],
    *[float(2**53 + 2), float(2**63), 123456789012345680000.5, 1 / 3, -1.5e-10, 0.5],
]
NAMES = [
    *["", "0", "10", "2", "__proto__", "constructor", "toString", "hasOwnProperty", "prototype", "then", "length"],
    *["self", "init", "class", "hashCode", "description", "json", "undeclared", "$ref", 'a"b', "\\", "'", "a/b", "m~n"],
    *["\0", "\n", "é", "e\u0301", "\ufb01", "\U0001f600", "\ufeff", "\U0010ffff"],
]
_LETTERS = "aZ0 \0\x1f\x7f\"\\/'\n\r\t\u00e9\u0301\u0130\u0663\u2028\u200d\ufeff\uffff\U0001f600\U0001f468\U0010ffff"
_LONGEST = 5000


def bounds_of(definitions: Any) -> list[int]:
    """Every length, of a text or of a list, at which a schema draws a line, with its neighbours."""
    words = {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
    found = {0, 1, *_numbers_of(definitions, words)}
    return sorted({bound + away for bound in found for away in (-1, 0, 1)} & {*range(_LONGEST)})


def odd(rng, value, bounds):
    """A copy with an odd thing in one place."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        name = rng.choice([*value])
        return {**value, name: odd(rng, value[name], bounds)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], odd(rng, value[at], bounds), *value[at + 1 :]]
    return _odd_here(rng, value, bounds)


def _odd_here(rng, value, bounds):
    match value:
        case dict():
            members = [*value.items(), *((name, _anything(rng, bounds)) for name in rng.sample(NAMES, 3))]
            rng.shuffle(members)
            return dict(members)
        case [first, *_]:
            return [first] * rng.choice(bounds)
        case str():
            return _text(rng, bounds)
        case bool() | None | []:
            return _anything(rng, bounds)
        case _:
            return rng.choice(NUMBERS)


def _anything(rng, bounds):
    simple = rng.choice([None, True, rng.choice(NUMBERS), rng.choice(NUMBERS), _text(rng, bounds)])
    return rng.choice([simple, simple, [simple, []], {rng.choice(NAMES): simple, rng.choice(NAMES): {}}])


def _text(rng, bounds):
    """All of its letters are of a few kinds, so that it is not always something else than letters."""
    letters = rng.sample(_LETTERS, 3) if rng.random() < 0.5 else rng.choice(_LETTERS)
    return "".join(rng.choice(letters) for _ in range(rng.choice(bounds)))


def _numbers_of(node, words):
    if isinstance(node, dict):
        for word, inner in node.items():
            if word in words and isinstance(inner, int | float):
                yield int(inner)
            yield from _numbers_of(inner, words)
    elif isinstance(node, list):
        for inner in node:
            yield from _numbers_of(inner, words)
