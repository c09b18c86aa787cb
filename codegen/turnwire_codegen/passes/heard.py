"""What a client hears is open, whether the schema says so or not: servers grow arms and values between releases."""

import msgspec

from turnwire_codegen.ir import Arm, ByField, Const, Declaration, Enum, Protocol, Record, Scalar, Union
from turnwire_codegen.passes.graph import declarations, reachable, with_each
from turnwire_codegen.rules import Const as Values

__all__ = ["heard_types", "open_heard"]


def open_heard(protocol: Protocol) -> Protocol:
    """The protocol with every tagged union and string enum open that a client reads; requests to it stay closed."""
    heard = heard_types(protocol)
    return with_each(protocol, lambda decl: _opened(decl) if decl.name in heard else decl)


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
        case Record(choices=choices) if choices:
            kept = tuple(choice for choice in choices if not any(map(_lists_texts, choice)))
            return msgspec.structs.replace(declaration, choices=kept)
        case _:
            return declaration


def _lists_texts(arm: Arm) -> bool:
    """Whether an arm has the values of an enum, which may grow."""
    return any(
        (isinstance(node, Const) and isinstance(node.value, str))
        or (isinstance(node, Scalar) and node.kind == "string" and any(isinstance(rule, Values) for rule in node.rules))
        for node in (field.type for field in arm.fields)
    )
