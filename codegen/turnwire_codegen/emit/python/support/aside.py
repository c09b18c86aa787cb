"""What msgspec must not see as it came: unknown arms of open unions, undeclared members, an integer written as 1.0.

It is found by the types, taken out before msgspec judges the rest, and put back where it was.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import msgspec
from msgspec import inspect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Found", "Hole", "Keeper", "Unknown", "items_of", "judged", "members_of", "set_aside", "undeclared"]

# msgspec has no field of such a name.
_UNSAYABLE = re.compile(r'["\\\x00-\x1f]')


class Unknown(dict[str, object]):
    """An object of an open union whose tag this version does not know, with all its members."""

    tag_field: ClassVar[str] = ""
    known: ClassVar[frozenset[str]] = frozenset()

    @property
    def tag(self) -> str:
        """The value that told the arms apart."""
        return str(self[self.tag_field])


class _Never:
    """Cannot be decoded, so no message can ever be a `Hole`."""


class Hole(msgspec.Struct, frozen=True, kw_only=True):
    """Holds the place of an `Unknown` while the rest of a message is converted; never seen outside this module."""

    stands_for: ClassVar[type[Unknown] | None] = None
    never: _Never


class Keeper(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An object that keeps what its schema does not declare. `decoder` and `convert` let such members in.

    One that has some is of a subclass with a field for each, so msgspec writes them too. Those whose name has a quote,
    a backslash or a control character are dropped: no struct has a field of such a name.
    """

    __undeclared__: ClassVar[tuple[str, ...]] = ()


def undeclared(value: Keeper) -> dict[str, object]:
    """The members that the schema does not declare, by name."""
    return {wire: getattr(value, _field(index)) for index, wire in enumerate(value.__undeclared__)}


def set_aside(value: object, of: object) -> list[Found]:
    """All that msgspec must not see as it came."""
    return list(_unseen(value, _info(of), ()))


def judged(value: object, of: object, found: list[Found], hook: Callable[[object, object], object]) -> object:
    """Let msgspec judge all but what was found, and put that back where it was; `value` is changed."""
    if found and found[0].steps == () and isinstance(found[0], _UnknownArm):
        return found[0].value
    for place in found:
        value = _changed(value, place.steps, place.taken)
    result = msgspec.convert(value, of, dec_hook=hook)
    for place in found:
        result = _changed(result, place.steps, place.put_back)
    return result


class _UnknownArm(NamedTuple):
    """An arm that nobody knows: the way to it from the root, what it is, and the hole that stands for it."""

    steps: tuple[str | int, ...]
    value: Unknown
    hole: type[Hole]

    def taken(self, _: Any) -> Any:
        return self.hole(never=_Never())

    def put_back(self, _: Any) -> Any:
        return self.value


class _WholeNumber(NamedTuple):
    """To JSON Schema 1.0 is an integer; to msgspec it is none."""

    steps: tuple[str | int, ...]

    def taken(self, value: Any) -> Any:
        return int(value)

    def put_back(self, value: Any) -> Any:
        return value


class _Undeclared(NamedTuple):
    """Members that a struct has no fields for."""

    steps: tuple[str | int, ...]
    members: dict[str, Any]

    def taken(self, value: Any) -> Any:
        return {wire: member for wire, member in value.items() if wire not in self.members}

    def put_back(self, value: Any) -> Any:
        sayable = {wire: member for wire, member in self.members.items() if _UNSAYABLE.search(wire) is None}
        if not sayable:
            return value
        kept = {_field(index): member for index, member in enumerate(sayable.values())}
        declared = {name: getattr(value, name) for name in value.__struct_fields__}
        kind: type[Keeper] = value.__class__
        return _keeping(kind, tuple(sayable))(**declared, **kept)


Found = _UnknownArm | _WholeNumber | _Undeclared


