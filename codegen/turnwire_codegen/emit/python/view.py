"""IR to what the templates print: frozen views in which every string is decided."""

from collections.abc import Mapping

import msgspec

from turnwire_codegen.emit.python.names import class_name
from turnwire_codegen.emit.python.records import ClassView, record_view
from turnwire_codegen.emit.python.tables import TypeView
from turnwire_codegen.emit.python.text import docstring, import_lines
from turnwire_codegen.emit.python.types import Home, Symbol, annotation, literal
from turnwire_codegen.emit.python.unions import UnionView, union_view
from turnwire_codegen.emit.remarks import deprecation, remarks
from turnwire_codegen.ir import Alias, Declaration, Enum, Family, Protocol, Record, Union, Untagged, Variant
from turnwire_codegen.passes.graph import needed_first, references
from turnwire_codegen.passes.tags import Tag

__all__ = [
    "AliasView",
    "BlockView",
    "EnumView",
    "FamilyView",
    "PackageView",
    "Scope",
    "family_view",
    "package_view",
]


class EnumView(msgspec.Struct, frozen=True, kw_only=True):
    """The values of an enum, `rest` for those that an open one may yet have."""

    name: str
    values: tuple[str, ...]
    rest: str
    doc: tuple[str, ...]


class AliasView(msgspec.Struct, frozen=True, kw_only=True):
    """A name for a type."""

    name: str
    text: str
    doc: tuple[str, ...]


class BlockView(msgspec.Struct, frozen=True, kw_only=True):
    """One of the things that follow the classes; the others are None."""

    union: UnionView | None = None
    enum: EnumView | None = None
    alias: AliasView | None = None


class FamilyView(msgspec.Struct, frozen=True, kw_only=True):
    """A module; what is needed when it is imported stands before what needs it."""

    module: str
    doc: tuple[str, ...]
    imports: tuple[str, ...]
    names: tuple[str, ...]
    classes: tuple[ClassView, ...]
    blocks: tuple[BlockView, ...]


class PackageView(msgspec.Struct, frozen=True, kw_only=True):
    """The package's own module."""

    doc: tuple[str, ...]
    imports: tuple[str, ...]
    names: tuple[str, ...]
    types: tuple[TypeView, ...]


class Scope(msgspec.Struct, frozen=True):
    """What the views of one module share."""

    home: Home
    tags: Mapping[str, Tag]
    known: Mapping[str, Declaration]
    recursive: frozenset[str]
    tried: frozenset[str]


def family_view(family: Family, scope: Scope) -> FamilyView:
    """The module of one family."""
    needed: set[tuple[str, str]] = {("__future__", "annotations")}
    records = [decl for decl in family.declarations if isinstance(decl, Record)]
    classes = [record_view(record, scope.home, scope.tags, needed) for record in records]
    blocks = [_block(decl, scope, needed) for decl in _in_order(family.declarations)]
    names = [class_name(decl.name) for decl in family.declarations]
    names += [block.union.unknown.name for block in blocks if block.union and block.union.unknown]
    names += [view.lone for view in classes if view.lone]
    if blocks:
        needed.add(("typing", "TypeAlias"))
    return FamilyView(
        module=scope.home.module,
        doc=docstring(f"{family.title}. {family.doc}", indent=0),
        imports=import_lines(needed),
        names=tuple(sorted(names)),
        classes=tuple(classes),
        blocks=tuple(blocks),
    )


def package_view(protocol: Protocol, families: list[FamilyView]) -> PackageView:
    """The names of all families, and where each is found; raises ValueError when two families share a name."""
    homes = {name: family.module for family in families for name in family.names}
    if len(homes) != sum(len(family.names) for family in families):
        raise ValueError("two families define one name")
    return PackageView(
        doc=docstring(f"{_titled(protocol)}: its types, each imported when first asked for.", indent=0),
        imports=tuple(f"from .{family.module} import {name} as {name}" for family in families for name in family.names),
        names=tuple(sorted(homes)),
        types=tuple(TypeView(name, homes[name]) for name in sorted(homes)),
    )


def _titled(protocol: Protocol) -> str:
    """The name of the protocol; a foreign one says no version."""
    return " ".join(filter(None, (protocol.title, protocol.version)))


def _block(declaration: Declaration, scope: Scope, needed: set[tuple[str, str]]) -> BlockView:
    match declaration:
        case Union():
            view, imports = union_view(
                declaration,
                scope.home,
                scope.known,
                recursive=declaration.name in scope.recursive,
                tried=declaration.name in scope.tried,
            )
            needed |= imports
            return BlockView(union=view)
        case Enum():
            return BlockView(enum=_enum(declaration, needed))
        case Alias(name=name, doc=doc, type=node) if name in scope.recursive:
            # A name that holds itself is a choice of one arm: only then can it be made before it exists.
            alone = Union(name=name, doc=doc, tagging=Untagged(), variants=(Variant(type=node),))
            return _block(alone, scope, needed)
        case Alias(name=name, type=node):
            symbol = annotation(node, scope.home)
            needed |= symbol.imports
            return BlockView(alias=AliasView(name=class_name(name), text=symbol.text, doc=_said(declaration)))
        case _:
            raise AssertionError("records are classes, they stand before the blocks")


def _said(alias: Alias) -> tuple[str, ...]:
    return docstring(alias.doc, remarks(alias.notes), deprecation(alias.notes), indent=0)


def _enum(enum: Enum, needed: set[tuple[str, str]]) -> EnumView:
    values: list[Symbol] = [literal(case.value) for case in enum.cases]
    needed |= frozenset().union(*(value.imports for value in values))
    cases = [f"- `{case.value}`: {case.doc}" if case.doc else f"- `{case.value}`" for case in enum.cases]
    open_note = ["Others may come; readers keep them as they are."] if enum.open else []
    return EnumView(
        name=class_name(enum.name),
        values=tuple(value.text.removeprefix("Literal[").removesuffix("]") for value in values),
        rest=" | str" if enum.open else "",
        doc=docstring(enum.doc, remarks(enum.notes), deprecation(enum.notes), *open_note, "\n".join(cases), indent=0),
    )


def _in_order(family: tuple[Declaration, ...]) -> list[Declaration]:
    """All but the records, each after those of this module that it needs while the module is being imported."""
    own = {decl.name: decl for decl in family if not isinstance(decl, Record)}
    edges = {name: [needed for needed in references(decl) if needed in own] for name, decl in own.items()}
    return [own[name] for name in needed_first(edges)]
