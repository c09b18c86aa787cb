"""Framing and the process: one message a line, nothing else on stdout, and an end that leaves nothing behind."""

import signal
import time
from itertools import groupby
from pathlib import Path

from turnwire.conformance.checks.expect import nothing, one_error, shown, succeeded
from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.probe import Probe
from turnwire.conformance.registry import check
from turnwire.conformance.strict import NotStrict, dumps, parse
from turnwire.conformance.subject import Subject
from turnwire.conformance.tour import UNICODE_TEXT
from turnwire.conformance.trace import Frame, clip
from turnwire.conformance.turns import Turn, is_scripted, start_turn

__all__: list[str] = []

MEBIBYTE = 1 << 20
# A limit beyond this is tested nowhere: the lines for it would take the memory of the machine.
LONGEST_BUILT = 64 * MEBIBYTE
# A server that discards an over-long line holds two messages at most; one that keeps it grows by all of this.
OVERSIZE_FACTOR = 6
OVERSIZE_LEAST = 64 * MEBIBYTE
SPARE_BYTES = 24 * MEBIBYTE
# An error reply with data and an issue, printed one member a line, is well below this.
SPREAD_LINES = 60
# An idle server wants next to nothing of a processor; one that spins wants all of it, however little it gets.
BUSY_SHARE = 0.5
BUSY_SECONDS = 1.0


@check("stdio.stdout-pure")
def stdout_pure(subject: Subject) -> None:
    """Every line on stdout, from the first byte on, is a JSON object."""
    for frame in _heard(subject):
        readable = frame.is_object or isinstance(frame.value, list) or _joined(frame.raw)
        if not readable and not frame.fault.startswith("not UTF-8"):
            raise Unmet(
                "JSON objects and nothing else on stdout", f"{clip(frame.raw)!r} ({frame.fault or 'no object'})"
            )


@check("stdio.one-message-per-line")
def one_message_per_line(subject: Subject) -> None:
    """No line holds two messages, no message spans two lines, and every line ends."""
    for trace in subject.traces:
        heard = [frame for frame in trace.frames if not frame.sent]
        for frame in heard:
            if _joined(frame.raw):
                raise Unmet("one message per line", f"two in {clip(frame.raw)!r}")
            if frame.fault == "no line feed at its end" and frame.value is not None:
                raise Unmet("a line feed after every message", f"none after {clip(frame.raw)!r}")
        if spread := _spread(heard):
            raise Unmet("one message per line", f"one over {spread} lines")


@check("stdio.utf8-out")
def utf8_out(subject: Subject) -> None:
    """Every line is UTF-8 without a byte order mark, whatever the locale."""
    for frame in _heard(subject):
        if frame.fault.startswith(("not UTF-8", "led by a byte order mark", "a string with a lone surrogate")):
            raise Unmet("UTF-8 without a byte order mark in every locale", f"{frame.fault}: {clip(frame.raw)}")


@check("stdio.unicode-roundtrip")
def unicode_roundtrip(subject: Subject) -> None:
    """Text of every kind comes back as it went, and none of its characters ends a line."""
    operation = subject.operation("read")
    if not operation.text:
        raise NotApplicable(f"the profile {subject.profile.name} says no place where a text could be read again")
    thread = subject.create(subject.probe, text=UNICODE_TEXT)
    text = pick(subject.perform(subject.probe, "read", thread=thread).result, operation.text)
    if text != UNICODE_TEXT:
        raise Unmet(f"the text {UNICODE_TEXT!a} as it was sent", ascii(text))


@check("stdio.lone-surrogate")
def lone_surrogate(subject: Subject) -> str | None:
    """Half of a surrogate pair, in params, in a method and in an id: one error each, and the session lives."""
    method = subject.noop
    cases = {
        "the method": subject.line('"id":"s-1","method":"x\\udc00"'),
        "the id": subject.line(f'"id":"\\ud83d","method":"{method}"'),
        "params": subject.line(f'"id":"s-2","method":"{method}","params":{{"x":"\\ud800"}}'),
    }
    notes = []
    for place, line in cases.items():
        replies = subject.probe.provoke(line)
        ids = [None, "s-1", "s-2"]
        notes.append(one_error(subject, replies, "lone_surrogate", ids=ids, to=f"a lone surrogate in {place}"))
    return next((note for note in notes if note), None)


@check("stdio.split-writes")
def split_writes(subject: Subject) -> None:
    """A request that comes byte by byte, cut inside a character too, is one request."""
    probe, method = subject.probe, subject.noop
    line = dumps(subject.profile.envelope(id="é😀", method=method)) + b"\n"
    probe.settle()
    for index in range(len(line)):
        probe.send_bytes(line[index : index + 1])
        probe.flush()
    probe.barrier()
    replies = probe.collect()
    if [reply.value.get("id") for reply in replies] != ["é😀"]:
        raise Unmet("one reply to a request that came byte by byte", shown(replies))


