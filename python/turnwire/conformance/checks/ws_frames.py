"""Frames: what is a message, what is none, and with which code a connection ends (WS-1, WS-7)."""

from turnwire.conformance.checks.expect import shown, succeeded
from turnwire.conformance.checks.ws_talk import closed, lives_on, socket_of
from turnwire.conformance.model import NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.probe import Probe
from turnwire.conformance.registry import check
from turnwire.conformance.strict import dumps
from turnwire.conformance.subject import Subject
from turnwire.conformance.trace import clip
from turnwire.conformance.turns import is_scripted, start_turn
from turnwire.conformance.websocket.connection import NO_CLOSE, Closing, Connection
from turnwire.conformance.websocket.frames import BINARY, CLOSE, CONT, PING, PONG, TEXT, closing, encode_frame

__all__: list[str] = []

UNSUPPORTED, PROTOCOL_ERROR, NO_TEXT, TOO_BIG = 1003, 1002, 1007, 1009
MEBIBYTE = 1 << 20
# A limit beyond this is not tried: the message for it would take the memory of the machine.
LONGEST_BUILT = 64 * MEBIBYTE
# A server that judges a length by the head of its frame is given the time to do so before the rest is sent.
HEAD_BYTES = 64 * 1024
# What takes longer is not answered at once; a busy machine lets one of some answers come in that time.
AT_ONCE_SECONDS = 0.01
# Three bytes in UTF-8; a message is cut within it.
LETTER = "€"
# What RFC 6455 forbids a client, each as a way to say it and the codes with which it may end.
FORBIDDEN: tuple[tuple[str, tuple[bytes, ...], tuple[int, ...]], ...] = (
    ("a frame without a mask", (encode_frame(TEXT, b"{}", is_masked=False),), (PROTOCOL_ERROR,)),
    ("a reserved bit", (encode_frame(TEXT, b"{}", reserved=0x40),), (PROTOCOL_ERROR,)),
    ("the opcode 3", (encode_frame(3, b"{}"),), (PROTOCOL_ERROR,)),
    ("the opcode 11", (encode_frame(11),), (PROTOCOL_ERROR,)),
    ("a ping of 126 bytes", (encode_frame(PING, b"x" * 126),), (PROTOCOL_ERROR,)),
    ("a ping in fragments", (encode_frame(PING, b"x", is_last=False),), (PROTOCOL_ERROR,)),
    ("a fragment of nothing", (encode_frame(CONT, b"{}"),), (PROTOCOL_ERROR,)),
    (
        "a message within another",
        (encode_frame(TEXT, b"{", is_last=False), encode_frame(TEXT, b"{}")),
        (PROTOCOL_ERROR,),
    ),
    ("a close of one byte", (encode_frame(CLOSE, b"\x03"),), (PROTOCOL_ERROR, NO_TEXT)),
    ("a close with 1005", (encode_frame(CLOSE, closing(1005)),), (PROTOCOL_ERROR, NO_TEXT)),
    ("a close whose reason is no text", (encode_frame(CLOSE, closing(1000) + b"\xff"),), (PROTOCOL_ERROR, NO_TEXT)),
)


@check("ws.one-message-per-text-frame")
def one_message_per_text_frame(subject: Subject) -> None:
    """Every message of the server is one JSON value in text frames, and every frame is as RFC 6455 has it."""
    for socket in subject.processes:
        if isinstance(socket, Connection) and socket.faults:
            raise Unmet("frames of a server as RFC 6455 has them, and text in each message", socket.faults[0])
    heard = [frame for trace in subject.traces for frame in trace.frames if not frame.sent]
    if not heard:
        raise NotExercised("the server said nothing")
    for frame in heard:
        if not frame.is_object and not isinstance(frame.value, list):
            raise Unmet("one JSON value in each message", f"{clip(frame.raw)!r} ({frame.fault or 'no object'})")


@check("ws.binary-rejected")
def binary_rejected(subject: Subject) -> None:
    """A binary frame ends its connection with 1003; what it holds is not carried out, and others live on."""
    other, probe = subject.session(), subject.session()
    text = "made by a binary frame"
    role = "create" if subject.profile.created and "create" in subject.profile.operations else "noop"
    message = subject.profile.envelope(
        id="binary", method=subject.operation(role).method, params=subject.params(role, text=text)
    )
    mark = len(other.arrived)
    socket_of(probe).send_frames(encode_frame(BINARY, dumps(message)))
    closed(probe, UNSUPPORTED, after="a binary frame")
    lives_on(subject, other, after="a binary frame")
    other.collect()
    if any(text.encode() in frame.raw for frame in other.heard(subject.profile.created, mark)):
        raise Unmet("no effect of a binary frame", f"{subject.profile.created} of what it asked for")


@check("ws.answered-before-close")
def answered_before_close(subject: Subject) -> None:
    """What came before a bad frame is answered before the close."""
    probe = subject.session()
    if probe.fastest() > AT_ONCE_SECONDS:
        raise NotExercised("no answer of this server comes at once, so none is owed before a close")
    request = dumps(subject.profile.envelope(id="before", method=subject.noop))
    socket_of(probe).send_frames(encode_frame(TEXT, request), encode_frame(BINARY, b"{}"))
    closed(probe, UNSUPPORTED, after="a binary frame")
    if not any(reply.value.get("id") == "before" for reply in probe.replies):
        raise Unmet("an answer to the request that came before the bad frame", "none before the close")


