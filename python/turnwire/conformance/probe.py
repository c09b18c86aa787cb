"""One conversation with one server, told in bytes.

Negative evidence comes from a barrier, never from a bare sleep: after the probe a request is sent whose answer must
come; when it has come, and a moment of several round trips has passed in silence, the probe has no answer.
"""

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from turnwire.conformance.channel import Channel
from turnwire.conformance.model import Unmet
from turnwire.conformance.profiles import Profile
from turnwire.conformance.strict import dumps, same_json
from turnwire.conformance.trace import Frame, Trace, clip

__all__ = ["ABSENT", "Probe", "TargetEnded"]

ABSENT: Any = object()  # a member that is not sent, where None would be null
# The least time that silence must last after a barrier: one scheduling hiccup on a busy machine.
QUIET_SECONDS = 0.05
# How many round trips of this server silence must outlast.
QUIET_ROUNDS = 5
# A quarter of an hour of round trips is no calibration: the barrier is worth at most this.
QUIET_CEILING = 1.0
# The start of a line that is written in pieces; one that is longer is there to be refused, not to be read.
KEPT_BYTES = 64 * 1024
# The name of no method in any protocol: each barrier must be answered, if only by an error.
BARRIER = "turnwire.check/barrier"
# Only a check that declares `userInput` is asked this, and it has the answer.
QUESTION = "userInput/request"


class TargetEnded(Unmet):
    """The server ended, or closed its output, while an answer was due."""


