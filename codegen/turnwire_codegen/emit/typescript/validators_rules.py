"""The body of a validator: every rule of a plan as lines of TypeScript about the value `v`, in the plan's order."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import NamedTuple

from turnwire_codegen.emit.typescript.text import quoted
from turnwire_codegen.emit.typescript.validators_leaves import (
    ALWAYS,
    NEVER,
    Leaves,
    finds,
    fits,
    leaf,
    leaves,
    negated,
    of_kind,
)
from turnwire_codegen.emit.typescript.validators_tables import arms_table, members_table, said
from turnwire_codegen.lower.kinds import ALL_KINDS, assumed, denied, narrowed
from turnwire_codegen.lower.outline import is_leaf
from turnwire_codegen.rules import (
    NOTHING,
    Call,
    Choice,
    Const,
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
    Type,
    Unevaluated,
)

__all__ = ["Body", "body"]

Lines = Iterator[str]
_INDENT = "  "


class Body(NamedTuple):
    """The functions of the named plans by the names of the plans, and what the tables of this one are called."""

    functions: Mapping[str, str]
    name: str

    def fits(self, target: Target, name: str, known: frozenset[str]) -> str:
        """A condition that is true where the value, of the known kinds, fits the target."""
        if isinstance(target, Call):
            return f"{self.functions[target.name]}({name}) === undefined"
        return fits(target, name, known) if is_leaf(target) else f"is({name}, {said(self.functions, target)})"

    def fault(self, target: Target, value: str) -> str:
        """A call that gives the first fault of a value."""
        if isinstance(target, Call):
            return f"{self.functions[target.name]}({value})"
        return f"inspect({value}, {said(self.functions, target)})"


def body(at: Body, plan: Plan) -> Lines:
    """The lines of a function that returns the first fault of `v`."""
    yield from _reachable(_all_lines(at, plan))


def _all_lines(at: Body, plan: Plan) -> Lines:
    whole, rest = _whole(at, plan.rules)
    calls = [whole] if whole else []
    known, number = ALL_KINDS, count()
    # With one constant and no other rule a plain comparison reads best; else its narrowing would be in the way.
    compared = not is_leaf(plan) or sum(isinstance(rule, Const) for rule in plan.rules) > 1
    for rule in rest:
        call = _call(at, rule, number)
        if call:
            # A call tells the compiler nothing of the value, so nothing more is known behind it.
            calls.append(call)
            continue
        yield from _scope([f"const f = {_first(calls)};", *_if("f !== undefined", "return f;")] if calls else [])
        calls = []
        lines = _returns(leaf(rule, "v", known, compared=compared), '""') if is_leaf(Plan((rule,))) else None
        yield from _lines(at, rule, known) if lines is None else lines
        known = narrowed(known, rule)
    yield f"return {_first(calls)};"


def _first(calls: list[str]) -> str:
    """The first fault of several calls."""
    return " ?? ".join(calls) or "undefined"


def _whole(at: Body, rules: tuple[Rule, ...]) -> tuple[str, tuple[Rule, ...]]:
    """The first rules as one call, where they are those of a record, a list or a map; and what remains."""
    match rules:
        case (Type(kinds=("array",)), Items(prefix=(), rest=(target,)), *rest) if target != NOTHING:
            return f"list(v, {said(at.functions, target)})", tuple(rest)
        case (Type(kinds=("object",)), Members(patterns=(), extra=Plan() | Call() as target, but=(), keys=None), *rest):
            if target != NOTHING:
                return f"map(v, {said(at.functions, target)})", tuple(rest)
    if not rules or rules[0] != Type(("object",)):
        return "", rules
    left = list(rules)
    while left and left[0] == Type(("object",)):
        left.pop(0)
    needed: list[str] = []
    while left and isinstance(left[0], Required):
        needed += left[0].names
        left.pop(0)
    declares = bool(left) and isinstance(left[0], Fields)
    table = members_table(at.name) if declares else "[]"
    return f"record(v, {_names(tuple(dict.fromkeys(needed)))}, {table})", tuple(left[declares:])


def _call(at: Body, rule: Rule, number: Iterator[int]) -> str:
    """A rule as one call that gives the first fault; empty where it takes more."""
    match rule:
        case Required(names=needed):
            return f"required(v, {_names(needed)})"
        case Fields():
            return f"members(v, {members_table(at.name)})"
        case Members(patterns=(), extra=extra, but=but) if extra == NOTHING:
            return f"closed(v, {_names(but)})"
        case Choice(mode="tagged", tag=str() as tag):
            last = rule.arms[-1]
            others = f", {at.functions[last.name]}" if rule.open and isinstance(last, Call) else ""
            return f"tagged(v, {quoted(tag)}, {arms_table(at.name, next(number))}{others})"
    return ""


def _lines(at: Body, rule: Rule, known: frozenset[str]) -> Lines:
    match rule:
        case Items():
            yield from _when("array", known, _items(at, rule))
        case Members():
            yield from _when("object", known, _members(at, rule))
        case Contains(plan=plan, min=least, max=most):
            counted = f"const n = count(v, (w) => {at.fits(plan, 'w', ALL_KINDS)});"
            amiss = f"n < {least}" if most is None else f"n < {least} || n > {most}"
            yield from _when("array", known, _scope([counted, *_if(amiss, _return('""', "contains"))]))
        case Choice():
            yield from _choice(rule.mode, [at.fits(arm, "v", known) for arm in rule.arms])
        case If():
            yield from _if_else(at, rule, known)
        case Unevaluated(of=of):
            kind = "array" if of == "items" else "object"
            yield from _when(kind, known, _scope(_unevaluated(at, rule, known & {kind})))


def _return(pointer: str, rule: str) -> str:
    return f"return fault({pointer}, {quoted(rule)});"


def _returns(found: Leaves, pointer: str) -> Lines:
    for broken, rule in found:
        yield from _if(broken, _return(pointer, rule))


def _if(condition: str, *lines: str) -> Lines:
    if condition != NEVER:
        yield from lines if condition == ALWAYS else _block(f"if ({condition})", lines)


def _block(head: str, lines: Iterable[str]) -> Lines:
    """Lines in braces under a head; nothing without lines."""
    inside = [_INDENT + line for line in _reachable(lines)]
    yield from [f"{head} {{", *inside, "}"] if inside else ()


def _scope(lines: Iterable[str]) -> Lines:
    """Lines whose names are seen by nobody else."""
    inside = list(_reachable(lines))
    if any(line.startswith(("const ", "let ")) for line in inside):
        yield from ["{", *(_INDENT + line for line in inside), "}"]
    else:
        yield from inside


def _reachable(lines: Iterable[str]) -> Lines:
    """The lines up to one that leaves for good."""
    for line in lines:
        yield line
        if line.startswith(("return ", "continue;")):
            return


def _when(kind: str, known: frozenset[str], lines: Iterable[str]) -> Lines:
    """The lines, behind the test that the rule speaks of such values at all."""
    yield from _if(of_kind(kind, "v", known), *lines)


def _below(at: Body, target: Target, value: str, pointer: str, closed: str) -> Lines:
    """The check of a member or an item; `pointer` is an expression for the step to it."""
    if target == Plan():
        return
    if target == NOTHING:
        yield _return(pointer, closed)
    elif isinstance(target, Call) or not is_leaf(target):
        yield f"const f = {at.fault(target, value)};"
        yield from _if("f !== undefined", f"return under({pointer}, f);")
    else:
        yield f"const w = {value};"
        yield from _returns(leaves(target, "w"), pointer)


def _items(at: Body, rule: Items) -> Lines:
    for index, plans in enumerate(rule.prefix):
        for plan in plans:
            yield from _if(f"v.length > {index}", *_below(at, plan, f"v[{index}]", quoted(f"/{index}"), "type"))
    start = len(rule.prefix)
    if NOTHING in rule.rest[:1]:
        yield from _if(f"v.length > {start}", _return(quoted(f"/{start}"), "members"))
        return
    bodies = [list(_below(at, plan, "v[i]", "`/${i}`", "members")) for plan in rule.rest]
    lines = bodies[0] if len(bodies) == 1 else [line for lines in bodies for line in _scope(lines)]
    yield from _block(f"for (let i = {start}; i < v.length; i += 1)", lines)


def _members(at: Body, rule: Members) -> Lines:
    yield from _block("for (const k of names(v))", _member(at, rule))


def _member(at: Body, rule: Members) -> Lines:
    if rule.keys is not None:
        yield from _if(negated(at.fits(rule.keys, "k", frozenset({"string"}))), _return("step(k)", "key"))
    if rule.patterns and rule.extra is not None:
        yield f"let matched = {f'{_names(rule.but)}.includes(k)' if rule.but else 'false'};"
    for source, plan in rule.patterns:
        marked = ["matched = true;"] if rule.extra is not None else []
        yield from _if(finds(source, "k"), *marked, *_below(at, plan, "v[k]", "step(k)", "type"))
    if rule.extra is not None:
        declared = f"!{_names(rule.but)}.includes(k)" if rule.but else ALWAYS
        lines = list(_below(at, rule.extra, "v[k]", "step(k)", "members"))
        yield from _if("!matched" if rule.patterns else declared, *lines)


def _names(names: tuple[str, ...]) -> str:
    return f"[{', '.join(map(quoted, names))}]"


def _choice(mode: str, arms: list[str]) -> Lines:
    possible = [arm for arm in arms if arm != NEVER]
    match mode:
        case "any" if ALWAYS not in possible:
            yield from _if(negated(" || ".join(possible) or NEVER), _return('""', "choice"))
        case "one":
            fitting = " + ".join(f"({arm} ? 1 : 0)" for arm in possible)
            yield from _if(f"{fitting} !== 1" if possible else ALWAYS, _return('""', "choice"))
        case "not":
            yield from _if(arms[0], _return('""', "not"))


def _if_else(at: Body, rule: If, known: frozenset[str]) -> Lines:
    fitting = assumed(known, rule.cond) if is_leaf(rule.cond) else known
    then, other = (
        list(_same_value(at, part, kinds))
        for part, kinds in ((rule.then, fitting), (rule.other, denied(known, rule.cond)))
    )
    condition = at.fits(rule.cond, "v", known)
    if condition in (ALWAYS, NEVER):
        yield from _scope(then if condition == ALWAYS else other)
    elif then and other:
        yield from [*_block(f"if ({condition})", then)][:-1]
        yield from _block("} else", other)
    else:
        yield from _if(condition, *then)
        yield from _if(negated(condition), *other)


def _same_value(at: Body, target: Target | None, known: frozenset[str]) -> Lines:
    if target is None:
        return
    if isinstance(target, Call) or not is_leaf(target):
        yield f"const f = {at.fault(target, 'v')};"
        yield from _if("f !== undefined", "return f;")
    else:
        yield from _returns(leaves(target, "v", known), '""')


def _unevaluated(at: Body, rule: Unevaluated, known: frozenset[str]) -> Lines:
    step = "k" if rule.of == "members" else "i"
    guarded = [entry for entry in rule.entries if entry.guards]
    for number, entry in enumerate(guarded):
        yield f"const g{number} = {' && '.join(_guard(at, entry, known))};"
    plain = [_spoken(entry, step) for entry in rule.entries if not entry.guards]
    conditional = [f"g{number} && ({_spoken(entry, step)})" for number, entry in enumerate(guarded)]
    spoken = " || ".join(f"({test})" for test in [*plain, *conditional])
    value, pointer = ("v[k]", "step(k)") if rule.of == "members" else ("v[i]", "`/${i}`")
    lines = [*_if(spoken, "continue;")] if spoken else []
    lines += _below(at, rule.plan, value, pointer, "unevaluated")
    loop = "for (const k of names(v))" if rule.of == "members" else "for (let i = 0; i < v.length; i += 1)"
    yield from _block(loop, lines)


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
    named = [f"{_names(entry.names)}.includes(k)"] if entry.names else []
    return " || ".join([*named, *(finds(source, "k") for source in entry.patterns)]) or NEVER
