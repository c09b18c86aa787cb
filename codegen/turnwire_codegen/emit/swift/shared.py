"""What all arms of a tagged union have alike is a property of the union: nobody switches over them for an id."""

from collections.abc import Iterator, Mapping

import msgspec

from turnwire_codegen.emit.swift.records import property_names
from turnwire_codegen.emit.swift.text import comment, quoted
from turnwire_codegen.emit.swift.types import Scope, nullable_part, type_text
from turnwire_codegen.ir import ByField, Const, Field, Record, Union

__all__ = ["SharedView", "shared_views"]

_FEWEST = 2


class SharedView(msgspec.Struct, frozen=True):
    """A property that is read from whichever arm it is."""

    head: str
    doc: tuple[str, ...]
    cases: tuple[str, ...]


def shared_views(union: Union, cases: Mapping[str, str], scope: Scope) -> tuple[SharedView, ...]:
    """The properties of a union whose arms a tag tells apart; `cases` are its cases by the definition that each holds.

    Where an arm is no record, or there is but one, nothing is shared.
    """
    arms = [arm for name in cases if isinstance(arm := scope.known[name], Record)]
    if not isinstance(union.tagging, ByField) or len(arms) < max(_FEWEST, len(union.variants)):
        return ()
    taken = set(cases.values())
    return tuple(_view(field, name, union, cases, scope) for field, name in _alike(arms, scope) if name not in taken)


def _alike(arms: list[Record], scope: Scope) -> Iterator[tuple[Field, str]]:
    """The members that every arm has under one name and of one type; null has no part in it, and a constant no use."""
    first, *others = [{(name, field.wire): field for field, name in _named(arm)} for arm in arms]
    for (name, wire), field in first.items():
        alike = [other for table in others if (other := table.get((name, wire))) is not None]
        same = [other for other in alike if (other.type, other.required) == (field.type, field.required)]
        if len(same) == len(others) and not isinstance(field.type, Const) and nullable_part(field.type, scope) is None:
            told = all(other.doc == field.doc for other in same)
            yield field if told else msgspec.structs.replace(field, doc=f"The `{wire}` of whichever arm it is."), name


def _named(arm: Record) -> Iterator[tuple[Field, str]]:
    names = property_names(arm)
    return ((field, names[field.wire]) for field in arm.fields)


def _view(field: Field, name: str, union: Union, cases: Mapping[str, str], scope: Scope) -> SharedView:
    text, open_ends = type_text(field.type, scope), union.open and field.required
    lines = [f"case let .{case}(value): value.{name}" for case in cases.values()]
    if union.open:
        member = f"members[{quoted(field.wire)}]"
        read = member if text == "JSONValue" else f"{member}.flatMap {{ try? {text}(json: $0) }}"
        lines.append(f"case let .unknown(members): {read}")
    end = "nil where an arm that this version does not know has none." if open_ends else ""
    mark = "" if field.required and not union.open else "?"
    return SharedView(f"public var {name}: {text}{mark}", comment(field.doc, end, indent=4), tuple(lines))
