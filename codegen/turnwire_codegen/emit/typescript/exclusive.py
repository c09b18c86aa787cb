"""Members that an arm of a union cannot have because another arm has them: `never`, so that both together are refused.

Without it a value with the members of two arms is of the type, though each arm is closed; with it reading a member that
only one arm has tells which arm it is.
"""

from collections.abc import Iterator, Mapping

from turnwire_codegen.ir import ByField, Const, Declaration, Record, Ref, Union

__all__ = ["excluded_members"]

# More of them would hide the members that an arm has.
_MOST = 8


def excluded_members(known: Mapping[str, Declaration]) -> Mapping[str, tuple[str, ...]]:
    """By record, the members of other arms that it must not have."""
    found: dict[str, dict[str, None]] = {}
    for union in known.values():
        # The tag tells all arms apart, however many there are.
        if isinstance(union, Union) and not isinstance(union.tagging, ByField):
            arms = list(_arms(union, known))
            for arm in arms:
                if arm.closed:
                    found.setdefault(arm.name, {}).update(_foreign(arm, arms))
    return {name: tuple(wires) for name, wires in found.items() if 0 < len(wires) <= _MOST}


def _foreign(arm: Record, arms: list[Record]) -> dict[str, None]:
    """The members of other arms that `arm` has not, no more of them than it takes to see that they are too many."""
    own = {field.wire for field in arm.fields}
    names: dict[str, None] = {}
    for other in arms:
        if other is not arm and not _told_apart(arm, other):
            names.update(dict.fromkeys(field.wire for field in other.fields if field.wire not in own))
        if len(names) > _MOST:
            break
    return names


def _arms(union: Union, known: Mapping[str, Declaration]) -> Iterator[Record]:
    for variant in union.variants:
        target = known.get(variant.type.name) if isinstance(variant.type, Ref) else None
        if isinstance(target, Record):
            yield target


def _told_apart(one: Record, other: Record) -> bool:
    """Whether a constant that both must have is another in each."""
    mine, its = _constants(one), _constants(other)
    return any(mine[wire] != its[wire] for wire in mine.keys() & its.keys())


def _constants(record: Record) -> dict[str, object]:
    return {field.wire: field.type.value for field in record.fields if field.required and isinstance(field.type, Const)}
