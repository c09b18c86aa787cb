"""Decoding for types that msgspec alone cannot say: open unions, unions told apart by shape, tags that must be there.

The fast path is msgspec's own. Only when it refuses is the message read again, now with every object whose tag is
unknown set aside at the positions where the schema says that more arms may come. Such an object is kept as it came,
as a dict that encodes back equal. An integer that is written as 1.0 is an integer then, too.
"""

from __future__ import annotations

import abc
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, Union, cast, get_args, get_origin

import msgspec
from msgspec import inspect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Bag", "Choice", "Hole", "Unknown", "choice", "convert", "decode", "decoder", "recover", "tagged"]


# The tag of a hole among arms with integer tags; msgspec refuses a union in which an arm has it too.
NO_TAG = -(2**63)


def decoder(of: Any) -> Callable[[bytes | str], Any]:
    """A function from JSON text to `of`; it raises msgspec.DecodeError, or msgspec.ValidationError with the path."""
    fast = msgspec.json.Decoder(tagged(of), dec_hook=_pick).decode

    def decode_or_recover(data: bytes | str, /) -> Any:
        try:
            return fast(data)
        except msgspec.ValidationError:
            return recover(data, of)

    return decode_or_recover


def decode(data: bytes | str, of: Any) -> Any:
    """`decoder(of)(data)`, for a type that is decoded once."""
    return decoder(of)(data)


def recover(data: bytes | str, of: Any) -> Any:
    """What `decoder` does after the fast path refused; for callers who keep a msgspec decoder of their own."""
    try:
        value = msgspec.json.decode(data)
    except msgspec.ValidationError:
        # It is JSON, but no number can hold 1e400: refused as the fast path did it, with the path to the fault.
        return msgspec.json.decode(data, type=tagged(of), dec_hook=_pick)
    return _convert(value, tagged(of), _set_aside(value, tagged(of)))


def convert(value: Any, of: Any) -> Any:
    """Builtins to `of`, by the same rules; `value` is left as it is."""
    try:
        return msgspec.convert(value, tagged(of), dec_hook=_pick)
    except msgspec.ValidationError:
        plain = msgspec.to_builtins(value)
        found = _set_aside(plain, tagged(of))
        if not found:
            # A second look would see the same; types that hold themselves would take it at every level.
            raise
        return _convert(plain, tagged(of), found)


def tagged(of: Any) -> Any:
    """`of`, or for an arm of a tagged union a type that insists on the tag, which msgspec alone lets be absent."""
    wanted: Any = of
    if isinstance(of, type) and issubclass(of, msgspec.Struct) and of.__struct_config__.tag is not None:
        tag = "" if isinstance(of.__struct_config__.tag, str) else NO_TAG
        wanted = Union[of, _seal(str(of.__struct_config__.tag_field), tag)]  # noqa: UP007 -- made at run time
    return wanted


class Unknown(dict[str, Any]):
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


class Bag(dict[str, Any]):
    """An object whose undeclared members are data too: a dict, with a property for each declared member."""

    members: ClassVar[type[msgspec.Struct]]
    needs: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def extra(cls) -> Any:
        """The type of members that are not declared."""
        return Any


class Choice(abc.ABC):  # noqa: B024 -- a marker for isinstance, it has no methods to be abstract
    """A union that msgspec cannot tell apart: all arms are tried, of those that fit the one that drops least is it."""

    unknown: ClassVar[type[Unknown] | None] = None

    @classmethod
    def arms(cls) -> tuple[Any, ...]:
        """The types of the arms, known once their module is imported."""
        return ()


def choice(name: str, arms: Callable[[], tuple[Any, ...]], unknown: type[Unknown] | None = None) -> Any:
    """The marker of a union of `arms`, which may name the marker itself; every arm's class counts as its subclass."""

    made: list[tuple[Any, ...]] = []

    class Marker(Choice):
        @classmethod
        def arms(cls) -> tuple[Any, ...]:
            if not made:
                made.append(arms())
                for arm in (*made[0], *([unknown] if unknown else [])):
                    for kind in _classes(arm):
                        cls.register(kind)
            return made[0]

    Marker.__name__ = Marker.__qualname__ = name
    Marker.unknown = unknown
    return Marker


def _classes(arm: Any) -> Iterator[type]:
    """The classes that a value of `arm` can have."""
    origin = get_origin(arm)
    if origin is Annotated:
        yield from _classes(get_args(arm)[0])
    elif origin in (Union, UnionType):
        for member in get_args(arm):
            yield from _classes(member)
    elif origin is Literal:
        yield from {type(value) for value in get_args(arm)}
    elif arm is Any:
        yield object
    else:
        yield origin or (type(None) if arm is None else arm)


