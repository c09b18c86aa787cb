"""Patterns bind where a server lets something in, not where a client reads what a server says.

A pattern costs more than the rest of a message together. Where a record is part of what a client reads, its patterns
are left to the validators; in params that only a client sends they stay in the type, at the place of use.
"""

from typing import Any

import msgspec

from turnwire_codegen.ir import Alias, Declaration, Field, Protocol, Record, Ref, Scalar, TypeNode
from turnwire_codegen.passes.graph import declarations
from turnwire_codegen.passes.heard import heard_types
from turnwire_codegen.passes.roots import MESSAGES
from turnwire_codegen.rules import Pattern, Rule

__all__ = ["loosen_readers"]


def loosen_readers(protocol: Protocol) -> Protocol:
    """The protocol as the Python types hold it; one without a method table keeps every pattern."""
    if not protocol.methods:
        return protocol
    known = declarations(protocol)
    read = heard_types(protocol)
    patterns = {name: found for name, decl in known.items() if (found := _patterns(decl))}
    families = tuple(
        msgspec.structs.replace(
            family,
            declarations=tuple(
                decl if family.name == MESSAGES else _loosened(decl, patterns, strict=decl.name not in read)
                for decl in family.declarations
            ),
        )
        for family in protocol.families
    )
    return msgspec.structs.replace(protocol, families=families)


def _patterns(declaration: Declaration) -> tuple[Rule, ...]:
    if isinstance(declaration, Alias) and isinstance(declaration.type, Scalar):
        return tuple(rule for rule in declaration.type.rules if isinstance(rule, Pattern))
    return ()


def _loosened(declaration: Declaration, patterns: dict[str, tuple[Rule, ...]], *, strict: bool) -> Declaration:
    if isinstance(declaration, Record) and strict:
        fields = [msgspec.structs.replace(field, type=_tightened(field.type, patterns)) for field in declaration.fields]
        return msgspec.structs.replace(declaration, fields=tuple(fields))
    if isinstance(declaration, Record):
        return msgspec.structs.replace(declaration, fields=tuple(_loose_field(field) for field in declaration.fields))
    if isinstance(declaration, Alias):
        return msgspec.structs.replace(declaration, type=_loose(declaration.type))
    return declaration


def _loose_field(field: Field) -> Field:
    return msgspec.structs.replace(field, type=_loose(field.type))


def _loose(node: TypeNode) -> TypeNode:
    """The type without its patterns, however deep they stand."""
    return _mapped(
        node,
        lambda inner: (
            msgspec.structs.replace(inner, rules=tuple(rule for rule in inner.rules if not isinstance(rule, Pattern)))
            if isinstance(inner, Scalar)
            else inner
        ),
    )


def _tightened(node: TypeNode, patterns: dict[str, tuple[Rule, ...]]) -> TypeNode:
    """The type with the patterns of the aliases that it names, at the place of use."""
    return _mapped(
        node,
        lambda inner: (
            msgspec.structs.replace(inner, rules=(*inner.rules, *patterns.get(inner.name, ())))
            if isinstance(inner, Ref)
            else inner
        ),
    )


def _mapped(node: TypeNode, change: Any) -> TypeNode:
    changes = {
        name: _mapped(getattr(node, name), change)
        for name in ("item", "value", "of")
        if isinstance(getattr(node, name, None), msgspec.Struct)
    }
    return change(msgspec.structs.replace(node, **changes) if changes else node)  # type: ignore[no-any-return]
