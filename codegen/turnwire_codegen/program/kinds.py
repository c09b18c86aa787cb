"""Which JSON kinds a value can still have behind a rule or a condition: what is known need not be asked again.

A whole number is both `integer` and `number`, any other number only `number`.
"""

from turnwire_codegen.rules import Call, Choice, Const, Plan, Rule, Target, Type

__all__ = ["ALL_KINDS", "assumed", "denied", "narrowed", "with_integers"]

ALL_KINDS = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def with_integers(kinds: tuple[str, ...]) -> frozenset[str]:
    """The kinds of a `type` keyword, in which a number may be whole."""
    return frozenset(kinds) | ({"integer"} if "number" in kinds else frozenset())


def narrowed(known: frozenset[str], rule: Rule) -> frozenset[str]:
    """The kinds that remain once the value has passed the rule."""
    match rule:
        case Type(kinds=kinds):
            return known & with_integers(kinds)
        case Choice(mode="tagged"):
            return known & {"object"}
        case Const(values=values) if values and all(isinstance(value, str) for value in values):
            return known & {"string"}
    return known


def assumed(known: frozenset[str], target: Target) -> frozenset[str]:
    """The kinds that remain where the value fits the target."""
    for rule in () if isinstance(target, Call) else target.rules:
        known = narrowed(known, rule)
    return known


def denied(known: frozenset[str], target: Target) -> frozenset[str]:
    """The kinds that remain where it does not; only a target that asks for nothing but kinds says more than before."""
    match target:
        case Plan(rules=(Type(kinds=kinds),)):
            return known - with_integers(kinds)
    return known
