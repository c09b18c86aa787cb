"""Methods out of message unions: ClientRequest, ServerNotification and their like, whose arms `method` tells apart."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from turnwire_codegen.ir import (
    Alias,
    AnyValue,
    ByField,
    Const,
    Declaration,
    MapOf,
    Method,
    Record,
    Ref,
    TypeNode,
    Union,
)
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
    made: dict[str, Alias] = {}
    for name, side in ROOTS.items():
        union = known.get(name)
        if isinstance(union, Union) and union.tagging == ByField("method"):
            for arm, sender_kind in _sided(list(_arms(union, known)), side):
                row = _method(arm, sender_kind, known, results, made)
                earlier = methods.get(row.name)
                both = earlier is not None and earlier.sender != row.sender
                methods[row.name] = msgspec.structs.replace(earlier or row, sender="both") if both else row
    return _replaced(loaded, tuple(methods.values()), made)


def _arms(union: Union, known: Mapping[str, Declaration]) -> Iterator[Record]:
    for variant in union.variants:
        target = known[variant.type.name] if isinstance(variant.type, Ref) else None
        if isinstance(target, Record):
            yield target


def _sided(arms: list[Record], side: Side) -> Iterator[tuple[Record, Side]]:
    """Each arm with what it is. Where some have ids, what has none is no request, whatever the union is called."""
    numbered = [any(field.wire == "id" for field in arm.fields) for arm in arms]
    for arm, has_id in zip(arms, numbered, strict=True):
        yield arm, side if has_id or not any(numbered) else (side[0], "notification")


def _method(
    arm: Record, side: Side, known: Mapping[str, Declaration], results: Results, made: dict[str, Alias]
) -> Method:
    sender, kind = side
    types: dict[str, Any] = {field.wire: field.type for field in arm.fields}
    method, params = types["method"], _named(arm, types.get("params"), known, made)
    assert isinstance(method, Const), "a union told apart by `method` has a const there"
    found = [result for result in results(arm, params) if result in known] if kind == "request" else []
    return Method(
        name=str(method.value),
        sender=sender,
        kind=kind,
        clause="",
        doc=arm.doc,
        params=params,
        result=next(iter(found), None),
    )


def _named(
    arm: Record, params: TypeNode | None, known: Mapping[str, Declaration], made: dict[str, Alias]
) -> str | None:
    """The declaration that params are; an object of anything is none yet, so it becomes one in `made`."""
    if isinstance(params, Ref):
        return params.name
    name = f"{arm.name}Params"
    if not isinstance(params, MapOf | AnyValue) or name in known:
        return None
    made[name] = Alias(name=name, doc="", type=params)
    return name


def _replaced(loaded: Loaded, methods: tuple[Method, ...], made: Mapping[str, Alias]) -> Loaded:
    """`loaded` with a table of methods, and what was declared for it."""
    first, *others = loaded.protocol.families
    declarations = sorted((*first.declarations, *made.values()), key=lambda declaration: declaration.name)
    families = (msgspec.structs.replace(first, declarations=tuple(declarations)), *others)
    protocol = msgspec.structs.replace(loaded.protocol, families=families, methods=methods)
    origins = {name: f"{loaded.origins[name.removesuffix('Params')]}/properties/params" for name in made}
    return msgspec.structs.replace(loaded, protocol=protocol, origins=loaded.origins | origins)
