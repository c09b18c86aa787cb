"""Scalars, enums and their rules, read tolerantly: what is odd becomes a finding, what is wrong is left out."""

import math
from collections.abc import Callable
from typing import Any

import msgspec

from turnwire_codegen import rules
from turnwire_codegen.ir import AnyValue, Case, Const, Enum, Nullable, Ref, Scalar, TypeNode
from turnwire_codegen.load.foreign.work import Spot, Work
from turnwire_codegen.patterns import PatternError, parse

__all__ = ["array_rules", "bounds_beside", "enum_type", "integer_width", "is_portable", "make_enum", "scalar_rules"]

Number = int | float
# Of these pairs a type holds one: whether it says where the numbers end, or what is beyond them.
_ONE_OF = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))
_LENGTHS = frozenset({"minLength", "maxLength"})
_BOUNDS = frozenset(keyword for pair in _ONE_OF for keyword in pair)


def scalar_rules(node: dict[str, Any], kind: str, spot: Spot, work: Work) -> tuple[rules.Rule, ...]:
    """The rules of a string or a number."""
    if kind == "string":
        return _string_rules(node, spot, work)
    if kind not in {"integer", "number"}:
        return ()
    low, high = _number(node.get("minimum")), _number(node.get("maximum"))
    above, below = _number(node.get("exclusiveMinimum")), _number(node.get("exclusiveMaximum"))
    if kind == "integer":
        # Bounds of an integer may be written as fractions; the integers that they let through are the same.
        low, high = _whole(low, math.ceil), _whole(high, math.floor)
        above, below = _whole(above, math.floor), _whole(below, math.ceil)
    # Of two ends the closer one says it all, and some languages have room for one.
    if low is not None and above is not None:
        low, above = (None, above) if above >= low else (low, None)
    if high is not None and below is not None:
        high, below = (None, below) if below <= high else (high, None)
    bound = rules.Bound(low, high, above, below)
    found: list[rules.Rule] = [] if bound == rules.Bound() else [bound]
    multiple = _number(node.get("multipleOf"))
    if multiple is not None and multiple > 0:
        found.append(rules.Multiple(int(multiple) if multiple == int(multiple) else multiple))
    return tuple(found)


def bounds_beside(beside: dict[str, Any], target: Any, spot: Spot, work: Work) -> tuple[rules.Rule, ...]:
    """What stands beside a reference to a scalar, as its rules, if that is only bounds which the scalar has none of."""
    there: dict[str, Any] = target if isinstance(target, dict) else {}
    kind = str(there.get("type"))
    known = _LENGTHS if kind == "string" else _BOUNDS if kind in ("integer", "number") else frozenset[str]()
    had = known & there.keys()
    clash = beside.keys() & had or any({low, high} <= beside.keys() | had for low, high in _ONE_OF)
    if clash or not beside.keys() <= known or {"$ref", "const", "enum", "oneOf", "anyOf", "allOf"} & there.keys():
        return ()
    return scalar_rules(beside, kind, spot, work)


def is_portable(pattern: str) -> bool:
    """Whether every engine reads an expression alike."""
    try:
        parse(pattern)
    except PatternError:
        return False
    return True


def integer_width(node: dict[str, Any], kind: str) -> int:
    """64 where the format says that an integer has so many bits; fewer make no difference to any language."""
    return 64 if kind == "integer" and node.get("format") in ("int64", "uint64") else 0


def array_rules(node: dict[str, Any]) -> tuple[rules.Rule, ...]:
    """The rules of a list."""
    found: list[rules.Rule] = []
    low, high = _count(node.get("minItems")), _count(node.get("maxItems"))
    if low or high is not None:
        found.append(rules.Count("items", low or 0, high))
    if node.get("uniqueItems") is True:
        found.append(rules.Unique())
    return tuple(found)


def enum_type(node: dict[str, Any], spot: Spot, work: Work) -> TypeNode:
    """`const` and `enum`; an enum of several strings gets a name, null among the values makes it nullable."""
    values = [node["const"]] if "const" in node else node["enum"]
    if not isinstance(values, list) or not all(_is_scalar(value) for value in values):
        work.note(spot, "runtime", "a value that is no scalar: the type holds any")
        return AnyValue()
    if any(isinstance(value, float) for value in values):
        if not all(type(value) in (int, float) for value in values):
            work.note(spot, "runtime", "a fraction among the values: the type holds any")
            return AnyValue()
        work.note_wide(spot, "a fraction among the values: the type holds any number")
        return Scalar("number", (rules.Const(tuple(dict.fromkeys(values))),))
    if any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in values):
        if not all(type(value) is int for value in values):
            work.note(spot, "runtime", "a number of more than 64 bits among the values: the type holds any")
            return AnyValue()
        work.note_wide(spot, "a number of more than 64 bits among the values: the type holds any between them")
        bound, listed = rules.Bound(min(values), max(values)), rules.Const(tuple(dict.fromkeys(values)))
        return Scalar("integer", (bound, listed), width=128)
    rest = [value for value in values if value is not None]
    if not rest:
        return Const(None)
    found: TypeNode = Const(rest[0])
    if len(rest) > 1:
        # True equals 1 to Python, but not to JSON.
        distinct = {(type(value), value): value for value in rest}.values()
        cases = tuple(Case(value=value) for value in distinct)
        found = make_enum(cases, node, spot if len(rest) == len(values) else spot.within(), work)
    return found if len(rest) == len(values) else Nullable(found)


def make_enum(cases: tuple[Case, ...], node: dict[str, Any], spot: Spot, work: Work, *, is_open: bool = False) -> Ref:
    """A declared enum of these values."""
    own = work.own_name(spot)
    listed = node["enum"] if isinstance(node.get("enum"), list) else []
    named = tuple(
        msgspec.structs.replace(case, name=work.part_name(f"{own}.{case.value}", f"{spot.pointer}/enum/{index}"))
        for case in cases
        for index in [listed.index(case.value) if case.value in listed else -1]
    )
    work.made[own] = Enum(name=own, doc=str(node.get("description", "")), cases=named, open=is_open)
    return Ref(own)


def _string_rules(node: dict[str, Any], spot: Spot, work: Work) -> tuple[rules.Rule, ...]:
    found: list[rules.Rule] = []
    low, high = _count(node.get("minLength")), _count(node.get("maxLength"))
    if low or high is not None:
        found.append(rules.Length(low or 0, high))
    if isinstance(node.get("pattern"), str):
        try:
            parse(node["pattern"])
        except PatternError as error:
            work.note(spot, "runtime", f"the pattern is not portable: {error}")
        else:
            found.append(rules.Pattern(node["pattern"]))
    if isinstance(node.get("format"), str):
        found.append(rules.Format(node["format"]))
    return tuple(found)


def _whole(value: Number | None, rounded: Callable[[Number], int]) -> int | None:
    return None if value is None else rounded(value)


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def _number(value: Any) -> Number | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _count(value: Any) -> int | None:
    """A count may be written 2.0."""
    number = _number(value)
    return None if number is None or number < 0 or number != int(number) else min(int(number), rules.LONGEST)
