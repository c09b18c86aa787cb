"""Statements of validators in Swift: the lines of a function of `v` that returns its first fault or nil."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, assert_never

from turnwire_codegen.emit.swift.conditions import Functions, check, condition, fault, flag, names_list
from turnwire_codegen.emit.swift.text import quoted
from turnwire_codegen.program import Function, act, table
from turnwire_codegen.program.naming import step_text, table_name

__all__ = ["Table", "lines", "tables"]

Lines = Iterator[str]


class Table(NamedTuple):
    """A constant that is a list or a map."""

    name: str
    type: str
    rows: tuple[str, ...]


def lines(function: Function, functions: Functions) -> Lines:
    """The body of a function."""
    printer = _Printer(functions, functions[function.plan])
    match function.body:
        case (*before, act.First(steps=steps)):
            yield from printer.block(tuple(before))
            yield f"return {printer.first(steps)}"
        case (*_, act.Fail()):
            yield from printer.block(function.body)
        case _:
            yield from (*printer.block(function.body), "return nil")


def tables(function: Function, functions: Functions) -> Iterator[Table]:
    """The tables of a function: what it needs, its members, and the arms of its tagged choices."""
    name = functions[function.plan]
    for step in function.steps:
        if isinstance(step, act.Record) and step.needed:
            yield Table(table_name("needed", name), "[String]", tuple(f"{quoted(member)}," for member in step.needed))
        declared = step.declared if isinstance(step, act.Record) else step
        if isinstance(declared, act.Declared):
            rows = tuple(f"({quoted(member)}, {check(said, functions)})," for member, said in declared.rows)
            yield Table(table_name("members", name), "JSONTable", rows)
        if isinstance(step, act.Dispatch):
            pairs = tuple(f"{quoted(tag)}: {functions[plan]}," for tag, plan in step.arms)
            yield Table(table_name("arms", name, step.number), "JSONArms", pairs or (":",))


class _Printer(NamedTuple):
    """What stays the same in one function: the functions of the plans, and its own name."""

    functions: Functions
    name: str

    def block(self, body: act.Block) -> Lines:
        for statement in body:
            yield from self.statement(statement)

    def statement(self, statement: act.Statement) -> Lines:
        match statement:
            case act.Fail(at=at, rule=rule):
                yield f"return fault({_pointer(at)}, {quoted(rule)})"
            case act.When(test=test, then=then, otherwise=otherwise):
                yield from self.when(condition(test, self.functions), then, otherwise)
            case act.Follow(at=at, check=said):
                yield from self.follow(at, said)
            case act.With(at=at, body=body):
                yield from self.part(at, self.block(body))
            case act.OverMembers(body=body):
                yield from _braced("for entry in entries(v) {", self.block(body))
            case act.OverItems(first=first, body=body):
                yield from _braced(f"for part in items(v, from: {first}) {{", self.block(body))
            case act.Next():
                yield "continue"
            case act.Let(name=name, test=test, changes=changes):
                yield f"{'var' if changes else 'let'} {flag(name)} = {condition(test, self.functions)}"
            case act.Mark(name=name):
                yield f"{flag(name)} = true"
            case act.First(steps=steps):
                yield f"if let f = {self.first(steps)} {{ return f }}"
            case act.Closed() | act.Dispatch():
                raise AssertionError("in the tabled form these are steps")
            case _:
                assert_never(statement)

    def when(self, test: str, then: act.Block, otherwise: act.Block) -> Lines:
        yes, no = _braced(f"if {test} {{", self.block(then)), _braced("} else {", self.block(otherwise))
        yield from (*list(yes)[:-1], *no) if otherwise else yes

    def follow(self, at: act.Place, said: table.Check) -> Lines:
        if at == act.OWN:
            yield f"if let f = {fault(said, 'v', self.functions)} {{ return f }}"
        else:
            found = f"if let f = {fault(said, 'w', self.functions)} {{ return under({_pointer(at)}, f) }}"
            yield from self.part(at, [found])

    def part(self, at: act.Place, inside: Iterable[str]) -> Lines:
        """Lines in which `w` is what stands at a place."""
        match at:
            case act.EachMember():
                yield from _braced("do {", ["let w = entry.value", *inside])
            case act.EachItem():
                yield from _braced("do {", ["let w = part.value", *inside])
            case act.Member(name=name):
                yield from _braced(f"if let w = member(v, {quoted(name)}) {{", inside)
            case act.Item(index=index):
                yield from _braced(f"if let w = item(v, {index}) {{", inside)
            case act.Own():
                raise AssertionError("the value itself is no part")

    def first(self, steps: tuple[act.Step, ...]) -> str:
        """The first fault of several steps."""
        return " ?? ".join(map(self.step, steps))

    def step(self, step: act.Step) -> str:
        match step:
            case act.Record(needed=needed, declared=declared):
                wanted = table_name("needed", self.name) if needed else "[]"
                return f"record(v, {wanted}, {'[]' if declared is None else table_name('members', self.name)})"
            case act.Needed(names=names):
                return f"required(v, {names_list(names)})"
            case act.Declared():
                return f"members(v, {table_name('members', self.name)})"
            case act.Closed(names=names):
                return f"closed(v, {names_list(names)})"
            case act.Dispatch(tag=tag, others=others):
                rest = "" if others is None else f", {self.functions[others]}"
                return f"tagged(v, {quoted(tag)}, {table_name('arms', self.name, step.number)}{rest})"
            case table.ListOf(item=item):
                return f"list(v, {check(item, self.functions)})"
            case table.MapOf(member=member):
                return f"map(v, {check(member, self.functions)})"
        assert_never(step)


def _braced(head: str, inside: Iterable[str]) -> Lines:
    yield from (head, *(f"    {line}" for line in inside), "}")


def _pointer(at: act.Place) -> str:
    """An expression for the step to a place."""
    match at:
        case act.Own():
            return '""'
        case act.Member(name=name):
            return quoted(step_text(name))
        case act.Item(index=index):
            return quoted(f"/{index}")
        case act.EachMember():
            return "step(entry.name)"
        case act.EachItem():
            return '"/\\(part.index)"'
    assert_never(at)
