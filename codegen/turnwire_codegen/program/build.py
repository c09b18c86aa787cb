"""From plans to a program: what is asked in which order, what is known already, where a fault is told.

All of it is decided here, once for every language. A language has the flat form, in which everything stands in
statements, or the tabled one, in which records, lists and maps are data and only the rest is statements.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain, count, dropwhile
from typing import NamedTuple

import msgspec

from turnwire_codegen import rules
from turnwire_codegen.lower.calls import reached
from turnwire_codegen.program import act, ask, table
from turnwire_codegen.program.kinds import ALL_KINDS, assumed, denied, narrowed
from turnwire_codegen.program.leaves import fits, is_leaf, leaf, leaves
from turnwire_codegen.program.outline import outline
from turnwire_codegen.rules import NOTHING, Plan, Plans, Target

__all__ = ["Function", "flat", "tabled"]

Statements = Iterable[act.Statement]
_OBJECT = rules.Type(("object",))


class Function(msgspec.Struct, frozen=True):
    """A plan by its name, the JSON pointer of its schema or of a part of it, and what is done about a value."""

    plan: str
    body: act.Block

    @property
    def steps(self) -> tuple[act.Step, ...]:
        """What tables say of a value, in the order in which it is asked."""
        return tuple(step for statement in self.body if isinstance(statement, act.First) for step in statement.steps)

    @property
    def sources(self) -> tuple[str, ...]:
        """The expressions that it looks for, in the order in which it does."""
        return tuple(part.source for part in _parts(self.body) if isinstance(part, ask.Finds))


def flat(plans: Plans, roots: Iterable[str]) -> tuple[Function, ...]:
    """The functions that the plans `roots` need, in the order of their names; nothing in them is data."""
    named = tuple(roots)
    return _functions(outline(plans, named), named, _flat)


def tabled(plans: Plans, roots: Iterable[str]) -> tuple[Function, ...]:
    """The same, where what a table can say is data."""
    named = tuple(roots)
    return _functions(outline(plans, named, in_place=table.is_tabled), named, _tabled)


def _functions(plans: Plans, roots: tuple[str, ...], body: Callable[[Plan], Statements]) -> tuple[Function, ...]:
    """A choice that always holds asks nothing of its arms, so not every plan is called in the end."""
    made = {name: act.block(*body(plan)) for name, plan in plans.named.items()}
    needed = reached(roots, {name: _mentioned(block, made) for name, block in made.items()})
    return tuple(Function(name, block) for name, block in made.items() if name in needed)


def _mentioned(block: act.Block, names: Collection[str]) -> Iterator[str]:
    return (part for part in _parts(block) if isinstance(part, str) and part in names)


def _parts(whole: object) -> Iterator[object]:
    """All that something consists of, itself too, in reading order."""
    pending = [whole]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, tuple):
            pending.extend(reversed(part))
        elif isinstance(part, msgspec.Struct):
            pending.extend(getattr(part, name) for name in reversed(part.__struct_fields__))


class _Numbers(NamedTuple):
    """What is counted in a function: tables of arms, and kept answers."""

    arms: Iterator[int]
    guards: Iterator[int]


def _flat(plan: Plan) -> Statements:
    known, required, numbers = ALL_KINDS, frozenset[str](), _Numbers(count(), count())
    for rule in plan.rules:
        if isinstance(rule, rules.Required):
            required |= frozenset(rule.names)
        if isinstance(rule, rules.Choice) and rule.mode == "tagged":
            yield from _tagged(rule, known, required, next(numbers.arms))
        else:
            yield from _statements(rule, known, required, numbers)
        known = narrowed(known, rule)


def _tabled(plan: Plan) -> Statements:
    """Behind a step nothing more is known than before: a call tells a compiler nothing of the value."""
    steps, rest = _whole(plan.rules)
    known, numbers = ALL_KINDS, _Numbers(count(), count())
    for rule in rest:
        step = _step(rule, numbers)
        if step is not None:
            steps.append(step)
            continue
        if steps:
            yield act.First(tuple(steps))
        steps = []
        yield from _statements(rule, known, frozenset(), numbers)
        known = narrowed(known, rule)
    if steps:
        yield act.First(tuple(steps))


def _whole(given: tuple[rules.Rule, ...]) -> tuple[list[act.Step], tuple[rules.Rule, ...]]:
    """The first rules as one step, where they are those of a record, a list or a map; and what remains."""
    head = table.check_of(Plan(given[:2])) if table.is_tabled(Plan(given[:2])) else None
    if isinstance(head, table.ListOf | table.MapOf):
        return [head], given[2:]
    if given[:1] != (_OBJECT,):
        return [], given
    kept = tuple(dropwhile(lambda rule: rule == _OBJECT, given))
    left = tuple(dropwhile(lambda rule: isinstance(rule, rules.Required), kept))
    needed = dict.fromkeys(name for rule in kept[: len(kept) - len(left)] for name in _names(rule))
    match left:
        case (rules.Fields() as fields, *rest):
            return [act.Record(tuple(needed), _declared(fields))], tuple(rest)
    return [act.Record(tuple(needed), None)], left


def _names(rule: rules.Rule) -> tuple[str, ...]:
    return rule.names if isinstance(rule, rules.Required) else ()


def _declared(rule: rules.Fields) -> act.Declared:
    return act.Declared(tuple((name, table.check_of(target)) for name, target in rule.plans if target != Plan()))


def _step(rule: rules.Rule, numbers: _Numbers) -> act.Step | None:
    """A rule as one step, where it is no more."""
    match rule:
        case rules.Required(names=needed):
            return act.Needed(needed)
        case rules.Fields():
            return _declared(rule)
        case rules.Members(patterns=(), extra=extra, but=but, keys=None) if extra == NOTHING:
            return act.Closed(but)
        case rules.Choice(mode="tagged"):
            return _dispatch(rule, next(numbers.arms))
    return None


def _statements(rule: rules.Rule, known: frozenset[str], required: frozenset[str], numbers: _Numbers) -> Statements:
    """A rule about the value, of the known kinds and, where that is an object, with the required members."""
    match rule:
        case rules.Fields():
            yield from _of_kind("object", known, _fields(rule, required if known == {"object"} else frozenset()))
        case rules.Items():
            yield from _of_kind("array", known, _items(rule))
        case rules.Members(patterns=(), extra=extra, but=but, keys=None) if extra == NOTHING:
            yield from _of_kind("object", known, [act.Closed(but)])
        case rules.Members():
            yield from _of_kind("object", known, _over(act.EachMember(), _member(rule)))
        case rules.Contains(plan=plan, min=least, max=most):
            counted = ask.Counted(_fits(plan, "part", ALL_KINDS), least, most)
            yield from _of_kind("array", known, _unless(counted, act.OWN, "contains"))
        case rules.Choice(mode=mode, arms=arms):
            yield from _choice(mode, [_fits(arm, "value", known) for arm in arms])
        case rules.If():
            yield from _if(rule, known)
        case rules.Unevaluated(of=of):
            kind = "array" if of == "items" else "object"
            yield from _of_kind(kind, known, _unevaluated(rule, known & {kind}, numbers))
        case _:
            kept, name = leaf(rule, "value", known)
            yield from _unless(kept, act.OWN, name)


def _when(test: ask.Condition, then: Statements, otherwise: Statements = ()) -> Statements:
    """One or the other, without what is never done; an empty block has its opposite's test before the other one."""
    yes, no = act.block(*then), act.block(*otherwise)
    if test in (ask.ALWAYS, ask.NEVER):
        yield from yes if test == ask.ALWAYS else no
    elif yes:
        yield act.When(test, yes, no)
    elif no:
        yield act.When(ask.negated(test), no)