def _unseen(value: Any, info: Any, steps: tuple[str | int, ...]) -> Iterator[Found]:
    match info:
        case inspect.IntType() | inspect.LiteralType():
            if isinstance(value, float) and value.is_integer():
                yield _WholeNumber(steps)
        case inspect.UnionType(types=types):
            arm = _arm(value, types)
            if isinstance(arm, _Opening):
                yield _UnknownArm(steps, arm.unknown(value), arm.hole)
            elif arm is not None:
                yield from _unseen(value, arm, steps)
        case inspect.StructType():
            yield from _unseen_in(members_of(value), info, steps)
        case inspect.DictType(value_type=inner):
            for key, member in members_of(value).items():
                yield from _unseen(member, inner, (*steps, key))
        case inspect.ListType(item_type=inner):
            for index, item in enumerate(items_of(value)):
                yield from _unseen(item, inner, (*steps, index))
        case inspect.TupleType(item_types=inners):
            for index, (item, inner) in enumerate(zip(items_of(value), inners, strict=False)):
                yield from _unseen(item, inner, (*steps, index))
        case _:
            # Scalars hold nothing, and a Choice looks for unknown arms itself when its hook runs.
            return


def _unseen_in(members: dict[str, Any], info: inspect.StructType, steps: tuple[str | int, ...]) -> Iterator[Found]:
    for field in info.fields:
        if field.encode_name in members:
            yield from _unseen(members[field.encode_name], field.type, (*steps, field.encode_name))
    if issubclass(info.cls, Keeper):
        declared = {*info.cls.__struct_encode_fields__, info.tag_field}
        rest = {wire: member for wire, member in members.items() if wire not in declared}
        if rest:
            yield _Undeclared(steps, rest)


def members_of(value: object) -> dict[str, object]:
    """The members of an object; what is no object has none."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def items_of(value: object) -> list[object]:
    """The items of an array; what is no array has none."""
    return cast("list[object]", value) if isinstance(value, list) else []


class _Opening(NamedTuple):
    """Where a union is open: the class of its unknown arms, and the hole that stands for one."""

    unknown: type[Unknown]
    hole: type[Hole]


def _arm(value: Any, types: tuple[Any, ...]) -> Any:
    """The member of a union that `value` is for, an opening, or None where msgspec shall say what is wrong."""
    if isinstance(value, list):
        return next((info for info in types if isinstance(info, inspect.ListType | inspect.TupleType)), None)
    if isinstance(value, float):
        whole = not any(isinstance(info, inspect.FloatType) for info in types)
        return next((info for info in types if whole and isinstance(info, inspect.IntType | inspect.LiteralType)), None)
    members = members_of(value)
    opening = None
    for info in types:
        if isinstance(info, inspect.DictType) and members:
            return info
        if isinstance(info, inspect.StructType):
            if issubclass(info.cls, Hole):
                opening = _opening(info.cls, members)
            elif info.tag_field is None or members.get(info.tag_field) == info.tag:
                return info
    return opening


def _opening(hole: type[Hole], value: dict[str, Any]) -> _Opening | None:
    unknown = hole.stands_for
    return _Opening(unknown, hole) if unknown and isinstance(value.get(unknown.tag_field), str) else None


def _changed(into: Any, steps: tuple[str | int, ...], change: Callable[[Any], Any]) -> Any:
    """`into` with what `change` makes of the value at `steps`; changed in place but for tuples, which are made anew."""
    if not steps:
        return change(into)
    step, rest = steps[0], steps[1:]
    if isinstance(into, msgspec.Struct):
        name = into.__struct_fields__[into.__struct_encode_fields__.index(str(step))]
        msgspec.structs.force_setattr(into, name, _changed(getattr(into, name), rest, change))
    elif isinstance(into, tuple):
        items = cast("tuple[object, ...]", into)
        return tuple(_changed(item, rest, change) if index == step else item for index, item in enumerate(items))
    else:
        into[step] = _changed(into[step], rest, change)
    return into


# Names come from the other side, so no more classes are kept than it takes to be quick with those that come often.
@lru_cache(maxsize=256)
def _keeping(of: type[Keeper], names: tuple[str, ...]) -> type[Keeper]:
    """The subclass of `of` that has fields of these names too."""
    fields = [(_field(index), Any) for index in range(len(names))]
    rename = {_field(index): wire for index, wire in enumerate(names)}
    made = msgspec.defstruct(
        of.__name__, fields, bases=(of,), frozen=True, kw_only=True, rename=rename, namespace={"__undeclared__": names}
    )
    return cast("type[Keeper]", made)


def _field(index: int) -> str:
    return f"undeclared_{index}"


@cache
def _info(of: Any) -> Any:
    return inspect.type_info(of)
