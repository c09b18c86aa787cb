"""Kotlin validators: a function a plan builds its rules when it is first asked for; `Rules.kt` checks them.

A plan is data to the JVM, not code, so that no method grows with a schema.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.kotlin.layout import Expression, laid_out
from turnwire_codegen.emit.kotlin.names import CANONICAL_PACKAGE, identifier, kept_apart
from turnwire_codegen.emit.kotlin.text import comment, quoted
from turnwire_codegen.emit.render import render
from turnwire_codegen.patterns import parse, to_java
from turnwire_codegen.rules import (
    NOTHING,
    Bound,
    Call,
    Choice,
    Const,
    Contains,
    Count,
    Evaluated,
    Fields,
    Format,
    If,
    Items,
    Length,
    Members,
    Multiple,
    Pattern,
    Plan,
    Plans,
    Required,
    Rule,
    Target,
    Type,
    Unevaluated,
    Unique,
)
from turnwire_codegen.words import pascal

__all__ = ["emit_validators"]

# A file of so many plans keeps well below what a class of the JVM can hold.
_PLANS_A_FILE = 400
_KEYWORDS = re.compile(r"(?:^#?|/)(?:\$defs|definitions|properties)(?=/)")
_FORMATS = {"date": "isDate", "date-time": "isDateTime", "ipv4": "isIpv4", "time": "isTime", "uuid": "isUuid"}


class _Function(NamedTuple):
    name: str
    key: str
    doc: tuple[str, ...]
    lines: tuple[str, ...]


class _File(NamedTuple):
    name: str
    functions: tuple[_Function, ...]


class _Root(NamedTuple):
    name: str
    plan: str


class _View(NamedTuple):
    lookup: str
    files: tuple[_File, ...]
    roots: tuple[_Root, ...]


def emit_validators(
    plans: Plans, roots: Mapping[str, str], header: Header, package: str = CANONICAL_PACKAGE
) -> dict[str, bytes]:
    """`Validators.kt`, which has a validator for each name in `roots`, by its plan, and files of plans."""
    view = _view(plans, roots)
    common = {"header": header.lines(), "package": package}
    texts = {"Validators.kt": render("kotlin", "validators.kt.j2", {**common, "validators": view})}
    for file in view.files:
        texts[f"{file.name}.kt"] = render("kotlin", "plans.kt.j2", {**common, "file": file})
    return {path: text.encode() for path, text in texts.items()}


def _view(plans: Plans, roots: Mapping[str, str]) -> _View:
    names = _function_names(plans.named)
    printer = _Printer(plans.named, names)
    functions = [
        _Function(
            names[name],
            quoted(names[name]),
            comment(name, indent=4),
            tuple(laid_out(printer.plan(plan), f"private fun {names[name]}(): Plan = ")),
        )
        for name, plan in sorted(plans.named.items())
    ]
    files = tuple(
        _File(f"Plans{start // _PLANS_A_FILE}", tuple(functions[start : start + _PLANS_A_FILE]))
        for start in range(0, len(functions), _PLANS_A_FILE)
    )
    lookup = " ?: ".join(f"{file.name}.make(name)" for file in files)
    return _View(lookup, files, tuple(_Root(quoted(name), quoted(names[plan])) for name, plan in sorted(roots.items())))


def _function_names(named: Iterable[str]) -> dict[str, str]:
    """Plans by their pointers: `#/$defs/Thread` is `planThread`."""
    return kept_apart({name: name for name in named}, lambda name: f"plan{identifier(pascal(_KEYWORDS.sub('', name)))}")


class _Printer(msgspec.Struct, frozen=True):
    """Plans as expressions; those that have a name are asked for by that of their function."""

    named: Mapping[str, Plan]
    names: Mapping[str, str]

    def plan(self, plan: Plan) -> Expression:
        return Expression("Plan", tuple(map(self.rule, plan.rules)))

    def target(self, target: Target) -> Expression | str:
        plan = self.named[target.name] if isinstance(target, Call) else target
        if plan == NOTHING:
            return "Never"
        if isinstance(target, Call):
            return f"Call({quoted(self.names[target.name])})"
        return self.rule(target.rules[0]) if len(target.rules) == 1 else self.plan(target)

    def optional(self, target: Target | None) -> Expression | str:
        return "null" if target is None else self.target(target)

    def targets(self, targets: Iterable[Target]) -> tuple[Expression | str, ...]:
        return tuple(map(self.target, targets))

    def pairs(self, pairs: Iterable[tuple[str, Target]]) -> tuple[Expression | str, ...]:
        return tuple(_prefixed(f"{quoted(name)} to ", self.target(target)) for name, target in pairs)

    def rule(self, rule: Rule) -> Expression:
        match rule:
            case Fields(plans=plans):
                return Expression("Fields", self.pairs(plans))
            case Items(prefix=prefix, rest=rest):
                places = tuple(Expression("listOf", self.targets(place)) for place in prefix)
                return Expression("Items", (Expression("listOf", places), *self.targets(rest)))
            case Members(patterns=patterns, extra=extra, but=but, keys=keys):
                printed = self.pairs((_java(source), target) for source, target in patterns)
                return Expression(
                    "Members", (self.optional(keys), self.optional(extra), _names("setOf", but), *printed)
                )
            case Contains(plan=plan, min=least, max=most):
                return Expression("Contains", (self.target(plan), *_limits(least, most)))
            case Choice():
                return self.choice(rule)
            case If(cond=cond, then=then, other=other):
                return Expression("If", (self.target(cond), self.optional(then), self.optional(other)))
            case Unevaluated(of=of, plan=plan, entries=entries):
                return Expression(f"Unevaluated{of.capitalize()}", (self.target(plan), *map(self.entry, entries)))
            case _:
                return _leaf(rule)

    def choice(self, rule: Choice) -> Expression:
        if rule.mode != "tagged":
            return Expression({"any": "AnyOf", "one": "OneOf", "not": "Not"}[rule.mode], self.targets(rule.arms))
        arms = self.pairs(zip(rule.tags, rule.arms, strict=False))
        others = self.target(rule.arms[-1]) if rule.open else "null"
        return Expression("Tagged", (quoted(str(rule.tag)), others, *arms))

    def entry(self, entry: Evaluated) -> Expression:
        guards = (
            _prefixed("", Expression("Pair", (self.target(guard.plan), str(guard.holds).lower())))
            for guard in entry.guards
        )
        return Expression(
            "Evaluated",
            (
                Expression("listOf", tuple(guards)),
                _names("setOf", entry.names),
                _names("listOf", map(_java, entry.patterns)),
                str(entry.first),
                str(entry.everything).lower(),
            ),
        )


def _leaf(rule: Rule) -> Expression:
    match rule:
        case Type(kinds=kinds):
            return _names("Type", kinds)
        case Const(values=values) if all(isinstance(value, str) for value in values):
            return _names("Texts", values)
        case Const(values=values):
            return Expression("Const", (quoted(json.dumps(list(values), ensure_ascii=False)),))
        case Bound():
            given = {name: getattr(rule, name) for name in ("min", "max", "above", "below")}
            limits = (f'{name} = "{limit!r}"' for name, limit in given.items() if limit is not None)
            return Expression("Bound", tuple(limits))
        case Multiple(of=of):
            return Expression("Multiple", (f'"{of!r}"',))
        case Length(min=least, max=most):
            return Expression("Length", _limits(least, most))
        case Pattern(source=source):
            return Expression("Matching", (quoted(_java(source)),))
        case Format(name=name):
            return Expression("Format", (f"::{_FORMATS[name]}",))
        case Count(of=of, min=least, max=most):
            return Expression("ItemCount" if of == "items" else "MemberCount", _limits(least, most))
        case Required(names=names):
            return _names("Required", names)
        case Unique():
            return Expression("Unique")
    raise AssertionError(f"{type(rule).__name__} is no leaf")


def _limits(least: int, most: int | None) -> tuple[str, ...]:
    return (str(least),) if most is None else (str(least), str(most))


def _names(head: str, names: Iterable[str]) -> Expression:
    return Expression(head, tuple(map(quoted, names)))


def _java(source: str) -> str:
    return to_java(parse(source))


def _prefixed(text: str, expression: Expression | str) -> Expression | str:
    if isinstance(expression, str):
        return text + expression
    return Expression(text + expression.head, expression.arguments)