def _unless(kept: ask.Condition, at: act.Place, rule: str) -> Statements:
    yield from _when(ask.negated(kept), [act.Fail(at, rule)])


def _of_kind(kind: str, known: frozenset[str], statements: Statements) -> Statements:
    """The statements, done only where the rule speaks of such values at all."""
    yield from _when(ask.is_kind("value", kind, known), statements)


def _over(each: act.EachMember | act.EachItem, statements: Statements, first: int = 0) -> Statements:
    body = act.block(*statements)
    if body:
        yield act.OverMembers(body) if isinstance(each, act.EachMember) else act.OverItems(first, body)


def _fits(target: Target, subject: ask.Subject, known: frozenset[str]) -> ask.Condition:
    if isinstance(target, Plan) and is_leaf(target):
        return fits(target, subject, known)
    return ask.Fits(subject, table.check_of(target))


def _below(target: Target, at: act.Place, closed: str) -> Statements:
    """What stands at a place follows the target; `closed` is the rule that is broken where nothing may stand."""
    if target == NOTHING:
        yield act.Fail(at, closed)
    elif isinstance(target, Plan) and is_leaf(target):
        body = act.block(*(one for kept, rule in leaves(target, "part") for one in _unless(kept, at, rule)))
        yield from [act.With(at, body)] if body else ()
    else:
        yield act.Follow(at, table.check_of(target))


def _fields(rule: rules.Fields, required: frozenset[str]) -> Statements:
    for name, plan in rule.plans:
        there = ask.ALWAYS if name in required else ask.Has("value", name)
        yield from _when(there, _below(plan, act.Member(name), "type"))


