"""The sans-IO core: bytes in, events out, and bytes for whoever writes them. It never awaits, sleeps or reads a clock.

A connection knows the envelope and the requests that it has sent; it knows nothing of handshakes, capabilities or
handlers. Those belong to the endpoint behind the peer.
"""

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias, cast

import msgspec
from msgspec import UNSET, Raw, UnsetType

from turnwire.codec import (
    NO_PARAMS,
    Envelope,
    Limits,
    Params,
    Unlawful,
    decode_envelope,
    decode_error,
    encode_error,
    encode_notification,
    encode_request,
    encode_result,
    on_one_line,
)
from turnwire.errors import ConnectionClosed, LocalProtocolError, Refusal, RemoteProtocolError, invalid_request
from turnwire.events import (
    Closed,
    CloseReason,
    Event,
    NotificationReceived,
    Refused,
    RequestId,
    RequestReceived,
    ResponseReceived,
)
from turnwire.framing import LineSplitter, Overlong
from turnwire.glimpse import response_id
from turnwire.pending import Pending, PendingCall

__all__ = ["Connection", "Role"]

Role: TypeAlias = Literal["client", "server"]

# The whitespace of JSON: what may stand around a value, and all that a blank message holds.
_SPACE = b" \t\r\n"
# Enough of an unreadable message to recognise it: a banner, a log line, the head of a page of HTML.
_EXCERPT = 160


class _Never(msgspec.Struct, tag_field="jsonrpc", tag=""):
    """Makes a union of the one type that it stands beside: msgspec demands a tag only to tell two apart.

    Its tag may come, but no integer is its member.
    """

    never: Annotated[int, msgspec.Meta(gt=0, lt=0)]


# The cast says what the integer in `_Never` sees to: only requests come out.
_decode_request = cast(Callable[[bytes], RequestReceived], msgspec.json.Decoder(RequestReceived | _Never).decode)


