"""The body of a validator: every rule of a plan as lines of Python about the value `v`, in the order of the plan."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import NamedTuple

from turnwire_codegen.emit.python.text import quoted
from turnwire_codegen.emit.python.validators_leaves import ALWAYS, NEVER, finds, fits, leaves, negated, of_kind
from turnwire_codegen.lower.kinds import ALL_KINDS, assumed, denied, narrowed
from turnwire_codegen.rules import (
    NOTHING,
    Call,
    Choice,
    Contains,
    Evaluated,
    Fields,
    If,
    Items,
    Members,
    Plan,
    Required,
    Rule,
    Target,
    Unevaluated,
)

__all__ = ["Body", "arm_table", "body"]

Lines = Iterator[str]
_INDENT = "    "


class Body(NamedTuple):
    """What stays the same in one function: the functions of the named plans, and its own."""

    functions: Mapping[str, str]
    function: str

    def fits(self, target: Target, name: str, known: frozenset[str]) -> str:
        """A condition that is true where the value, of the known kinds, fits the target."""
        if isinstance(target, Call):
            return f"{self.functions[target.name]}({name}) is None"
        return fits(target, name, known)


def body(at: Body, plan: Plan) -> Lines:
    """The lines of a function that returns the first fault of `v`."""
    yield from _reachable(_all_lines(at, plan))


def _all_lines(at: Body, plan: Plan) -> Lines:
    known, required, tables = ALL_KINDS, frozenset[str](), count()
    for rule in plan.rules:
        if isinstance(rule, Required):
            required |= frozenset(rule.names)
        if isinstance(rule, Choice) and rule.mode == "tagged":
            yield from _tagged(at, rule, next(tables))
        else:
            yield from _lines(at, rule, known, required)
        known = narrowed(known, rule)
    yield "return None"


def arm_table(function: str, number: int) -> str:
    """The name of the table of arms that a function looks into for its tagged choice of this number."""
    return f"{function}_arms" + (f"_{number + 1}" if number else "")


def _lines(at: Body, rule: Rule, known: frozenset[str], required: frozenset[str]) -> Lines:
    match rule:
        case Fields():
            always = required if known == {"object"} else frozenset()
            yield from _when("object", known, _fields(at, rule, always))
        case Items():
            yield from _when("array", known, _items(at, rule))
        case Members():
            yield from _when("object", known, _members(at, rule))
        case Contains(plan=plan, min=least, max=most):
            amiss = f"n < {least}" if most is None else f"not {least} <= n <= {most}"
            counted = [
                f"n = sum({at.fits(plan, 'w', ALL_KINDS)} for w in v)",
                *_if(amiss, 'return Fault("", "contains")'),
            ]
            yield from _when("array", known, counted)
        case Choice():
            yield from _choice(rule.mode, [at.fits(arm, "v", known) for arm in rule.arms])
        case If():
            yield from _if_else(at, rule, known)
        case Unevaluated(of=of):
            kind = "array" if of == "items" else "object"
            yield from _when(kind, known, _unevaluated(at, rule, known & {kind}))
        case _:
            yield from _leaf_lines(Plan((rule,)), "v", '""', known)


def _leaf_lines(plan: Plan, name: str, pointer: str, known: frozenset[str] = ALL_KINDS) -> Lines:
    for leaf in leaves(plan, name, known):
        yield from _if(leaf.broken, f"return Fault({pointer}, {quoted(leaf.rule)})")


def _if(condition: str, *lines: str) -> Lines:
    if condition != NEVER:
        yield from lines if condition == ALWAYS else _block(f"if {condition}:", lines)


def _block(head: str, lines: Iterable[str]) -> Lines:
    """Indented lines under a head; nothing without lines."""
    inside = [_INDENT + line for line in _reachable(lines)]
    yield from [head, *inside] if inside else ()


def _reachable(lines: Iterable[str]) -> Lines:
    """The lines up to one that leaves for good."""
    for line in lines:
        yield line
        if line.startswith(("return ", "continue")):
            return


def _when(kind: str, known: frozenset[str], lines: Iterable[str]) -> Lines:
    """The lines, behind the test that the rule speaks of such values at all."""
    yield from _if(of_kind(kind, "v", known), *lines)


def _below(at: Body, target: Target, value: str, pointer: str, closed: str) -> Lines:
    """The check of a member or an item; `pointer` is an expression for the step to it."""
    if target == Plan():
        return
    if target == NOTHING:
        yield f"return Fault({pointer}, {quoted(closed)})"
    elif isinstance(target, Call):
        yield f"f = {at.functions[target.name]}({value})"
        yield from _if("f is not None", f"return f.under({pointer})")
    else:
        if value != "w":
            yield f"w = {value}"
        yield from _leaf_lines(target, "w", pointer)


def _fields(at: Body, rule: Fields, always: frozenset[str]) -> Lines:
    for name, plan in rule.plans:
        pointer = quoted("/" + name.replace("~", "~0").replace("/", "~1"))
        lines = _below(at, plan, f"v[{quoted(name)}]", pointer, "type")
        yield from _if(ALWAYS if name in always else f"{quoted(name)} in v", *lines)


def _items(at: Body, rule: Items) -> Lines:
    for index, plans in enumerate(rule.prefix):
        lines = [line for plan in plans for line in _below(at, plan, f"v[{index}]", quoted(f"/{index}"), "type")]
        yield from _if(f"len(v) > {index}", *lines)
    start = len(rule.prefix)
    if NOTHING in rule.rest[:1]:
        yield from _if(f"len(v) > {start}", f'return Fault("/{start}", "members")')
        return
    lines = [line for plan in rule.rest for line in _below(at, plan, "w", 'f"/{i}"', "members")]
    yield from _block(f"for i, w in enumerate(v[{start}:], {start}):" if start else "for i, w in enumerate(v):", lines)


def _members(at: Body, rule: Members) -> Lines:
    if rule.extra == NOTHING and not rule.patterns:
        yield f"extra = v.keys() - {_names(rule.but)}" if rule.but else "extra = v.keys()"
        yield from _if("extra", 'return Fault(step(min(extra)), "members")')
        return
    yield from _block("for k in sorted(v):", _member(at, rule))


def _member(at: Body, rule: Members) -> Lines:
    if rule.keys is not None:
        yield from _if(negated(at.fits(rule.keys, "k", frozenset({"string"}))), 'return Fault(step(k), "key")')
    if rule.patterns and rule.extra is not None:
        yield f"matched = {f'k in {_names(rule.but)}' if rule.but else 'False'}"
    for source, plan in rule.patterns:
        marked = ["matched = True"] if rule.extra is not None else []
        lines = [*marked, *_below(at, plan, "v[k]", "step(k)", "type")]
        yield from _if(finds(source, "k"), *lines)
    if rule.extra is not None:
        declared = f"k not in {_names(rule.but)}" if rule.but else ALWAYS
        lines = list(_below(at, rule.extra, "v[k]", "step(k)", "members"))
        yield from _if("not matched" if rule.patterns else declared, *lines)


def _names(names: tuple[str, ...]) -> str:
    return f"{{{', '.join(map(quoted, names))}}}"


def _choice(mode: str, arms: list[str]) -> Lines:
    possible = [arm for arm in arms if arm != NEVER]
    fault = 'return Fault("", "choice")'
    match mode:
        case "any" if ALWAYS not in possible:
            yield from _if(negated(" or ".join(possible) or NEVER), fault)
        case "one":
            yield from _if(f"{' + '.join(f'({arm})' for arm in possible)} != 1" if possible else ALWAYS, fault)
        case "not":
            yield from _if(arms[0], 'return Fault("", "not")')


def _tagged(at: Body, rule: Choice, number: int) -> Lines:
    assert rule.tag is not None, "a tagged choice has a tag"
    name, pointer = quoted(rule.tag), quoted("/" + rule.tag.replace("~", "~0").replace("/", "~1"))
    yield from _if(f"v.__class__ is not dict or {name} not in v", 'return Fault("", "tag")')
    yield f"tag = v[{name}]"
    yield from _if("tag.__class__ is not str", f'return Fault({pointer}, "tag")')
    last = rule.arms[-1]
    otherwise = f", {at.functions[last.name]}" if rule.open and isinstance(last, Call) else ""
    yield f"arm_{number} = {arm_table(at.function, number)}.get(tag{otherwise})"
    if not rule.open:
        yield from _if(f"arm_{number} is None", f'return Fault({pointer}, "tag")')
    yield f"f = arm_{number}(v)"
    yield from _if("f is not None", "return f")


def _if_else(at: Body, rule: If, known: frozenset[str]) -> Lines:
    then, other = (
        list(_same_value(at, part, kinds))
        for part, kinds in ((rule.then, assumed(known, rule.cond)), (rule.other, denied(known, rule.cond)))
    )
    condition = at.fits(rule.cond, "v", known)
    if then and condition not in (ALWAYS, NEVER):
        yield from _if(condition, *then)
        yield from _block("else:", other)
    else:
        yield from _if(condition, *then)
        yield from _if(negated(condition), *other)


def _same_value(at: Body, target: Target | None, known: frozenset[str]) -> Lines:
    if isinstance(target, Call):
        yield f"f = {at.functions[target.name]}(v)"
        yield from _if("f is not None", "return f")
    elif target is not None:
        yield from _leaf_lines(target, "v", '""', known)


def _unevaluated(at: Body, rule: Unevaluated, known: frozenset[str]) -> Lines:
    guarded = [entry for entry in rule.entries if entry.guards]
    for number, entry in enumerate(guarded):
        yield f"g{number} = {' and '.join(_guard(at, entry, known))}"
    step = "k" if rule.of == "members" else "i"
    plain = [_spoken(entry, step) for entry in rule.entries if not entry.guards]
    conditional = [f"g{number} and ({_spoken(entry, step)})" for number, entry in enumerate(guarded)]
    spoken = " or ".join(f"({test})" for test in [*plain, *conditional])
    value, pointer = ("v[k]", "step(k)") if rule.of == "members" else ("w", 'f"/{i}"')
    lines = [*_if(spoken, "continue")] if spoken else []
    lines += _below(at, rule.plan, value, pointer, "unevaluated")
    yield from _block("for k in sorted(v):" if rule.of == "members" else "for i, w in enumerate(v):", lines)


def _guard(at: Body, entry: Evaluated, known: frozenset[str]) -> Lines:
    for guard in entry.guards:
        condition = at.fits(guard.plan, "v", known)
        yield condition if guard.holds else negated(condition)


def _spoken(entry: Evaluated, step: str) -> str:
    """Whether an entry speaks of the member or item `step`."""
    if entry.everything:
        return ALWAYS
    if step == "i":
        return f"i < {entry.first}"
    named = [f"k in {_names(entry.names)}"] if entry.names else []
    return " or ".join([*named, *(finds(source, "k") for source in entry.patterns)]) or NEVER
