"""Servers that break one clause of frames each (WS-1, WS-7); the name says how."""

import asyncio

from conformance.front.frames import BINARY, CLOSE, CONT, PING, PONG, TEXT, written
from conformance.front.server import Front


def mutant(**steps):
    """A server that differs in these steps."""
    return type("Mutant", (Front,), steps)


def nothing(self, *_args):
    """Does nothing where something must be done."""


def failing(code):
    """Closes with this code."""
    return lambda self, *_args: self.fail(code)


def never(self, *_args):
    """Sees nothing wrong."""
    return False


def answered(self, *_args):
    """Answers with an error what ends a connection."""
    self.say(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}')


# Out


def raw(change):
    """Writes other bytes in place of a message."""

    def say(self, line):
        if not self.has_ended:
            self.tcp.write(change(line))

    return mutant(say=say)


def glued(line):
    """Two messages in a frame."""
    return written(TEXT, line + b"\n" + line if b'"method":"thread/started"' in line else line)


def torn(line):
    """Half a message in each of two frames."""
    half = len(line) // 2
    return written(TEXT, line[:half]) + written(TEXT, line[half:]) if b"started" in line else written(TEXT, line)


def as_binary(line):
    """Bytes for a client that wants text."""
    return written(BINARY if b"started" in line else TEXT, line)


def with_a_mask(line):
    """A mask, as only clients have."""
    return written(TEXT, line, is_masked=True)


def with_a_word(line):
    """A log line between messages."""
    return written(TEXT, line) + (written(TEXT, b"INFO started") if b"started" in line else b"")


def speaks_after_its_close(self, payload):
    """Goes on talking after its close."""
    self.send(CLOSE, payload[:2])
    self.say(b'{"jsonrpc":"2.0","method":"_example/late"}')
    self.end()


# In


def ends_all(self, *_args):
    """Takes every connection along."""
    self.fail(1003)
    for other in list(self.house.fronts - {self}):
        other.fail(1003)


def closes_all(self, payload):
    """Takes a close for that of the whole server."""
    self.send(CLOSE, payload[:2])
    self.end()
    for other in list(self.house.fronts - {self}):
        other.fail(1000)


def after_the_frames(self, line):
    """Answers when all that has come is read, which a close does not wait for."""
    asyncio.get_running_loop().call_soon(Front.say, self, line)


def later(self, line):
    """Says everything in the next moment."""
    asyncio.get_running_loop().call_later(0.02, Front.say, self, line)


def replaced(self, message):
    """Reads what is no text as if it were."""
    self.message(message.decode("utf-8", "replace").encode())


def each_is_whole(self, frame):
    """Takes every fragment for a message."""
    self.whole(frame.payload)


def no_fragments(self, frame):
    """Knows no fragments."""
    if frame.is_last and frame.opcode == TEXT:
        Front.part(self, frame)
    else:
        self.fail(1003)


def each_is_text(self, frame):
    """Wants every fragment to be UTF-8 by itself."""
    try:
        frame.payload.decode()
    except UnicodeDecodeError:
        self.fail(1007)
    else:
        Front.part(self, frame)


def forgets_what_began(self, payload):
    """Forgets a message that has begun when a ping comes."""
    self.begun = None
    self.send(PONG, payload)


def one_frame_only(self, size):
    """Judges the length of each frame, and not of what they add up to."""
    return size > self.house.message_bytes


def waits_for_idleness(self, payload):
    """Answers no ping while a turn runs."""
    if not self.house.shared.get("turns"):
        self.send(PONG, payload)


def counts_turns(self, line):
    """Notes whether a turn runs."""
    if b'"method":"turn/started"' in line:
        self.house.shared["turns"] = True
    Front.say(self, line)


def leaves_the_socket(self, payload):
    """Answers a close and leaves the socket open."""
    self.send(CLOSE, payload[:2])
    self.has_ended = True


def answers_any_ping(self, frame):
    """Takes a ping of any length."""
    return False


def takes_parts(self, frame):
    """Takes control frames in fragments."""
    return frame.opcode >= CLOSE and self.is_long(frame)


