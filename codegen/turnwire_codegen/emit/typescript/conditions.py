"""Conditions of validators in TypeScript, about the variables `v` (the value), `w` (the part) and `k` (the name).

They narrow the type of the variable, so that what follows them needs no cast; a text that is looked up in a list stays
a string, since a type of literals would make later comparisons senseless to the compiler.
"""

from collections.abc import Mapping
from typing import assert_never

from turnwire_codegen.emit.typescript.text import quoted, value_text
from turnwire_codegen.patterns import parse, to_ecma
from turnwire_codegen.program import ask, table

__all__ = ["VARIABLES", "Functions", "check", "condition", "flag", "names_list"]

# The name of the function of each plan.
Functions = Mapping[str, str]
VARIABLES = {"value": "v", "part": "w", "name": "k"}
_MEASURES = {
    "number": "{}",
    "code points": "codePoints({})",
    "items": "{}.length",
    "members": "Object.keys({}).length",
}
_KINDS = {"array": "isArray", "integer": "isInteger", "number": "isNumber", "object": "isObject"}
_FORMATS = {"date": "isDate", "date-time": "isDateTime", "ipv4": "isIpv4", "time": "isTime", "uuid": "isUuid"}


def condition(asked: ask.Condition, functions: Functions) -> str:
    """The expression of a condition."""
    match asked:
        case ask.All(of=parts):
            return " && ".join(_inner(part, functions) for part in parts) or "true"
        case ask.Any(of=parts):
            return " || ".join(_inner(part, functions) for part in parts) or "false"
        case ask.Not(of=part):
            return _either(part, functions)[1]
        case ask.Compare(subject=subject, measure=measure, sign=sign, limit=limit):
            return f"{_MEASURES[measure].format(VARIABLES[subject])} {sign} {value_text(limit)}"
        case _:
            return _either(asked, functions)[0]


def check(said: table.Check, functions: Functions) -> str:
    """A check as a table says it."""
    match said:
        case table.Named(plan=plan):
            return functions[plan]
        case table.Kinds(kinds=(kind,)):
            return quoted(kind)
        case table.Kinds(kinds=kinds):
            return value_text(kinds)
        case table.Only(values=values):
            return f"{{ only: {value_text(values)} }}"
        case table.Texts(values=values):
            return f"{{ text: {value_text(values)} }}"
        case table.AnyOf(of=arms):
            return f"{{ any: [{', '.join(check(arm, functions) for arm in arms)}] }}"
        case table.ListOf(item=item):
            return f"{{ list: {check(item, functions)} }}"
        case table.MapOf(member=member):
            return f"{{ dict: {check(member, functions)} }}"
    assert_never(said)


def flag(name: str) -> str:
    """The variable of a kept answer."""
    return name.replace("guard ", "g")


def names_list(names: tuple[str, ...]) -> str:
    """A list of names."""
    return f"[{', '.join(map(quoted, names))}]"


def _inner(part: ask.Condition, functions: Functions) -> str:
    text = condition(part, functions)
    return f"({text})" if isinstance(part, ask.All | ask.Any) else text


def _either(atom: ask.Atom, functions: Functions) -> tuple[str, str]:
    """The expressions of a condition and of its opposite."""
    match atom:
        case ask.ExactlyOne(of=parts):
            fitting = " + ".join(f"({condition(part, functions)} ? 1 : 0)" for part in parts)
            return f"{fitting} === 1", f"{fitting} !== 1"
        case ask.Fits(subject=subject, check=table.Named(plan=plan)):
            call = f"{functions[plan]}({VARIABLES[subject]})"
            return f"{call} === undefined", f"{call} !== undefined"
        case ask.Fits(subject=subject, check=said):
            return _or_not(f"is({VARIABLES[subject]}, {check(said, functions)})")
        case ask.Counted(of=of, min=least, max=most):
            limits = str(least) if most is None else f"{least}, {most}"
            return _or_not(f"counts(v, (w) => {condition(of, functions)}, {limits})")
        case ask.IndexBelow(limit=limit):
            return f"i < {limit}", f"i >= {limit}"
        case ask.Flag(name=name):
            return _or_not(flag(name))
        case _:
            return _about(atom, VARIABLES[atom.subject])


def _about(atom: ask.OfSubject, name: str) -> tuple[str, str]:
    match atom:
        case ask.IsKind(kind="null") | ask.IsOneOf(values=(None,)):
            return f"{name} === null", f"{name} !== null"
        case ask.IsKind(kind=kind) if kind not in _KINDS:
            return f"typeof {name} === {quoted(kind)}", f"typeof {name} !== {quoted(kind)}"
        case ask.IsOneOf(values=(str() as text,)):
            return f"{name} === {quoted(text)}", f"{name} !== {quoted(text)}"
        case _:
            return _or_not(_call(atom, name))


def _call(atom: ask.OfSubject, name: str) -> str:
    match atom:
        case ask.IsKind(kind=kind):
            return f"{_KINDS[kind]}({name})"
        case ask.IsOneOf(values=values):
            return f"isOneOf({name}, {value_text(values)})"
        case ask.IsText(texts=texts):
            return f"{names_list(texts)}.includes({name})"
        case ask.IsMultiple(of=of):
            return f"isMultiple({name}, {value_text(of)})"
        case ask.Finds(source=source):
            # `//` would begin a comment.
            return f"/{to_ecma(parse(source)) or '(?:)'}/u.test({name})"
        case ask.HasFormat(name=form):
            return f"{_FORMATS[form]}({name})"
        case ask.Has(member=member):
            return f"Object.hasOwn({name}, {quoted(member)})"
        case ask.AreUnique():
            return f"areUnique({name})"
    assert_never(atom)


def _or_not(call: str) -> tuple[str, str]:
    return call, f"!{call}"