@check("ws.invalid-utf8-1007")
def invalid_utf8(subject: Subject) -> None:
    """A text that is not UTF-8 ends its connection with 1007, whether in one frame or in two."""
    other = subject.session()
    lead = subject.line('"id":"utf8","method":"')[:-1]
    cases = {
        "a text with the byte FF": (encode_frame(TEXT, lead + b'\xff"}'),),
        "a text with a surrogate": (encode_frame(TEXT, lead + b'\xed\xa0\x80"}'),),
        "a text that ends within a character": (encode_frame(TEXT, lead + b"\xe2\x82"),),
        "a character that its next fragment breaks": (
            encode_frame(TEXT, lead + b"\xe2\x82", is_last=False),
            encode_frame(CONT, b'x"}'),
        ),
    }
    for name, frames in cases.items():
        probe = subject.session()
        socket_of(probe).send_frames(*frames)
        closed(probe, NO_TEXT, after=name)
    lives_on(subject, other, after="a text that is not UTF-8")


@check("ws.oversized-1009")
def oversized(subject: Subject) -> None:
    """A message beyond the limit that is stated ends its connection with 1009, in one frame or in several."""
    declared = pick(subject.facts.result, subject.profile.wire.message_limit)
    limit = declared if type(declared) is int else subject.profile.wire.message_bytes
    if not limit:
        raise NotExercised("neither the handshake nor the profile says how long a message may be")
    if limit > LONGEST_BUILT:
        raise NotExercised(f"a message of more than {limit:,} bytes is not built")
    other, whole, parts = subject.session(), subject.session(), subject.session()
    text = subject.line('"id":"over","method":"ping","params":{"x":"')[:-1].ljust(limit - 2, b"x") + b'"}}'
    frame = encode_frame(TEXT, text)
    _send_early(whole, frame[:HEAD_BYTES], frame[HEAD_BYTES:])
    closed(whole, TOO_BIG, after=f"a message of {len(text):,} bytes")
    half = len(text) // 2
    _send_early(parts, encode_frame(TEXT, text[:half], is_last=False), encode_frame(CONT, text[half:]))
    closed(parts, TOO_BIG, after=f"fragments of {len(text):,} bytes together")
    lives_on(subject, other, after="a message beyond the limit")


def _send_early(probe: Probe, first: bytes, rest: bytes) -> None:
    socket, timeouts = socket_of(probe), probe.process.target.timeouts
    socket.send_frames(first)
    probe.listen_until(lambda: not socket.untaken or socket.closing is not None, timeouts.reply)
    probe.listen_until(lambda: socket.closing is not None, timeouts.lag / 4)
    if socket.closing is None:
        socket.send_frames(rest)


@check("ws.fragmented")
def fragmented(subject: Subject) -> None:
    """A request in fragments, cut within a character, with a ping between them, is one request."""
    probe = subject.session()
    line = dumps(subject.profile.envelope(id=f"in {LETTER} pieces", method=subject.noop))
    cut = line.index(LETTER.encode()) + 1
    socket = socket_of(probe)
    probe.settle()
    socket.send_frames(
        encode_frame(TEXT, line[:cut], is_last=False),
        encode_frame(PING, b"between"),
        encode_frame(CONT, b"", is_last=False),
        encode_frame(PONG, b"nobody asked"),
        encode_frame(CONT, line[cut : cut + 1], is_last=False),
        encode_frame(CONT, line[cut + 1 :]),
    )
    probe.barrier()
    replies = probe.collect()
    if [reply.value.get("id") for reply in replies] != [f"in {LETTER} pieces"]:
        raise Unmet("one reply to a request in fragments", shown(replies))
    succeeded(replies[0], to="a request in fragments")
    if socket.pongs.count(b"between") != 1:
        raise Unmet("one pong to a ping between fragments, with its data", repr(socket.pongs))


@check("ws.ping-pong")
def ping_pong(subject: Subject) -> None:
    """A ping is answered by a pong with the same data, before the handshake, after it, and during a turn."""
    probe = subject.open()
    _pings(probe, "before the handshake")
    probe = subject.session()
    _pings(probe, "in a session")
    if is_scripted(subject):
        start_turn(subject, probe, "slow")
        _pings(probe, "during a turn")


def _pings(probe: Probe, when: str) -> None:
    socket = socket_of(probe)
    for data in (b"", b"turnwire", bytes(range(125))):
        # Beside it there may be pongs that nobody has asked for.
        socket.pongs.clear()
        socket.send_frames(encode_frame(PING, data))
        probe.listen_until(lambda data=data: data in socket.pongs or socket.is_over(), socket.target.timeouts.reply)  # type: ignore[misc]
        if data not in socket.pongs:
            heard = ", ".join(map(repr, socket.pongs))
            raise Unmet(f"a pong with the {len(data)} bytes of the ping {when}", heard or "none")


@check("ws.close-handshake")
def close_handshake(subject: Subject) -> None:
    """A close is answered by a close, the server ends the socket, and others live on."""
    other = subject.session()
    for code in (1000, 1001, 3000, None):
        probe, said = subject.session(), f"a close with {code or 'no code'}"
        socket = socket_of(probe)
        socket.close_with(code)
        closed(probe, *({1000, 1005, code or 1005}), after=said)
        probe.listen_until(lambda socket=socket: socket.is_cut, subject.target.timeouts.exit)  # type: ignore[misc]
        if not socket.is_cut:
            raise Unmet(f"the end of the socket after {said} on both sides", "it is still open")
    lives_on(subject, other, after="a close")


@check("ws.forbidden-frames")
def forbidden_frames(subject: Subject) -> str | None:
    """What RFC 6455 forbids a client ends the connection."""
    other = subject.session()
    without = ""
    for name, frames, codes in FORBIDDEN:
        probe = subject.open()
        socket_of(probe).send_frames(*frames)
        found: Closing = closed(probe, *codes, NO_CLOSE, after=name)
        without = name if found.code == NO_CLOSE else without
    lives_on(subject, other, after="what RFC 6455 forbids")
    return f"cuts the connection off without a close after {without}, where 1002 is usual" if without else None
