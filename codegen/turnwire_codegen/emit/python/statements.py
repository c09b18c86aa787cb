"""Statements of validators in Python: the lines of a function of `v` that returns its first fault or None."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, assert_never

from turnwire_codegen.emit.python.conditions import Functions, condition, flag, names_set
from turnwire_codegen.emit.python.text import quoted
from turnwire_codegen.program import Function, act, table
from turnwire_codegen.program.naming import step_text

__all__ = ["Arms", "arms_of", "lines"]

Lines = Iterator[str]


class Arms(NamedTuple):
    """A table of the functions that a tag leads to."""

    name: str
    rows: tuple[str, ...]


def lines(function: Function, functions: Functions) -> Lines:
    """The body of a function."""
    yield from _Printer(functions, functions[function.plan]).block(function.body)
    if not (function.body and isinstance(function.body[-1], act.Fail)):
        yield "return None"


def arms_of(function: Function, functions: Functions) -> Iterator[Arms]:
    """The tables that a function looks into; they stand below the functions that they name."""
    for statement in function.body:
        if isinstance(statement, act.Dispatch):
            rows = tuple(f"{quoted(tag)}: {functions[plan]}" for tag, plan in statement.arms)
            yield Arms(_arms(functions[function.plan], statement), rows)


class _Printer(NamedTuple):
    """What stays the same in one function: the functions of the plans, and its own."""

    functions: Functions
    function: str

    def block(self, body: act.Block) -> Lines:
        for statement in body:
            yield from self.statement(statement)

    def statement(self, statement: act.Statement) -> Lines:
        match statement:
            case act.Fail(at=at, rule=rule):
                yield f"return Fault({_pointer(at)}, {quoted(rule)})"
            case act.When(test=test, then=then, otherwise=otherwise):
                yield from _under(f"if {condition(test, self.functions)}:", self.block(then))
                yield from _under("else:", self.block(otherwise))
            case act.Follow(at=at, check=table.Named(plan=plan)):
                yield f"f = {self.functions[plan]}({_value(at)})"
                yield "if f is not None:"
                yield "    return f" if at == act.OWN else f"    return f.under({_pointer(at)})"
            case act.With(at=at, body=body):
                yield from () if _value(at) == "w" else (f"w = {_value(at)}",)
                yield from self.block(body)
            case act.OverMembers(body=body):
                yield from _under("for k in sorted(v):", self.block(body))
            case act.OverItems(first=first, body=body):
                items = f"enumerate(v[{first}:], {first})" if first else "enumerate(v)"
                yield from _under(f"for i, w in {items}:", self.block(body))
            case act.Next():
                yield "continue"
            case act.Let(name=name, test=test):
                yield f"{flag(name)} = {condition(test, self.functions)}"
            case act.Mark(name=name):
                yield f"{flag(name)} = True"
            case act.Closed(names=names):
                yield f"extra = v.keys() - {names_set(names)}" if names else "extra = v.keys()"
                yield from ("if extra:", '    return Fault(step(min(extra)), "members")')
            case act.Dispatch():
                yield from self.dispatch(statement)
            case act.Follow() | act.First():
                raise AssertionError("the flat form has no tables")
            case _:
                assert_never(statement)

    def dispatch(self, statement: act.Dispatch) -> Lines:
        at, arm = act.Member(statement.tag), f"arm_{statement.number}"
        fault = f'    return Fault({_pointer(at)}, "tag")'
        others = f", {self.functions[statement.others]}" if statement.others is not None else ""
        yield from (f"tag = {_value(at)}", "if tag.__class__ is not str:", fault)
        yield f"{arm} = {_arms(self.function, statement)}.get(tag{others})"
        yield from () if others else (f"if {arm} is None:", fault)
        yield from (f"f = {arm}(v)", "if f is not None:", "    return f")


def _under(head: str, body: Iterable[str]) -> Lines:
    """Indented lines under a head; nothing without lines."""
    inside = [f"    {line}" for line in body]
    yield from [head, *inside] if inside else ()


def _arms(function: str, statement: act.Dispatch) -> str:
    return f"{function}_arms" + (f"_{statement.number + 1}" if statement.number else "")


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
            return "w"
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
            return 'f"/{i}"'
    assert_never(at)