def _items(rule: rules.Items) -> Statements:
    for index, plans in enumerate(rule.prefix):
        item = (one for plan in plans for one in _below(plan, act.Item(index), "type"))
        yield from _when(ask.Compare("value", "items", ">", index), item)
    start = len(rule.prefix)
    if NOTHING in rule.rest[:1]:
        yield from _unless(ask.Compare("value", "items", "<=", start), act.Item(start), "members")
        return
    rest = (one for plan in rule.rest for one in _below(plan, act.EachItem(), "members"))
    yield from _over(act.EachItem(), rest, start)


def _member(rule: rules.Members) -> Statements:
    at, declared = act.EachMember(), _is_named(rule.but)
    if rule.keys is not None:
        yield from _unless(_fits(rule.keys, "name", frozenset({"string"})), at, "key")
    if rule.patterns and rule.extra is not None:
        yield act.Let("matched", declared, changes=True)
    for source, plan in rule.patterns:
        mark = [act.Mark("matched")] if rule.extra is not None else []
        yield from _when(ask.Finds("name", source), chain(mark, _below(plan, at, "type")))
    if rule.extra is not None:
        spoken = ask.Flag("matched") if rule.patterns else declared
        yield from _when(ask.negated(spoken), _below(rule.extra, at, "members"))


def _is_named(names: tuple[str, ...]) -> ask.Condition:
    return ask.IsText("name", tuple(dict.fromkeys(names))) if names else ask.NEVER


def _choice(mode: str, arms: list[ask.Condition]) -> Statements:
    match mode:
        case "any":
            yield from _unless(ask.any_of(*sorted(arms, key=ask.calls)), act.OWN, "choice")
        case "one":
            yield from _unless(ask.exactly_one(*arms), act.OWN, "choice")
        case "not":
            yield from _unless(ask.negated(arms[0]), act.OWN, "not")


def _tagged(rule: rules.Choice, known: frozenset[str], required: frozenset[str], number: int) -> Statements:
    dispatch = _dispatch(rule, number)
    there = ask.ALWAYS if known == {"object"} and dispatch.tag in required else ask.Has("value", dispatch.tag)
    yield from _unless(ask.all_of(ask.is_kind("value", "object", known), there), act.OWN, "tag")
    yield dispatch


def _dispatch(rule: rules.Choice, number: int) -> act.Dispatch:
    assert rule.tag is not None, "a tagged choice has a tag"
    arms = [arm.name for arm in rule.arms if isinstance(arm, rules.Call)]
    others = arms[-1] if rule.open else None
    return act.Dispatch(rule.tag, tuple(zip(rule.tags, arms, strict=False)), others, number)


def _if(rule: rules.If, known: frozenset[str]) -> Statements:
    fitting = assumed(known, rule.cond) if is_leaf(rule.cond) else known
    then, other = _same_value(rule.then, fitting), _same_value(rule.other, denied(known, rule.cond))
    yield from _when(_fits(rule.cond, "value", known), then, other)


def _same_value(target: Target | None, known: frozenset[str]) -> Statements:
    if isinstance(target, Plan) and is_leaf(target):
        yield from (one for kept, rule in leaves(target, "value", known) for one in _unless(kept, act.OWN, rule))
    elif target is not None:
        yield act.Follow(act.OWN, table.check_of(target))


def _unevaluated(rule: rules.Unevaluated, known: frozenset[str], numbers: _Numbers) -> Statements:
    each = act.EachMember() if rule.of == "members" else act.EachItem()
    guarded = [entry for entry in rule.entries if entry.guards]
    flags = [ask.Flag(f"guard {next(numbers.guards)}") for _ in guarded]
    for flag, entry in zip(flags, guarded, strict=True):
        yield act.Let(flag.name, ask.all_of(*(_guard(guard, known) for guard in entry.guards)))
    spoken = [_spoken(entry, rule.of) for entry in rule.entries if not entry.guards]
    spoken += [ask.all_of(flag, _spoken(entry, rule.of)) for flag, entry in zip(flags, guarded, strict=True)]
    rest = chain(_when(ask.any_of(*spoken), [act.Next()]), _below(rule.plan, each, "unevaluated"))
    yield from _over(each, rest)


def _guard(guard: rules.Guard, known: frozenset[str]) -> ask.Condition:
    condition = _fits(guard.plan, "value", known)
    return condition if guard.holds else ask.negated(condition)


def _spoken(entry: rules.Evaluated, of: str) -> ask.Condition:
    """Whether an entry speaks of the member or item of the loop."""
    if entry.everything:
        return ask.ALWAYS
    if of == "items":
        return ask.IndexBelow(entry.first)
    return ask.any_of(_is_named(entry.names), *(ask.Finds("name", source) for source in entry.patterns))