@check("stdio.crlf")
def crlf(subject: Subject) -> None:
    """A carriage return before the line feed belongs to the line end."""
    line = dumps(subject.profile.envelope(id="crlf", method=subject.noop))
    subject.probe.send(line + b"\r")
    succeeded(subject.probe.reply("crlf", what="a request that ends in \\r\\n"), to="a request that ends in \\r\\n")


@check("stdio.blank-lines")
def blank_lines(subject: Subject) -> None:
    """Lines of nothing, or of blanks, are no messages."""
    for line in (b"", b"  ", b"\t", b"\r"):
        nothing(subject.probe.silence(line), to=f"the blank line {line!r}")


@check("stdio.no-final-newline")
def no_final_newline(subject: Subject) -> None:
    """A last request without a line feed is answered at the end of input, and nothing hangs on it."""
    probe = subject.session()
    probe.send_bytes(dumps(subject.profile.envelope(id="last", method=subject.noop)))
    probe.process.close_input()
    seen = _read_to_end(probe, subject.target.timeouts.exit)
    if probe.process.exit_code() is None:
        raise Unmet(f"an end within {subject.target.timeouts.exit:g} s of the end of input", "it still runs")
    if not any(frame.value.get("id") == "last" for frame in seen if frame.is_reply):
        raise Unmet("a reply to the last line, which has no line feed", "none")


@check("stdio.large-line")
def large_line(subject: Subject) -> None:
    """A request of exactly one mebibyte is served, and one of exactly the limit that is declared."""
    limit = _message_limit(subject) or MEBIBYTE
    for size in sorted({MEBIBYTE, limit if limit <= LONGEST_BUILT else MEBIBYTE}):
        identifier, line = _line_of(subject, size)
        subject.probe.send(line)
        succeeded(
            subject.probe.reply(identifier, what=f"a request of {size:,} bytes"), to=f"a request of {size:,} bytes"
        )


def _line_of(subject: Subject, size: int) -> tuple[str, bytes]:
    """A request whose line has exactly so many bytes, with its id."""
    identifier = f"size-{size}"
    method, mark = subject.operation("large").method, "turnwire.check/padding"
    params = subject.params("large", text=mark)
    line = dumps(subject.profile.envelope(id=identifier, method=method, params=params))
    return identifier, line.replace(mark.encode(), b"x" * (size - len(line) + len(mark)))