def _pick(of: Any, value: Any) -> Any:
    """The hook for what msgspec has no decoder for."""
    if isinstance(of, type) and issubclass(of, Bag):
        return _bag(of, value)
    if not (isinstance(of, type) and issubclass(of, Choice)):
        raise NotImplementedError(f"no decoder for {of!r}")
    arms, unknown = of.arms(), of.unknown
    if unknown and isinstance(tag := _members(value).get(unknown.tag_field), str) and tag not in unknown.known:
        return unknown(value)
    fitting: list[tuple[int, int, Any]] = []
    for index, arm in enumerate(arms):
        try:
            found = convert(value, arm)
        except msgspec.ValidationError:
            continue
        fitting.append((_dropped(value, found), index, found))
    if not fitting:
        raise ValueError(f"fits no arm of {of.__name__}")
    return min(fitting, key=lambda fit: fit[:2])[2]


def _bag(of: type[Bag], value: Any) -> Bag:
    """Each declared member as its type says, all others as `extra` says."""
    declared = convert(value, of.members)
    missing = [wire for wire in of.needs if wire not in value]
    if missing:
        raise ValueError(f"Object missing required field `{missing[0]}`")
    names = dict(zip(of.members.__struct_encode_fields__, of.members.__struct_fields__, strict=True))
    bag = of()
    for wire, member in _members(value).items():
        bag[wire] = getattr(declared, names[wire]) if wire in names else convert(member, of.extra())
    return bag


def _dropped(value: Any, found: Any) -> int:
    """How many members of an object its type has no place for."""
    if not isinstance(found, msgspec.Struct):
        return 0
    held = {*found.__struct_encode_fields__, found.__struct_config__.tag_field}
    return len(set(_members(value)) - held)


def _set_aside(value: Any, of: Any) -> list[_Found]:
    """All that msgspec must not see as it came."""
    return list(_unknowns(value, _info(of), ()))


def _convert(value: Any, of: Any, found: list[_Found]) -> Any:
    """Let msgspec judge all but what was found, and put that back where it was; `value` is changed."""
    if found and found[0].steps == () and found[0].hole is not None:
        return found[0].value
    for place in found:
        value = _put(value, place.steps, place.value if place.hole is None else place.hole(never=_Never()))
    result = msgspec.convert(value, of, dec_hook=_pick)
    for place in found:
        if place.hole is not None:
            result = _put(result, place.steps, place.value)
    return result


class _Found(NamedTuple):
    """What msgspec must not see as it came: the way to it from the root, its value, the hole of an unknown arm."""

    steps: tuple[str | int, ...]
    value: Unknown | int
    hole: type[Hole] | None


def _unknowns(value: Any, info: Any, steps: tuple[str | int, ...]) -> Iterator[_Found]:
    match info:
        case inspect.IntType() | inspect.LiteralType():
            # To JSON Schema 1.0 is an integer; to msgspec it is none.
            if isinstance(value, float) and value.is_integer():
                yield _Found(steps, int(value), None)
        case inspect.UnionType(types=types):
            arm = _arm(value, types)
            if isinstance(arm, _Opening):
                yield _Found(steps, arm.unknown(value), arm.hole)
            elif arm is not None:
                yield from _unknowns(value, arm, steps)
        case inspect.StructType(fields=fields):
            for field in fields:
                if field.encode_name in _members(value):
                    yield from _unknowns(value[field.encode_name], field.type, (*steps, field.encode_name))
        case inspect.DictType(value_type=inner):
            for key, member in _members(value).items():
                yield from _unknowns(member, inner, (*steps, key))
        case inspect.ListType(item_type=inner):
            for index, item in enumerate(_items(value)):
                yield from _unknowns(item, inner, (*steps, index))
        case inspect.TupleType(item_types=inners):
            for index, (item, inner) in enumerate(zip(_items(value), inners, strict=False)):
                yield from _unknowns(item, inner, (*steps, index))
        case _:
            # Scalars hold nothing, and a Choice looks for unknown arms itself when its hook runs.
            return


def _members(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _items(value: Any) -> list[object]:
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
    members = _members(value)
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


def _put(into: Any, steps: tuple[str | int, ...], value: Any) -> Any:
    """`into` with `value` at `steps`; changed in place but for tuples, which are made anew."""
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(into, msgspec.Struct):
        name = into.__struct_fields__[into.__struct_encode_fields__.index(str(step))]
        msgspec.structs.force_setattr(into, name, _put(getattr(into, name), rest, value))
    elif isinstance(into, tuple):
        items = cast("tuple[object, ...]", into)
        return tuple(_put(item, rest, value) if index == step else item for index, item in enumerate(items))
    else:
        into[step] = _put(into[step], rest, value)
    return into


@cache
def _info(of: Any) -> Any:
    return inspect.type_info(of)


@cache
def _seal(tag_field: str, tag: str | int) -> type[Hole]:
    class Seal(Hole, frozen=True, kw_only=True, tag_field=tag_field, tag=tag):
        pass

    return Seal
