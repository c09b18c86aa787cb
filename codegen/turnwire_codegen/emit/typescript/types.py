"""One match from the IR's types to TypeScript types."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from turnwire_codegen.emit.typescript.names import type_name
from turnwire_codegen.emit.typescript.text import SAFE, quoted, value_text
from turnwire_codegen.emit.typescript.texts import is_listed, text_type
from turnwire_codegen.ir import AnyValue, Const, ListOf, MapOf, Nullable, Ref, Scalar, TupleOf, TypeNode
from turnwire_codegen.rules import Bound, Pattern
from turnwire_codegen.rules import Const as Values

__all__ = ["Symbol", "arm_text", "literal", "type_text"]


class Symbol(msgspec.Struct, frozen=True):
    """A piece of a type with the definitions that it names; `compound` ones need parentheses before `[]`."""

    text: str
    names: frozenset[str] = frozenset()
    compound: bool = False


# A list of so many numbers is a type, a longer one is a table.
_FEW = 10
_SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def type_text(node: TypeNode) -> Symbol:
    """The TypeScript type of `node`. Most bounds and patterns have no form in a type; they are the validators' part."""
    match node:
        case Scalar(rules=bound) if values := [
            value for rule in bound if isinstance(rule, Values) for value in rule.values
        ]:
            return _one_of(values)
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
        case TupleOf():
            return _tuple(node)
        case MapOf(value, keys=keys):
            inner = type_text(value)
            return Symbol(f"{{ {_key_text(keys)}: {inner.text} }}", inner.names)
        case Nullable(of):
            inner = type_text(of)
            return Symbol(f"{inner.text} | null", inner.names, compound=True)
        case AnyValue(nothing):
            return Symbol("never" if nothing else "unknown")


def arm_text(node: TypeNode, others: Iterable[TypeNode]) -> Symbol:
    """The type of an arm; among others of its kind it says what tells it from them, as far as a type can."""
    if not isinstance(node, Scalar) or not any(_kind(other) == _kind(node) for other in others):
        return type_text(node)
    for rule in node.rules:
        match rule:
            case Pattern(source):
                return Symbol(text_type(source) or "string", compound=True)
            case Bound(int() as low, int() as high, None, None) if node.kind == "integer" and high - low < _FEW:
                return _one_of(range(low, high + 1))
    return type_text(node)


def literal(value: Any) -> str:
    """A literal type."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    return value_text(value)


def _is_wide(scalar: Scalar) -> bool:
    """Whether `parseJson` may give a bigint: 64 bits, or a limit, that no double holds."""
    bounds = [rule for rule in scalar.rules if isinstance(rule, Bound)]
    low = [end for bound in bounds for end in (bound.min, bound.above) if end is not None]
    high = [end for bound in bounds for end in (bound.max, bound.below) if end is not None]
    if any(abs(end) > SAFE for end in low + high):
        return True
    return scalar.width == 64 and not (low and high)


def _tuple(node: TupleOf) -> Symbol:
    parts = [type_text(item) for item in node.items]
    least = len(parts) if node.least is None else node.least
    texts = [part.text if index < least else _optional(part) for index, part in enumerate(parts)]
    tail = [] if node.rest is None else [type_text(ListOf(node.rest))]
    texts += [f"...{part.text}" for part in tail]
    return Symbol(f"[{', '.join(texts)}]", frozenset().union(*(part.names for part in [*parts, *tail])))


def _optional(part: Symbol) -> str:
    return f"({part.text})?" if part.compound else f"{part.text}?"


def _one_of(values: Sequence[Any]) -> Symbol:
    return Symbol(" | ".join(map(literal, values)), compound=len(values) > 1)


def _key_text(keys: TypeNode | None) -> str:
    """What stands before the colon of a map; literals are listed, since an index signature takes none."""
    for rule in keys.rules if isinstance(keys, Scalar) else ():
        match rule:
            case Values():
                return f"[member in {type_text(Scalar('string', (rule,))).text}]?"
            case Pattern(source) if text := text_type(source):
                return f"[member in {text}]?" if is_listed(source) else f"[member: {text}]"
    return "[member: string]"


def _kind(node: TypeNode) -> type | None:
    """The type of the values of a scalar, where it has a type of its own."""
    match node:
        case Scalar(kind):
            return {"string": str, "integer": int, "number": int}.get(kind)
        case Const(value):
            return type(value)
    return None