@check("stdio.oversized-line")
def oversized_line(subject: Subject) -> str | None:
    """A line beyond the declared limit is one error; it is not held, and the next line is served."""
    limit = _message_limit(subject)
    if limit is None:
        raise NotExercised("neither the handshake nor the profile says how long a message may be")
    if limit > LONGEST_BUILT:
        raise NotExercised(f"a line of more than {limit:,} bytes is not built")
    probe = subject.session()
    identifier, one_more = _line_of(subject, limit + 1)
    replies = probe.provoke(one_more)
    one_error(subject, replies, "too_long", ids=(identifier, None), to=f"a line of {limit + 1:,} bytes")
    method = subject.operation("large").method
    lead = subject.line(f'"id":"over","method":"{method}","params":{{"x":"')[:-1]
    probe.settle()
    before = probe.process.resident_bytes()
    probe.send_bytes(lead)
    chunk = b"x" * MEBIBYTE
    for _ in range(max(OVERSIZE_LEAST, limit * OVERSIZE_FACTOR) // MEBIBYTE):
        probe.send_bytes(chunk)
        probe.flush(leave=4 * MEBIBYTE)
    probe.send_bytes(b'"}}\n')
    probe.barrier()
    note = one_error(subject, probe.collect(), "too_long", ids=("over", None), to=f"a line beyond {limit:,} bytes")
    after = probe.process.resident_bytes()
    allowed = 2 * limit + SPARE_BYTES
    if before is not None and after is not None and after - before > allowed:
        raise Unmet(f"memory that grows by less than {allowed:,} bytes", f"it grew by {after - before:,}")
    return note


@check("stdio.large-output")
def large_output(subject: Subject) -> None:
    """A message of a mebibyte arrives whole."""
    probe = subject.session()
    turn = start_turn(subject, probe, "large")
    turn.wait()
    largest = max((len(frame.raw) for frame in probe.trace.frames if not frame.sent and not frame.fault), default=0)
    if largest < MEBIBYTE:
        raise Unmet("a message of at least one mebibyte, whole", f"the largest readable one has {largest:,} bytes")


@check("stdio.eof-exits")
def eof_exits(subject: Subject) -> None:
    """At the end of input the server answers what it has read and ends, with code 0 and without children."""
    probe = subject.session()
    probe.ask(subject.noop, request_id="read")
    probe.process.close_input()
    seen = _read_to_end(probe, subject.target.timeouts.exit)
    _ended_well(subject, probe, after="the end of input")
    if not any(frame.value.get("id") == "read" for frame in seen if frame.is_reply):
        raise Unmet("an answer to a request that was read before the end of input", "none")


@check("stdio.eof-mid-turn")
def eof_mid_turn(subject: Subject) -> None:
    """The end of input during a turn ends the turn; what it had said can be read by the next process."""
    with subject.shared_state() as scratch:
        probe = subject.session(scratch=scratch)
        turn = start_turn(subject, probe, "slow")
        probe.process.close_input()
        _read_to_end(probe, subject.target.timeouts.exit)
        _ended_well(subject, probe, after="the end of input during a turn")
        status = turn.status() or _status_after(subject, turn, scratch)
    if status not in subject.profile.script.interrupted:
        raise Unmet(
            f"a turn that ends {' or '.join(subject.profile.script.interrupted)}", status or "no end of the turn"
        )


def _status_after(subject: Subject, turn: Turn, scratch: Path) -> str:
    """What the record says of a turn to the next process, where there is a record."""
    probe = subject.session(scratch=scratch)
    items = pick(subject.perform(probe, "turns", thread=turn.thread).result, subject.operation("turns").items)
    status = pick(items[-1], "/status") if isinstance(items, list) and items else ""
    return status if isinstance(status, str) else ""


@check("stdio.sigterm")
def sigterm(subject: Subject) -> None:
    """SIGTERM ends the server within its time, and grants nothing on the way."""
    probe = subject.session()
    seconds = subject.stop_seconds()
    probe.process.signal(signal.SIGTERM)
    _read_to_end(probe, seconds)
    if probe.process.exit_code() is None:
        raise Unmet(f"an end within {seconds:g} s of SIGTERM", "it still runs")
    if is_scripted(subject):
        _nothing_granted(subject)


def _nothing_granted(subject: Subject) -> None:
    """What waits for an approval when SIGTERM comes does not end as if it had been granted."""
    probe = subject.session(subject.opted_in())
    turn = start_turn(subject, probe, "approval")
    turn.asked()
    probe.process.signal(signal.SIGTERM)
    _read_to_end(probe, subject.stop_seconds())
    if turn.status() not in ("", *subject.profile.script.interrupted):
        raise Unmet("an approval that is not granted by SIGTERM", f"the turn that waited for it ended {turn.status()}")


@check("stdio.stdout-closed")
def stdout_closed(subject: Subject) -> None:
    """When nobody reads any more the server ends, or at least rests."""
    probe = subject.session()
    probe.process.close_output()
    probe.send(dumps(subject.profile.envelope(id="unread", method=subject.noop)))
    if probe.process.wait_exit(subject.target.timeouts.exit) is not None:
        return
    before, began = probe.process.wanted_seconds(), time.monotonic()
    probe.process.wait_exit(BUSY_SECONDS)
    after, spent = probe.process.wanted_seconds(), time.monotonic() - began
    if before is None or after is None:
        raise NotExercised("it still runs, and this system does not tell how busy it is")
    if after - before > BUSY_SHARE * spent:
        raise Unmet(
            "a server that ends or rests", f"it wants {(after - before) / spent:.0%} of a processor for nothing"
        )


def _message_limit(subject: Subject) -> int | None:
    """The longest message in bytes, as the server or else its contract declares it."""
    declared = pick(subject.facts.result, subject.profile.wire.message_limit)
    return declared if type(declared) is int else subject.profile.wire.message_bytes or None


def _ended_well(subject: Subject, probe: Probe, *, after: str) -> None:
    expected = f"exit code 0 within {subject.target.timeouts.exit:g} s of {after}"
    if probe.process.exit_code() is None:
        raise Unmet(expected, "it still runs")
    if probe.process.exit_code() != 0:
        raise Unmet(expected, probe.process.ending())
    if left := probe.process.survivors():
        raise Unmet(f"no process left behind after {after}", f"{len(left)} of its children live on")


def _read_to_end(probe: Probe, seconds: float) -> list[Frame]:
    """Hear a process out: until it has ended and its stdout is drained, or the time is up."""
    mark = len(probe.trace.frames)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not (probe.process.ended_output and probe.process.exit_code() is not None):
        probe.listen(0.01)
        if probe.process.ended_output:
            probe.process.wait_exit(0.02)
    return [frame for frame in probe.trace.frames[mark:] if not frame.sent]


def _heard(subject: Subject) -> list[Frame]:
    heard = [frame for trace in subject.traces for frame in trace.frames if not frame.sent]
    if not heard:
        raise NotExercised("the server said nothing")
    return heard


def _spread(frames: list[Frame]) -> int:
    """How many lines a message takes that was written for people; 0 when none was."""
    for _, group in groupby(frames, lambda frame: frame.is_object):
        lines = [frame.raw for frame in group]
        for count in range(2, min(len(lines), SPREAD_LINES) + 1):
            if _is_object(b"\n".join(lines[:count])):
                return count
    return 0


def _is_object(raw: bytes) -> bool:
    try:
        return isinstance(parse(raw), dict)
    except NotStrict:
        return False


def _joined(raw: bytes) -> bool:
    """Whether a line is two objects glued together."""
    return any(
        _is_object(raw[: cut + 1]) and _is_object(raw[cut + 1 :].strip())
        for cut, byte in enumerate(raw[:-1])
        if byte == ord("}") and raw[cut + 1 : cut + 2] in (b"{", b" ")
    )
