"""`codex app-server generate-json-schema`: methods are the arms of ClientRequest, ServerNotification and their like.

The result of a request is the definition that is called like its params, with `Response` for `Params`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from turnwire_codegen.ir import ByField, Const, Declaration, Method, Record, Ref, Union
from turnwire_codegen.load.foreign.plain import Loaded, load_plain

__all__ = ["is_codex", "load_codex"]

_ROOTS: dict[str, tuple[Literal["client", "server"], Literal["request", "notification"]]] = {
    "ClientRequest": ("client", "request"),
    "ClientNotification": ("client", "notification"),
    "ServerRequest": ("server", "request"),
    "ServerNotification": ("server", "notification"),
}


def is_codex(document: Any) -> bool:
    """Whether the file has one of the four unions, as a definition or as its root, with arms told apart by `method`."""
    if not isinstance(document, dict):
        return False
    candidates = [document] if document.get("title") in _ROOTS else []
    candidates += [node for name, node in document.get("definitions", {}).items() if name in _ROOTS]
    return any(_has_method(arm) for node in candidates for arm in node.get("oneOf", []))


def load_codex(document: Any, path: Path) -> Loaded:
    """The types of the file with a method table made of its unions."""
    loaded = load_plain(document, path)
    known = {decl.name: decl for family in loaded.protocol.families for decl in family.declarations}
    methods: dict[str, Method] = {}
    for name, (sender, kind) in _ROOTS.items():
        union = known.get(name)
        if isinstance(union, Union) and union.tagging == ByField("method"):
            for arm in _arms(union, known):
                row = _method(arm, sender, kind, known)
                methods.setdefault(row.name, row)
    protocol = msgspec.structs.replace(loaded.protocol, methods=tuple(methods.values()))
    return msgspec.structs.replace(loaded, protocol=protocol)


def _arms(union: Union, known: Mapping[str, Declaration]) -> Iterator[Record]:
    for variant in union.variants:
        target = known[variant.type.name] if isinstance(variant.type, Ref) else None
        if isinstance(target, Record):
            yield target


def _method(
    arm: Record,
    sender: Literal["client", "server"],
    kind: Literal["request", "notification"],
    known: Mapping[str, Declaration],
) -> Method:
    types = {field.wire: field.type for field in arm.fields}
    method, params = types["method"], types.get("params")
    name = params.name if isinstance(params, Ref) else None
    result = f"{name.removesuffix('Params')}Response" if name else None
    assert isinstance(method, Const), "a union told apart by `method` has a const there"
    return Method(
        name=str(method.value),
        sender=sender,
        kind=kind,
        clause="",
        doc=arm.doc,
        params=name,
        result=result if kind == "request" and result in known else None,
    )


def _has_method(arm: Any) -> bool:
    return isinstance(arm, dict) and "method" in arm.get("properties", {})
