"""What msgspec structs cannot be, and what stands in for them: bags, unions that are tried, lone arms."""

import re
from collections.abc import Mapping

from turnwire_codegen.ir import (
    Alias,
    ByField,
    Declaration,
    ListOf,
    MapOf,
    Nullable,
    Protocol,
    Record,
    Ref,
    TupleOf,
    TypeNode,
    Union,
)
from turnwire_codegen.passes.graph import declarations
from turnwire_codegen.problems import Finding

__all__ = ["is_bag", "is_sayable", "lone_arms", "tried_unions", "untyped_members"]

# msgspec refuses them in the name of a field.
_UNSAYABLE = re.compile(r'["\\\x00-\x1f]')


def is_bag(declaration: Declaration | None) -> bool:
    """Whether a record carries members that no struct has a place for."""
    if not isinstance(declaration, Record):
        return False
    return declaration.extra is not None or not all(is_sayable(field.wire) for field in declaration.fields)


def is_sayable(wire: str) -> bool:
    """Whether a struct can have a field of this wire name."""
    return _UNSAYABLE.search(wire) is None


def tried_unions(protocol: Protocol) -> frozenset[str]:
    """Tagged unions that msgspec cannot read by their tag, because an arm is no struct."""
    known = declarations(protocol)
    return frozenset(
        name
        for name, union in known.items()
        if isinstance(union, Union) and isinstance(union.tagging, ByField)
        for variant in union.variants
        if not isinstance(variant.type, Ref) or is_bag(known[variant.type.name])
    )


def untyped_members(protocol: Protocol, origins: Mapping[str, str]) -> list[Finding]:
    """Members that are kept but not checked, because msgspec has no field of their name."""
    what = "the type does not hold what the member is: msgspec has no field of this name"
    return [
        Finding(f"{origins[name]}/properties/{field.wire.replace('~', '~0').replace('/', '~1')}", "runtime", what)
        for name, record in declarations(protocol).items()
        if isinstance(record, Record) and name in origins
        for field in record.fields
        if not is_sayable(field.wire)
    ]


def lone_arms(protocol: Protocol, arms: frozenset[str]) -> frozenset[str]:
    """Those of `arms` that members and aliases name without their union."""
    named: set[str] = set()
    for declaration in declarations(protocol).values():
        if isinstance(declaration, Record):
            for field in declaration.fields:
                named |= _named(field.type)
        elif isinstance(declaration, Alias):
            named |= _named(declaration.type)
    return arms & named


def _named(node: TypeNode) -> set[str]:
    match node:
        case Ref(name):
            return {name}
        case ListOf(item=inner) | MapOf(value=inner) | Nullable(of=inner):
            return _named(inner)
        case TupleOf(items=items):
            return set[str]().union(*(_named(item) for item in items))
        case _:
            return set()