def begins_with_any(self, frame):
    """Takes a fragment of nothing for a message."""
    return frame.opcode in (TEXT, BINARY) and self.begun is not None


def reads_opcodes(self, frame):
    """Reads over opcodes that it does not know."""
    return False


def sized(self, message):
    """Refuses in words what is too long."""
    if len(message) > self.house.message_bytes:
        answered(self)
    else:
        Front.message(self, message)


FRAMES = {
    "two-messages-in-a-frame": raw(glued),
    "message-over-two": raw(torn),
    "binary-out": raw(as_binary),
    "not-json-out": raw(with_a_word),
    "masked-out": raw(with_a_mask),
    "text-after-close": mutant(close_answered=speaks_after_its_close),
    "binary-taken": mutant(binary=lambda self, payload: self.message(payload)),
    "binary-ignored": mutant(binary=nothing),
    "binary-protocol-error": mutant(binary=failing(1002)),
    "binary-ends-all": mutant(binary=ends_all),
    "answers-dropped-at-close": mutant(say=after_the_frames),
    "bad-text-answered": mutant(bad_text=answered),
    "bad-text-protocol-error": mutant(bad_text=failing(1002)),
    "bad-text-replaced": mutant(bad_text=replaced),
    "oversized-taken": mutant(is_too_long=never),
    "oversized-answered": mutant(is_too_long=never, message=sized),
    "oversized-in-fragments-taken": mutant(is_too_long=one_frame_only),
    "fragments-as-messages": mutant(part=each_is_whole, is_out_of_place=never, bad_text=nothing),
    "fragments-refused": mutant(part=no_fragments),
    "fragments-judged-alone": mutant(part=each_is_text),
    "ping-ends-fragments": mutant(ping=forgets_what_began),
    "pong-missing": mutant(ping=nothing),
    "pong-empty": mutant(ping=lambda self, payload: self.send(PONG)),
    "pong-only-when-idle": mutant(ping=waits_for_idleness, say=counts_turns),
    "close-unanswered": mutant(close_answered=nothing),
    "close-leaves-socket": mutant(close_answered=leaves_the_socket),
    "close-ends-all": mutant(close_answered=closes_all),
    "unmasked-taken": mutant(is_unmasked=never),
    "reserved-bits-taken": mutant(is_reserved=never),
    "opcode-ignored": mutant(is_unknown=reads_opcodes),
    "long-ping-answered": mutant(is_long=answers_any_ping),
    "ping-fragments-taken": mutant(is_bad_control=takes_parts),
    "fragment-of-nothing-taken": mutant(is_out_of_place=begins_with_any),
    "close-code-unread": mutant(is_bad_close=never),
}


# What a lawful server may do with frames.


def in_fragments(self, line):
    """Writes every message in fragments, cut anywhere, with a ping between them."""
    third = len(line) // 3
    if not self.has_ended:
        self.tcp.write(
            written(TEXT, line[:third], is_last=False)
            + written(PING, b"are you there")
            + written(CONT, line[third : 2 * third], is_last=False)
            + written(CONT, line[2 * third :])
        )


def with_pings(self, line):
    """Pings before every message, and sends pongs that nobody asked for."""
    self.send(PING, b"before " + line[:40])
    self.send(PONG, b"")
    Front.say(self, line)


def for_people(self, line):
    """Writes JSON over several lines, within one frame."""
    Front.say(self, line.replace(b',"', b',\n "', 3) if b'\\"' not in line else line)


def without_a_close(self, code):
    """Cuts off who does what is forbidden."""
    self.has_ended = True
    asyncio.get_running_loop().call_soon(self.tcp.close)


def with_a_reason(self, code):
    """Says why it closes."""
    self.send(CLOSE, code.to_bytes(2, "big") + "so, weil es nötig ist".encode())
    self.linger()


def in_small_letters(self, status, *lines):
    """Writes its headers otherwise, which means the same."""
    Front.answer(self, status, *(line.replace("Upgrade:", "upgrade:").replace(": Up", ":  up") for line in lines))
