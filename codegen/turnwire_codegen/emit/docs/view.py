"""Definitions to what the templates print: frozen views of Markdown lines, every string decided."""

import json
from collections.abc import Mapping, Sequence

import msgspec

from turnwire_codegen.emit.docs.names import anchor
from turnwire_codegen.emit.docs.text import block, cell, code, inline, literal, table
from turnwire_codegen.emit.docs.types import type_text
from turnwire_codegen.emit.remarks import deprecation, remarks
from turnwire_codegen.ir import Alias, ByField, ByKey, ByShape, Declaration, Enum, Family, Field, Notes, Record, Union
from turnwire_codegen.load.beside import Example

__all__ = ["ExampleView", "Examples", "FamilyView", "TypeView", "family_view", "said", "told", "type_view"]

Examples = Mapping[str, Sequence[Example]]

# What a note means to a reader, beside those that every language prints.
_MEANINGS = {
    "secret": "Secret: never logged, and never echoed in an error.",
    "volatile": "May differ between the live message and its replay.",
    "significant": "To leave it out changes what happens.",
}
_OTHERS = "Others may come; readers keep what they do not know."


class ExampleView(msgspec.Struct, frozen=True):
    """An example that is folded away; `lines` are JSON."""

    title: str
    lines: tuple[str, ...]


class TypeView(msgspec.Struct, frozen=True, kw_only=True):
    """A definition: `lead` says its type in one line, `table` has its members, values or arms."""

    anchor: str
    name: str
    doc: tuple[str, ...]
    lead: str
    table: tuple[str, ...]
    tail: str
    example: ExampleView | None
    users: str = ""


class FamilyView(msgspec.Struct, frozen=True, kw_only=True):
    """The definitions of a family that no method describes."""

    anchor: str
    title: str
    doc: tuple[str, ...]
    types: tuple[TypeView, ...]


def family_view(
    family: Family, described: frozenset[str], examples: Examples, users: Mapping[str, Sequence[str]]
) -> FamilyView:
    """The family without the definitions in `described`, which stand elsewhere; `users` are links to who names each."""
    left = [decl for decl in family.declarations if decl.name not in described]
    return FamilyView(
        anchor=anchor("family", family.name),
        title=inline(family.title),
        doc=block(family.doc),
        types=tuple(
            msgspec.structs.replace(type_view(decl, examples), users=", ".join(users.get(decl.name, ())))
            for decl in left
        ),
    )


def type_view(declaration: Declaration, examples: Examples) -> TypeView:
    """A definition, with the first of its examples."""
    lead, rows, tail = _body(declaration)
    return TypeView(
        anchor=anchor("type", declaration.name),
        name=inline(declaration.name),
        doc=block(declaration.doc, said(declaration.notes)),
        lead=lead,
        table=rows,
        tail=tail,
        example=_example(examples.get(declaration.name, ())),
    )


def said(notes: Notes) -> str:
    """What the notes of a part mean, as text."""
    more = [meaning for note, meaning in _MEANINGS.items() if notes.get(note)]
    since = f"Since {notes['since']}." if notes.get("since") else ""
    return " ".join(filter(None, [remarks(notes), *more, since, deprecation(notes)]))


def told(doc: str, notes: Notes) -> str:
    """A description and what the notes mean, as it may stand in a cell."""
    return " ".join(filter(None, (cell(doc), inline(said(notes)))))


def _body(declaration: Declaration) -> tuple[str, tuple[str, ...], str]:
    """The line that leads, the table, and the line below it."""
    match declaration:
        case Record():
            rows = [_member(field) for field in declaration.fields]
            return "", table(("Member", "Type", "Required", "Meaning"), rows), _rest(declaration)
        case Enum(cases=cases, open=is_open):
            values = [(literal(case.value), told(case.doc, case.notes)) for case in cases]
            return "One of these values.", table(("Value", "Meaning"), values), _OTHERS if is_open else ""
        case Union(variants=variants, open=is_open):
            arms = [
                ("" if arm.tag is None else literal(arm.tag), type_text(arm.type), inline(said(arm.notes)))
                for arm in variants
            ]
            head = (
                code(declaration.tagging.wire) if isinstance(declaration.tagging, ByField) else "",
                "Type",
                "Meaning",
            )
            return _choice(declaration), table(head, arms), _OTHERS if is_open else ""
        case Alias(type=node):
            return f"Type: {type_text(node)}", (), ""


def _member(field: Field) -> tuple[str, ...]:
    default = f"Absent means {literal(field.default)}." if field.default is not msgspec.UNSET else ""
    meaning = " ".join(filter(None, (told(field.doc, field.notes), default)))
    return _name(field.wire), type_text(field.type), "yes" if field.required else "no", meaning


def _name(wire: str) -> str:
    """A member's name; one that is empty, or in which something is not to be seen, stands in quotes."""
    seen = wire.isprintable() and wire == wire.strip() != ""
    return code(wire) if seen else literal(wire)


def _rest(record: Record) -> str:
    if record.closed:
        return "No other members."
    if record.extra is not None:
        return f"Other members carry data: {type_text(record.extra)}."
    return "" if record.fields else "No members of its own."


def _choice(union: Union) -> str:
    match union.tagging:
        case ByField(wire):
            return f"One of these objects, told apart by {code(wire)}."
        case ByKey():
            return "One of these objects, told apart by the name of their only member."
        case ByShape():
            return "One of these, told apart by the kind of the value."
        case _:
            return "Any of these."


def _example(examples: Sequence[Example]) -> ExampleView | None:
    if not examples:
        return None
    text = json.dumps(examples[0].value, indent=2, ensure_ascii=False)
    return ExampleView(inline(examples[0].title), tuple(text.split("\n")))
