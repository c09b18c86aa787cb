"""Who uses what: the links that lead from a part of the reference back to those that name it."""

from collections.abc import Mapping

from turnwire_codegen.emit.docs.names import target
from turnwire_codegen.emit.docs.text import code, link
from turnwire_codegen.emit.docs.types import type_link
from turnwire_codegen.ir import Protocol
from turnwire_codegen.passes.graph import references
from turnwire_codegen.passes.roots import MESSAGES

__all__ = ["emitters", "error_link", "method_link", "users"]

Links = Mapping[str, tuple[str, ...]]


def users(protocol: Protocol) -> Links:
    """For each definition the definitions, methods and errors that name it."""
    found: dict[str, dict[str, None]] = {}
    for family in protocol.families:
        for declaration in family.declarations if family.name != MESSAGES else ():
            for name in references(declaration):
                if name != declaration.name:
                    found.setdefault(name, {})[type_link(declaration.name)] = None
    for row in protocol.methods:
        for named in (row.params, row.result):
            if named is not None:
                found.setdefault(named, {})[method_link(row.name)] = None
    for error in protocol.errors:
        if error.data is not None:
            found.setdefault(error.data, {})[error_link(error.name)] = None
    return {name: tuple(links) for name, links in found.items()}


def emitters(protocol: Protocol) -> Links:
    """For each notification the methods that it follows from."""
    found: dict[str, list[str]] = {}
    for row in protocol.methods:
        for name in row.emits:
            found.setdefault(name, []).append(method_link(row.name))
    return {name: tuple(links) for name, links in found.items()}


def method_link(name: str) -> str:
    """A method by its name, as a link to where it is described."""
    return link(code(name), target("method", name))


def error_link(name: str) -> str:
    """An error by its name, as a link to its row."""
    return link(code(name), target("error", name))
