"""The bounds of a server: what `initialize` says, and what its peers keep (LIM-1)."""

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from turnwire.peer import PeerLimits
from turnwire.wire import Limits

__all__ = ["default_limits", "peer_limits"]

_KIB = 1024
_MIB = 1024 * _KIB


def default_limits(**changes: int | UnsetType) -> Limits:
    """The bounds of a server whose host sets none, with changes by name; UNSET takes a bound away.

    Raises:
        TypeError: there is no bound of that name.
    """
    limits = Limits(
        message_bytes=16 * _MIB,
        depth=128,
        requests=256,
        request_bytes=32 * _MIB,
        output_messages=512,
        output_bytes=8 * _MIB,
        pending_server_requests=256,
        replay_events=10_000,
        page_bytes=4 * _MIB,
        queue_entries=100,
        id_length=512,
        metadata_bytes=256 * _KIB,
        context_bytes=1 * _MIB,
        interrupt_ms=10_000,
        shutdown_ms=10_000,
        approval_grace_ms=30_000,
    )
    return replace(limits, **changes)


def peer_limits(limits: Limits) -> PeerLimits:
    """Those of the bounds that the peer of a connection keeps; a bound that is absent has the peer's own default."""
    given = {
        "message_bytes": limits.message_bytes,
        "depth": limits.depth,
        "id_length": limits.id_length,
        "requests": limits.requests,
        "request_bytes": limits.request_bytes,
        "output_messages": limits.output_messages,
        "output_bytes": limits.output_bytes,
        "pending": limits.pending_server_requests,
    }
    return PeerLimits(**{name: bound for name, bound in given.items() if bound is not UNSET})
