"""The reference reading of Plans: what every printed validator must answer, verdict and pointer.

Rules run in their order and the first fault is told. Numbers are compared exactly, strings by code points.
"""

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec

from turnwire_codegen import rules
from turnwire_codegen.formats import CHECKS
from turnwire_codegen.patterns import parse, to_python
from turnwire_codegen.rules import NOTHING, Call, Plan, Plans, Rule, Target

__all__ = ["Fault", "check", "same"]


class Fault(msgspec.Struct, frozen=True):
    """Where a value first breaks its plan (a JSON pointer, empty at the value itself), and which rule it breaks."""

    pointer: str
    rule: str

    def under(self, step: str | int) -> "Fault":
        """The same fault seen from one step up."""
        escaped = str(step).replace("~", "~0").replace("/", "~1")
        return Fault(f"/{escaped}{self.pointer}", self.rule)


def check(plans: Plans, value: Any, name: str = "#") -> Fault | None:
    """The first fault of a JSON value against the plan called `name`; KeyError when there is none of that name."""
    return _plan(plans.named[name], value, plans.named)


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal: 1 equals 1.0, true equals only true."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
    return bool(left == right)


_Named = Mapping[str, Plan]


def _plan(target: Target, value: Any, named: _Named) -> Fault | None:
    plan = named[target.name] if isinstance(target, Call) else target
    return next((fault for rule in plan.rules for fault in _faults(rule, value, named)), None)


def _fits(target: Target, value: Any, named: _Named) -> bool:
    return _plan(target, value, named) is None


def _faults(rule: Rule, value: Any, named: _Named) -> Iterator[Fault]:
    """The faults of one rule in order; the first is all that is asked for."""
    match rule:
        case (
            rules.Type()
            | rules.Const()
            | rules.Bound()
            | rules.Multiple()
            | rules.Length()
            | rules.Pattern()
            | rules.Format()
        ):
            yield from _here(_scalar(rule, value), rule)
        case rules.Count() | rules.Required() | rules.Unique() | rules.Contains():
            yield from _here(_whole(rule, value, named), rule)
        case rules.Fields(plans=fields) if isinstance(value, dict):
            for name, plan in fields:
                if name in value:
                    yield from _below(plan, value, name, named, closed="type")
        case rules.Items() if isinstance(value, list):
            for index in range(len(value)):
                declared = index < len(rule.prefix)
                for plan in rule.prefix[index] if declared else rule.rest:
                    yield from _below(plan, value, index, named, closed="type" if declared else "members")
        case rules.Members() if isinstance(value, dict):
            yield from _members(rule, value, named)
        case rules.Choice():
            yield from _choice(rule, value, named)
        case rules.If(cond=cond, then=then, other=other):
            chosen = then if _fits(cond, value, named) else other
            if chosen is not None and (fault := _plan(chosen, value, named)) is not None:
                yield fault
        case rules.Unevaluated() if isinstance(value, list if rule.of == "items" else dict):
            yield from _unevaluated(rule, value, named)


def _here(fits: bool, rule: Rule) -> Iterator[Fault]:  # noqa: FBT001 -- the verdict itself, not an option
    if not fits:
        yield Fault("", type(rule).__name__.lower())


def _below(plan: Target, value: Any, step: str | int, named: _Named, *, closed: str) -> Iterator[Fault]:
    """The fault of a member or item; `closed` is the rule that is broken where nothing may stand."""
    fault = _plan(plan, value[step], named)
    if fault is not None:
        bare = named[plan.name] if isinstance(plan, Call) else plan
        yield (Fault("", closed) if bare == NOTHING else fault).under(step)


