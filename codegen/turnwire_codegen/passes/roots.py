"""Derive what the method table implies: a message type per method, and the unions of all that each side sends."""

from collections.abc import Iterator

from turnwire_codegen.ir import (
    ByField,
    Const,
    Declaration,
    Family,
    Field,
    Method,
    Notes,
    Protocol,
    Record,
    Ref,
    Union,
    Untagged,
    Variant,
)
from turnwire_codegen.passes.graph import declarations
from turnwire_codegen.words import pascal

__all__ = ["ENVELOPE", "MESSAGES", "derive_roots", "message_name"]

# The types of the envelope that messages are made of; the loader sees to it that the schema defines them.
ENVELOPE = ("RequestId", "Response")
MESSAGES = "messages"


def derive_roots(protocol: Protocol) -> Protocol:
    """The protocol with a family `messages` more; without methods, as it is."""
    if not protocol.methods:
        return protocol
    known = declarations(protocol)
    records = tuple(_message(method, known) for method in protocol.methods)
    family = Family(
        name=MESSAGES,
        title="Messages",
        doc="Whole messages, derived from the method table: one type a method, and what each side sends.",
        declarations=(*records, *_roots(protocol.methods)),
    )
    return Protocol(
        id=protocol.id,
        title=protocol.title,
        version=protocol.version,
        families=(*protocol.families, family),
        methods=protocol.methods,
        errors=protocol.errors,
        machines=protocol.machines,
        capabilities=protocol.capabilities,
    )


def message_name(method: Method) -> str:
    """`thread/start` gives `ThreadStartRequest`."""
    return pascal(method.name) + method.kind.capitalize()


def _message(method: Method, known: dict[str, Declaration]) -> Record:
    fields = [Field(wire="jsonrpc", type=Const("2.0"), required=True, doc="The version of JSON-RPC.")]
    if method.kind == "request":
        fields.append(Field(wire="id", type=Ref(ENVELOPE[0]), required=True, doc="Names the call."))
    fields.append(Field(wire="method", type=Const(method.name), required=True, doc="The name of the method."))
    if method.params is not None:
        target = known[method.params]
        # Params without a required member may be left out whole.
        required = not isinstance(target, Record) or any(field.required for field in target.fields)
        fields.append(Field(wire="params", type=Ref(method.params), required=required, doc="The params."))
    return Record(name=message_name(method), doc=method.doc, fields=tuple(fields), notes=_stability(method))


def _roots(methods: tuple[Method, ...]) -> Iterator[Union]:
    for side in ("client", "server"):
        arms: list[str] = []
        for kind in ("request", "notification"):
            rows = [row for row in methods if row.kind == kind and row.sender in (side, "both")]
            if rows:
                union = _by_method(f"{side.capitalize()}{kind.capitalize()}", side, kind, rows)
                arms.append(union.name)
                yield union
        other = "server" if side == "client" else "client"
        yield Union(
            name=f"{side.capitalize()}To{other.capitalize()}",
            doc=f"Any message that the {side} sends.",
            tagging=Untagged(),
            variants=tuple(Variant(type=Ref(name)) for name in (*arms, ENVELOPE[1])),
        )


def _by_method(name: str, side: str, kind: str, rows: list[Method]) -> Union:
    """Unknown notifications are ignored, so their union is open; an unknown request gets an error."""
    return Union(
        name=name,
        doc=f"Every {kind} that the {side} sends.",
        tagging=ByField("method"),
        variants=tuple(
            Variant(
                type=Ref(message_name(row)),
                tag=row.name,
                notes=_stability(row),
            )
            for row in rows
        ),
        open=kind == "notification",
    )


def _stability(method: Method) -> Notes:
    return {"stability": "experimental"} if method.stability == "experimental" else {}
