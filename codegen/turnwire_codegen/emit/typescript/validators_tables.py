"""What a table says: members and arms as constant data, so that most validators are one line and a table."""

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from turnwire_codegen.emit.typescript.text import quoted
from turnwire_codegen.rules import (
    NOTHING,
    Call,
    Choice,
    Const,
    Fields,
    Items,
    Members,
    Plan,
    Target,
    Type,
)

__all__ = ["Table", "arms_table", "members_table", "said", "stands_in_place", "tables"]


class Table(NamedTuple):
    """A constant: `opening` and `closing` are its brackets."""

    name: str
    type: str
    opening: str
    rows: tuple[str, ...]
    closing: str


def stands_in_place(plan: Plan) -> bool:
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


def said(functions: Mapping[str, str], target: Target) -> str:
    """A target as a table says it."""
    if isinstance(target, Call):
        return functions[target.name]
    match target.rules:
        case ():
            return (
                "{ any: [[]] }" if target == NOTHING else '["array", "boolean", "null", "number", "object", "string"]'
            )
        case (Type(kinds=(kind,)),):
            return quoted(kind)
        case (Type(kinds=kinds),):
            return json.dumps(list(kinds))
        case (Const(values=values),):
            return f"{{ only: {json.dumps(list(values))} }}"
        case (Type(), Const(values=values)):
            return f"{{ text: {json.dumps(list(values))} }}"
        case (Choice(arms=arms),):
            return f"{{ any: [{', '.join(said(functions, arm) for arm in arms)}] }}"
        case (Type(), Items(rest=(item,))):
            return f"{{ list: {said(functions, item)} }}"
        case (Type(), Members(extra=Plan() | Call() as extra)):
            return f"{{ dict: {said(functions, extra)} }}"
    raise AssertionError("no table can say this")


def members_table(name: str) -> str:
    """What the table of a plan's members is called."""
    return f"membersOf{name}"


def arms_table(name: str, number: int) -> str:
    """What the table of a plan's tagged choice of this number is called."""
    return f"armsOf{name}" + (f"_{number + 1}" if number else "")


def tables(functions: Mapping[str, str], name: str, plan: Plan) -> Iterator[Table]:
    """The tables of a plan: its members, and the arms of its tagged choices."""
    fields = [field for rule in plan.rules if isinstance(rule, Fields) for field in rule.plans]
    rows = tuple(f"[{quoted(member)}, {said(functions, target)}]," for member, target in fields if target != Plan())
    if any(isinstance(rule, Fields) for rule in plan.rules):
        yield Table(members_table(name), "Table", "[", rows, "]")
    choices = [rule for rule in plan.rules if isinstance(rule, Choice) and rule.mode == "tagged"]
    for number, choice in enumerate(choices):
        arms = [functions[arm.name] for arm in choice.arms if isinstance(arm, Call)]
        pairs = tuple(f"{_key(tag)}: {arm}," for tag, arm in zip(choice.tags, arms, strict=False))
        yield Table(arms_table(name, number), "Arms", "{", pairs, "}")


def _key(tag: str) -> str:
    # In a literal the bare name would set the prototype.
    return f"[{quoted(tag)}]" if tag == "__proto__" else quoted(tag)
