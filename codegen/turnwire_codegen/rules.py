"""The closed vocabulary of what a schema can demand of a value beyond its type; every validator is printed from it.

`$ref` and `allOf` are no rules: a loader flattens them. What has no form here is a Problem with its pointer.
"""

from typing import Any, Literal

import msgspec

__all__ = [
    "Bound",
    "Choice",
    "Const",
    "Contains",
    "Count",
    "Fields",
    "Format",
    "If",
    "Items",
    "Length",
    "Members",
    "Multiple",
    "Pattern",
    "Plan",
    "Required",
    "Rule",
    "Type",
    "Unevaluated",
    "Unique",
]


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
    """Members of these names, where present, follow their plans."""

    plans: tuple[tuple[str, "Plan"], ...]


class Items(msgspec.Struct, frozen=True, tag_field="node"):
    """The first items follow `prefix` in order, the others `rest`."""

    prefix: tuple["Plan", ...] = ()
    rest: "Plan | None" = None


class Members(msgspec.Struct, frozen=True, tag_field="node"):
    """Undeclared members: by pattern of the name, else `extra`, but for the names in `but`; `keys` binds all names."""

    patterns: tuple[tuple[str, "Plan"], ...] = ()
    extra: "Plan | None" = None
    but: tuple[str, ...] = ()
    keys: "Plan | None" = None


class Unique(msgspec.Struct, frozen=True, tag_field="node"):
    """No two items of an array are equal."""


class Contains(msgspec.Struct, frozen=True, tag_field="node"):
    """So many items of an array follow the plan."""

    plan: "Plan"
    min: int = 1
    max: int | None = None


class Choice(msgspec.Struct, frozen=True, tag_field="node"):
    """Any, exactly one or none of the arms fits; `tagged` enters the arm that the member `tag` names."""

    mode: Literal["any", "one", "not", "tagged"]
    arms: tuple["Plan", ...]
    tag: str | None = None
    open: bool = False


class If(msgspec.Struct, frozen=True, tag_field="node"):
    """Where `cond` fits, `then` must; elsewhere `other` must."""

    cond: "Plan"
    then: "Plan | None" = None
    other: "Plan | None" = None


class Unevaluated(msgspec.Struct, frozen=True, tag_field="node"):
    """Members or items that no other rule of this value spoke of follow the plan; runs last."""

    of: Literal["items", "members"]
    plan: "Plan"
    entries: tuple[str, ...] = ()


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

    rules: tuple[Rule, ...]
