"""Methods out of message unions: ClientRequest, ServerNotification and their like, whose arms `method` tells apart."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from turnwire_codegen.ir import ByField, Const, Declaration, Method, Record, Ref, Union
from turnwire_codegen.load.foreign.plain import Loaded

__all__ = ["ROOTS", "Side", "with_methods"]

Side = tuple[Literal["client", "server"], Literal["request", "notification"]]
# What the union of all that one side sends is called, in each protocol that has one.
ROOTS: Mapping[str, Side] = {
    "ClientRequest": ("client", "request"),
    "ClientNotification": ("client", "notification"),
    "ServerRequest": ("server", "request"),
    "ServerNotification": ("server", "notification"),
}
# From the arm and the name of its params to what the result may be called, the likeliest first.
Results = Callable[[Record, str | None], tuple[str, ...]]


def with_methods(loaded: Loaded, results: Results) -> Loaded:
    """`loaded` with a method for each arm of its root unions; one that both sides send has `both` for its sender."""
    known = {decl.name: decl for family in loaded.protocol.families for decl in family.declarations}
    methods: dict[str, Method] = {}
    for name, side in ROOTS.items():
        union = known.get(name)
        if isinstance(union, Union) and union.tagging == ByField("method"):
            for arm in _arms(union, known):
                row = _method(arm, side, known, results)
                earlier = methods.get(row.name)
                both = earlier is not None and earlier.sender != row.sender
                methods[row.name] = msgspec.structs.replace(earlier or row, sender="both") if both else row
    protocol = msgspec.structs.replace(loaded.protocol, methods=tuple(methods.values()))
    return msgspec.structs.replace(loaded, protocol=protocol)


def _arms(union: Union, known: Mapping[str, Declaration]) -> Iterator[Record]:
    for variant in union.variants:
        target = known[variant.type.name] if isinstance(variant.type, Ref) else None
        if isinstance(target, Record):
            yield target


def _method(arm: Record, side: Side, known: Mapping[str, Declaration], results: Results) -> Method:
    sender, kind = side
    types: dict[str, Any] = {field.wire: field.type for field in arm.fields}
    method, params = types["method"], types.get("params")
    name = params.name if isinstance(params, Ref) else None
    assert isinstance(method, Const), "a union told apart by `method` has a const there"
    found = [result for result in results(arm, name) if result in known] if kind == "request" else []
    return Method(
        name=str(method.value),
        sender=sender,
        kind=kind,
        clause="",
        doc=arm.doc,
        params=name,
        result=next(iter(found), None),
    )
