"""One match from the IR's types to Kotlin types, with the codec that reads and writes each."""

from collections.abc import Mapping
from typing import Any

import msgspec

from turnwire_codegen.emit.kotlin.names import type_name
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
    """A type, and an expression for its codec. `arities` are the tuples that it needs, with or without a rest."""

    text: str
    codec: str
    arities: frozenset[tuple[int, bool]] = frozenset()


Known = Mapping[str, Declaration]
_SCALARS = {
    "string": Symbol("String", "StringCodec"),
    "number": Symbol("Double", "DoubleCodec"),
    "boolean": Symbol("Boolean", "BooleanCodec"),
    "null": Symbol("JsonNull", "NullCodec"),
}
_LONG = Symbol("Long", "LongCodec")
_BIG = Symbol("BigInteger", "BigIntegerCodec")
_ANY = Symbol("JsonElement", "AnyCodec")


def symbol_of(node: TypeNode, known: Known) -> Symbol:
    """The Kotlin type of `node`. Patterns and lengths have no form in a type; they are the validators' part."""
    match node:
        case Scalar(kind="integer", rules=rules):
            return _integer(rules)
        case Scalar(kind):
            return _SCALARS[kind]
        case Const(value):
            return _const(value)
        case Ref(name):
            return _reference(name, known)
        case ListOf(item):
            return _wrap("List", "ListCodec", symbol_of(item, known))
        case MapOf(value):
            inner = symbol_of(value, known)
            return Symbol(f"Map<String, {inner.text}>", f"MapCodec({inner.codec})", inner.arities)
        case TupleOf(items, rest):
            return _tuple(items, rest, known)
        case Nullable(of):
            inner = symbol_of(of, known)
            if is_nullable(of, known):
                return inner
            return Symbol(f"{inner.text}?", f"NullableCodec({inner.codec})", inner.arities)
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


def _integer(rules: tuple[Rule, ...]) -> Symbol:
    """The smallest type that holds every value that the bounds allow; without any bound it is Long.

    What is never negative and has no other end may be any unsigned integer.
    """
    bounds = [bound for bound in rules if isinstance(bound, Bound)]
    lows = [int(low) for bound in bounds for low in (bound.min, bound.above) if low is not None]
    highs = [int(high) for bound in bounds for high in (bound.max, bound.below) if high is not None]
    low = max(lows, default=-(2**63))
    high = min(highs, default=2**64 - 1 if low >= 0 else 2**63 - 1)
    if low >= -(2**63) and high < 2**63:
        return _LONG
    return Symbol("ULong", "ULongCodec") if low >= 0 and high < 2**64 else _BIG


def _reference(name: str, known: Known) -> Symbol:
    target = known[name]
    if isinstance(target, Alias):
        inner = symbol_of(target.type, known)
        return Symbol(type_name(name), inner.codec, inner.arities)
    return Symbol(type_name(name), type_name(name))


def _wrap(name: str, codec: str, inner: Symbol) -> Symbol:
    return Symbol(f"{name}<{inner.text}>", f"{codec}({inner.codec})", inner.arities)


def _tuple(items: tuple[TypeNode, ...], rest: TypeNode | None, known: Known) -> Symbol:
    if not items:
        return symbol_of(ListOf(rest or AnyValue()), known)
    parts = [symbol_of(item, known) for item in (*items, *([] if rest is None else [rest]))]
    name = f"Tuple{len(items)}" + ("" if rest is None else "AndRest")
    return Symbol(
        f"{name}<{', '.join(part.text for part in parts)}>",
        f"{name}Codec({', '.join(part.codec for part in parts)})",
        frozenset({(len(items), rest is not None)}).union(*(part.arities for part in parts)),
    )
