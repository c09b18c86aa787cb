"""The queue of named plans: what a document's roots reach is lowered, once, and nothing else is looked at.

A schema that refers to another is called by name, since it may be recursive; any other schema stands inside its user.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from turnwire_codegen.lower.context import Context
from turnwire_codegen.lower.document import Site, read_document
from turnwire_codegen.lower.keywords import Keywords
from turnwire_codegen.lower.layers import alias_of, flatten
from turnwire_codegen.lower.phases import PHASES
from turnwire_codegen.problems import Place, Problem, has_errors
from turnwire_codegen.rules import Call, Choice, If, Plan, Plans, Rule, Target, Unevaluated

__all__ = ["lower"]


class _Scope(msgspec.Struct):
    """The one place where state is kept while a document is lowered."""

    keywords: Keywords
    named: dict[str, Plan]
    waiting: list[Site]


def lower(schema: Any, *, file: str, roots: Iterable[str] = ("#",)) -> tuple[Plans | None, list[Problem]]:
    """The plans of the schemas at `roots` and of all that they reach, or None when a problem stops them.

    A fault outside what the roots reach stops nothing.
    """
    found: list[Problem] = []
    try:
        plans = _lower(schema, file, tuple(roots), found)
    except RecursionError:
        Place(file, found).error("nested too deeply to be a schema", "give the inner schemas names in $defs")
        plans = None
    problems = list(dict.fromkeys(found))
    return (None if has_errors(problems) else plans), problems


def _lower(schema: Any, file: str, roots: tuple[str, ...], found: list[Problem]) -> Plans:
    document = read_document(schema, file, found)
    scope = _Scope(Keywords(document), {}, [])
    for root in roots:
        site = document.at(root)
        if site is None:
            Place(file, found, root).error("no schema stands here", "name a pointer of this document")
        else:
            _call(scope, site)
    while scope.waiting:
        site = scope.waiting.pop()
        scope.named[site.pointer] = _plan(scope, site)
    plans = Plans(dict(sorted(scope.named.items())))
    _refuse_endless(plans, file, found)
    return plans


def _plan(scope: _Scope, site: Site) -> Plan:
    layers = flatten(scope.keywords, site).sites
    context = Context(scope.keywords, lambda child: _target(scope, child))
    return Plan(tuple(rule for phase in PHASES for rule in phase(context, layers)))


def _target(scope: _Scope, site: Site) -> Target:
    end = alias_of(scope.keywords, site)
    if end.pointer in scope.named or end is not site or flatten(scope.keywords, end).referring:
        return _call(scope, end)
    return _plan(scope, end)


def _call(scope: _Scope, site: Site) -> Call:
    if site.pointer not in scope.named:
        # The name is taken at once, so that a schema that reaches itself is lowered once.
        scope.named[site.pointer] = Plan()
        scope.waiting.append(site)
    return Call(site.pointer)


def _refuse_endless(plans: Plans, file: str, found: list[Problem]) -> None:
    """A plan that asks itself about the same value would never answer."""
    done: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            at = Place(file, found, name)
            at.error(
                "the schema asks itself about the same value", "let the recursion pass through a member or an item"
            )
        elif name not in done:
            for inner in _same_value(plans.named[name]):
                visit(inner, (*above, name))
            done.add(name)

    for name in plans.named:
        visit(name, ())


def _same_value(target: Target) -> Iterator[str]:
    """The names that a plan calls on the value that it was itself given."""
    if isinstance(target, Call):
        yield target.name
        return
    for rule in target.rules:
        for inner in _in_place(rule):
            yield from _same_value(inner)


def _in_place(rule: Rule) -> Iterator[Target]:
    match rule:
        case Choice(arms=arms):
            yield from arms
        case If(cond=cond, then=then, other=other):
            yield from (part for part in (cond, then, other) if part is not None)
        case Unevaluated(entries=entries):
            yield from (guard.plan for entry in entries for guard in entry.guards)