class Connection:
    """One side of one connection.

    A server answers what is unreadable with `id:null` (RPC-7); a client has nobody to tell, so its `Refused` events
    carry no reply, unless the other side asked a readable request.
    """

    def __init__(self, role: Role, limits: Limits | None = None, *, pending_limit: int = 256) -> None:
        self.role = role
        self.limits = Limits() if limits is None else limits
        self._splitter = LineSplitter(self.limits.message_bytes)
        self._pending = Pending(pending_limit)
        self._closed = False
        # Mostly a server hears requests, and a client does not.
        self._short = self.limits.harmless if role == "server" else -1

    @property
    def is_closed(self) -> bool:
        """Whether the end has come, from either side."""
        return self._closed

    def receive_data(self, chunk: bytes) -> list[Event]:
        """What `chunk` of a byte stream completes, in order. Any split of a stream gives the same events.

        Raises:
            LocalProtocolError: the connection is closed.
        """
        self._demand_open()
        return self._read_all(self._splitter.feed(chunk))

    def receive_message(self, message: bytes) -> list[Event]:
        """One whole message of a transport that has frames.

        Raises:
            LocalProtocolError: the connection is closed.
        """
        self._demand_open()
        if len(message) > self.limits.message_bytes:
            return self._read_all([Overlong.of(message, self.limits.message_bytes)])
        return self._read_all([on_one_line(message) if message.find(b"\n") >= 0 else message])

    def receive_eof(self) -> list[Event]:
        """The end of input: what was read in part, then `Closed`. Nothing can be received after it."""
        if self._closed:
            return []
        events = self._read_all(self._splitter.finish())
        self._closed = True
        return [*events, Closed("eof")]

    def close(self, reason: CloseReason = "closed") -> list[Event]:
        """The end by this side or by the transport; what was read in part is lost."""
        if self._closed:
            return []
        self._closed = True
        return [Closed(reason)]

    def send_request(self, method: str, params: Params = None, *, deadline: float | None = None) -> tuple[int, bytes]:
        """A request under a new id, and its line.

        Raises:
            PendingFull: too many wait already.
            ConnectionClosed: nobody is there to answer; nothing was sent.
        """
        if self._closed:
            raise ConnectionClosed(f"the connection has ended; {method} was not sent")
        call = self._pending.add(method, deadline)
        return call.id, encode_request(call.id, method, params)

    def send_notification(self, method: str, params: Params = None) -> bytes:
        """The line of a notification."""
        return encode_notification(method, params)

    def send_result(self, request_id: RequestId, result: Any) -> bytes:
        """The line of a reply; lawful after the end of input too, since what was read is answered."""
        return encode_result(request_id, result)

    def send_error(self, request_id: RequestId | None, refusal: Refusal) -> bytes:
        """The line of an error reply; the id is None for what was unreadable."""
        return encode_error(request_id, refusal)

    def give_up(self, call_id: int) -> PendingCall | None:
        """Wait no more for the answer to a request; a late one is ignored."""
        return self._pending.take(call_id)

    def take_expired(self, now: float) -> list[PendingCall]:
        """The requests whose deadline is past; a late answer to one is ignored."""
        return self._pending.take_expired(now)

    def next_deadline(self) -> float | None:
        """The earliest deadline of the requests that wait."""
        return self._pending.next_deadline()

    def _demand_open(self) -> None:
        if self._closed:
            raise LocalProtocolError("the connection is closed")

    def _read_all(self, messages: list[bytes]) -> list[Event]:
        # The hottest path of a server: short requests become their events in one step.
        if messages and len(max(messages, key=len)) <= self._short and all(map(bytes.isascii, messages)):
            try:
                return [_decode_request(message) for message in messages]
            except msgspec.DecodeError:
                # One of them is something else; each is looked at by itself.
                pass
        read = (self._read(message) for message in messages)
        return [event for event in read if event is not None]

    def _read(self, message: bytes) -> Event | None:
        """One message, whatever it is."""
        if isinstance(message, Overlong):
            return self._overlong(message.head)
        try:
            envelope = decode_envelope(message, self.limits)
        except Unlawful as fault:
            # STDIO-8: "Blank lines and lines of spaces are passed over without a reply."
            return None if not message.strip(_SPACE) else self._refused(fault, message)
        if envelope.method is UNSET:
            return self._response(envelope)
        if envelope.id is UNSET:
            return NotificationReceived(envelope.method, None if envelope.params is UNSET else envelope.params)
        return RequestReceived(envelope.id, envelope.method, NO_PARAMS if envelope.params is UNSET else envelope.params)

    def _overlong(self, head: bytes) -> Event | None:
        """What passed the limit is not read, but a response says early whose it is: nobody waits for it in vain."""
        limit = self.limits.message_bytes
        request_id = response_id(head)
        call = None if request_id is None else self._pending.take(request_id)
        if call is not None:
            error = RemoteProtocolError(f"the response to {call.method} has more than {limit} bytes")
            return ResponseReceived(call.id, call.method, error=error)
        return self._refused(Unlawful(invalid_request(f"A message has at most {limit} bytes.", limit=limit)), b"")

    def _response(self, envelope: Envelope) -> ResponseReceived | None:
        """RPC-17: a response "is never answered, also where its id is null or unknown"."""
        call = None if isinstance(envelope.id, UnsetType) else self._pending.take(envelope.id)
        if call is None:
            return None
        if isinstance(envelope.result, Raw) and _is_absent(envelope.error):
            return ResponseReceived(call.id, call.method, result=envelope.result)
        if isinstance(envelope.error, Raw) and isinstance(envelope.result, UnsetType):
            return ResponseReceived(call.id, call.method, error=decode_error(envelope.error))
        # RPC-6: "A reply has exactly one of `result` and `error`."
        both = RemoteProtocolError(f"the response to {call.method} has a result and an error")
        return ResponseReceived(call.id, call.method, error=both)

    def _refused(self, fault: Unlawful, message: bytes) -> Event | None:
        envelope, refusal = fault.envelope, fault.refusal
        request_id = None if isinstance(envelope.id, UnsetType) else envelope.id
        if envelope.is_response:
            call = None if request_id is None else self._pending.take(request_id)
            error = RemoteProtocolError(f"the response cannot be read: {refusal.message}")
            return None if call is None else ResponseReceived(call.id, call.method, error=error)
        silent = envelope.is_notification or (request_id is None and self.role == "client")
        reply = b"" if silent else encode_error(request_id, refusal)
        return Refused(reply, refusal.code, refusal.message, message[:_EXCERPT])


def _is_absent(error: Raw | UnsetType) -> bool:
    """No error, or the null that some servers write beside a result."""
    return isinstance(error, UnsetType) or bytes(error) == b"null"
