"""The queue of named plans: what a document's roots reach is lowered, once, and nothing else is looked at.

A schema that refers to another is called by name, since it may be recursive; any other schema stands inside its user.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from turnwire_codegen.lower.calls import called, called_in_place, reached
from turnwire_codegen.lower.context import Context
from turnwire_codegen.lower.document import Site, read_document
from turnwire_codegen.lower.keywords import Keywords
from turnwire_codegen.lower.layers import alias_of, flatten
from turnwire_codegen.lower.phases import PHASES
from turnwire_codegen.problems import Place, Problem, has_errors
from turnwire_codegen.rules import Call, Plan, Plans, Target

__all__ = ["Lowered", "lower", "lower_each"]


# A stack of a thousand calls is what the languages have at least, and others need some of it.
_MOST = 256


class Lowered(msgspec.Struct, frozen=True):
    """The plans of the roots that have one, the roots that have none, and the problems of all."""

    plans: Plans
    faulty: frozenset[str]
    problems: list[Problem]


class _Scope(msgspec.Struct):
    """The one place where state is kept while a document is lowered; `faulty` plans have an error of their own.

    `ends` are what schemas stand for that only refer.
    """

    keywords: Keywords
    named: dict[str, Plan]
    waiting: list[Site]
    faulty: set[str]
    ends: dict[str, Site] = {}


def lower(schema: Any, *, file: str, roots: Iterable[str] = ("#",)) -> tuple[Plans | None, list[Problem]]:
    """The plans of the schemas at `roots` and of all that they reach, or None when a problem stops them.

    A fault outside what the roots reach stops nothing.
    """
    lowered = lower_each(schema, file=file, roots=roots)
    return (None if has_errors(lowered.problems) else lowered.plans), lowered.problems


def lower_each(schema: Any, *, file: str, roots: Iterable[str]) -> Lowered:
    """As `lower`, but a root that reaches a fault does not stop the others."""
    wanted = tuple(roots)
    found: list[Problem] = []
    try:
        named, faulty = _lower(schema, file, wanted, found)
    except RecursionError:
        Place(file, found).error("nested too deeply to be a schema", "give the inner schemas names in $defs")
        named, faulty = {}, set(wanted)
    good = reached((root for root in wanted if root not in faulty), {name: set(called(named[name])) for name in named})
    plans = Plans({name: named[name] for name in sorted(good)})
    return Lowered(plans, frozenset(wanted) & faulty, list(dict.fromkeys(found)))


def _lower(schema: Any, file: str, roots: tuple[str, ...], found: list[Problem]) -> tuple[dict[str, Plan], set[str]]:
    """Every plan by name, and the names of those that are faulty or reach one that is."""
    document = read_document(schema, file, found)
    scope = _Scope(Keywords(document), {}, [], set(roots) if has_errors(found) else set())
    for root in roots:
        site = document.at(root)
        if site is None:
            Place(file, found, root).error("no schema stands here", "name a pointer of this document")
            scope.faulty.add(root)
        else:
            _call(scope, site)
    same: dict[str, str] = {}
    while scope.waiting:
        site, before = scope.waiting.pop(), len(found)
        end = alias_of(scope.keywords, site, scope.ends)
        if end.pointer == site.pointer:
            scope.named[site.pointer] = _plan(scope, site)
        else:
            same[site.pointer] = _call(scope, end).name
        if has_errors(found[before:]):
            scope.faulty.add(site.pointer)
    for name, end_name in same.items():
        scope.named[name] = scope.named[end_name]
        scope.faulty |= {name} if end_name in scope.faulty else set()
    scope.faulty |= _endless(scope.named, file, found)
    callers: dict[str, set[str]] = {}
    for name, plan in scope.named.items():
        for inner in called(plan):
            callers.setdefault(inner, set()).add(name)
    return scope.named, reached(scope.faulty, callers)


def _plan(scope: _Scope, site: Site) -> Plan:
    layers = flatten(scope.keywords, site).sites
    context = Context(scope.keywords, lambda child: _target(scope, child))
    return Plan(tuple(rule for phase in PHASES for rule in phase(context, layers)))


def _target(scope: _Scope, site: Site) -> Target:
    end = alias_of(scope.keywords, site, scope.ends)
    if end.pointer in scope.named or end is not site or flatten(scope.keywords, end).referring:
        return _call(scope, end)
    return _plan(scope, end)


def _call(scope: _Scope, site: Site) -> Call:
    if site.pointer not in scope.named:
        # The name is taken at once, so that a schema that reaches itself is lowered once.
        scope.named[site.pointer] = Plan()
        scope.waiting.append(site)
    return Call(site.pointer)


def _endless(named: Mapping[str, Plan], file: str, found: list[Problem]) -> set[str]:
    """A plan that asks itself about the same value would never answer, and one that asks hundreds in a row may
    run out of stack; the names of such plans, each reported."""
    done: set[str] = set()
    endless: set[str] = set()
    for start in sorted(named):
        way = {} if start in done else {start: called_in_place(named[start])}
        while way:
            name = next(reversed(way))
            inner = next(way[name], None)
            if inner is None:
                done.add(name)
                del way[name]
            elif inner in way:
                at = Place(file, found, inner)
                at.error("the schema asks itself about the same value", "let it pass through a member or an item")
                endless.add(inner)
            elif len(way) == _MOST:
                at = Place(file, found, inner)
                at.error(f"more than {_MOST} schemas ask each other about the same value", "refer to fewer in a row")
                endless.add(inner)
                done.add(inner)
            elif inner not in done:
                way[inner] = called_in_place(named[inner])
    return endless
