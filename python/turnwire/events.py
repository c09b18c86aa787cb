"""What a connection hears: frozen values, and nothing but values.

`Raw` members alias the bytes that came in; whoever keeps one beyond the handling of its event copies it.
"""

from typing import Annotated, Literal, TypeAlias

import msgspec

from turnwire.codec import ID_BOUND, NO_PARAMS
from turnwire.errors import ProtocolError

__all__ = [
    "CloseReason",
    "Closed",
    "Event",
    "NotificationReceived",
    "Refused",
    "RequestId",
    "RequestReceived",
    "ResponseReceived",
]

RequestId: TypeAlias = int | str

CloseReason: TypeAlias = Literal["eof", "lost", "closed", "slowReader"]
"""eof: the other side sends no more. lost: nothing can be written any more. closed: by this side. slowReader: by this
side, since the other did not read."""


# Events hold no cycles, so the garbage collector need not look at them (`gc=False`).
# The version is a tag, so that most requests are decoded into their event at once and it is still demanded.
class RequestReceived(msgspec.Struct, frozen=True, gc=False, tag_field="jsonrpc", tag="2.0"):
    """A request with a lawful envelope; nothing is said yet of its method and params.

    Params that are absent are an object without members (RPC-12).
    """

    id: Annotated[int, msgspec.Meta(ge=-ID_BOUND, le=ID_BOUND)] | str
    method: str
    params: msgspec.Raw = NO_PARAMS


class NotificationReceived(msgspec.Struct, frozen=True, gc=False):
    """A notification. RPC-15, RPC-16: it never gets a reply, and an unknown one is ignored."""

    method: str
    params: msgspec.Raw | None = None


class ResponseReceived(msgspec.Struct, frozen=True, gc=False):
    """The answer to a request that this side sent: `result`, or `error` when that failed or is garbage."""

    id: RequestId
    method: str
    result: msgspec.Raw | None = None
    error: ProtocolError | None = None


class Refused(msgspec.Struct, frozen=True, gc=False):
    """Something that is not served, whoever asks. `reply` is to be sent, and empty where none is due.

    `excerpt` is how the message begins, for a person who looks for the cause. It may hold secrets: no server logs it.
    """

    reply: bytes
    code: int
    message: str
    excerpt: bytes = b""


class Closed(msgspec.Struct, frozen=True, gc=False):
    """No event comes after this one."""

    reason: CloseReason = "eof"


Event: TypeAlias = RequestReceived | NotificationReceived | ResponseReceived | Refused | Closed
