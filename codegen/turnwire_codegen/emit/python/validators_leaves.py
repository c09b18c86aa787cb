"""Rules that ask about the value alone, as Python conditions that are true where the rule is broken."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from turnwire_codegen.emit.python.text import quoted
from turnwire_codegen.lower.kinds import ALL_KINDS, narrowed, with_integers
from turnwire_codegen.patterns import parse, to_python
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

__all__ = ["ALWAYS", "NEVER", "Leaf", "Leaves", "finds", "fits", "leaves", "negated", "of_kind"]

ALWAYS, NEVER = "True", "False"
_OPERAND = r'[\w.]+|"(?:[^"\\]|\\.)*"|\w+\(\w+\)'
_OPPOSITES = (("is not", "is"), ("is", "is not"), ("!=", "=="), ("not in", "in"))
_IS = {
    "array": "{0}.__class__ is list",
    "boolean": "{0}.__class__ is bool",
    "integer": "({0}.__class__ is int or ({0}.__class__ is float and {0}.is_integer()))",
    "null": "{0} is None",
    "number": "({0}.__class__ is int or {0}.__class__ is float)",
    "object": "{0}.__class__ is dict",
    "string": "{0}.__class__ is str",
}
_IS_NOT = {
    "array": "{0}.__class__ is not list",
    "boolean": "{0}.__class__ is not bool",
    "integer": "{0}.__class__ is not int and not ({0}.__class__ is float and {0}.is_integer())",
    "null": "{0} is not None",
    "number": "{0}.__class__ is not int and {0}.__class__ is not float",
    "object": "{0}.__class__ is not dict",
    "string": "{0}.__class__ is not str",
}


class Leaf(NamedTuple):
    """A condition that is true where the rule of this name is broken."""

    broken: str
    rule: str


Leaves = Iterator[Leaf]


def leaves(plan: Plan, name: str, known: frozenset[str] = ALL_KINDS) -> Leaves:
    """The conditions of a plan that is a leaf, about the variable `name` of the known kinds, in order."""
    for rule in plan.rules:
        yield from _leaf(rule, name, known)
        known = narrowed(known, rule)


def fits(plan: Plan, name: str, known: frozenset[str] = ALL_KINDS) -> str:
    """A leaf as one condition that is true where the value fits, to stand beside `and` and `or`."""
    broken = [leaf.broken for leaf in leaves(plan, name, known)]
    if ALWAYS in broken:
        return NEVER
    fitting = [negated(condition) for condition in broken]
    return fitting[0] if len(fitting) == 1 else f"({' and '.join(fitting)})" if fitting else ALWAYS


def negated(condition: str) -> str:
    """The opposite condition, in the words that a person would choose where that is easy to see."""
    if condition in (ALWAYS, NEVER):
        return NEVER if condition == ALWAYS else ALWAYS
    for sign, opposite in _OPPOSITES:
        match = re.fullmatch(rf"({_OPERAND}) {sign} ({_OPERAND})", condition)
        if match is not None:
            return f"{match[1]} {opposite} {match[2]}"
    return f"not ({condition})"


def of_kind(kind: str, name: str, known: frozenset[str]) -> str:
    """The condition that a value is of this kind, as far as that is not known."""
    wanted = with_integers((kind,))
    if known <= wanted:
        return ALWAYS
    return _IS[kind].format(name) if known & wanted else NEVER


def finds(source: str, name: str) -> str:
    """The search for a match of an ECMA-262 expression."""
    return f"finds({quoted(to_python(parse(source)))}, {name})"


def _leaf(rule: Rule, name: str, known: frozenset[str]) -> Leaves:
    match rule:
        case Type(kinds=kinds):
            if not known <= with_integers(kinds):
                possible = [kind for kind in kinds if kind in known]
                yield Leaf(" and ".join(_IS_NOT[kind].format(name) for kind in possible) or ALWAYS, "type")
        case Const(values=values):
            yield Leaf(_no_constant(values, name), "const")
        case Bound():
            yield from _when("number", name, known, _outside(rule, name), "bound")
        case Multiple(of=of):
            yield from _when("number", name, known, f"not is_multiple({name}, {of!r})", "multiple")
        case Length(min=least, max=most):
            yield from _when("string", name, known, _amiss(least, most, name), "length")
        case Pattern(source=source):
            yield from _when("string", name, known, f"not {finds(source, name)}", "pattern")
        case Format(name=form):
            yield from _when("string", name, known, f"not FORMATS[{quoted(form)}]({name})", "format")
        case Count(of=of, min=least, max=most):
            yield from _when("array" if of == "items" else "object", name, known, _amiss(least, most, name), "count")
        case Required(names=names):
            absent = " or ".join(f"{quoted(member)} not in {name}" for member in names)
            yield from _when("object", name, known, absent or NEVER, "required")
        case Unique():
            yield from _when("array", name, known, f"not are_unique({name})", "unique")
        case _:
            raise AssertionError(f"{type(rule).__name__} is no leaf")


def _when(kind: str, name: str, known: frozenset[str], broken: str, rule: str) -> Leaves:
    """The condition, behind the test that the rule speaks of such values at all."""
    test = of_kind(kind, name, known)
    if NEVER not in (test, broken):
        inner = f"({broken})" if " or " in broken else broken
        yield Leaf(broken if test == ALWAYS else f"{test} and {inner}", rule)


def _no_constant(values: tuple[Any, ...], name: str) -> str:
    if all(isinstance(value, str) for value in values):
        if len(values) == 1:
            return f"{name} != {quoted(values[0])}"
        listed = ", ".join(map(quoted, dict.fromkeys(values)))
        return f"{name}.__class__ is not str or {name} not in {{{listed}}}" if values else ALWAYS
    if len(values) == 1 and (values[0] is None or isinstance(values[0], bool)):
        return f"{name} is not {values[0]}"
    return f"not is_one_of({name}, ({''.join(_literal(value) + ', ' for value in values).rstrip()}))"


def _literal(value: Any) -> str:
    """A JSON value as a Python expression."""
    match value:
        case str():
            return quoted(value)
        case list():
            return f"[{', '.join(map(_literal, value))}]"
        case dict():
            return f"{{{', '.join(f'{quoted(key)}: {_literal(inner)}' for key, inner in value.items())}}}"
        case _:
            return repr(value)


def _outside(rule: Bound, name: str) -> str:
    tests = (("<", rule.min), (">", rule.max), ("<=", rule.above), (">=", rule.below))
    return " or ".join(f"{name} {sign} {limit!r}" for sign, limit in tests if limit is not None)


def _amiss(least: int, most: int | None, name: str) -> str:
    size = f"len({name})"
    tests = ([f"{size} < {least}"] if least else []) + ([f"{size} > {most}"] if most is not None else [])
    return " or ".join(tests) or NEVER
