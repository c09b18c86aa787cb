"""One match from the IR's types to Kotlin types, with the codec that reads and writes each."""

from collections.abc import Mapping
from typing import Any

import msgspec

from turnwire_codegen.emit.kotlin.held import held
from turnwire_codegen.emit.kotlin.names import type_name
from turnwire_codegen.emit.kotlin.scope import Scope
from turnwire_codegen.emit.kotlin.text import quoted
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

__all__ = ["Symbol", "const_codec", "is_nullable", "literal", "non_null", "symbol_of"]


class Symbol(msgspec.Struct, frozen=True):
    """A type, and an expression for its codec."""

    text: str
    codec: str


Known = Mapping[str, Declaration]
_SCALARS = {
    "string": Symbol("String", "StringCodec"),
    "number": Symbol("Double", "DoubleCodec"),
    "boolean": Symbol("Boolean", "BooleanCodec"),
    "null": Symbol("JsonNull", "NullCodec"),
}
_LONG = Symbol("Long", "LongCodec")
_ULONG = Symbol("ULong", "ULongCodec")
# What the type holds by itself.
_UNSIGNED = (Bound(min=0), Bound(max=2**64 - 1), Bound(min=0, max=2**64 - 1))
_BIG = Symbol("BigInteger", "BigIntegerCodec")
_ANY = Symbol("JsonElement", "AnyCodec")


def symbol_of(node: TypeNode, scope: Scope) -> Symbol:
    """The Kotlin type of `node`; what its package must have besides goes to the scope."""
    match node:
        case Scalar(kind="integer", rules=rules):
            return _integer(rules, scope)
        case Scalar(kind=kind, rules=rules):
            return _bound(_SCALARS[kind], rules, scope)
        case Const(value):
            return _const(value)
        case Ref(name=name, rules=rules):
            return _bound(_reference(name, scope), rules, scope)
        case ListOf(item=item, rules=rules):
            inner = symbol_of(item, scope)
            return _bound(Symbol(f"List<{inner.text}>", f"ListCodec({inner.codec})"), rules, scope)
        case MapOf(value=value, rules=rules):
            inner = symbol_of(value, scope)
            return _bound(Symbol(f"Map<String, {inner.text}>", f"MapCodec({inner.codec})"), rules, scope)
        case TupleOf(items, rest):
            return _tuple(items, rest, scope)
        case Nullable(of):
            inner = symbol_of(of, scope)
            if is_nullable(of, scope.known):
                return inner
            return Symbol(f"{inner.text}?", f"NullableCodec({inner.codec})")
        case AnyValue():
            return _ANY


def is_nullable(node: TypeNode, known: Known) -> bool:
    """Whether Kotlin's null stands for null in the type, near or behind an alias."""
    match node:
        case Nullable():
            return True
        case Ref(name):
            target = known[name]
            return isinstance(target, Alias) and is_nullable(target.type, known)
    return False


def non_null(node: TypeNode, known: Known) -> TypeNode:
    """The type without its null."""
    match node:
        case Nullable(of):
            return non_null(of, known)
        case Ref(name) if is_nullable(node, known):
            target = known[name]
            assert isinstance(target, Alias), "only an alias can stand for a nullable type"
            return non_null(target.type, known)
    return node


def literal(value: Any) -> str:
    """A scalar as Kotlin writes it."""
    match value:
        case str():
            return quoted(value)
        case bool():
            return "true" if value else "false"
        case None:
            return "JsonNull"
        case int() if -(2**63) < value < 2**63:
            return f"{value}L"
        case int():
            return f'BigInteger("{value}")'
        case _:
            return repr(float(value))


def const_codec(value: Any) -> str:
    """The codec of all values of the kind that this one is of."""
    return _kind_of(value).codec


def _const(value: Any) -> Symbol:
    base = _kind_of(value)
    return base if value is None else Symbol(base.text, f"ConstCodec({base.codec}, {literal(value)})")


def _kind_of(value: Any) -> Symbol:
    match value:
        case None:
            return _SCALARS["null"]
        case str():
            return _SCALARS["string"]
        case bool():
            return _SCALARS["boolean"]
        case int():
            return _LONG if -(2**63) < value < 2**63 else _BIG
        case _:
            return _SCALARS["number"]


def _bound(symbol: Symbol, rules: tuple[Rule, ...], scope: Scope) -> Symbol:
    return Symbol(symbol.text, held(symbol.codec, rules, scope))


def _integer(rules: tuple[Rule, ...], scope: Scope) -> Symbol:
    """The smallest type that holds every value that the bounds allow; without any bound it is Long.

    What is never negative and has no other end may be any unsigned integer.
    """
    bounds = [bound for bound in rules if isinstance(bound, Bound)]
    lows = [int(low) for bound in bounds for low in (bound.min, bound.above) if low is not None]
    highs = [int(high) for bound in bounds for high in (bound.max, bound.below) if high is not None]
    low = max(lows, default=-(2**63))
    high = min(highs, default=2**64 - 1 if low >= 0 else 2**63 - 1)
    if low >= -(2**63) and high < 2**63:
        return _bound(_LONG, rules, scope)
    if low >= 0 and high < 2**64:
        return _bound(_ULONG, tuple(rule for rule in rules if rule not in _UNSIGNED), scope)
    return _bound(_BIG, rules, scope)


def _reference(name: str, scope: Scope) -> Symbol:
    target = scope.known[name]
    return Symbol(
        type_name(name), symbol_of(target.type, scope).codec if isinstance(target, Alias) else type_name(name)
    )


def _tuple(items: tuple[TypeNode, ...], rest: TypeNode | None, scope: Scope) -> Symbol:
    if not items:
        return symbol_of(ListOf(rest or AnyValue()), scope)
    scope.arities.add((len(items), rest is not None))
    parts = [symbol_of(item, scope) for item in (*items, *([] if rest is None else [rest]))]
    name = f"Tuple{len(items)}" + ("" if rest is None else "AndRest")
    return Symbol(
        f"{name}<{', '.join(part.text for part in parts)}>", f"{name}Codec({', '.join(part.codec for part in parts)})"
    )
