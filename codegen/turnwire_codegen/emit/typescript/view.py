"""IR to what the templates print: frozen views in which every string is decided."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from turnwire_codegen.emit.remarks import deprecation, remarks
from turnwire_codegen.emit.typescript.exclusive import excluded_members
from turnwire_codegen.emit.typescript.names import member_name, module_name, type_name
from turnwire_codegen.emit.typescript.text import comment
from turnwire_codegen.emit.typescript.texts import other_name
from turnwire_codegen.emit.typescript.types import Symbol, arm_text, literal, type_text
from turnwire_codegen.ir import (
    Alias,
    AnyValue,
    Arm,
    ByField,
    Declaration,
    Enum,
    Family,
    Field,
    Notes,
    Protocol,
    Record,
    Union,
)
from turnwire_codegen.passes.graph import declarations, homes, unknown_name

_JSON = 'export { parseJson, stringifyJson } from "./json.js";'
__all__ = [
    "ChoiceView",
    "DeclarationView",
    "FamilyView",
    "MemberView",
    "RecordView",
    "Scope",
    "SupportView",
    "UnionView",
    "UnknownView",
    "family_view",
    "import_line",
    "index_view",
    "scope_of",
    "support_view",
]


class MemberView(msgspec.Struct, frozen=True):
    """A member of an object type, with its comment."""

    line: str
    doc: tuple[str, ...]


class ChoiceView(msgspec.Struct, frozen=True):
    """What an object type is besides: one of these arms."""

    opening: str
    arms: tuple[str, ...]


class RecordView(msgspec.Struct, frozen=True):
    """An object type; `others` is the line for undeclared members that have a type of their own, or empty."""

    members: tuple[MemberView, ...]
    choices: tuple[ChoiceView, ...]
    closing: str
    others: str = ""


class UnknownView(msgspec.Struct, frozen=True, kw_only=True):
    """What an open union may also hold."""

    name: str
    doc: tuple[str, ...]
    tag: str


class UnionView(msgspec.Struct, frozen=True):
    """The arms of a union or an enum, one a line, with their punctuation."""

    arms: tuple[str, ...]
    unknown: UnknownView | None


class DeclarationView(msgspec.Struct, frozen=True, kw_only=True):
    """One exported type: a record, a union, or plain text; the others are None."""

    name: str
    doc: tuple[str, ...]
    record: RecordView | None = None
    union: UnionView | None = None
    text: str | None = None


class FamilyView(msgspec.Struct, frozen=True, kw_only=True):
    """A file."""

    module: str
    doc: tuple[str, ...]
    imports: tuple[str, ...]
    support: frozenset[str]
    declarations: tuple[DeclarationView, ...]


class SupportView(msgspec.Struct, frozen=True):
    """What the support module holds beside that which it always has."""

    other_name: bool


class Scope(msgspec.Struct, frozen=True):
    """In which family each definition lives, and which members a record must not have."""

    homes: Mapping[str, str]
    excluded: Mapping[str, tuple[str, ...]]


def scope_of(protocol: Protocol) -> Scope:
    """What the views of all families are made in."""
    return Scope(homes(protocol), excluded_members(declarations(protocol)))


def family_view(family: Family, scope: Scope) -> FamilyView:
    """The file of one family."""
    names: set[str] = set()
    views = [_declaration(decl, names, scope) for decl in family.declarations]
    by_module: dict[str, set[str]] = {}
    for name in names:
        if scope.homes[name] != family.name:
            by_module.setdefault(module_name(scope.homes[name]), set()).add(type_name(name))
    support = _support(views)
    if support:
        by_module["support"] = set(support)
    return FamilyView(
        module=module_name(family.name),
        doc=comment(f"{family.title}. {family.doc}", indent=0),
        imports=tuple(import_line(module, by_module[module]) for module in sorted(by_module)),
        support=support,
        declarations=tuple(views),
    )


def support_view(families: list[FamilyView]) -> SupportView:
    """The support module of these families."""
    return SupportView(any("OtherName" in view.support for view in families))


def _support(views: list[DeclarationView]) -> frozenset[str]:
    """Which types of the support module are named."""
    unknown = any(view.union and view.union.unknown for view in views)
    others = any(view.record and view.record.others for view in views)
    return frozenset(name for name, named in (("UnknownTag", unknown), ("OtherName", others)) if named)


def index_view(families: list[str], *, values: bool) -> tuple[str, ...]:
    """The exports of the whole; `values` for the modules that hold more than types."""
    types = [f'export type * from "./{module}.js";' for module in (*families, "methods", "support")]
    return (*types, *(f'export * from "./{module}.js";' for module in ("errors", "protocol") if values), _JSON)


def import_line(module: str, names: set[str]) -> str:
    """A type-only import; the `.js` ending is what NodeNext asks for."""
    line = f'import type {{ {", ".join(sorted(names))} }} from "./{module}.js";'
    if len(line) <= 120:
        return line
    return "import type {\n" + "".join(f"  {name},\n" for name in sorted(names)) + f'}} from "./{module}.js";'


def _declaration(declaration: Declaration, names: set[str], scope: Scope) -> DeclarationView:
    name, doc = type_name(declaration.name), _said(declaration.doc, declaration.notes, indent=0)
    match declaration:
        case Record():
            return DeclarationView(name=name, doc=doc, record=_record(declaration, names, scope))
        case Union():
            return DeclarationView(name=name, doc=doc, union=_union(declaration, names, scope.homes))
        case Enum():
            return DeclarationView(name=name, doc=_enum_doc(declaration), union=_enum(declaration))
        case Alias(type=node):
            return DeclarationView(name=name, doc=doc, text=_noted(type_text(node), names))


def _record(record: Record, names: set[str], scope: Scope) -> RecordView:
    """A choice of one arm is no choice: what it says stands in the members."""
    settled = {field.wire: field for choice in record.choices if len(choice) == 1 for field in choice[0].fields}
    fields = [_settled(field, settled.pop(field.wire, None)) for field in record.fields]
    members = [_member(field, names) for field in [*fields, *settled.values()]]
    members += [MemberView(f"{member_name(wire)}?: never;", ()) for wire in scope.excluded.get(record.name, ())]
    members += _extra(record, names)
    choices = [choice for choice in record.choices if len(choice) > 1]
    return RecordView(
        tuple(members),
        tuple(
            ChoiceView(") & (" if index else "} & (", tuple(f"| {_arm(arm, names)}" for arm in choice))
            for index, choice in enumerate(choices)
        ),
        ");" if choices else "};",
        _others(record, scope.excluded.get(record.name, ()), names),
    )


def _settled(field: Field, closer: Field | None) -> Field:
    if closer is None:
        return field
    return msgspec.structs.replace(field, type=closer.type, required=closer.required)


def _arm(arm: Arm, names: set[str]) -> str:
    return f"{{ {' '.join(_line(field, names) for field in arm.fields).removesuffix(';')} }}"


def _member(field: Field, names: set[str]) -> MemberView:
    return MemberView(_line(field, names), _said(field.doc, field.notes, field.default, indent=2))


def _line(field: Field, names: set[str]) -> str:
    mark = "" if field.required else "?"
    return f"{member_name(field.wire)}{mark}: {_noted(type_text(field.type), names)};"


def _said(doc: str, notes: Notes, default: Any = UNSET, *, indent: int) -> tuple[str, ...]:
    """The comment of a part; editors strike through what is marked as deprecated."""
    old = deprecation(notes)
    return comment(doc, remarks(notes, default), f"@deprecated {old}" if old else "", indent=indent)


def _extra(record: Record, names: set[str]) -> list[MemberView]:
    """Undeclared members that carry data. Beside declared ones an index signature must admit those too, so: unknown."""
    if record.closed and not record.fields:
        return [MemberView("[member: string]: never;", ())]
    if record.extra is None:
        return []
    text = "unknown" if record.fields else _noted(type_text(record.extra), names)
    return [MemberView(f"[member: string]: {text};", ())]


def _others(record: Record, excluded: tuple[str, ...], names: set[str]) -> str:
    """Undeclared members whose names begin unlike all that may be declared: those have the type of their own."""
    if not record.fields or record.extra is None or isinstance(record.extra, AnyValue):
        return ""
    arms = [arm.fields for choice in record.choices for arm in choice]
    declared = [*(field.wire for fields in (record.fields, *arms) for field in fields), *excluded]
    keys = other_name(declared)
    return f"[member: {keys}]: {_noted(type_text(record.extra), names)};" if keys else ""


def _union(union: Union, names: set[str], known: Mapping[str, str]) -> UnionView:
    types = [variant.type for variant in union.variants]
    arms = [_noted(arm_text(node, types[:index] + types[index + 1 :]), names) for index, node in enumerate(types)]
    if not (union.open and isinstance(union.tagging, ByField)):
        return UnionView(_lines(arms), None)
    wire = union.tagging.wire
    unknown = UnknownView(
        name=type_name(unknown_name(union.name, known)),
        doc=comment(f"`{union.name}` with a `{wire}` that this version does not know.", indent=0),
        tag=member_name(wire),
    )
    return UnionView(_lines([*arms, unknown.name]), unknown)


def _enum(enum: Enum) -> UnionView:
    values = list(dict.fromkeys(literal(case.value) for case in enum.cases))
    # `string & {}` lets editors go on offering the known values.
    return UnionView(_lines([*values, "(string & {})"] if enum.open else values), None)


def _lines(arms: list[str]) -> tuple[str, ...]:
    return (*(f"| {arm}" for arm in arms[:-1]), f"| {arms[-1]};")


def _enum_doc(enum: Enum) -> tuple[str, ...]:
    cases = [f"- `{case.value}`: {case.doc}" if case.doc else f"- `{case.value}`" for case in enum.cases]
    open_note = ["Others may come; readers keep them as they are."] if enum.open else []
    return comment(enum.doc, remarks(enum.notes), *open_note, "\n".join(cases), indent=0)


def _noted(symbol: Symbol, names: set[str]) -> str:
    names |= symbol.names
    return symbol.text