class Probe:
    """Writes what it is told, reads what comes, and keeps both."""

    def __init__(self, process: Channel, profile: Profile, trace: Trace) -> None:
        self.process = process
        self.profile = profile
        self.trace = trace
        self.greeting: Frame | None = None
        self.replies: list[Frame] = []
        self.arrived: list[Frame] = []
        self.round_trip = QUIET_SECONDS / QUIET_ROUNDS
        self._written = b""
        self._ids = itertools.count(1000)

    # Saying

    def send_bytes(self, raw: bytes) -> None:
        """Write bytes as they are, with no end of line; what they add up to is kept in the trace, line by line."""
        *lines, self._written = (self._written + raw).split(b"\n")
        for line in lines:
            self.trace.record(line, sent=True, at=time.monotonic())
        if len(self._written) > KEPT_BYTES:
            self._written = b""
            self.trace.lacks_frames = True
        self.process.write(raw)

    def send(self, line: bytes, *, aside: bool = False) -> None:
        """Write one line and keep it in the trace."""
        self.trace.record(line, sent=True, at=time.monotonic(), aside=aside)
        self.process.write(line + b"\n")

    def send_together(self, lines: Sequence[bytes]) -> None:
        """Write several lines in one piece, as a pipelining client does."""
        for line in lines:
            self.trace.record(line, sent=True, at=time.monotonic())
        self.process.write(b"".join(line + b"\n" for line in lines))

    def notify(self, method: str, params: Any = ABSENT) -> None:
        """Write a notification."""
        self.send(dumps(self.profile.envelope(method=method, **_present(params=params))))

    def ask(self, method: str, params: Any = ABSENT, *, request_id: Any = ABSENT, aside: bool = False) -> Any:
        """Write a request and return its id, without waiting."""
        identifier = next(self._ids) if request_id is ABSENT else request_id
        line = self.profile.envelope(id=identifier, method=method, **_present(params=params))
        self.send(dumps(line), aside=aside)
        return identifier

    # Hearing

    def call(
        self, method: str, params: Any = ABSENT, *, request_id: Any = ABSENT, seconds: float = 0.0, aside: bool = False
    ) -> Frame:
        """Write a request and wait for its reply.

        Raises:
            Unmet: no reply in time.
            TargetEnded: the server ended instead.
        """
        identifier = self.ask(method, params, request_id=request_id, aside=aside)
        return self.reply(identifier, what=method, seconds=seconds)

    def reply(self, identifier: Any, *, what: str, seconds: float = 0.0) -> Frame:
        """Wait for the reply with exactly this id, by JSON type and value, and take it.

        Raises:
            Unmet: no reply in time.
            TargetEnded: the server ended instead.
        """
        timeouts = self.process.target.timeouts
        # Whatever comes first waits for the start of the server too.
        is_first = not any(not frame.sent for frame in self.trace.frames)
        patience = seconds or (max(timeouts.start, timeouts.reply) if is_first else timeouts.reply)
        found: Frame | None = self.wait_for(lambda: self._take(identifier), patience)
        if found is None:
            raise self._no_reply(f"one reply with id {identifier!r} to {what}", patience)
        return found

    def wait_for(self, ready: Callable[[], Any], seconds: float) -> Any:
        """Read until `ready` returns something or the time is up; then None.

        Raises:
            TargetEnded: the output ended first.
        """
        deadline = time.monotonic() + seconds
        while (found := ready()) is None:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return None
            self._read(remaining)
            if self.process.ended_output and (found := ready()) is None:
                raise self._ended()
        return found

    def barrier(self) -> None:
        """Prove that everything sent before has been read, by a request that is answered.

        Raises:
            Unmet: the barrier is not answered.
            TargetEnded: the server ended instead.
        """
        frame = self.call(BARRIER, request_id=f"barrier-{next(self._ids)}", aside=True)
        self.trace.frames[self.trace.frames.index(frame)] = _aside(frame)

    def provoke(self, *lines: bytes) -> list[Frame]:
        """Send lines that want an answer and return every reply that came for them: none, one, or too many."""
        self.settle()
        self.send_together(lines)
        self.barrier()
        self.wait_for(lambda: len(self.replies) >= len(lines) or None, self.process.target.timeouts.lag)
        return self.collect()

    def silence(self, line: bytes) -> list[Frame]:
        """Send a line that wants no answer and return the replies that came all the same."""
        self.settle()
        self.send(line)
        self.barrier()
        return self.collect()

    def collect(self) -> list[Frame]:
        """Listen through one quiet moment and take every reply that has come."""
        self.listen(min(QUIET_CEILING, max(QUIET_SECONDS, QUIET_ROUNDS * self.round_trip)))
        taken, self.replies = self.replies, []
        return taken

    def settle(self) -> None:
        """Forget replies that belong to nobody: each was some earlier check's to judge."""
        self.replies.clear()

    def flush(self, *, leave: int = 0) -> None:
        """Wait until the server has read what was sent but for so many bytes; one that has ended reads nothing."""
        deadline = time.monotonic() + self.process.target.timeouts.reply
        while self.process.untaken > leave and not self.process.ended_output and time.monotonic() < deadline:
            self._read(0.0005)

    def listen(self, seconds: float) -> None:
        """Read for this long, whatever comes."""
        began = time.monotonic()
        deadline = began + seconds
        while not self.process.ended_output and (remaining := deadline - time.monotonic()) > 0:
            self._read(remaining)
        self.process.listened += time.monotonic() - began
        self._absorb()

    def listen_until(self, ready: Callable[[], bool], seconds: float) -> None:
        """Read until something holds that no message says, or the time is up."""
        deadline = time.monotonic() + seconds
        while not ready() and (remaining := deadline - time.monotonic()) > 0:
            self._read(remaining)

    def heard(self, method: str, since: int = 0) -> list[Frame]:
        """The notifications and requests of the server with this method, since a mark in `arrived`."""
        return [frame for frame in self.arrived[since:] if frame.method == method]

    # The handshake

    def handshake(self, params: Mapping[str, Any] | None = None, *, aside: bool = True) -> Frame:
        """Send the profile's handshake request and, if it succeeds, its notification.

        Raises:
            Unmet: no reply in time.
            TargetEnded: the server ended instead.
        """
        handshake = self.profile.handshake
        wanted = dict(handshake.params if params is None else params)
        reply = self.call(handshake.method, wanted, seconds=self.process.target.timeouts.start, aside=aside)
        if isinstance(reply.result, dict):
            self.greeting = reply
            if handshake.initialized:
                self.notify(handshake.initialized)
        return reply

    def calibrate(self, rounds: int = 5) -> None:
        """Measure this server's round trip: the median of a few barriers."""
        self.round_trip = self._round_trips(rounds)[rounds // 2]

    def fastest(self, rounds: int = 10) -> float:
        """The shortest of some round trips: what a busy machine says least about."""
        return self._round_trips(rounds)[0]

    def _round_trips(self, rounds: int) -> list[float]:
        times = []
        for _ in range(rounds):
            began = time.monotonic()
            self.barrier()
            times.append(time.monotonic() - began)
        return sorted(times)

    # Within

    def _read(self, seconds: float) -> None:
        self.process.pump(min(seconds, 0.25))
        self._absorb()

    def _absorb(self) -> None:
        """Keep what has been said."""
        for message, is_whole in self.process.take_messages():
            self._keep(message, ended=is_whole)

    def _keep(self, line: bytes, *, ended: bool = True) -> None:
        if self._written.endswith(b"}"):
            # A last line without its line feed is answered too; its cause comes before the answer.
            self.trace.record(self._written, sent=True, at=time.monotonic())
            self._written = b""
        frame = self.trace.record(line, sent=False, at=time.monotonic())
        if not ended:
            frame = Frame(sent=False, at=frame.at, raw=line, value=frame.value, fault="no line feed at its end")
            self.trace.frames[-1] = frame
        (self.replies if frame.is_reply else self.arrived).append(frame)
        if frame.is_request and frame.method not in (self.profile.script.approval, QUESTION):
            self._answer(frame)

    def _answer(self, frame: Frame) -> None:
        """What a lawful client owes to a request; what asks a person is for the check that provokes it."""
        outcome: dict[str, Any] = {"result": {}}
        noop = self.profile.operations.get("noop")
        if noop is None or frame.method != noop.method:
            outcome = {"error": {"code": -32601, "message": "turnwire check does not serve this"}}
        self.send(dumps(self.profile.envelope(id=frame.value["id"], **outcome)), aside=True)

    def _take(self, identifier: Any) -> Frame | None:
        for index, frame in enumerate(self.replies):
            if "id" in frame.value and same_json(frame.value["id"], identifier):
                return self.replies.pop(index)
        return None

    def _no_reply(self, expected: str, seconds: float) -> Unmet:
        said = ", ".join(clip(frame.raw, 60) for frame in [*self.replies, *self.arrived][-3:])
        return Unmet(expected, f"nothing of the kind within {seconds:g} s" + (f"; last heard: {said}" if said else ""))

    def _ended(self) -> TargetEnded:
        self.process.wait_exit(1.0)
        return TargetEnded("the server lives on", self.process.ending())


def _present(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not ABSENT}


def _aside(frame: Frame) -> Frame:
    return Frame(sent=frame.sent, at=frame.at, raw=frame.raw, value=frame.value, fault=frame.fault, aside=True)
