"""The entries of `$defs` in the narrow form: a record, a union, an enum or an alias, each named and described."""

import re
from typing import Any

from turnwire_codegen.ir import (
    Alias,
    ByShape,
    Case,
    Declaration,
    Enum,
    Field,
    Nullable,
    Record,
    Ref,
    Tagging,
    Union,
    Untagged,
    Variant,
)
from turnwire_codegen.load.refs import Names
from turnwire_codegen.load.shape import items, members, notes_of, text, truth, unexpected
from turnwire_codegen.load.tagging import tagged
from turnwire_codegen.load.types import read_type
from turnwire_codegen.problems import Place

__all__ = ["read_declaration", "tag_unions"]

_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")
_MEMBER = re.compile(r"[a-z][A-Za-z0-9]*")


def read_declaration(name: str, node: Any, place: Place, names: Names) -> Declaration:
    """The declaration `name`; everything outside the narrow form is reported at its pointer."""
    schema = members(node, place)
    if not _NAME.fullmatch(name):
        place.error(f"the definition name {name!r} is not PascalCase", "letters and digits, first a capital")
    doc = text(schema, "description", place)
    if "oneOf" in schema or "anyOf" in schema:
        return _choice(name, doc, schema, place, names)
    if schema.get("type") == "object" and "additionalProperties" not in schema and "x-opaque" not in schema:
        return _record(name, doc, schema, place, names)
    return Alias(name=name, doc=doc, type=read_type(schema, place, names), notes=notes_of(schema, but=("opaque",)))


def _record(name: str, doc: str, schema: dict[str, Any], place: Place, names: Names) -> Record:
    allowed = frozenset({"type", "description", "properties", "required"})
    unexpected(schema, allowed, place, fix="objects have properties and required, and stay open")
    properties = members(schema.get("properties", {}), place / "properties")
    required = items(schema, "required", place)
    for index, wanted in enumerate(required):
        if wanted not in properties:
            (place / "required" / index).error(f"{wanted!r} is required but not declared", "add it to properties")
    fields = tuple(
        _field(wire, member, place / "properties" / wire, names, required=wire in required)
        for wire, member in properties.items()
    )
    return Record(name=name, doc=doc, fields=fields, notes=notes_of(schema))


def _field(wire: str, node: Any, place: Place, names: Names, *, required: bool) -> Field:
    schema = members(node, place)
    if not _MEMBER.fullmatch(wire):
        place.error(f"the member name {wire!r} is not camelCase", "letters and digits, first a small letter")
    member_type = read_type(schema, place, names)
    doc = text(schema, "description", place, "")
    notes = notes_of(schema, but=("opaque",))
    if isinstance(member_type, Nullable) and "null" not in notes:
        place.error("a member that may be null does not say what null means", "add x-null: clears or unknown")
    if "default" in schema:
        return Field(wire=wire, type=member_type, required=required, doc=doc, default=schema["default"], notes=notes)
    return Field(wire=wire, type=member_type, required=required, doc=doc, notes=notes)


def _choice(name: str, doc: str, schema: dict[str, Any], place: Place, names: Names) -> Declaration:
    key = "oneOf" if "oneOf" in schema else "anyOf"
    unexpected(schema, frozenset({"description", key}), place, fix="a union or enum has nothing beside its arms")
    arms = [members(arm, place / key / index) for index, arm in enumerate(items(schema, key, place))]
    is_open = truth(schema, "x-open", place)
    notes = notes_of(schema, but=("open",))
    if arms and all("const" in arm for arm in arms):
        return Enum(name=name, doc=doc, cases=_cases(arms, place / key), open=is_open, notes=notes)
    variants = tuple(_variant(arm, place / key / index, names) for index, arm in enumerate(arms))
    tagging: Tagging = Untagged() if any(isinstance(v.type, Ref) for v in variants) else ByShape()
    if not variants:
        (place / key).error("a choice without arms", "name at least one")
    return Union(name=name, doc=doc, tagging=tagging, variants=variants, open=is_open, notes=notes)


def _cases(arms: list[dict[str, Any]], place: Place) -> tuple[Case, ...]:
    cases = []
    for index, arm in enumerate(arms):
        at = place / index
        unexpected(arm, frozenset({"const", "description"}), at, fix="an enum value is a const and its description")
        cases.append(Case(value=arm["const"], doc=text(arm, "description", at), notes=notes_of(arm)))
    values = [case.value for case in cases]
    for index, value in enumerate(values):
        if value in values[:index]:
            (place / index).error(f"the value {value!r} stands twice", "keep one")
    return tuple(cases)


def _variant(arm: dict[str, Any], place: Place, names: Names) -> Variant:
    return Variant(type=read_type(arm, place, names), notes=notes_of(arm, but=("opaque",)))


def tag_unions(declarations: dict[str, Declaration], places: dict[str, Place]) -> dict[str, Declaration]:
    """Find the tag of every union whose arms are records: one required const member that all share, all different."""
    found = dict(declarations)
    for name, declaration in declarations.items():
        if isinstance(declaration, Union) and isinstance(declaration.tagging, Untagged):
            found[name] = _tagged(declaration, declarations, places[name])
    return found


def _tagged(union: Union, declarations: dict[str, Declaration], place: Place) -> Union:
    found = tagged(union, declarations)
    if found is not None:
        return found
    # The envelope tells its messages apart by which members are present; it may, and says so by x-lint-ignore.
    if "lint-ignore" not in union.notes and place.file != "envelope.json":
        place.error("the arms share no required const member with different values", "give every arm one tag member")
    return union