def _scalar(rule: Rule, value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    match rule:
        case rules.Type(kinds=kinds):
            return any(_is_kind(kind, value) for kind in kinds)
        case rules.Const(values=values):
            return any(same(value, allowed) for allowed in values)
        case rules.Bound() if number:
            low = (rule.min is None or value >= rule.min) and (rule.above is None or value > rule.above)
            return low and (rule.max is None or value <= rule.max) and (rule.below is None or value < rule.below)
        case rules.Multiple(of=of) if number:
            return _is_multiple(value, of)
        case rules.Length() if isinstance(value, str):
            return rule.min <= len(value) and (rule.max is None or len(value) <= rule.max)
        case rules.Pattern(source=source) if isinstance(value, str):
            return _finds(source, value)
        case rules.Format(name=name) if isinstance(value, str):
            return CHECKS[name](value)
    return True


def _is_kind(kind: str, value: Any) -> bool:
    match kind:
        case "integer":
            return isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "null":
            return value is None
    return isinstance(value, {"string": str, "boolean": bool, "array": list, "object": dict}[kind])


def _is_multiple(value: float, of: float) -> bool:
    if value == value // 1 and of == of // 1:
        return int(value) % int(of) == 0
    try:
        quotient = value / of
    except OverflowError:
        # Beyond the largest double there are whole numbers only.
        return True
    # Where the quotient is beyond all doubles, the rest of the division is exact all the same.
    return math.fmod(value, of) == 0 if math.isinf(quotient) else quotient == math.trunc(quotient)


def _whole(rule: Rule, value: Any, named: _Named) -> bool:
    match rule:
        case rules.Count() if isinstance(value, list if rule.of == "items" else dict):
            return rule.min <= len(value) and (rule.max is None or len(value) <= rule.max)
        case rules.Required(names=names) if isinstance(value, dict):
            return all(name in value for name in names)
        case rules.Unique() if isinstance(value, list):
            return not any(same(item, other) for at, item in enumerate(value) for other in value[:at])
        case rules.Contains() if isinstance(value, list):
            count = sum(_fits(rule.plan, item, named) for item in value)
            return rule.min <= count and (rule.max is None or count <= rule.max)
    return True


def _members(rule: rules.Members, value: dict[str, Any], named: _Named) -> Iterator[Fault]:
    for name in sorted(value):
        if rule.keys is not None and not _fits(rule.keys, name, named):
            yield Fault("", "key").under(name)
        plans = [plan for source, plan in rule.patterns if _finds(source, name)]
        for plan in plans:
            yield from _below(plan, value, name, named, closed="type")
        if not plans and rule.extra is not None and name not in rule.but:
            yield from _below(rule.extra, value, name, named, closed="members")


def _choice(rule: rules.Choice, value: Any, named: _Named) -> Iterator[Fault]:
    if rule.mode == "tagged":
        yield from _tagged(rule, value, named)
        return
    fitting = sum(_fits(arm, value, named) for arm in rule.arms)
    right = {"any": fitting > 0, "one": fitting == 1, "not": fitting == 0}[rule.mode]
    if not right:
        yield Fault("", "not" if rule.mode == "not" else "choice")


def _tagged(rule: rules.Choice, value: Any, named: _Named) -> Iterator[Fault]:
    assert rule.tag is not None, "a tagged choice has a tag"
    if not isinstance(value, dict) or rule.tag not in value:
        yield Fault("", "tag")
        return
    tag = value[rule.tag]
    if not isinstance(tag, str) or (tag not in rule.tags and not rule.open):
        yield Fault("", "tag").under(rule.tag)
        return
    arm = rule.arms[rule.tags.index(tag) if tag in rule.tags else -1]
    fault = _plan(arm, value, named)
    if fault is not None:
        yield fault


def _unevaluated(rule: rules.Unevaluated, value: Any, named: _Named) -> Iterator[Fault]:
    entries = [entry for entry in rule.entries if _applies(entry, value, named)]
    for step in sorted(value) if rule.of == "members" else range(len(value)):
        if not any(_spoke_of(entry, step) for entry in entries):
            yield from _below(rule.plan, value, step, named, closed="unevaluated")


def _applies(entry: rules.Evaluated, value: Any, named: _Named) -> bool:
    return all(_fits(guard.plan, value, named) == guard.holds for guard in entry.guards)


def _spoke_of(entry: rules.Evaluated, step: str | int) -> bool:
    if isinstance(step, int):
        return entry.everything or step < entry.first
    return entry.everything or step in entry.names or any(_finds(source, step) for source in entry.patterns)


def _finds(source: str, text: str) -> bool:
    return _compiled(source).search(text) is not None


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(to_python(parse(source)))
