"""What tells the arms of a union apart: one required const member that all share, every value another."""

from collections.abc import Mapping

import msgspec

from turnwire_codegen.ir import Alias, ByField, Const, Declaration, Record, Ref, Union, Variant

__all__ = ["tagged"]

_ENVELOPE = frozenset({"jsonrpc"})


def tagged(union: Union, known: Mapping[str, Declaration]) -> Union | None:
    """`union` with its tag and the value of each arm, or None. Arms of a closed union that is an arm become its own."""
    if any(not _may_be_told(variant, known) for variant in union.variants):
        return None
    variants = _flat(union, known, (union.name,))
    arms = [_const_members(variant, known) for variant in variants]
    # What every message of JSON-RPC says tells no arm from another, and of a single arm it tells nothing.
    for wire in sorted(arms[0], key=_ENVELOPE.__contains__) if arms else ():
        tags = [arm.get(wire) for arm in arms]
        if None not in tags and len(set(tags)) == len(tags) and len({type(tag) for tag in tags}) == 1:
            named = tuple(
                Variant(type=variant.type, tag=tag, notes=variant.notes)
                for variant, tag in zip(variants, tags, strict=True)
            )
            return msgspec.structs.replace(union, tagging=ByField(wire), variants=named)
    return None


def _may_be_told(variant: Variant, known: Mapping[str, Declaration]) -> bool:
    """Whether an arm has a constant of its own, or may have arms that have."""
    return isinstance(_target(variant, known), Union) or bool(_const_members(variant, known))


def _flat(union: Union, known: Mapping[str, Declaration], seen: tuple[str, ...]) -> list[Variant]:
    flat: list[Variant] = []
    for variant in union.variants:
        target = _target(variant, known)
        # An open one takes what its own arms do not, be it the tag of another arm here: its values have no one place.
        if isinstance(target, Union) and not target.open and target.name not in seen:
            flat += _flat(target, known, (*seen, target.name))
        else:
            flat.append(variant)
    return flat


def _const_members(variant: Variant, known: Mapping[str, Declaration]) -> dict[str, str | int]:
    declaration = _target(variant, known)
    if not isinstance(declaration, Record):
        return {}
    return {
        field.wire: field.type.value
        for field in declaration.fields
        # A boolean is an integer to Python, but no tag.
        if field.required and isinstance(field.type, Const) and type(field.type.value) in (str, int)
        if isinstance(field.type.value, str | int)
    }


def _target(variant: Variant, known: Mapping[str, Declaration]) -> Declaration | None:
    """What a variant names; only a record under its own name can carry a tag, so no alias is looked through."""
    if not isinstance(variant.type, Ref):
        return None
    target = known.get(variant.type.name)
    return None if isinstance(target, Alias) else target
