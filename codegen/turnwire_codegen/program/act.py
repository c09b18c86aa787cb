"""What a validator does: the closed vocabulary of statements, and the places that they speak of.

A function is given a value and returns its first fault: a pointer and the name of a rule. Where it ends without one,
the value is valid. A fault is told at a place, whose step stands before the pointer of a fault from below.
"""

import msgspec

from turnwire_codegen.program.ask import Condition
from turnwire_codegen.program.table import Check, ListOf, MapOf

__all__ = [
    "OWN",
    "Block",
    "Closed",
    "Declared",
    "Dispatch",
    "EachItem",
    "EachMember",
    "Fail",
    "First",
    "Follow",
    "Item",
    "Let",
    "Mark",
    "Member",
    "Needed",
    "Next",
    "OverItems",
    "OverMembers",
    "Own",
    "Place",
    "Record",
    "Row",
    "Statement",
    "Step",
    "When",
    "With",
    "block",
]


class Own(msgspec.Struct, frozen=True):
    """The value itself, whose pointer is empty."""


class Member(msgspec.Struct, frozen=True):
    """The member of this name."""

    name: str


class Item(msgspec.Struct, frozen=True):
    """The item of this index."""

    index: int


class EachMember(msgspec.Struct, frozen=True):
    """The member at which the loop over members stands."""


class EachItem(msgspec.Struct, frozen=True):
    """The item at which the loop over items stands."""


Place = Own | Member | Item | EachMember | EachItem
OWN = Own()


class Fail(msgspec.Struct, frozen=True):
    """The fault is found: this rule, at this place. Nothing follows."""

    at: Place
    rule: str


class When(msgspec.Struct, frozen=True):
    """One block or the other; `then` is never empty."""

    test: Condition
    then: "Block"
    otherwise: "Block" = ()


class Follow(msgspec.Struct, frozen=True):
    """What stands at the place has no fault by the check; else that fault is returned, as it is seen from here."""

    at: Place
    check: Check


class With(msgspec.Struct, frozen=True):
    """The block, in which the part is what stands at the place."""

    at: Place
    body: "Block"


class OverMembers(msgspec.Struct, frozen=True):
    """The block for each member, in the order of the code points of their names."""

    body: "Block"


class OverItems(msgspec.Struct, frozen=True):
    """The block for each item from this index on."""

    first: int
    body: "Block"


class Next(msgspec.Struct, frozen=True):
    """On to the next member or item. Nothing follows."""


class Let(msgspec.Struct, frozen=True):
    """Keeps an answer; `changes` where a `Mark` can make it true later, in the same round of the same loop."""

    name: str
    test: Condition
    changes: bool = False


class Mark(msgspec.Struct, frozen=True):
    """Makes the kept answer true."""

    name: str


class Closed(msgspec.Struct, frozen=True):
    """An object has no members but these; the first other one breaks the rule `members`."""

    names: tuple[str, ...]


class Dispatch(msgspec.Struct, frozen=True):
    """An object follows the function of the arm that its member `tag` names, else `others`.

    What is no object or lacks the tag breaks the rule `tag` at the value; in the flat form that has been asked before.
    A tag that is no string, or that nothing stands for, breaks it at the tag. `number` counts them in a function.
    """

    tag: str
    arms: tuple[tuple[str, str], ...]
    others: str | None
    number: int


Row = tuple[str, Check]


class Needed(msgspec.Struct, frozen=True):
    """An object has these members, else it breaks the rule `required`; of anything else nothing is said."""

    names: tuple[str, ...]


class Declared(msgspec.Struct, frozen=True):
    """Those of these members that an object has follow their checks; of anything else nothing is said."""

    rows: tuple[Row, ...]


class Record(msgspec.Struct, frozen=True):
    """It is an object, else it breaks the rule `type`, with what is needed and what is declared."""

    needed: tuple[str, ...]
    declared: Declared | None


Step = Record | Needed | Declared | Closed | Dispatch | ListOf | MapOf


class First(msgspec.Struct, frozen=True):
    """The first fault of the value by several steps, if there is any; in the tabled form only."""

    steps: tuple[Step, ...]


Statement = Fail | When | Follow | With | OverMembers | OverItems | Next | Let | Mark | Closed | Dispatch | First
Block = tuple[Statement, ...]


def block(*statements: Statement) -> Block:
    """The statements that can be reached."""
    for at, statement in enumerate(statements):
        if isinstance(statement, Fail | Next):
            return statements[: at + 1]
    return statements
