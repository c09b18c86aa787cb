"""IR to what the templates print: frozen views in which every string is decided."""

import json
from typing import Any

import msgspec

from turnwire_codegen.emit.kotlin.imports import import_lines
from turnwire_codegen.emit.kotlin.names import case_names, file_name, type_name
from turnwire_codegen.emit.kotlin.records import RecordView, record_view
from turnwire_codegen.emit.kotlin.scope import Scope
from turnwire_codegen.emit.kotlin.text import comment, deprecated, quoted
from turnwire_codegen.emit.kotlin.types import symbol_of
from turnwire_codegen.emit.kotlin.unions import UnionView, UnknownView, union_view
from turnwire_codegen.emit.remarks import deprecation, remarks
from turnwire_codegen.ir import Alias, Case, Declaration, Enum, Family, Record, Union

__all__ = ["AliasView", "CaseView", "DeclarationView", "EnumView", "FamilyView", "family_view"]


class CaseView(msgspec.Struct, frozen=True):
    """An entry of an enum, with its comment."""

    line: str
    doc: tuple[str, ...]


class EnumView(msgspec.Struct, frozen=True, kw_only=True):
    """An enum. `wire` is the type of its values, `read` takes one out of JSON, `written` writes one."""

    name: str
    doc: tuple[str, ...]
    interfaces: str
    cases: tuple[CaseView, ...]
    wire: str
    read: str
    written: str


class AliasView(msgspec.Struct, frozen=True, kw_only=True):
    """Another name of a type."""

    name: str
    doc: tuple[str, ...]
    text: str


class DeclarationView(msgspec.Struct, frozen=True, kw_only=True):
    """One of these; the others are None."""

    record: RecordView | None = None
    union: UnionView | None = None
    open_enum: EnumView | None = None
    closed_enum: EnumView | None = None
    alias: AliasView | None = None


class FamilyView(msgspec.Struct, frozen=True, kw_only=True):
    """A file."""

    file: str
    doc: tuple[str, ...]
    imports: tuple[str, ...]
    declarations: tuple[DeclarationView, ...]


# What the templates say of their own accord.
_PRINTED: dict[type, tuple[str, ...]] = {
    RecordView: ("Serializable", "JsonElement", "JsonObject"),
    UnionView: ("Serializable", "JsonElement"),
    UnknownView: ("JsonObject",),
    EnumView: ("Serializable", "JsonElement"),
}


def family_view(family: Family, scope: Scope) -> FamilyView:
    """The file of one family."""
    views = tuple(_declaration(declaration, scope) for declaration in family.declarations)
    return FamilyView(
        file=file_name(family.name),
        doc=comment(f"{family.title}. {family.doc}", indent=0),
        imports=import_lines(
            views, {name for kind, names in _PRINTED.items() if _holds(views, kind) for name in names}
        ),
        declarations=views,
    )


def _holds(node: object, kind: type) -> bool:
    """Whether a view of this kind is among these, near or far."""
    if isinstance(node, tuple):
        return any(_holds(part, kind) for part in node)
    if not isinstance(node, msgspec.Struct):
        return False
    return isinstance(node, kind) or any(_holds(getattr(node, name), kind) for name in node.__struct_fields__)


def _declaration(declaration: Declaration, scope: Scope) -> DeclarationView:
    match declaration:
        case Record():
            return DeclarationView(record=record_view(declaration, scope))
        case Union():
            return DeclarationView(union=union_view(declaration, scope))
        case Enum(open=True):
            return DeclarationView(open_enum=_enum(declaration, scope))
        case Enum():
            return DeclarationView(closed_enum=_enum(declaration, scope))
        case Alias():
            return DeclarationView(alias=_alias(declaration, scope))


def _alias(alias: Alias, scope: Scope) -> AliasView:
    symbol = symbol_of(alias.type, scope)
    old = deprecation(alias.notes)
    doc = (*comment(alias.doc, remarks(alias.notes), old, indent=0), *deprecated(old))
    return AliasView(name=type_name(alias.name), doc=doc, text=symbol.text)


def _enum(enum: Enum, scope: Scope) -> EnumView:
    texts = all(isinstance(case.value, str) for case in enum.cases)
    # A text is another value than the number that it spells, so cases are known by their JSON.
    names = case_names({json.dumps(case.value): case.name or _spelled(case.value) for case in enum.cases})
    old = deprecation(enum.notes)
    note = "Others may come; readers keep them as they are." if enum.open else ""
    return EnumView(
        name=type_name(enum.name),
        doc=(*comment(enum.doc, remarks(enum.notes), note, old, indent=0), *deprecated(old)),
        interfaces=scope.interfaces(enum.name),
        cases=tuple(_case(case, names[json.dumps(case.value)], texts=texts) for case in enum.cases),
        wire="String" if texts else "JsonPrimitive",
        read="StringCodec.read(json)" if texts else "scalar(json)",
        written="JsonPrimitive(wire)" if texts else "wire",
    )


def _case(case: Case, name: str, *, texts: bool) -> CaseView:
    wire = quoted(str(case.value)) if texts else _primitive(case.value)
    return CaseView(f"{name}({wire}),", comment(case.doc, remarks(case.notes), deprecation(case.notes), indent=4))


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else f"{type(value).__name__} {value}"


def _primitive(value: Any) -> str:
    match value:
        case None:
            return "JsonNull"
        case str():
            return f"JsonPrimitive({quoted(value)})"
        case bool():
            return f"JsonPrimitive({str(value).lower()})"
        case _:
            return f"JsonPrimitive({value!r}L)" if isinstance(value, int) else f"JsonPrimitive({value!r})"
