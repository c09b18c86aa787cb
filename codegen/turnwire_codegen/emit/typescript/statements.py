"""Statements of validators in TypeScript: the lines of a function of `v` that returns its first fault or undefined."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, assert_never

from turnwire_codegen.emit.typescript.conditions import Functions, check, condition, flag, names_list
from turnwire_codegen.emit.typescript.text import quoted
from turnwire_codegen.program import Function, act, table
from turnwire_codegen.program.naming import step_text, table_name

__all__ = ["Table", "lines", "tables"]

Lines = Iterator[str]


class Table(NamedTuple):
    """A constant: `opening` and `closing` are its brackets."""

    name: str
    type: str
    opening: str
    rows: tuple[str, ...]
    closing: str


def lines(function: Function, functions: Functions) -> Lines:
    """The body of a function."""
    printer = _Printer(functions, functions[function.plan])
    match function.body:
        case (*before, act.First(steps=steps)):
            yield from printer.block(tuple(before))
            yield f"return {printer.first(steps)};"
        case (*_, act.Fail()):
            yield from printer.block(function.body)
        case _:
            yield from (*printer.block(function.body), "return undefined;")


def tables(function: Function, functions: Functions) -> Iterator[Table]:
    """The tables of a function: its members, and the arms of its tagged choices."""
    name = functions[function.plan]
    for step in function.steps:
        declared = step.declared if isinstance(step, act.Record) else step
        if isinstance(declared, act.Declared):
            rows = tuple(f"[{quoted(member)}, {check(said, functions)}]," for member, said in declared.rows)
            yield Table(table_name("members", name), "Table", "[", rows, "]")
    for step in function.steps:
        if isinstance(step, act.Dispatch):
            pairs = tuple(f"{_key(tag)}: {functions[plan]}," for tag, plan in step.arms)
            yield Table(table_name("arms", name, step.number), "Arms", "{", pairs, "}")


class _Printer(NamedTuple):
    """What stays the same in one function: the functions of the plans, and its own name."""

    functions: Functions
    name: str

    def block(self, body: act.Block) -> Lines:
        """The lines of several statements; where more than one of them has names, they are kept apart."""
        apart = sum(isinstance(statement, act.With | act.Follow | act.First) for statement in body) > 1
        for statement in body:
            inside = self.statement(statement)
            if apart and isinstance(statement, act.With | act.Follow | act.First):
                yield from _braced("{", inside)
            else:
                yield from inside

    def statement(self, statement: act.Statement) -> Lines:
        match statement:
            case act.Fail(at=at, rule=rule):
                yield f"return fault({_pointer(at)}, {quoted(rule)});"
            case act.When(test=test, then=then, otherwise=otherwise):
                yield from self.when(condition(test, self.functions), then, otherwise)
            case act.Follow(at=at, check=said):
                yield f"const f = {self.fault(said, _value(at))};"
                yield "if (f !== undefined) {"
                yield "  return f;" if at == act.OWN else f"  return under({_pointer(at)}, f);"
                yield "}"
            case act.With(at=at, body=body):
                yield f"const w = {_value(at)};"
                yield from self.block(body)
            case act.OverMembers(body=body):
                yield from _braced("for (const k of names(v)) {", self.block(body))
            case act.OverItems(first=first, body=body):
                yield from _braced(f"for (let i = {first}; i < v.length; i += 1) {{", self.block(body))
            case act.Next():
                yield "continue;"
            case act.Let(name=name, test=test, changes=changes):
                yield f"{'let' if changes else 'const'} {flag(name)} = {condition(test, self.functions)};"
            case act.Mark(name=name):
                yield f"{flag(name)} = true;"
            case act.First(steps=steps):
                yield from (f"const f = {self.first(steps)};", "if (f !== undefined) {", "  return f;", "}")
            case act.Closed() | act.Dispatch():
                raise AssertionError("in the tabled form these are steps")
            case _:
                assert_never(statement)

    def when(self, test: str, then: act.Block, otherwise: act.Block) -> Lines:
        yes, no = _braced(f"if ({test}) {{", self.block(then)), _braced("} else {", self.block(otherwise))
        yield from (*list(yes)[:-1], *no) if otherwise else yes

    def first(self, steps: tuple[act.Step, ...]) -> str:
        """The first fault of several steps."""
        return " ?? ".join(map(self.step, steps))

    def step(self, step: act.Step) -> str:
        match step:
            case act.Record(needed=needed, declared=declared):
                return (
                    f"record(v, {names_list(needed)}, {'[]' if declared is None else table_name('members', self.name)})"
                )
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

    def fault(self, said: table.Check, value: str) -> str:
        """A call that gives the first fault of a value."""
        if isinstance(said, table.Named):
            return f"{self.functions[said.plan]}({value})"
        return f"inspect({value}, {check(said, self.functions)})"


def _braced(head: str, inside: Iterable[str]) -> Lines:
    yield from (head, *(f"  {line}" for line in inside), "}")


def _key(tag: str) -> str:
    # In a literal the bare name would set the prototype.
    return f"[{quoted(tag)}]" if tag == "__proto__" else quoted(tag)


def _value(at: act.Place) -> str:
    match at:
        case act.Own():
            return "v"
        case act.Member(name=name):
            return f"v[{quoted(name)}]"
        case act.Item(index=index):
            return f"v[{index}]"
        case act.EachMember():
            return "v[k]"
        case act.EachItem():
            return "v[i]"
    assert_never(at)


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
            return "step(k)"
        case act.EachItem():
            return "`/${i}`"
    assert_never(at)
