"""Rules that ask about the value alone, as TypeScript conditions that are true where the rule is broken.

The conditions narrow the type of the variable, so that what follows them needs no cast.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from turnwire_codegen.emit.typescript.text import quoted
from turnwire_codegen.lower.kinds import ALL_KINDS, narrowed, with_integers
from turnwire_codegen.patterns import parse, to_ecma
from turnwire_codegen.rules import (
    Bound,
    Const,
    Count,
    Format,
    Length,
    Multiple,
    Pattern,
    Plan,
    Required,
    Rule,
    Type,
    Unique,
)

__all__ = ["ALWAYS", "NEVER", "Leaf", "Leaves", "finds", "fits", "leaf", "leaves", "negated", "of_kind"]

ALWAYS, NEVER = "true", "false"
_OPERAND = r'(?:typeof )?[\w.]+|"(?:[^"\\]|\\.)*"|\w+\(\w+\)'
_IS = {
    "array": "isArray({0})",
    "boolean": 'typeof {0} === "boolean"',
    "integer": "isInteger({0})",
    "null": "{0} === null",
    "number": 'typeof {0} === "number"',
    "object": "isObject({0})",
    "string": 'typeof {0} === "string"',
}
_IS_NOT = {
    "array": "!isArray({0})",
    "boolean": 'typeof {0} !== "boolean"',
    "integer": "!isInteger({0})",
    "null": "{0} !== null",
    "number": 'typeof {0} !== "number"',
    "object": "!isObject({0})",
    "string": 'typeof {0} !== "string"',
}
_FORMATS = {"date": "isDate", "date-time": "isDateTime", "ipv4": "isIpv4", "time": "isTime", "uuid": "isUuid"}


class Leaf(NamedTuple):
    """A condition that is true where the rule of this name is broken."""

    broken: str
    rule: str


Leaves = Iterator[Leaf]


def leaves(plan: Plan, name: str, known: frozenset[str] = ALL_KINDS) -> Leaves:
    """The conditions of a plan that is a leaf, about the variable `name` of the known kinds, in order."""
    compared = False
    for rule in plan.rules:
        yield from leaf(rule, name, known, compared=compared)
        known = narrowed(known, rule)
        compared = compared or isinstance(rule, Const)


def fits(plan: Plan, name: str, known: frozenset[str]) -> str:
    """A leaf as one condition that is true where the value fits, to stand beside `&&` and `||`."""
    broken = [leaf.broken for leaf in leaves(plan, name, known)]
    if ALWAYS in broken:
        return NEVER
    fitting = [negated(condition) for condition in broken]
    return fitting[0] if len(fitting) == 1 else f"({' && '.join(fitting)})" if fitting else ALWAYS


def negated(condition: str) -> str:
    """The opposite condition, in the words that a person would choose where that is easy to see."""
    if condition in (ALWAYS, NEVER):
        return NEVER if condition == ALWAYS else ALWAYS
    if " && " in condition or " || " in condition:
        return f"!({condition})"
    for sign, opposite in (("!==", "==="), ("===", "!==")):
        match = re.fullmatch(rf"({_OPERAND}) {sign} ({_OPERAND})", condition)
        if match is not None:
            return f"{match[1]} {opposite} {match[2]}"
    return condition[1:] if re.match(r"!\w+\(|!/", condition) else f"!({condition})"


def of_kind(kind: str, name: str, known: frozenset[str]) -> str:
    """The condition that a value is of this kind, as far as that is not known."""
    wanted = with_integers((kind,))
    if known <= wanted:
        return ALWAYS
    return _IS[kind].format(name) if known & wanted else NEVER


def finds(source: str, name: str) -> str:
    """The search for a match of an ECMA-262 expression; `//` would begin a comment."""
    return f"/{to_ecma(parse(source)) or '(?:)'}/u.test({name})"


def leaf(rule: Rule, name: str, known: frozenset[str], *, compared: bool) -> Leaves:
    """The conditions of one rule; `compared` says that other comparisons of the variable stand near this one."""
    match rule:
        case Type(kinds=kinds):
            if not known <= with_integers(kinds):
                possible = [kind for kind in kinds if kind in known]
                yield Leaf(" && ".join(_IS_NOT[kind].format(name) for kind in possible) or ALWAYS, "type")
        case Const(values=values):
            yield Leaf(_no_constant(values, name, known, compared=compared), "const")
        case Bound():
            yield from _when("number", name, known, _outside(rule, name), "bound")
        case Multiple(of=of):
            yield from _when("number", name, known, f"!isMultiple({name}, {of!r})", "multiple")
        case Length(min=least, max=most):
            yield from _when("string", name, known, _amiss(least, most, f"codePoints({name})"), "length")
        case Pattern(source=source):
            yield from _when("string", name, known, f"!{finds(source, name)}", "pattern")
        case Format(name=form):
            yield from _when("string", name, known, f"!{_FORMATS[form]}({name})", "format")
        case Count(of="items", min=least, max=most):
            yield from _when("array", name, known, _amiss(least, most, f"{name}.length"), "count")
        case Count(min=least, max=most):
            yield from _when("object", name, known, _amiss(least, most, f"Object.keys({name}).length"), "count")
        case Required(names=names):
            absent = " || ".join(f"!Object.hasOwn({name}, {quoted(member)})" for member in names)
            yield from _when("object", name, known, absent or NEVER, "required")
        case Unique():
            yield from _when("array", name, known, f"!areUnique({name})", "unique")
        case _:
            raise AssertionError(f"{type(rule).__name__} is no leaf")


def _when(kind: str, name: str, known: frozenset[str], broken: str, rule: str) -> Leaves:
    """The condition, behind the test that the rule speaks of such values at all."""
    test = of_kind(kind, name, known)
    if NEVER not in (test, broken):
        inner = f"({broken})" if " || " in broken else broken
        yield Leaf(broken if test == ALWAYS else f"{test} && {inner}", rule)


def _no_constant(values: tuple[Any, ...], name: str, known: frozenset[str], *, compared: bool) -> str:
    """A comparison with each value; by a function where `!==` would narrow the type to literals under another one."""
    possible = [value for value in values if _kinds(value) & known]
    if not possible:
        return ALWAYS
    if compared or any(isinstance(value, list | dict) for value in possible):
        return f"!isOneOf({name}, {json.dumps(possible)})"
    return " && ".join(f"{name} !== {json.dumps(value)}" for value in possible)


def _kinds(value: Any) -> frozenset[str]:
    match value:
        case None:
            return frozenset({"null"})
        case bool():
            return frozenset({"boolean"})
        case int() | float():
            return frozenset({"integer", "number"})
        case str():
            return frozenset({"string"})
    return frozenset({"array" if isinstance(value, list) else "object"})


def _outside(rule: Bound, name: str) -> str:
    tests = (("<", rule.min), (">", rule.max), ("<=", rule.above), (">=", rule.below))
    return " || ".join(f"{name} {sign} {limit!r}" for sign, limit in tests if limit is not None)


def _amiss(least: int, most: int | None, size: str) -> str:
    tests = ([f"{size} < {least}"] if least else []) + ([f"{size} > {most}"] if most is not None else [])
    return " || ".join(tests) or NEVER
