"""IR to what the templates print: frozen views in which every string is decided."""

import msgspec

from turnwire_codegen.emit.remarks import deprecation, remarks
from turnwire_codegen.emit.swift.held import held
from turnwire_codegen.emit.swift.names import file_name, type_names
from turnwire_codegen.emit.swift.records import StructView, record_view, tuple_view, wrapper_view
from turnwire_codegen.emit.swift.shapes import boxed_members, wrapped_aliases
from turnwire_codegen.emit.swift.text import comment, quoted
from turnwire_codegen.emit.swift.types import Scope, nullable_part, type_text
from turnwire_codegen.emit.swift.unions import EnumView, enum_view, union_view
from turnwire_codegen.ir import Alias, Declaration, Enum, Family, Protocol, Record, TupleOf, Union
from turnwire_codegen.passes.graph import declarations

__all__ = ["AliasView", "DeclarationView", "FamilyView", "PartView", "definition_parts", "family_views", "scope_of"]

# A compiler takes a file at a time, so that two halves of a big one are ready sooner than the whole.
_FILE_DECLARATIONS = 100


class AliasView(msgspec.Struct, frozen=True):
    """Another name of a type."""

    name: str
    text: str
    doc: tuple[str, ...]


class DeclarationView(msgspec.Struct, frozen=True, kw_only=True):
    """One type: a structure, an enumeration, or another name; the others are None."""

    struct: StructView | None = None
    enumeration: EnumView | None = None
    alias: AliasView | None = None


class FamilyView(msgspec.Struct, frozen=True, kw_only=True):
    """A file."""

    path: str
    doc: tuple[str, ...]
    declarations: tuple[DeclarationView, ...]


class PartView(msgspec.Struct, frozen=True):
    """A function that knows some of the definitions."""

    name: str
    lines: tuple[str, ...]


def scope_of(protocol: Protocol) -> Scope:
    """What all types of a protocol share; its tuples have names."""
    known = declarations(protocol)
    return Scope(known, type_names(known), boxed_members(known), wrapped_aliases(known), {})


def family_views(family: Family, scope: Scope) -> list[FamilyView]:
    """The files of one family: one, or more where it is big."""
    views = [_declaration(decl, scope) for decl in family.declarations]
    doc = comment(f"{family.title}. {family.doc}", indent=0)
    path = file_name(family.name)
    parts = [views[at : at + _FILE_DECLARATIONS] for at in range(0, len(views), _FILE_DECLARATIONS)] or [[]]
    return [
        FamilyView(
            path=path if number == 0 else path.replace(".swift", f"{number + 1}.swift"),
            doc=doc,
            declarations=tuple(part),
        )
        for number, part in enumerate(parts)
    ]


def definition_parts(scope: Scope) -> list[PartView]:
    """A line for each definition that reads a value as its type; a name for another type has rules of its own.

    In parts, since the compiler takes the square of a long switch to see that its cases differ.
    """
    lines = [f"case {quoted(name)}: return try {_reading(name, scope)}" for name in sorted(scope.known)]
    starts = range(0, len(lines), _FILE_DECLARATIONS)
    return [
        PartView(f"part{number + 1}", tuple(lines[at : at + _FILE_DECLARATIONS])) for number, at in enumerate(starts)
    ]


def _reading(name: str, scope: Scope) -> str:
    declaration = scope.known[name]
    if not isinstance(declaration, Alias) or isinstance(declaration.type, TupleOf) or name in scope.wrapped:
        return f"{scope.names[name]}(json: json)"
    rules, text = held(declaration.type, scope), scope.names[name]
    read = f"{text}(json: json)" if rules is None else f"{text}(json: json.obeying({rules}))"
    # Left to itself, a nil that was read would become the nil of a name that nobody knows.
    return read if nullable_part(declaration.type, scope) is None else f"{read} as any JSONRepresentable"


def _declaration(declaration: Declaration, scope: Scope) -> DeclarationView:
    match declaration:
        case Record():
            return DeclarationView(struct=record_view(declaration, scope))
        case Union():
            return DeclarationView(enumeration=union_view(declaration, scope))
        case Enum():
            return DeclarationView(enumeration=enum_view(declaration, scope))
        case Alias(type=TupleOf() as node):
            return DeclarationView(struct=tuple_view(declaration, node, scope))
        case Alias(name=name) if name in scope.wrapped:
            return DeclarationView(struct=wrapper_view(declaration, scope))
        case Alias():
            return DeclarationView(alias=_alias(declaration, scope))


def _alias(alias: Alias, scope: Scope) -> AliasView:
    doc = comment(alias.doc, remarks(alias.notes), deprecation(alias.notes), indent=0)
    return AliasView(scope.names[alias.name], type_text(alias.type, scope), doc)
