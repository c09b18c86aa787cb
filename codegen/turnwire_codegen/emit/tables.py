"""What the tables of every language say, whatever its words: who sends what, what may be left out, the constants."""

from collections.abc import Callable, Iterator, Mapping

import msgspec

from turnwire_codegen.ir import Capability, Declaration, Method, Protocol, Record

__all__ = ["MethodGroup", "ProtocolView", "method_groups", "needs_params", "protocol_view"]


class MethodGroup(msgspec.Struct, frozen=True):
    """All methods of one kind that one side sends; what both sides send is in the groups of both."""

    side: str
    kind: str
    rows: tuple[Method, ...]


class ProtocolView(msgspec.Struct, frozen=True, kw_only=True):
    """The constants, the texts as literals, and what each side can offer as rows of the language."""

    version: str
    major: int
    id: str
    digest: str
    server: tuple[object, ...]
    client: tuple[object, ...]


def method_groups(protocol: Protocol) -> Iterator[MethodGroup]:
    """The four groups, but for those without a row."""
    for side in ("client", "server"):
        for kind in ("request", "notification"):
            rows = tuple(row for row in protocol.methods if row.kind == kind and row.sender in (side, "both"))
            if rows:
                yield MethodGroup(side, kind, rows)


def needs_params(method: Method, known: Mapping[str, Declaration]) -> bool:
    """Whether a caller has to give params: they have a member that is required, or are no object."""
    if method.params is None:
        return False
    params = known[method.params]
    return not isinstance(params, Record) or any(field.required for field in params.fields)


def protocol_view(
    protocol: Protocol,
    digest: str,
    quoted: Callable[[str], str],
    row_of: Callable[[Capability], object] = lambda row: row.key,
) -> ProtocolView:
    """The view of a protocol in a language that quotes texts and writes capabilities so."""
    offers = {
        side: tuple(row_of(row) for row in protocol.capabilities if row.side == side) for side in ("server", "client")
    }
    return ProtocolView(
        version=quoted(protocol.version),
        major=int(protocol.version.partition(".")[0]),
        id=quoted(protocol.id),
        digest=quoted(digest),
        server=offers["server"],
        client=offers["client"],
    )
