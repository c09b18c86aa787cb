"""Kotlin validators: a function a plan builds its rules when it is first asked for; `Rules.kt` checks them.

A plan is data to the JVM, not code, so that no method grows with a schema.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.kotlin.layout import Expression, laid_out
from turnwire_codegen.emit.kotlin.leaves import java, leaf, limits, listed
from turnwire_codegen.emit.kotlin.names import CANONICAL_PACKAGE, identifier, kept_apart
from turnwire_codegen.emit.kotlin.text import comment, quoted
from turnwire_codegen.emit.render import render
from turnwire_codegen.rules import (
    NOTHING,
    Call,
    Choice,
    Contains,
    Evaluated,
    Fields,
    If,
    Items,
    Members,
    Plan,
    Plans,
    Rule,
    Target,
    Unevaluated,
)
from turnwire_codegen.words import pascal

__all__ = ["emit_validators"]

# A file of so many plans keeps well below what a class of the JVM can hold.
_PLANS_A_FILE = 400
_KEYWORDS = re.compile(r"(?:^#?|/)(?:\$defs|definitions|properties)(?=/)")


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
                printed = self.pairs((java(source), target) for source, target in patterns)
                return Expression(
                    "Members", (self.optional(keys), self.optional(extra), listed("setOf", but), *printed)
                )
            case Contains(plan=plan, min=least, max=most):
                return Expression("Contains", (self.target(plan), *limits(least, most)))
            case Choice():
                return self.choice(rule)
            case If(cond=cond, then=then, other=other):
                return Expression("If", (self.target(cond), self.optional(then), self.optional(other)))
            case Unevaluated(of=of, plan=plan, entries=entries):
                return Expression(f"Unevaluated{of.capitalize()}", (self.target(plan), *map(self.entry, entries)))
            case _:
                return leaf(rule)

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
                listed("setOf", entry.names),
                listed("listOf", map(java, entry.patterns)),
                str(entry.first),
                str(entry.everything).lower(),
            ),
        )


def _prefixed(text: str, expression: Expression | str) -> Expression | str:
    if isinstance(expression, str):
        return text + expression
    return Expression(text + expression.head, expression.arguments)
