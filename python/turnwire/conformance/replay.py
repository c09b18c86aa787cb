"""`replay`: the client's side of a recording played against a server, and the first thing that it says otherwise.

What was said before a message of the client must have been said again before it is sent, so causes keep their order.
Replies are found by their id; all else comes in the order of the recording.
"""

import time
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple, TextIO

import msgspec

from turnwire.conformance.frames import Line, TraceFault, frames
from turnwire.conformance.likeness import Likeness
from turnwire.conformance.model import TargetFault
from turnwire.conformance.profiles import Profile
from turnwire.conformance.strict import NotStrict, dumps, parse, same_json
from turnwire.conformance.target import LINE_BYTES, Process, Target
from turnwire.conformance.trace import clip

__all__ = ["ReplayOptions", "run_replay"]

# What comes so long after the last message of the recording is not part of it.
QUIET_SECONDS = 0.3
WIDTH = 400


class ReplayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The recording's name, and the methods of the server that are passed over on both sides."""

    file: str
    ignored: frozenset[str] = frozenset()


class _Other(NamedTuple):
    """What is not as it was recorded."""

    line: Line | None
    what: str
    recorded: str
    live: str


def run_replay(
    options: ReplayOptions, lines: Iterable[bytes], target: Target, profile: Profile, stdout: TextIO
) -> bool:
    """Play, and tell the first difference; whether there is none.

    Raises:
        TraceFault: the file is no recording, or has no message.
        TargetFault: the server cannot be started.
    """
    recorded = list(frames(options.file, lines))
    if not recorded:
        raise TraceFault(f"{options.file}: holds no message")
    process = Process(target)
    try:
        player = _Player(process, Likeness(_volatile(profile.bundle)), options.ignored)
        other = player.play(recorded)
    finally:
        process.stop()
    if other is None:
        stdout.write(f"{options.file}: {player.heard} messages of the server, all as recorded\n")
        return True
    place = f"{options.file}:{other.line.number}" if other.line else options.file
    stdout.write(f"{place}: {other.what}\n  recorded  {other.recorded}\n  live      {other.live}\n")
    return False


class _Player:
    """One conversation that is had again."""

    def __init__(self, process: Process, likeness: Likeness, ignored: Collection[str]) -> None:
        self.heard = 0
        self._process = process
        self._likeness = likeness
        self._ignored = ignored
        self._patience = process.target.timeouts.reply
        self._buffer = b""
        self._replies: list[Any] = []
        self._told: list[Any] = []

    def play(self, recorded: list[Line]) -> _Other | None:
        """Play to the end or to the first difference."""
        for line in recorded:
            other = self._say(line) if line.sent else self._hear(line)
            if other is not None:
                return other
        self._read_for(QUIET_SECONDS)
        # A recording ends where its client left; what the server went on to tell nobody wrote down.
        asked = [live for live in self._told if not isinstance(live, dict) or "method" not in live or "id" in live]
        rest = [*asked, *self._replies]
        return _Other(None, "the server says more than was recorded", "nothing more", _shown(rest[0])) if rest else None

    def _say(self, line: Line) -> _Other | None:
        if isinstance(line.message, dict | list):
            self._process.write(dumps(self._likeness.translated(line.message)) + b"\n")
        else:
            self._process.write(line.raw + b"\n")
        self._read()
        return None

    def _hear(self, line: Line) -> _Other | None:
        message = line.message
        is_reply = isinstance(message, dict) and "method" not in message
        if not is_reply and isinstance(message, dict) and message.get("method") in self._ignored:
            return None
        live = self._wait_for(message) if is_reply else self._wait_for_next()
        if live is None:
            ended = "the server has ended" if self._process.ended_output else f"nothing within {self._patience:g} s"
            return _Other(line, "a message does not come", _shown(message), ended)
        self.heard += 1
        found = self._likeness.difference(message, live)
        if found is None:
            return None
        if isinstance(message, dict) and isinstance(live, dict) and message.get("method") != live.get("method"):
            return _Other(line, "another message comes", _shown(message), _shown(live))
        what = f"{_name(message)} differs at {found.pointer or 'its root'}"
        return _Other(line, what, _shown(found.recorded), _shown(found.live))

    def _wait_for(self, message: dict[str, Any]) -> Any:
        """The reply with this id; ids of the client are its own, so they are as they were."""
        wanted = message.get("id")
        return self._wait(
            lambda: next((r for r in self._replies if same_json(r.get("id"), wanted)), None), self._replies
        )

    def _wait_for_next(self) -> Any:
        return self._wait(lambda: self._told[0] if self._told else None, self._told)

    def _wait(self, ready: Any, source: list[Any]) -> Any:
        deadline = time.monotonic() + self._patience
        while (found := ready()) is None:
            if self._process.ended_output or time.monotonic() > deadline:
                return None
            self._read()
        source.remove(found)
        return found

    def _read_for(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self._process.ended_output and time.monotonic() < deadline:
            self._read()

    def _read(self) -> None:
        self._process.pump(0.02)
        *lines, self._buffer = (self._buffer + self._process.take_output()).split(b"\n")
        if len(self._buffer) > LINE_BYTES:
            raise TargetFault(f"the server says a line of more than {LINE_BYTES >> 20} MiB")
        for line in lines:
            try:
                value = parse(line)
            except NotStrict:
                value = line.decode("utf-8", "backslashreplace")
            if isinstance(value, dict) and "method" not in value:
                self._replies.append(value)
            elif not (isinstance(value, dict) and value.get("method") in self._ignored):
                self._told.append(value)


def _name(message: Any) -> str:
    method = message.get("method") if isinstance(message, dict) else None
    return str(method) if method else f"the reply to {message.get('id')!r}" if isinstance(message, dict) else "a line"


def _shown(value: Any) -> str:
    return value if value == "absent" else clip(dumps(value), WIDTH)


def _volatile(schema: Any) -> set[str]:
    """The members that a contract says may differ each time."""
    found: set[str] = set()
    if isinstance(schema, dict):
        properties = schema.get("properties")
        members = properties.items() if isinstance(properties, dict) else ()
        found |= {name for name, inner in members if isinstance(inner, dict) and inner.get("x-volatile") is True}
        for inner in schema.values():
            found |= _volatile(inner)
    elif isinstance(schema, list):
        for inner in schema:
            found |= _volatile(inner)
    return found
