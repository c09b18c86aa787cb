"""The closed vocabulary of what a schema can demand of a value; every validator is printed from it.

`$ref` and `allOf` are no rules: `lower` flattens them. What has no form here is a Problem with its pointer.
The rules of a plan stand in the order in which a fault is looked for, and the first fault is the one that is told.
"""

from typing import Any, Literal

import msgspec

__all__ = [
    "FORMATS",
    "LONGEST",
    "NOTHING",
    "Bound",
    "Call",
    "Choice",
    "Const",
    "Contains",
    "Count",
    "Evaluated",
    "Fields",
    "Format",
    "Guard",
    "If",
    "Items",
    "Length",
    "Members",
    "Multiple",
    "Pattern",
    "Plan",
    "Plans",
    "Required",
    "Rule",
    "Target",
    "Type",
    "Unevaluated",
    "Unique",
]


# The formats that every language checks alike; any other says something to people only.
FORMATS = frozenset({"date", "date-time", "ipv4", "time", "uuid"})
# No text, list or object is longer in any language: a count beyond says no more than this one.
LONGEST = 2**31 - 1


class Type(msgspec.Struct, frozen=True, tag_field="node"):
    """The value is of one of these JSON kinds; no kind at all means that nothing fits."""

    kinds: tuple[str, ...]


class Const(msgspec.Struct, frozen=True, tag_field="node"):
    """The value equals one of these; 1 equals 1.0, true does not equal 1."""

    values: tuple[Any, ...]


class Bound(msgspec.Struct, frozen=True, tag_field="node"):
    """A number lies between these; `above` and `below` exclude their end."""

    min: int | float | None = None
    max: int | float | None = None
    above: int | float | None = None
    below: int | float | None = None


class Multiple(msgspec.Struct, frozen=True, tag_field="node"):
    """A number is a multiple: integers exactly, all else by the quotient of two doubles."""

    of: int | float


class Length(msgspec.Struct, frozen=True, tag_field="node"):
    """A string has so many code points."""

    min: int = 0
    max: int | None = None


class Pattern(msgspec.Struct, frozen=True, tag_field="node"):
    """A string holds a match of this ECMA-262 expression (flag u)."""

    source: str


class Format(msgspec.Struct, frozen=True, tag_field="node"):
    """A string is of this format, where the format is one that we check."""

    name: str


class Count(msgspec.Struct, frozen=True, tag_field="node"):
    """An array or an object has so many items or members."""

    of: Literal["items", "members"]
    min: int = 0
    max: int | None = None


class Required(msgspec.Struct, frozen=True, tag_field="node"):
    """An object has these members."""

    names: tuple[str, ...]


class Fields(msgspec.Struct, frozen=True, tag_field="node"):
    """Members of these names, where present, follow their plans; a name stands once for each layer that declares it."""

    plans: tuple[tuple[str, "Target"], ...]


class Items(msgspec.Struct, frozen=True, tag_field="node"):
    """The first items follow the plans of `prefix` in order, each other item those of `rest`; one plan a layer."""

    prefix: tuple[tuple["Target", ...], ...] = ()
    rest: tuple["Target", ...] = ()


class Members(msgspec.Struct, frozen=True, tag_field="node"):
    """Undeclared members: by pattern of the name, else `extra`, but for the names in `but`; `keys` binds all names."""

    patterns: tuple[tuple[str, "Target"], ...] = ()
    extra: "Target | None" = None
    but: tuple[str, ...] = ()
    keys: "Target | None" = None


class Unique(msgspec.Struct, frozen=True, tag_field="node"):
    """No two items of an array are equal."""


class Contains(msgspec.Struct, frozen=True, tag_field="node"):
    """So many items of an array follow the plan."""

    plan: "Target"
    min: int = 1
    max: int | None = None


class Choice(msgspec.Struct, frozen=True, tag_field="node"):
    """Any, exactly one or none of the arms fits; `tagged` enters the arm whose place in `tags` the member `tag` has.

    With `open` the last arm has no place in `tags` and is entered for every other string.
    """

    mode: Literal["any", "one", "not", "tagged"]
    arms: tuple["Target", ...]
    tag: str | None = None
    tags: tuple[str, ...] = ()
    open: bool = False


class If(msgspec.Struct, frozen=True, tag_field="node"):
    """Where `cond` fits, `then` must; elsewhere `other` must."""

    cond: "Target"
    then: "Target | None" = None
    other: "Target | None" = None


class Guard(msgspec.Struct, frozen=True, tag_field="node"):
    """The same value fits the plan, or does not."""

    plan: "Target"
    holds: bool = True


class Evaluated(msgspec.Struct, frozen=True, tag_field="node"):
    """Where every guard is right, other rules spoke of these members, or of the `first` items, or of everything."""

    guards: tuple[Guard, ...] = ()
    names: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    first: int = 0
    everything: bool = False


class Unevaluated(msgspec.Struct, frozen=True, tag_field="node"):
    """Members or items that no other rule of this schema spoke of follow the plan; runs last."""

    of: Literal["items", "members"]
    plan: "Target"
    entries: tuple[Evaluated, ...] = ()


Rule = (
    Type
    | Const
    | Bound
    | Multiple
    | Length
    | Pattern
    | Format
    | Count
    | Required
    | Fields
    | Items
    | Members
    | Unique
    | Contains
    | Choice
    | If
    | Unevaluated
)


class Plan(msgspec.Struct, frozen=True, tag_field="node"):
    """The rules of one value, in the order in which a fault is looked for."""

    rules: tuple[Rule, ...] = ()


# The plan of `false`: an undeclared member or item that has it breaks the rule of its owner, not one of its own.
NOTHING = Plan((Type(()),))


class Call(msgspec.Struct, frozen=True, tag_field="node"):
    """The plan of this name: how a recursive schema is said in a finite form."""

    name: str


Target = Plan | Call


class Plans(msgspec.Struct, frozen=True):
    """Every plan that a document needs; the name is the JSON pointer of the schema, `#` that of the document."""

    named: dict[str, Plan]
