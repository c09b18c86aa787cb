"""One message to its envelope and back: every rule of RPC-* that a single message can break is kept here.

The fast path is one typed decode. Only what it refuses is read again, slowly, to say what is wrong or to accept what
is lawful after all (a bad duplicate of a good key). The guards for what msgspec passes over are cheap first:
`isascii` before UTF-8, a length below which no bound can be broken.
"""

import re
from functools import cache
from itertools import accumulate
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Raw, UnsetType

from turnwire.errors import (
    Refusal,
    RemoteError,
    RemoteProtocolError,
    invalid_params,
    invalid_request,
    parse_error,
)
from turnwire.issues import issue_of
from turnwire.wire import params_decoder, result_decoder

__all__ = [
    "ID_BOUND",
    "NO_PARAMS",
    "Envelope",
    "Limits",
    "Params",
    "Unlawful",
    "decode_envelope",
    "decode_error",
    "decode_params",
    "decode_result",
    "encode_error",
    "encode_known_result",
    "encode_notification",
    "encode_request",
    "encode_result",
    "on_one_line",
]

# RPC-2: "an integer within ±(2^53-1)".
ID_BOUND = 2**53 - 1
# RPC-10: "an integer of more than 4,300 digits anywhere".
_DIGITS = 4300
# How deep a message may be for its id to count as readable (RPC-7). Some versions of Python walk a thousand levels,
# others many more; below this all of them do, so that the answer does not depend on the version.
_READABLE_DEPTH = 512

NO_PARAMS = Raw(b"{}")

Params: TypeAlias = msgspec.Struct | dict[str, Any] | Raw | None
"""What can be sent as params: a type of `turnwire.wire`, plain JSON, JSON text, or nothing."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of a single message; section LIM."""

    message_bytes: int = 16 * 1024 * 1024
    depth: int = 128
    id_length: int = 512

    @property
    def harmless(self) -> int:
        """A message of so many bytes breaks no bound: each level of nesting takes two bytes, and so on."""
        return min(2 * self.depth, self.id_length, _DIGITS, self.message_bytes)


class Envelope(msgspec.Struct, gc=False):
    """What stands around params, result or error. Absent is UNSET; a result of null is `Raw(b"null")`."""

    jsonrpc: Literal["2.0"]
    id: Annotated[int, msgspec.Meta(ge=-ID_BOUND, le=ID_BOUND)] | str | UnsetType = UNSET
    method: str | UnsetType = UNSET
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET

    @property
    def is_response(self) -> bool:
        """RPC-17: "An object with `result` or `error` and without `method` is a response." """
        return self.method is UNSET and (self.result is not UNSET or self.error is not UNSET)

    @property
    def is_notification(self) -> bool:
        """RPC-18."""
        return self.method is not UNSET and self.id is UNSET


class Unlawful(Exception):  # noqa: N818 - says what the message is
    """A message that is not served, with as much of its envelope as was readable."""

    def __init__(self, refusal: Refusal, envelope: Envelope | None = None) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal
        self.envelope = Envelope("2.0") if envelope is None else envelope


def decode_envelope(message: bytes, limits: Limits) -> Envelope:
    """The envelope of one message whose length is within the limit.

    Raises:
        Unlawful: RPC-1, RPC-3, RPC-7 to RPC-10, RPC-18, RPC-22.
    """
    if not message.isascii():
        _demand_utf8(message)
    try:
        try:
            envelope = _decode_fast(message)
        except msgspec.DecodeError:
            envelope = _decode_slowly(message, limits)
    except RecursionError:
        # Both paths meet the depth of a message: an array is refused by the first before it is walked.
        raise Unlawful(_too_deep(limits)) from None
    if envelope.method is not UNSET or not envelope.is_response:
        if type(envelope.id) is str and len(envelope.id) > limits.id_length:
            raise Unlawful(_bad_id(limit=limits.id_length))
        if envelope.method is UNSET:
            raise Unlawful(invalid_request("A message has a method, a result or an error."), envelope)
    # Each level of nesting takes two bytes.
    if len(message) > 2 * limits.depth:
        _demand_bounds(message, envelope, limits)
    return envelope


