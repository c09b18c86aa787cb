"""Records: structs, or where members have no place in a struct, bags."""

from collections.abc import Mapping

import msgspec

from turnwire_codegen.emit.python.limits import is_bag, is_sayable
from turnwire_codegen.emit.python.names import class_name, member_names, rename_option
from turnwire_codegen.emit.python.text import docstring, quoted
from turnwire_codegen.emit.python.types import Home, annotation, literal
from turnwire_codegen.emit.remarks import deprecation, remarks
from turnwire_codegen.ir import AnyValue, Field, Record
from turnwire_codegen.passes.tags import Tag

__all__ = ["BagView", "ClassView", "Imports", "MemberView", "PropertyView", "record_view"]

Imports = set[tuple[str, str]]
# What a dict can do keeps its name.
_DICT = frozenset(name for name in dir(dict) if not name.startswith("_")) | {
    "_held",
    "extra",
    "members",
    "needs",
    "Members",
}


class MemberView(msgspec.Struct, frozen=True):
    """A member of a class, with its docstring lines."""

    line: str
    doc: tuple[str, ...]


class PropertyView(msgspec.Struct, frozen=True, kw_only=True):
    """A declared member of a bag."""

    name: str
    type: str
    value: str
    doc: tuple[str, ...]


class BagView(msgspec.Struct, frozen=True, kw_only=True):
    """What makes a record a bag."""

    extra: str
    needs: str
    properties: tuple[PropertyView, ...]


class ClassView(msgspec.Struct, frozen=True, kw_only=True):
    """A struct, or the members of a bag."""

    name: str
    options: str
    doc: tuple[str, ...]
    members: tuple[MemberView, ...]
    empty: bool
    struct: bool
    bag: BagView | None
    lone: str | None


def record_view(record: Record, home: Home, tags: Mapping[str, Tag], needed: Imports) -> ClassView:
    """The class of a record; what its module must import goes to `needed`."""
    tag = tags.get(record.name)
    bag = is_bag(record)
    needed.add((".decoding", "Keeper") if _base(record) == "Keeper" else ("msgspec", "Struct"))
    names = member_names({field.wire: field.name for field in record.fields}, _DICT if bag else frozenset())
    members = []
    for field in record.fields:
        if tag is not None and field.wire == tag.wire:
            members.append(_tag_member(names[field.wire], field, tag, needed))
        elif is_sayable(field.wire):
            members.append(_member(names[field.wire], field, home, needed))
    lone = None
    if record.name in home.lone:
        needed |= {(".decoding", "tagged"), ("typing", "TYPE_CHECKING"), ("typing", "TypeAlias")}
        lone = f"Lone{class_name(record.name)}"
    return ClassView(
        name=class_name(record.name),
        options=", ".join(_options(record, names, tag)),
        doc=docstring(record.doc, remarks(record.notes), deprecation(record.notes), indent=4),
        members=tuple(members),
        empty=not members and (bag or not record.doc),
        struct=not bag,
        bag=_bag(record, names, home, needed) if bag else None,
        lone=lone,
    )


def _bag(record: Record, names: dict[str, str], home: Home, needed: Imports) -> BagView:
    extra = annotation(AnyValue() if record.extra is None else record.extra, home)
    needed |= {*extra.imports, (".decoding", "Bag")}
    needs = [quoted(field.wire) for field in record.fields if field.required and not is_sayable(field.wire)]
    return BagView(
        extra=extra.text,
        needs=f"({', '.join(needs)},)" if needs else "()",
        properties=tuple(_property(names[field.wire], field, home, needed) for field in record.fields),
    )


def _property(name: str, field: Field, home: Home, needed: Imports) -> PropertyView:
    symbol = annotation(field.type, home)
    needed |= symbol.imports
    if not field.required:
        needed |= {("msgspec", "UNSET"), ("msgspec", "UnsetType")}
    return PropertyView(
        name=name,
        type=symbol.text if field.required else f"{symbol.text} | UnsetType",
        value=f"self._held[{quoted(field.wire)}]" if field.required else f"self._held.get({quoted(field.wire)}, UNSET)",
        doc=_doc(field, indent=8),
    )


def _doc(field: Field, *, indent: int) -> tuple[str, ...]:
    return docstring(field.doc, remarks(field.notes, field.default), deprecation(field.notes), indent=indent)


def _options(record: Record, names: dict[str, str], tag: Tag | None) -> list[str]:
    options = [_base(record), "frozen=True", "kw_only=True"]
    own = {wire: name for wire, name in names.items() if is_sayable(wire) and (tag is None or wire != tag.wire)}
    rename = rename_option(own)
    if rename is not None:
        options.append(f"rename={rename}")
    if tag is not None:
        options.append(f"tag_field={quoted(tag.wire)}, tag={_tag_value(tag)}")
    if record.closed:
        options.append("forbid_unknown_fields=True")
    return options


def _base(record: Record) -> str:
    """What the struct is made of; that of a bag tells the bag which members are declared, and keeps none itself."""
    return "Keeper" if record.keeps and not is_bag(record) else "Struct"


def _member(name: str, field: Field, home: Home, needed: Imports) -> MemberView:
    symbol = annotation(field.type, home)
    needed |= symbol.imports
    line = f"{name}: {symbol.text}"
    if not field.required:
        needed |= {("msgspec", "UNSET"), ("msgspec", "UnsetType")}
        line += " | UnsetType = UNSET"
    return MemberView(line, _doc(field, indent=4))


def _tag_member(name: str, field: Field, tag: Tag, needed: Imports) -> MemberView:
    """The tag as a class variable: checkers narrow by it, msgspec reads and writes it by itself."""
    symbol = literal(tag.value)
    needed |= symbol.imports | {("typing", "ClassVar")}
    return MemberView(f"{name}: ClassVar[{symbol.text}] = {_tag_value(tag)}", _doc(field, indent=4))


def _tag_value(tag: Tag) -> str:
    return quoted(tag.value) if isinstance(tag.value, str) else repr(tag.value)
