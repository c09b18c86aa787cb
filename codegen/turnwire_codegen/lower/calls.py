"""Which plans a plan calls: all of them, or those that it asks about the value that it was itself given."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from turnwire_codegen.rules import Call, Choice, Const, If, Plan, Rule, Target, Unevaluated

__all__ = ["called", "called_in_place", "reached"]


def called(plan: Plan) -> Iterator[str]:
    """The names that a plan calls."""
    pending: list[Any] = [plan.rules]
    while pending:
        part = pending.pop()
        if isinstance(part, Call):
            yield part.name
        elif isinstance(part, tuple):
            pending.extend(part)
        elif isinstance(part, msgspec.Struct) and not isinstance(part, Const):
            pending.extend(getattr(part, name) for name in part.__struct_fields__)


def called_in_place(target: Target) -> Iterator[str]:
    """The names that a plan calls on the value that it was itself given."""
    if isinstance(target, Call):
        yield target.name
        return
    for rule in target.rules:
        for inner in _in_place(rule):
            yield from called_in_place(inner)


def reached(roots: Iterable[str], edges: Mapping[str, Iterable[str]]) -> set[str]:
    """The roots and everything behind them."""
    seen: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(edges.get(name, ()))
    return seen


def _in_place(rule: Rule) -> Iterator[Target]:
    match rule:
        case Choice(arms=arms):
            yield from arms
        case If(cond=cond, then=then, other=other):
            yield from (part for part in (cond, then, other) if part is not None)
        case Unevaluated(entries=entries):
            yield from (guard.plan for entry in entries for guard in entry.guards)
