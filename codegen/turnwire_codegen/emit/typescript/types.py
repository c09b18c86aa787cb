"""One match from the IR's types to TypeScript types."""

from typing import Any

import msgspec

from turnwire_codegen.emit.typescript.names import type_name
from turnwire_codegen.emit.typescript.text import SAFE, quoted, value_text
from turnwire_codegen.ir import AnyValue, Const, ListOf, MapOf, Nullable, Ref, Scalar, TupleOf, TypeNode
from turnwire_codegen.rules import Bound

__all__ = ["Symbol", "literal", "type_text"]


class Symbol(msgspec.Struct, frozen=True):
    """A piece of a type with the definitions that it names; `compound` ones need parentheses before `[]`."""

    text: str
    names: frozenset[str] = frozenset()
    compound: bool = False


_SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def type_text(node: TypeNode) -> Symbol:
    """The TypeScript type of `node`. Bounds and patterns have no form in a type; they are the validators' part."""
    match node:
        case Scalar(kind="integer") if _is_wide(node):
            return Symbol("number | bigint", compound=True)
        case Scalar(kind):
            return Symbol(_SCALARS[kind])
        case Const(value):
            return Symbol(literal(value))
        case Ref(name):
            return Symbol(type_name(name), frozenset({name}))
        case ListOf(item):
            inner = type_text(item)
            return Symbol(f"({inner.text})[]" if inner.compound else f"{inner.text}[]", inner.names)
        case TupleOf(items, rest):
            return _tuple(items, rest)
        case MapOf(value):
            inner = type_text(value)
            return Symbol(f"{{ [member: string]: {inner.text} }}", inner.names)
        case Nullable(of):
            inner = type_text(of)
            return Symbol(f"{inner.text} | null", inner.names, compound=True)
        case AnyValue():
            return Symbol("unknown")


def literal(value: Any) -> str:
    """A literal type; a fraction has none and widens to number."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    return value_text(value) if isinstance(value, int) else "number"


def _is_wide(scalar: Scalar) -> bool:
    """Whether `parseJson` may give a bigint: 64 bits, or a limit, that no double holds."""
    bounds = [rule for rule in scalar.rules if isinstance(rule, Bound)]
    low = [end for bound in bounds for end in (bound.min, bound.above) if end is not None]
    high = [end for bound in bounds for end in (bound.max, bound.below) if end is not None]
    if any(abs(end) > SAFE for end in low + high):
        return True
    return scalar.width == 64 and not (low and high)


def _tuple(items: tuple[TypeNode, ...], rest: TypeNode | None) -> Symbol:
    parts = [type_text(item) for item in items]
    tail = [] if rest is None else [type_text(ListOf(rest))]
    texts = [part.text for part in parts] + [f"...{part.text}" for part in tail]
    return Symbol(f"[{', '.join(texts)}]", frozenset().union(*(part.names for part in [*parts, *tail])))
