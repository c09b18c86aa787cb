"""Who is behind a peer, what it answers with, and the bounds of a connection."""

from collections.abc import Coroutine
from typing import Any, Protocol, TypeAlias

from turnwire.codec import Limits
from turnwire.events import CloseReason, NotificationReceived, Refused, RequestReceived

__all__ = ["Endpoint", "PeerLimits", "Reply"]

Reply: TypeAlias = bytes | Coroutine[Any, Any, bytes]
"""The message that answers a request (`codec.encode_result`, `encode_error`), or a coroutine that gives it.

Empty bytes mean that the endpoint has sent the reply itself with `Peer.send`, to put something behind it.
"""


class PeerLimits(Limits, frozen=True, kw_only=True):
    """The bounds of a connection, with those of a single message; section LIM."""

    requests: int = 256
    request_bytes: int = 32 * 1024 * 1024
    output_messages: int = 512
    output_bytes: int = 8 * 1024 * 1024
    pending: int = 256
    # STDIO-13: "exits within 5 seconds"; what runs at the end gets most of them, and its output a moment to leave.
    drain_seconds: float = 4.0
    linger_seconds: float = 0.5
    retry_after_ms: int = 100


class Endpoint(Protocol):
    """Who is behind a peer: a session of the server, or a client."""

    def handle_request(self, request: RequestReceived) -> Reply:
        """Answer one request, known or not. A Refusal that is raised, here or in the coroutine, is the answer.

        A coroutine is begun only when the request queue has room (LIM-3), and is closed unbegun otherwise: what
        changes anything belongs inside it. An answer that is given at once never counts.
        """

    def handle_notification(self, notification: NotificationReceived) -> None:
        """One notification, known or not. RPC-16: ignore what is no notification of the other side."""

    def handle_refused(self, refused: Refused) -> None:
        """Something came that is not served; its reply, if one is due, is on its way. For logs."""

    def handle_closed(self, reason: CloseReason) -> Coroutine[Any, Any, None] | None:
        """No more input comes; called once.

        Unless the reason is `lost`, what is sent still goes out: the peer awaits the coroutine and every handler that
        runs, for at most `drain_seconds`, flushes, and closes the transport.
        """
