"""Null is said once: where a name stands for a type that has it already, nothing around the name says it again."""

from collections.abc import Mapping
from typing import Any

import msgspec

from turnwire_codegen.ir import Alias, Const, Declaration, Nullable, Ref, Scalar, TypeNode

__all__ = ["null_once"]


def null_once(made: Mapping[str, Declaration]) -> dict[str, Declaration]:
    """The declarations, with every type that may be null because of its name alone under that name alone."""
    nullable = {
        name
        for name, declaration in made.items()
        if isinstance(declaration, Alias) and _has_null(declaration.type, made)
    }
    return {name: _once(declaration, nullable) for name, declaration in made.items()} if nullable else dict(made)


def _has_null(node: TypeNode, made: Mapping[str, Declaration]) -> bool:
    seen: set[str] = set()
    while isinstance(node, Ref):
        target = made[node.name]
        if node.name in seen or not isinstance(target, Alias):
            return False
        seen.add(node.name)
        node = target.type
    return isinstance(node, Nullable) or node in (Scalar("null"), Const(None))


def _once(part: Any, nullable: set[str]) -> Any:
    if isinstance(part, Nullable) and isinstance(part.of, Ref) and part.of.name in nullable:
        return part.of
    if isinstance(part, tuple):
        return tuple(_once(item, nullable) for item in part)
    if not isinstance(part, msgspec.Struct):
        return part
    inner = {name: getattr(part, name) for name in part.__struct_fields__}
    changes = {
        name: _once(value, nullable) for name, value in inner.items() if isinstance(value, msgspec.Struct | tuple)
    }
    return msgspec.structs.replace(part, **changes)