def on_one_line(message: bytes) -> bytes:
    """A message of a transport with frames as it would stand in a line, so that parts of it can be passed on as such.

    What is not JSON comes back as it is, so that it is refused: a raw line end within a string is no space.
    """
    try:
        _decode_any(message)
    except (msgspec.DecodeError, RecursionError):
        return message
    return message.replace(b"\n", b" ")


def decode_params(method: str, params: Raw | None) -> Any:
    """The params of a known method as their type; absent params are an object without members (RPC-12).

    Raises:
        Refusal: invalidParams, with the JSON pointer of the fault (RPC-11).
        KeyError: the protocol has no such method.
    """
    if params is None or params is NO_PARAMS:
        return _without_params(method)
    decode = params_decoder(method)
    try:
        return decode(params)
    except msgspec.DecodeError as error:
        raise invalid_params([issue_of(error, decode, params)]) from None


def decode_result(method: str, result: Raw) -> Any:
    """The result of a known method as its type.

    Raises:
        RemoteProtocolError: the result is not what the protocol says.
        KeyError: the protocol has no such method.
    """
    decode = result_decoder(method)
    try:
        return decode(result)
    except msgspec.DecodeError as error:
        issue = issue_of(error, decode, result)
        raise RemoteProtocolError(f"the result of {method} is not lawful at {issue.path!r}: {issue.message}") from None


def decode_error(error: Raw) -> RemoteError | RemoteProtocolError:
    """What a response says went wrong; garbage becomes an error of its own."""
    try:
        found = _decode_error_object(error)
    except msgspec.DecodeError as fault:
        issue = issue_of(fault, _decode_error_object, error)
        return RemoteProtocolError(f"the error of a response is not lawful at {issue.path!r}: {issue.message}")
    return RemoteError(found.code, found.message, found.data if isinstance(found.data, dict) else None)


def encode_request(request_id: int | str, method: str, params: Params = None) -> bytes:
    """A request."""
    return _encode(_Request(request_id, method, UNSET if params is None else params))


def encode_notification(method: str, params: Params = None) -> bytes:
    """A notification."""
    return _encode(_Notification(method, UNSET if params is None else params))


def encode_result(request_id: int | str, result: Any) -> bytes:
    """The reply to a request that was served."""
    return _encode(_Success(request_id, result))


def encode_known_result(request_id: int | str, result: bytes) -> bytes:
    """As `encode_result`, for a result that is JSON text already, without line ends; the cheapest of replies."""
    if type(request_id) is int:
        return b'{"jsonrpc":"2.0","id":%d,"result":%b}' % (request_id, result)
    return _encode(_Success(request_id, Raw(result)))


def encode_error(request_id: int | str | None, refusal: Refusal) -> bytes:
    """The reply to what is not served; the id is None for what was unreadable."""
    return _encode(_Failure(request_id, _ErrorObject(refusal.code, refusal.message, refusal.data)))


# The version is a tag, so it stands first in the line and costs no argument.
class _Request(msgspec.Struct, tag_field="jsonrpc", tag="2.0", gc=False):
    id: int | str
    method: str
    params: Any


class _Notification(msgspec.Struct, tag_field="jsonrpc", tag="2.0", gc=False):
    method: str
    params: Any


class _Success(msgspec.Struct, tag_field="jsonrpc", tag="2.0", gc=False):
    id: int | str
    result: Any


class _ErrorObject(msgspec.Struct, gc=False):
    code: int
    message: str
    data: Any = None


class _Failure(msgspec.Struct, tag_field="jsonrpc", tag="2.0", gc=False):
    id: int | str | None
    error: _ErrorObject


# STDIO-2: the encoder writes no line end, and none is in JSON text that is passed on (`Raw`), see `on_one_line`.
_encode = msgspec.json.Encoder().encode
_decode_fast = msgspec.json.Decoder(Envelope).decode
_decode_members = msgspec.json.Decoder(dict[str, Raw]).decode
_decode_any = msgspec.json.Decoder(Raw).decode
_decode_id = msgspec.json.Decoder(Annotated[int, msgspec.Meta(ge=-ID_BOUND, le=ID_BOUND)] | str).decode
_decode_text = msgspec.json.Decoder(str).decode
_decode_error_object = msgspec.json.Decoder(_ErrorObject).decode


@cache
def _without_params(method: str) -> Any:
    # Params are frozen, so one instance serves every call.
    return decode_params(method, Raw(b"{}"))


