"""Conditions of validators in Swift, about `v` (the value), `w` (the part) `entry` (a member) and `part` (an item)."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, assert_never

from turnwire_codegen import patterns
from turnwire_codegen.emit.swift.text import json_literal, quoted
from turnwire_codegen.program import ask, table

__all__ = [
    "Functions",
    "check",
    "condition",
    "fault",
    "flag",
    "format_name",
    "json_value",
    "json_values",
    "names_list",
    "pattern_name",
    "pattern_tree",
]

# The name of the function of each plan.
Functions = Mapping[str, str]
_VARIABLES = {"value": "v", "part": "w", "name": "entry.name"}
_MEASURES = {"code points": "codePoints", "items": "count", "members": "count"}
_SIGNS = {">=": "atLeast", "<=": "atMost", ">": "above", "<": "below"}
_FORMATS = {"date-time": "dateTime"}


def condition(asked: ask.Condition, functions: Functions) -> str:
    """The expression of a condition."""
    match asked:
        case ask.All(of=parts):
            return " && ".join(_inner(part, functions) for part in parts) or "true"
        case ask.Any(of=parts):
            return " || ".join(_inner(part, functions) for part in parts) or "false"
        case ask.Not(of=ask.Fits(subject=subject, check=said)):
            return f"{fault(said, _json(subject), functions)} != nil"
        case ask.Not(of=part):
            return f"!{condition(part, functions)}"
        case ask.ExactlyOne(of=parts):
            return f"exactlyOne({', '.join(condition(part, functions) for part in parts)})"
        case ask.Fits(subject=subject, check=said):
            return f"{fault(said, _json(subject), functions)} == nil"
        case ask.Compare():
            return _comparison(asked)
        case ask.Counted(of=of, min=least, max=most):
            return f"counts(v, {least}, {'.max' if most is None else most}, {{ w in {condition(of, functions)} }})"
        case ask.Flag(name=name):
            return flag(name)
        case ask.IndexBelow(limit=limit):
            return f"(part.index < {limit})"
        case _:
            return _call(asked)


def check(said: table.Check, functions: Functions) -> str:
    """A check as a table says it."""
    match said:
        case table.Named(plan=plan):
            return f".named({functions[plan]})"
        case table.Kinds(kinds=kinds):
            return f".kinds([{', '.join(f'.{kind}' for kind in kinds)}])"
        case table.Only(values=values):
            return f".only({json_values(values)})"
        case table.Texts(values=values):
            return f".text({names_list(values)})"
        case table.AnyOf(of=arms):
            return f".any([{', '.join(check(arm, functions) for arm in arms)}])"
        case table.ListOf(item=item):
            return f".list({check(item, functions)})"
        case table.MapOf(member=member):
            return f".map({check(member, functions)})"
    assert_never(said)


def fault(said: table.Check, value: str, functions: Functions) -> str:
    """A call that gives the first fault of a value."""
    if isinstance(said, table.Named):
        return f"{functions[said.plan]}({value})"
    return f"inspect({value}, {check(said, functions)})"


def format_name(name: str) -> str:
    """The case of a format."""
    return _FORMATS.get(name, name)


def flag(name: str) -> str:
    """The variable of a kept answer."""
    return name.replace("guard ", "guard")


def names_list(names: Iterable[str]) -> str:
    """A list of names."""
    return f"[{', '.join(map(quoted, names))}]"


def _call(asked: ask.Condition) -> str:
    match asked:
        case ask.IsKind(subject=subject, kind=kind):
            return f"isKind({_json(subject)}, .{kind})"
        case ask.IsOneOf(subject=subject, values=values):
            return f"[{', '.join(map(json_value, values))}].contains({_json(subject)})"
        case ask.IsText(subject=subject, texts=texts):
            return f"isText({_VARIABLES[subject]}, {names_list(texts)})"
        case ask.IsMultiple(subject=subject, of=of):
            return f"isMultiple({_json(subject)}, {json_literal(of)})"
        case ask.Finds(subject=subject, source=source):
            return f"finds({pattern_name(source)}, {_VARIABLES[subject]})"
        case ask.HasFormat(subject=subject, name=name):
            return f"hasFormat({_VARIABLES[subject]}, .{format_name(name)})"
        case ask.Has(subject=subject, member=member):
            return f"has({_json(subject)}, {quoted(member)})"
        case ask.AreUnique(subject=subject):
            return f"areUnique({_json(subject)})"
    raise AssertionError(f"{type(asked).__name__} is no call")


def pattern_name(source: str) -> str:
    """The constant of a pattern: by its text, so that another pattern changes no name."""
    return f"pattern{zlib.crc32(source.encode('utf-8', 'surrogatepass')):08x}"


def pattern_tree(node: patterns.Node) -> str:
    """A parsed pattern as JSONPattern takes it; whether a loop is lazy says nothing where only a match is asked for."""
    match node:
        case patterns.Literal(code=code):
            return f".one({code:#x})"
        case patterns.AnyCharacter():
            return ".not([0xa...0xa, 0xd...0xd, 0x2028...0x2029])"
        case patterns.CharacterSet(ranges=ranges, negated=negated):
            return f".{'not' if negated else 'of'}([{', '.join(f'{low:#x}...{high:#x}' for low, high in ranges)}])"
        case patterns.Edge(end=end):
            return ".end" if end else ".start"
        case patterns.Look(body=body, negated=negated):
            return f".{'notAhead' if negated else 'ahead'}({pattern_tree(body)})"
        case patterns.Repeat(body=body, least=least, most=most):
            return f".times({pattern_tree(body)}, {least}, {'nil' if most is None else most})"
        case patterns.Sequence(parts=parts):
            return f".all([{', '.join(map(pattern_tree, parts))}])"
        case patterns.Choice(arms=arms):
            return f".some([{', '.join(map(pattern_tree, arms))}])"


def _comparison(asked: ask.Compare) -> str:
    if asked.measure == "number":
        return f"{_SIGNS[asked.sign]}({_json(asked.subject)}, {json_literal(asked.limit)})"
    return f"{_MEASURES[asked.measure]}({_VARIABLES[asked.subject]}) {asked.sign} {asked.limit!r}"


def _json(subject: ask.Subject) -> str:
    """A subject as a JSON value; the name of a member is a text."""
    return f".string({_VARIABLES[subject]})" if subject == "name" else _VARIABLES[subject]


def _inner(part: ask.Condition, functions: Functions) -> str:
    text = condition(part, functions)
    return f"({text})" if isinstance(part, ask.All | ask.Any) else text


def json_values(values: Sequence[Any]) -> str:
    """JSON values as a list. Texts are made of a list of literals: of a list of calls the compiler takes the square."""
    if len(values) > 1 and all(isinstance(value, str) for value in values):
        return f"{names_list(values)}.map(JSONValue.string)"
    return f"[{', '.join(map(json_value, values))}]"


def json_value(value: Any) -> str:
    """Any JSON value as an expression."""
    match value:
        case list():
            return f"JSONValue.array([{', '.join(map(json_value, value))}])"
        case dict():
            members = ", ".join(f"{quoted(name)}: {json_value(member)}" for name, member in value.items())
            return f"JSONValue.object([{members or ':'}])"
    return json_literal(value)
