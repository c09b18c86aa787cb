"""What is only itself, through nothing but other names, is anything: such a circle has no value and no finite type.

How many names stand for each other at one value without a circle is counted here too."""

from collections.abc import Iterator

from turnwire_codegen.ir import Alias, AnyValue, Declaration, Nullable, Protocol, Ref, TypeNode, Union
from turnwire_codegen.passes.graph import circular, declarations, needed_first, with_each

__all__ = ["cut_circles", "depth_of_unions"]


def cut_circles(protocol: Protocol) -> Protocol:
    """The protocol with an alias of anything for each alias and union that is a part of itself at the same value."""
    known = declarations(protocol)
    edges = {name: frozenset(_same_value(decl)) for name, decl in known.items()}
    cut = circular(edges)
    return with_each(protocol, lambda decl: _cut(decl) if decl.name in cut else decl)


def depth_of_unions(protocol: Protocol) -> int:
    """How many unions are an arm of the next, at the most; there are no circles."""
    known = declarations(protocol)
    edges = {name: tuple(_same_value(decl)) for name, decl in known.items()}
    depths: dict[str, int] = {}
    for name in needed_first(edges):
        depths[name] = isinstance(known[name], Union) + max((depths[inner] for inner in edges[name]), default=0)
    return max(depths.values(), default=0)


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
