"""What a validator asks: the closed vocabulary of conditions, and the functions that join them.

`ALWAYS` and `NEVER` are the empty `All` and `Any`; joined by these functions they vanish, and `Not` stands only before
what has no opposite of its own. A measure or a member is asked of a value only behind the test of its kind.
"""

from typing import Any as Json
from typing import Literal

import msgspec

from turnwire_codegen.program.kinds import with_integers
from turnwire_codegen.program.table import Check

__all__ = [
    "ALWAYS",
    "NEVER",
    "All",
    "Any",
    "AreUnique",
    "Atom",
    "Compare",
    "Condition",
    "Counted",
    "ExactlyOne",
    "Finds",
    "Fits",
    "Flag",
    "Has",
    "HasFormat",
    "IndexBelow",
    "IsKind",
    "IsMultiple",
    "IsOneOf",
    "IsText",
    "Measure",
    "Not",
    "OfSubject",
    "Sign",
    "Subject",
    "all_of",
    "any_of",
    "calls",
    "exactly_one",
    "is_kind",
    "negated",
]

# The value that a function was given, the member or item that is looked at, the name of the member in a loop.
Subject = Literal["value", "part", "name"]
Measure = Literal["number", "code points", "items", "members"]
Sign = Literal["<", "<=", ">", ">="]


class All(msgspec.Struct, frozen=True):
    """Each of these, asked in this order."""

    of: "tuple[Condition, ...]"


class Any(msgspec.Struct, frozen=True):
    """One of these at least, asked in this order."""

    of: "tuple[Condition, ...]"


class Not(msgspec.Struct, frozen=True):
    """The opposite."""

    of: "Atom"


class ExactlyOne(msgspec.Struct, frozen=True):
    """One of these and no other; they are two at least."""

    of: "tuple[Condition, ...]"


class IsKind(msgspec.Struct, frozen=True):
    """It is of this JSON kind; a whole number is `integer` and `number`, however it is written."""

    subject: Subject
    kind: str


class IsOneOf(msgspec.Struct, frozen=True):
    """It equals one of these as JSON does: 1 equals 1.0, true does not equal 1."""

    subject: Subject
    values: tuple[Json, ...]


class IsText(msgspec.Struct, frozen=True):
    """The text is one of these."""

    subject: Subject
    texts: tuple[str, ...]


class Compare(msgspec.Struct, frozen=True):
    """So stands the number itself, the length of the text in code points or the count of items or members."""

    subject: Subject
    measure: Measure
    sign: Sign
    limit: int | float


class IsMultiple(msgspec.Struct, frozen=True):
    """The number is a multiple: whole numbers exactly, all else by the quotient of two doubles."""

    subject: Subject
    of: int | float


class Finds(msgspec.Struct, frozen=True):
    """The text holds a match of this expression of ECMA-262 (flag u), which is portable."""

    subject: Subject
    source: str


class HasFormat(msgspec.Struct, frozen=True):
    """The text is of this one of the formats that `rules.FORMATS` names."""

    subject: Subject
    name: str


class Has(msgspec.Struct, frozen=True):
    """The object has a member of this name, one of its own."""

    subject: Subject
    member: str


class AreUnique(msgspec.Struct, frozen=True):
    """No two items of the array are equal."""

    subject: Subject


class Fits(msgspec.Struct, frozen=True):
    """It has no fault by a function or by a table."""

    subject: Subject
    check: Check


class Counted(msgspec.Struct, frozen=True):
    """So many items of the value meet the condition about the part."""

    of: "Condition"
    min: int
    max: int | None


class Flag(msgspec.Struct, frozen=True):
    """What `Let` and `Mark` keep under this name."""

    name: str


class IndexBelow(msgspec.Struct, frozen=True):
    """The index of the loop is below this."""

    limit: int


# What is asked of a subject, and is no comparison that could be turned around.
OfSubject = IsKind | IsOneOf | IsText | IsMultiple | Finds | HasFormat | Has | AreUnique
Atom = OfSubject | Fits | ExactlyOne | Counted | Flag | IndexBelow
Condition = All | Any | Not | Compare | Atom
ALWAYS, NEVER = All(()), Any(())
_OPPOSITES: dict[Sign, Sign] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def all_of(*conditions: Condition) -> Condition:
    """Each of them, without what needs no asking."""
    parts: list[Condition] = []
    for condition in conditions:
        if condition == NEVER:
            return NEVER
        parts += condition.of if isinstance(condition, All) else [condition]
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def any_of(*conditions: Condition) -> Condition:
    """One of them, without what needs no asking."""
    parts: list[Condition] = []
    for condition in conditions:
        if condition == ALWAYS:
            return ALWAYS
        parts += condition.of if isinstance(condition, Any) else [condition]
    return parts[0] if len(parts) == 1 else Any(tuple(parts))


def exactly_one(*conditions: Condition) -> Condition:
    """One of them and no other."""
    open_, sure = [one for one in conditions if one not in (ALWAYS, NEVER)], conditions.count(ALWAYS)
    if sure:
        return all_of(*map(negated, open_)) if sure == 1 else NEVER
    return ExactlyOne(tuple(open_)) if len(open_) > 1 else any_of(*open_)


def negated(condition: Condition) -> Condition:
    """The opposite, in which no `Not` stands before several conditions."""
    match condition:
        case All(of=parts):
            return any_of(*map(negated, parts))
        case Any(of=parts):
            return all_of(*map(negated, parts))
        case Not(of=inner):
            return inner
        case Compare():
            return msgspec.structs.replace(condition, sign=_OPPOSITES[condition.sign])
        case _:
            return Not(condition)


def calls(condition: Condition) -> bool:
    """Whether a function or a table is asked: what is not is cheaper, and asked first where the order is free."""
    match condition:
        case All(of=parts) | Any(of=parts) | ExactlyOne(of=parts):
            return any(map(calls, parts))
        case Not(of=inner) | Counted(of=inner):
            return calls(inner)
    return isinstance(condition, Fits)


def is_kind(subject: Subject, kind: str, known: frozenset[str]) -> Condition:
    """That it is of this kind, as far as that is not known."""
    wanted = with_integers((kind,))
    if known <= wanted:
        return ALWAYS
    return IsKind(subject, kind) if known & wanted else NEVER
