"""One match from the IR's types to Swift types, and which of them hold null by themselves."""

from collections.abc import Mapping
from typing import Any

import msgspec

from turnwire_codegen.emit.swift.text import json_literal
from turnwire_codegen.ir import (
    Alias,
    AnyValue,
    Const,
    Declaration,
    ListOf,
    MapOf,
    Nullable,
    Ref,
    Scalar,
    TupleOf,
    TypeNode,
)
from turnwire_codegen.rules import Bound, Rule

__all__ = ["Scope", "constant", "nullable_part", "type_text"]

_SCALARS = {"string": "String", "number": "Double", "boolean": "Bool", "null": "JSONNull"}
_INT_MAX = 2**63 - 1


class Scope(msgspec.Struct, frozen=True):
    """All declarations, and what each is called; `boxed` are pairs of a record and a member that must stand apart.

    `wrapped` are aliases that hold themselves and therefore are types of their own; `rules` collects the lists of rules
    that are named while the types are made.
    """

    known: Mapping[str, Declaration]
    names: Mapping[str, str]
    boxed: frozenset[tuple[str, str]]
    wrapped: frozenset[str]
    rules: dict[str, str]


def type_text(node: TypeNode, scope: Scope) -> str:
    """The Swift type of `node`; tuples inside other types have been given names before."""
    match node:
        case Scalar(kind="integer", width=128):
            return "JSONValue"
        case Scalar(kind="integer", rules=bound):
            return _integer(bound)
        case Scalar(kind=kind):
            return _SCALARS[kind]
        case Const(value=value):
            return _constant(value)
        case Ref(name=name):
            return scope.names[name]
        case ListOf(item=item):
            return f"[{type_text(item, scope)}]"
        case MapOf(value=value):
            return f"JSONMap<{type_text(value, scope)}>"
        case Nullable(of=of):
            inner = nullable_part(of, scope)
            return type_text(of, scope) if inner is not None else f"{type_text(of, scope)}?"
        case AnyValue():
            return "JSONValue"
        case TupleOf():
            raise AssertionError("a tuple is a declaration by now")


def constant(node: Const) -> str:
    """The value of a constant as an expression of its type."""
    literal, kind = json_literal(node.value), _constant(node.value)
    if kind == "JSONNull":
        return "JSONNull()"
    return literal if kind == "JSONValue" else literal[literal.index("(") + 1 : -1]


def nullable_part(node: TypeNode, scope: Scope) -> TypeNode | None:
    """What a type is beside null, also behind another name; None where it does not hold null."""
    match node:
        case Nullable(of=of):
            return nullable_part(of, scope) or of
        case Ref(name=name) if name not in scope.wrapped:
            target = scope.known[name]
            return nullable_part(target.type, scope) if isinstance(target, Alias) else None
    return None


def _integer(bound: tuple[Rule, ...]) -> str:
    """Unsigned where nothing is negative and something may be greater than any `Int`."""
    lows = [low for rule in bound if isinstance(rule, Bound) for low in (rule.min, rule.above) if low is not None]
    highs = [high for rule in bound if isinstance(rule, Bound) for high in (rule.max, rule.below) if high is not None]
    return "UInt64" if lows and max(lows) >= 0 and min(highs, default=_INT_MAX + 1) > _INT_MAX else "Int"


def _constant(value: Any) -> str:
    match value:
        case None:
            return "JSONNull"
        case bool():
            return "Bool"
        case int() if abs(value) > _INT_MAX:
            return "JSONValue"
        case int():
            return "Int"
        case float():
            return "Int" if value.is_integer() else "Double"
    return "String"
