"""Rules that ask about a value alone, as conditions that hold where the value keeps the rule."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from turnwire_codegen import rules
from turnwire_codegen.program import ask
from turnwire_codegen.program.kinds import ALL_KINDS, narrowed, with_integers

__all__ = ["Leaf", "fits", "is_leaf", "leaf", "leaves"]

_LEAVES = (
    *(rules.Type, rules.Const, rules.Bound, rules.Multiple, rules.Length, rules.Pattern, rules.Format),
    *(rules.Count, rules.Required, rules.Unique),
)


class Leaf(NamedTuple):
    """A condition that is true where the rule of this name is kept."""

    kept: ask.Condition
    rule: str


def is_leaf(target: rules.Target) -> bool:
    """Whether every rule can be answered without looking at another plan."""
    return isinstance(target, rules.Plan) and all(isinstance(rule, _LEAVES) for rule in target.rules)


def leaves(plan: rules.Plan, subject: ask.Subject, known: frozenset[str] = ALL_KINDS) -> Iterator[Leaf]:
    """The conditions of a plan that is a leaf, about a subject of the known kinds, in order."""
    for rule in plan.rules:
        yield leaf(rule, subject, known)
        known = narrowed(known, rule)


def fits(plan: rules.Plan, subject: ask.Subject, known: frozenset[str]) -> ask.Condition:
    """A plan that is a leaf as one condition."""
    return ask.all_of(*(kept for kept, _ in leaves(plan, subject, known)))


def leaf(rule: rules.Rule, subject: ask.Subject, known: frozenset[str]) -> Leaf:
    """The condition of one rule."""
    return Leaf(_kept(rule, subject, known), type(rule).__name__.lower())


def _kept(rule: rules.Rule, subject: ask.Subject, known: frozenset[str]) -> ask.Condition:
    match rule:
        case rules.Type(kinds=kinds):
            if known <= with_integers(kinds):
                return ask.ALWAYS
            return ask.any_of(*(ask.is_kind(subject, kind, known) for kind in kinds))
        case rules.Const(values=values):
            return _one_of(values, subject, known)
        case rules.Bound():
            return _where("number", subject, known, *_between(subject, "number", rule))
        case rules.Multiple(of=of):
            return _where("number", subject, known, ask.IsMultiple(subject, of))
        case rules.Length(min=least, max=most):
            return _where("string", subject, known, *_sized(subject, "code points", least, most))
        case rules.Pattern(source=source):
            return _where("string", subject, known, ask.Finds(subject, source))
        case rules.Format(name=name):
            return _where("string", subject, known, ask.HasFormat(subject, name))
        case rules.Count(of=of, min=least, max=most):
            kind = "array" if of == "items" else "object"
            return _where(kind, subject, known, *_sized(subject, of, least, most))
        case rules.Required(names=names):
            return _where("object", subject, known, *(ask.Has(subject, name) for name in names))
        case rules.Unique():
            return _where("array", subject, known, ask.AreUnique(subject))
    raise AssertionError(f"{type(rule).__name__} is no leaf")


def _where(kind: str, subject: ask.Subject, known: frozenset[str], *kept: ask.Condition) -> ask.Condition:
    """The conditions, asked only where the value is of the kind that they speak of."""
    return ask.any_of(ask.negated(ask.is_kind(subject, kind, known)), ask.all_of(*kept))


def _one_of(values: tuple[Any, ...], subject: ask.Subject, known: frozenset[str]) -> ask.Condition:
    possible = tuple(value for value in values if _kinds(value) & known)
    texts = tuple(dict.fromkeys(value for value in possible if isinstance(value, str)))
    is_text = ask.is_kind(subject, "string", known)
    if not possible:
        return ask.NEVER
    # A lone text is compared with as it is; several are looked up, which asks for a text.
    if any(not isinstance(value, str) for value in possible) or (len(texts) == 1 and is_text != ask.ALWAYS):
        return ask.IsOneOf(subject, texts if len(texts) == len(possible) else possible)
    return ask.all_of(is_text, ask.IsText(subject, texts))


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


def _between(subject: ask.Subject, measure: ask.Measure, rule: rules.Bound) -> Iterator[ask.Condition]:
    limits: tuple[tuple[ask.Sign, int | float | None], ...] = (
        *((">=", rule.min), ("<=", rule.max)),
        *((">", rule.above), ("<", rule.below)),
    )
    yield from (ask.Compare(subject, measure, sign, limit) for sign, limit in limits if limit is not None)


def _sized(subject: ask.Subject, measure: ask.Measure, least: int, most: int | None) -> Iterator[ask.Condition]:
    if least:
        yield ask.Compare(subject, measure, ">=", least)
    if most is not None:
        yield ask.Compare(subject, measure, "<=", most)
