"""What is only itself, through nothing but other names, is anything: such a circle has no value and no finite type."""

from collections.abc import Iterator

import msgspec

from turnwire_codegen.ir import Alias, AnyValue, Declaration, Nullable, Protocol, Ref, TypeNode, Union
from turnwire_codegen.passes.graph import closure, declarations

__all__ = ["cut_circles"]


def cut_circles(protocol: Protocol) -> Protocol:
    """The protocol with an alias of anything for each alias and union that is a part of itself at the same value."""
    known = declarations(protocol)
    edges = {name: frozenset(_same_value(decl)) for name, decl in known.items()}
    circular = {name for name in known if name in closure(name, edges)}
    families = tuple(
        msgspec.structs.replace(
            family,
            declarations=tuple(_cut(decl) if decl.name in circular else decl for decl in family.declarations),
        )
        for family in protocol.families
    )
    return msgspec.structs.replace(protocol, families=families)


def _cut(declaration: Declaration) -> Alias:
    return Alias(name=declaration.name, doc=declaration.doc, type=AnyValue(), notes=declaration.notes)


def _same_value(declaration: Declaration) -> Iterator[str]:
    """The names that a declaration says of the very value that it is given."""
    nodes: tuple[TypeNode, ...] = ()
    match declaration:
        case Alias(type=node):
            nodes = (node,)
        case Union(variants=variants):
            nodes = tuple(variant.type for variant in variants)
    for node in nodes:
        inner = node.of if isinstance(node, Nullable) else node
        if isinstance(inner, Ref):
            yield inner.name
