"""Plans as functions: what asks only about the value itself stays in place, everything else becomes a plan with a name.

Emitters print one function a name, so that the code is flat whatever the schema's nesting.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from turnwire_codegen import rules
from turnwire_codegen.lower.calls import called
from turnwire_codegen.program.leaves import is_leaf
from turnwire_codegen.rules import Call, Plan, Plans, Rule, Target

__all__ = ["outline"]


def outline(plans: Plans, roots: Iterable[str], *, in_place: Callable[[Plan], bool] = is_leaf) -> Plans:
    """The plans that `roots` need; in them every target is `in_place` or a call, every arm of a tagged choice a call.

    A leaf that may not stand in place is shared by the whole document.
    """
    made: dict[str, Plan] = {}
    shared: dict[bytes, str] = {}
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in made:
            page = _Page(plans.named, made, in_place, shared, {})
            made[name] = page.plan(plans.named[name], name)
            pages = [name, *page.taken.values()]
            waiting.extend(inner for page_name in pages for inner in called(made[page_name]))
    return Plans(dict(sorted(made.items())))


class _Page(msgspec.Struct):
    """The extraction of one named plan; equal plans inside it become one function."""

    named: Mapping[str, Plan]
    made: dict[str, Plan]
    in_place: Callable[[Plan], bool]
    shared: dict[bytes, str]
    taken: dict[bytes, str]

    def plan(self, plan: Plan, name: str) -> Plan:
        return Plan(tuple(self.rule(rule, name) for rule in plan.rules))

    def rule(self, rule: Rule, name: str) -> Rule:
        match rule:
            case rules.Fields(plans=fields):
                return rules.Fields(tuple((field, self.target(plan, name, field)) for field, plan in fields))
            case rules.Items(prefix=prefix, rest=rest):
                places = tuple(self.targets(plans, name, str(index)) for index, plans in enumerate(prefix))
                return rules.Items(places, self.targets(rest, name, "item"))
            case rules.Members(patterns=patterns):
                return msgspec.structs.replace(
                    rule,
                    patterns=tuple((source, self.target(plan, name, "matching")) for source, plan in patterns),
                    extra=self.optional(rule.extra, name, "other"),
                    keys=self.optional(rule.keys, name, "key"),
                )
            case rules.Contains(plan=plan):
                return msgspec.structs.replace(rule, plan=self.target(plan, name, "contained"))
            case rules.Choice(arms=arms):
                replaced = tuple(self.arm(rule, index, name) for index in range(len(arms)))
                return msgspec.structs.replace(rule, arms=replaced)
            case rules.If(cond=cond, then=then, other=other):
                return rules.If(
                    self.target(cond, name, "condition"),
                    self.optional(then, name, "then"),
                    self.optional(other, name, "else"),
                )
            case rules.Unevaluated(plan=plan, entries=entries):
                guarded = tuple(self.entry(entry, name) for entry in entries)
                return msgspec.structs.replace(rule, plan=self.target(plan, name, "unevaluated"), entries=guarded)
            case _:
                return rule

    def entry(self, entry: rules.Evaluated, name: str) -> rules.Evaluated:
        guards = tuple(rules.Guard(self.target(guard.plan, name, "arm"), guard.holds) for guard in entry.guards)
        return msgspec.structs.replace(entry, guards=guards)

    def arm(self, choice: rules.Choice, index: int, name: str) -> Target:
        arm = choice.arms[index]
        if choice.mode != "tagged":
            return self.target(arm, name, "excluded" if choice.mode == "not" else "arm")
        tag = choice.tags[index] if index < len(choice.tags) else "others"
        return arm if isinstance(arm, Call) else self.extract(arm, name, tag)

    def optional(self, target: Target | None, name: str, step: str) -> Target | None:
        return None if target is None else self.target(target, name, step)

    def targets(self, targets: tuple[Target, ...], name: str, step: str) -> tuple[Target, ...]:
        return tuple(self.target(target, name, step) for target in targets)

    def target(self, target: Target, name: str, step: str) -> Target:
        """The plan itself where it may stand in place, a leaf even behind a name; else a call."""
        plan = self.named[target.name] if isinstance(target, Call) else target
        if self.in_place(plan) and (is_leaf(plan) or plan is target):
            return self.plan(plan, f"{name}/{_escape(step)}")
        return target if isinstance(target, Call) else self.extract(target, name, step)

    def extract(self, plan: Plan, name: str, step: str) -> Call:
        taken, stem = (self.shared, f"#/{_told(plan)}") if is_leaf(plan) else (self.taken, f"{name}/{_escape(step)}")
        key = msgspec.json.encode(plan)
        if key not in taken:
            names = (f"{stem}{suffix}" for suffix in _suffixes())
            free = next(one for one in names if one not in self.named and one not in self.made)
            taken[key] = free
            # The name is taken before the plan below it asks for names of its own.
            self.made[free] = Plan()
            self.made[free] = self.plan(plan, free)
        return Call(taken[key])


def _suffixes() -> Iterator[str]:
    yield ""
    number = 2
    while True:
        yield f" {number}"
        number += 1


def _escape(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


def _told(plan: Plan) -> str:
    """A leaf in a few words, such as `integer min 0`."""
    words = []
    for rule in plan.rules:
        match rule:
            case rules.Type(kinds=kinds):
                words.append(" or ".join(kinds))
            case rules.Bound() | rules.Length() | rules.Count():
                limits = {name: getattr(rule, name) for name in ("min", "max", "above", "below") if hasattr(rule, name)}
                words += [f"{name} {limit}" for name, limit in limits.items() if limit is not None]
            case rules.Format(name=name):
                words.append(name)
            case _:
                words.append(type(rule).__name__)
    return " ".join(words)
