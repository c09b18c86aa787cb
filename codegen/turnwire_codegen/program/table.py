"""Checks said as data, for languages whose validators are tables; elsewhere the only one is the name of a function."""

from typing import Any

import msgspec

from turnwire_codegen.rules import NOTHING, Call, Choice, Const, Items, Members, Plan, Target, Type

__all__ = ["AnyOf", "Check", "Kinds", "ListOf", "MapOf", "Named", "Only", "Texts", "check_of", "is_tabled"]

_EVERY_KIND = ("array", "boolean", "null", "number", "object", "string")


class Named(msgspec.Struct, frozen=True):
    """The function of this plan."""

    plan: str


class Kinds(msgspec.Struct, frozen=True):
    """One of these JSON kinds; without any it takes nothing."""

    kinds: tuple[str, ...]


class Only(msgspec.Struct, frozen=True):
    """One of these values."""

    values: tuple[Any, ...]


class Texts(msgspec.Struct, frozen=True):
    """A string (else its type is the fault), and one of these."""

    values: tuple[str, ...]


class AnyOf(msgspec.Struct, frozen=True):
    """What at least one of these takes."""

    of: "tuple[Check, ...]"


class ListOf(msgspec.Struct, frozen=True):
    """An array of such items."""

    item: "Check"


class MapOf(msgspec.Struct, frozen=True):
    """An object of such members, whatever their names."""

    member: "Check"


Check = Named | Kinds | Only | Texts | AnyOf | ListOf | MapOf


def is_tabled(plan: Plan) -> bool:
    """Whether a table can say the plan without a function of its own."""
    match plan.rules:
        case () | (Type(),) | (Const(),) | (Choice(mode="any"),):
            return True
        case (Type(kinds=("string",)), Const(values=values)):
            return all(isinstance(value, str) for value in values)
        case (Type(kinds=("array",)), Items(prefix=(), rest=(target,))):
            return target != NOTHING
        case (Type(kinds=("object",)), Members(patterns=(), extra=Plan() | Call() as target, but=(), keys=None)):
            return target != NOTHING
    return False


def check_of(target: Target) -> Check:
    """A target as data; every plan in it `is_tabled`."""
    if isinstance(target, Call):
        return Named(target.name)
    match target.rules:
        case ():
            return Kinds(_EVERY_KIND)
        case (Type(kinds=kinds),):
            return Kinds(kinds)
        case (Const(values=values),):
            return Only(values)
        case (Type(), Const(values=values)):
            return Texts(values)
        case (Choice(arms=arms),):
            # What is cheap stands first, since the order is free.
            return AnyOf(tuple(sorted(map(check_of, arms), key=lambda arm: not isinstance(arm, Kinds | Only | Texts))))
        case (Type(), Items(rest=(item,))):
            return ListOf(check_of(item))
        case (Type(), Members(extra=Plan() | Call() as extra)):
            return MapOf(check_of(extra))
    raise AssertionError("no table can say this")
