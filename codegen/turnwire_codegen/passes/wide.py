"""What only the types of some languages can say is taken away for all others, whose emitters never hear of it."""

from typing import TypeVar

import msgspec

from turnwire_codegen.ir import (
    Alias,
    AnyValue,
    Declaration,
    ListOf,
    MapOf,
    Nullable,
    Protocol,
    Record,
    Scalar,
    TupleOf,
    TypeNode,
    Union,
)
from turnwire_codegen.passes.graph import with_each
from turnwire_codegen.rules import Const

__all__ = ["widened"]

_Part = TypeVar("_Part", bound=msgspec.Struct)


def widened(protocol: Protocol) -> Protocol:
    """The protocol without what `ir` calls close: every type takes at least the values that it took."""
    return with_each(protocol, _wide)


def _wide(declaration: Declaration) -> Declaration:
    match declaration:
        case Record(fields=fields, extra=extra):
            return msgspec.structs.replace(
                declaration,
                fields=tuple(_typed(field, field.type) for field in fields),
                extra=None if extra is None else _type(extra),
                choices=(),
            )
        case Union(variants=variants):
            return msgspec.structs.replace(declaration, variants=tuple(_typed(each, each.type) for each in variants))
        case Alias():
            return _typed(declaration, declaration.type)
    return declaration


def _typed(part: _Part, node: TypeNode) -> _Part:
    return msgspec.structs.replace(part, type=_type(node))


def _type(node: TypeNode) -> TypeNode:
    match node:
        case Scalar(rules=rules):
            return msgspec.structs.replace(node, rules=tuple(rule for rule in rules if not isinstance(rule, Const)))
        case ListOf(item=item):
            return msgspec.structs.replace(node, item=_type(item))
        case TupleOf(items=items, rest=None, least=None):
            return msgspec.structs.replace(node, items=tuple(map(_type, items)))
        case TupleOf(rules=rules):
            return ListOf(AnyValue(), rules)
        case MapOf(value=value, rules=rules):
            return MapOf(_type(value), rules)
        case Nullable(of=of):
            return Nullable(_type(of))
        case AnyValue():
            return AnyValue()
    return node
