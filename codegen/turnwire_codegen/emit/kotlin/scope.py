"""What the views of one package share: every declaration, who is an arm of what, and the tuples that are needed."""

from collections.abc import Iterator, Mapping

import msgspec

from turnwire_codegen.emit.kotlin.layout import Expression
from turnwire_codegen.emit.kotlin.names import type_name
from turnwire_codegen.ir import (
    Alias,
    Declaration,
    Protocol,
    Record,
    Ref,
    Union,
    Untagged,
    Variant,
)
from turnwire_codegen.passes.graph import circular, declarations, references, with_each

__all__ = ["Scope", "scope_of"]


class Scope(msgspec.Struct, frozen=True):
    """`owners` are the unions that a record or a union is itself an arm of.

    What types turn out to need grows while views are made: `arities` are the tuples, with or without a rest, `held` the
    codecs with rules by their names, each with the object that has it.
    """

    known: Mapping[str, Declaration]
    owners: Mapping[str, tuple[str, ...]]
    arities: set[tuple[int, bool]] = set()
    held: dict[str, tuple[str, Expression]] = {}

    def interfaces(self, name: str) -> str:
        """What the type of a declaration implements."""
        return ", ".join(type_name(owner) for owner in self.owners.get(name, ())) or "JsonWritable"

    def is_itself_arm(self, name: str, union: str) -> bool:
        """Whether the type of a declaration implements that of the union, so that it needs no wrapping."""
        return union in self.owners.get(name, ())


def scope_of(protocol: Protocol) -> tuple[Protocol, Scope]:
    """The protocol with aliases that hold themselves as unions of one arm, which have a name to hold; and its scope."""
    aliases = [decl for decl in declarations(protocol).values() if isinstance(decl, Alias)]
    held = circular({alias.name: set(references(alias)) for alias in aliases})
    protocol = with_each(protocol, lambda decl: _named(decl) if decl.name in held else decl)
    known = declarations(protocol)
    owners: dict[str, tuple[str, ...]] = {}
    for union in known.values():
        if isinstance(union, Union):
            for name in dict.fromkeys(_arms(union)):
                if _can_implement(name, union.name, known, owners):
                    owners[name] = (*owners.get(name, ()), union.name)
    return protocol, Scope(known, owners)


def _arms(union: Union) -> Iterator[str]:
    for variant in union.variants:
        if isinstance(variant.type, Ref):
            yield variant.type.name


def _can_implement(
    name: str, union: str, known: Mapping[str, Declaration], owners: Mapping[str, tuple[str, ...]]
) -> bool:
    """Records can, and unions that are not read by a tag of their own; but no type can implement itself."""
    if isinstance(known[name], Record):
        return True
    return isinstance(known[name], Union) and name not in _above(union, owners)


def _above(name: str, owners: Mapping[str, tuple[str, ...]]) -> set[str]:
    """A union with all that it implements."""
    return {name}.union(*(_above(owner, owners) for owner in owners.get(name, ())))


def _named(alias: Declaration) -> Declaration:
    assert isinstance(alias, Alias), "only aliases hold themselves without a name between"
    return Union(
        name=alias.name, doc=alias.doc, tagging=Untagged(), variants=(Variant(type=alias.type),), notes=alias.notes
    )
