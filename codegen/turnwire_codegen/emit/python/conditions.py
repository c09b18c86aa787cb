"""Conditions of validators in Python, about the variables `v` (the value), `w` (the part) and `k` (the name)."""

from collections.abc import Mapping
from typing import Any, assert_never

from turnwire_codegen.emit.python.text import quoted
from turnwire_codegen.program import ask, table

__all__ = ["VARIABLES", "Functions", "condition", "finder_key", "flag", "names_set"]

# The name of the function of each plan, and by `finder_key` of each expression.
Functions = Mapping[str, str]
VARIABLES = {"value": "v", "part": "w", "name": "k"}
_MEASURES = {"number": "{}", "code points": "len({})", "items": "len({})", "members": "len({})"}
_IS = {
    "array": "{0}.__class__ is list",
    "boolean": "{0}.__class__ is bool",
    "integer": "{0}.__class__ is int or ({0}.__class__ is float and {0}.is_integer())",
    "null": "{0}.__class__ is NoneType",
    "number": "{0}.__class__ is int or {0}.__class__ is float",
    "object": "{0}.__class__ is dict",
    "string": "{0}.__class__ is str",
}
_IS_NOT = {
    "array": "{0}.__class__ is not list",
    "boolean": "{0}.__class__ is not bool",
    "integer": "{0}.__class__ is not int and not ({0}.__class__ is float and {0}.is_integer())",
    "null": "{0}.__class__ is not NoneType",
    "number": "{0}.__class__ is not int and {0}.__class__ is not float",
    "object": "{0}.__class__ is not dict",
    "string": "{0}.__class__ is not str",
}


def condition(asked: ask.Condition, functions: Functions) -> str:
    """The expression of a condition."""
    match asked:
        case ask.All(of=parts):
            return _joined(parts, "and", functions) or "True"
        case ask.Any(of=(ask.Compare(sign="<") as low, ask.Compare(sign=">") as high)) if _between(low, high):
            return f"not {low.limit!r} <= {_MEASURES[low.measure].format(VARIABLES[low.subject])} <= {high.limit!r}"
        case ask.Any(of=parts):
            return _joined(parts, "or", functions) or "False"
        case ask.Not(of=part):
            return _either(part, functions)[1]
        case ask.Compare(subject=subject, measure=measure, sign=sign, limit=limit):
            return f"{_MEASURES[measure].format(VARIABLES[subject])} {sign} {limit!r}"
        case _:
            return _either(asked, functions)[0]


def finder_key(source: str) -> str:
    """Under what the functions have that of an expression; the name of a plan is a pointer, so never the same."""
    return f"finds {source}"


def flag(name: str) -> str:
    """The variable of a kept answer."""
    return name.replace("guard ", "g")


def names_set(names: tuple[str, ...]) -> str:
    """A set of names."""
    return f"{{{', '.join(map(quoted, names))}}}"


def _between(low: ask.Compare, high: ask.Compare) -> bool:
    """Whether two comparisons are of one length; what is no number is neither below nor above."""
    return low.measure != "number" and (low.subject, low.measure) == (high.subject, high.measure)


def _joined(parts: tuple[ask.Condition, ...], word: str, functions: Functions) -> str:
    """The parts with `and` or `or` between them; a part in which the other word stands is in brackets."""
    texts = [condition(part, functions) for part in parts]
    return f" {word} ".join(
        f"({text})" if _mixes(part, word) else text for part, text in zip(parts, texts, strict=True)
    )


def _mixes(part: ask.Condition, word: str) -> bool:
    match part:
        case ask.IsKind(kind=kind):
            return word == "and" and " or " in _IS[kind]
        case ask.Not(of=ask.IsKind(kind=kind)):
            return word == "or" and " and " in _IS_NOT[kind]
    return isinstance(part, ask.All | ask.Any)


def _either(atom: ask.Atom, functions: Functions) -> tuple[str, str]:
    """The expressions of a condition and of its opposite."""
    match atom:
        case ask.ExactlyOne(of=parts):
            fitting = " + ".join(f"({condition(part, functions)})" for part in parts)
            return f"{fitting} == 1", f"{fitting} != 1"
        case ask.Fits(subject=subject, check=table.Named(plan=plan)):
            call = f"{functions[plan]}({VARIABLES[subject]})"
            return f"{call} is None", f"{call} is not None"
        case ask.Counted(of=of, min=least, max=most):
            count = f"sum({condition(of, functions)} for w in v)"
            if most is None:
                return f"{count} >= {least}", f"{count} < {least}"
            return f"{least} <= {count} <= {most}", f"not {least} <= {count} <= {most}"
        case ask.IndexBelow(limit=limit):
            return f"i < {limit}", f"i >= {limit}"
        case ask.Flag(name=name):
            return flag(name), f"not {flag(name)}"
        case ask.Fits():
            raise AssertionError("the flat form has no tables")
        case _:
            return _about(atom, VARIABLES[atom.subject], functions)


def _about(atom: ask.OfSubject, name: str, functions: Functions) -> tuple[str, str]:
    match atom:
        case ask.Finds(source=source):
            found = f"{functions[finder_key(source)]}({name})"
            return f"{found} is not None", f"{found} is None"
        case ask.IsKind(kind=kind):
            return _IS[kind].format(name), _IS_NOT[kind].format(name)
        case ask.IsOneOf(values=(str() as text,)) | ask.IsText(texts=(text,)):
            return f"{name} == {quoted(text)}", f"{name} != {quoted(text)}"
        case ask.IsOneOf(values=(None | bool() as value,)):
            return f"{name} is {value}", f"{name} is not {value}"
        case ask.IsText(texts=texts):
            return f"{name} in {names_set(texts)}", f"{name} not in {names_set(texts)}"
        case ask.Has(member=member):
            return f"{quoted(member)} in {name}", f"{quoted(member)} not in {name}"
        case _:
            call = _call(atom, name)
            return call, f"not {call}"


def _call(atom: ask.IsOneOf | ask.IsMultiple | ask.HasFormat | ask.AreUnique, name: str) -> str:
    match atom:
        case ask.IsOneOf(values=values):
            return f"is_one_of({name}, ({''.join(f'{_literal(value)}, ' for value in values).rstrip()}))"
        case ask.IsMultiple(of=of):
            return f"is_multiple({name}, {of!r})"
        case ask.HasFormat(name=form):
            return f"FORMATS[{quoted(form)}]({name})"
        case ask.AreUnique():
            return f"are_unique({name})"
    assert_never(atom)


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
