"""Rules about a value itself, as expressions of the classes of `Rules.kt`."""

import json
from collections.abc import Iterable

from turnwire_codegen.emit.kotlin.layout import Expression
from turnwire_codegen.emit.kotlin.text import quoted
from turnwire_codegen.patterns import parse, to_java
from turnwire_codegen.rules import Bound, Const, Count, Format, Length, Multiple, Pattern, Required, Rule, Type, Unique

__all__ = ["java", "leaf", "limits", "listed"]

_FORMATS = {"date": "isDate", "date-time": "isDateTime", "ipv4": "isIpv4", "time": "isTime", "uuid": "isUuid"}


def leaf(rule: Rule) -> Expression:
    """A rule that looks at no other value."""
    match rule:
        case Type(kinds=kinds):
            return listed("Type", kinds)
        case Const(values=values) if all(isinstance(value, str) for value in values):
            return listed("Texts", values)
        case Const(values=values):
            return Expression("Const", (quoted(json.dumps(list(values), ensure_ascii=False)),))
        case Bound():
            given = {name: getattr(rule, name) for name in ("min", "max", "above", "below")}
            ends = (f'{name} = "{limit!r}"' for name, limit in given.items() if limit is not None)
            return Expression("Bound", tuple(ends))
        case Multiple(of=of):
            return Expression("Multiple", (f'"{of!r}"',))
        case Length(min=least, max=most):
            return Expression("Length", limits(least, most))
        case Pattern(source=source):
            return Expression("Matching", (quoted(java(source)),))
        case Format(name=name):
            return Expression("Format", (f"::{_FORMATS[name]}",))
        case Count(of=of, min=least, max=most):
            return Expression("ItemCount" if of == "items" else "MemberCount", limits(least, most))
        case Required(names=names):
            return listed("Required", names)
        case Unique():
            return Expression("Unique")
    raise AssertionError(f"{type(rule).__name__} is no leaf")


def limits(least: int, most: int | None) -> tuple[str, ...]:
    """A range whose end may be missing."""
    return (str(least),) if most is None else (str(least), str(most))


def listed(head: str, names: Iterable[str]) -> Expression:
    """A call with some texts."""
    return Expression(head, tuple(map(quoted, names)))


def java(source: str) -> str:
    """A pattern as the JVM has it."""
    return to_java(parse(source))