def _decode_slowly(message: bytes, limits: Limits) -> Envelope:
    """The envelope of what the fast path refused: the last of duplicate keys counts, whatever those before it were."""
    members = _members(message)
    found = Envelope("2.0", result=members.get("result", UNSET), error=members.get("error", UNSET))
    try:
        if "id" in members:
            found.id = _decode_id(members["id"])
    except msgspec.DecodeError:
        if "method" in members or not found.is_response:
            raise Unlawful(_bad_id()) from None
    if "method" not in members and found.is_response:
        return found
    # Nothing that follows is a response; what is refused below is answered, under its id where that is lawful.
    if type(found.id) is str and len(found.id) > limits.id_length:
        raise Unlawful(_bad_id(limit=limits.id_length))
    readable = Envelope("2.0", id=found.id)
    if _text(members.get("jsonrpc")) != "2.0":
        raise Unlawful(invalid_request('A message carries "jsonrpc":"2.0".'), readable)
    method = _text(members.get("method"))
    if method is None:
        raise Unlawful(invalid_request("The method of a message is a string."), readable)
    found.method = method
    found.params = members.get("params", UNSET)
    return found


def _members(message: bytes) -> dict[str, Raw]:
    try:
        return _decode_members(message)
    except msgspec.ValidationError:
        # JSON of another kind, unless it is broken further on, which the object decoder did not read.
        kind = _kind(message)
    except msgspec.DecodeError:
        raise Unlawful(parse_error()) from None
    raise Unlawful(invalid_request(f"A message is an object, not {kind}."))


def _kind(message: bytes) -> str:
    try:
        first = bytes(_decode_any(message))[:1]
    except msgspec.DecodeError:
        raise Unlawful(parse_error()) from None
    return "a batch" if first == b"[" else "a single value"


def _text(value: Raw | None) -> str | None:
    try:
        return None if value is None else _decode_text(value)
    except msgspec.DecodeError:
        return None


def _bad_id(*, limit: int | None = None) -> Refusal:
    return invalid_request("An id is a string of at most 512 characters or an integer within ±(2^53-1).", limit=limit)


def _too_deep(limits: Limits) -> Refusal:
    return invalid_request(f"The message is nested deeper than {limits.depth} levels.", limit=limits.depth)


def _demand_utf8(message: bytes) -> None:
    # msgspec looks at the strings that it builds and at no other.
    try:
        str(message, "utf-8")
    except UnicodeDecodeError:
        raise Unlawful(parse_error("The message is not UTF-8.")) from None


def _demand_bounds(message: bytes, envelope: Envelope, limits: Limits) -> None:
    # The number of opening brackets is never below the depth, and counting them is cheap.
    if message.count(b"{") + message.count(b"[") > limits.depth:
        depth = _depth(message)
        if depth > limits.depth:
            raise Unlawful(_too_deep(limits), envelope if depth <= _READABLE_DEPTH else None)
    if len(message) > _DIGITS and _holds_huge_integer(message):
        refusal = invalid_request(f"The message holds an integer of more than {_DIGITS} digits.", limit=_DIGITS)
        raise Unlawful(refusal, envelope)


_BRACKETS = b"[]{}"
_OTHERS = bytes(byte for byte in range(256) if byte not in _BRACKETS)
# As signed bytes: +1 for what opens and -1 for what closes.
_STEPS = bytes.maketrans(_BRACKETS, b"\x01\xff\x01\xff")
# Patterns are text here and compiled by `re` when first used: a server that never needs them does not pay for them.
_STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
_HUGE_INTEGER = rb"(?:^|[\s\[{,:])-?[0-9]{%d,}+(?![.eE])" % (_DIGITS + 1)


def _depth(message: bytes) -> int:
    steps = re.sub(_STRING, b"", message).translate(_STEPS, _OTHERS)
    return max(accumulate(memoryview(steps).cast("b")), default=0)


def _holds_huge_integer(message: bytes) -> bool:
    # So many digits in a row cover one of the places that are so far apart; mostly none of those holds a digit.
    probes = message[:: _DIGITS + 1]
    if probes.translate(None, b"0123456789") == probes:
        return False
    return re.search(_HUGE_INTEGER, re.sub(_STRING, b'""', message)) is not None
