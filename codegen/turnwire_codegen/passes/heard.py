"""What a client hears is open, whether the schema says so or not: servers grow arms and values between releases."""

import msgspec

from turnwire_codegen.ir import ByField, Declaration, Enum, Protocol, Union
from turnwire_codegen.passes.graph import declarations, reachable

__all__ = ["heard_types", "open_heard"]


def open_heard(protocol: Protocol) -> Protocol:
    """The protocol with every tagged union and string enum open that a client reads; requests to it stay closed."""
    heard = heard_types(protocol)
    families = tuple(
        msgspec.structs.replace(
            family,
            declarations=tuple(_opened(decl) if decl.name in heard else decl for decl in family.declarations),
        )
        for family in protocol.families
    )
    return msgspec.structs.replace(protocol, families=families)


def heard_types(protocol: Protocol) -> set[str]:
    """What a client reads: params that a server sends, results of requests, and all that these refer to."""
    roots = {row.params for row in protocol.methods if row.params and row.sender != "client"}
    roots |= {row.result for row in protocol.methods if row.result}
    return reachable(roots, declarations(protocol))


def _opened(declaration: Declaration) -> Declaration:
    match declaration:
        case Union(tagging=ByField()) if all(isinstance(variant.tag, str) for variant in declaration.variants):
            return msgspec.structs.replace(declaration, open=True)
        case Enum(cases=cases) if all(isinstance(case.value, str) for case in cases):
            return msgspec.structs.replace(declaration, open=True)
        case _:
            return declaration
