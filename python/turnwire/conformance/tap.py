"""`tap`: stands between a host and its server, passes every byte on untouched, and says what breaks a rule.

A line is noted before it is passed on, so no answer can be noted before what it answers.
"""

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from typing import BinaryIO, TextIO

import msgspec

from turnwire.conformance.model import TargetFault
from turnwire.conformance.passive import Breach, Conversation, Payloads
from turnwire.conformance.redaction import Redaction
from turnwire.conformance.strict import NotStrict, parse
from turnwire.conformance.transcripts import entry

__all__ = ["TapOptions", "run_tap"]

Lines = queue.SimpleQueue[tuple[str, float, bytes]]
CHUNK = 64 * 1024
# How long the end of the server may go unnoticed.
POLL_SECONDS = 0.1


class TapOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The server's command, the host's two descriptors, and where the conversation is recorded."""

    argv: tuple[str, ...]
    source: int
    sink: int
    env: dict[str, str] = {}
    cwd: str | None = None
    out: BinaryIO | None = None
    redaction: Redaction | None = None


def run_tap(options: TapOptions, payloads: Payloads, stderr: TextIO) -> int:
    """Serve until the server ends; how many breaches there were.

    Raises:
        TargetFault: the server cannot be started.
    """
    server = _started(options)
    assert server.stdin is not None
    assert server.stdout is not None
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    lines: Lines = queue.SimpleQueue()
    # Each side closes its own sink, so it must own the descriptor.
    asking = _Side("c2s", options.source, os.dup(server.stdin.fileno()), lines)
    server.stdin.close()
    saying = _Side("s2c", server.stdout.fileno(), os.dup(options.sink), lines)
    judge = _Judge(payloads, options, stderr)
    for side in (asking, saying):
        side.thread.start()
    while saying.thread.is_alive() or not lines.empty():
        with contextlib.suppress(queue.Empty):
            judge.hear(*lines.get(timeout=POLL_SECONDS))
    server.wait()
    return judge.finish()


def _started(options: TapOptions) -> "subprocess.Popen[bytes]":
    env = {**os.environ, **options.env}
    try:
        return subprocess.Popen(  # noqa: S603 - the command is the user's own
            options.argv, env=env, cwd=options.cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
    except OSError as error:
        raise TargetFault(f"target not started: {options.argv[0]}: {error.strerror}") from None


class _Side:
    """One direction: from a descriptor to a descriptor, with its lines in a queue that both sides share."""

    def __init__(self, name: str, source: int, sink: int, lines: Lines) -> None:
        self.name = name
        self._source = source
        self._sink = sink
        self._lines = lines
        self._parts: list[bytes] = []
        self.thread = threading.Thread(target=self._pump, name=f"tap {name}", daemon=True)

    def _pump(self) -> None:
        with contextlib.suppress(OSError):  # who has gone wants nothing more; its peer sees the end of input
            while chunk := os.read(self._source, CHUNK):
                self._note(chunk)
                while chunk:
                    chunk = chunk[os.write(self._sink, chunk) :]
        if self._parts:
            self._lines.put((self.name, time.time(), b"".join(self._parts)))
        with contextlib.suppress(OSError):
            os.close(self._sink)

    def _note(self, chunk: bytes) -> None:
        self._parts.append(chunk)
        if b"\n" in chunk:
            *lines, tail = b"".join(self._parts).split(b"\n")
            self._parts = [tail] if tail else []
            for line in lines:
                self._lines.put((self.name, time.time(), line))


class _Judge:
    """Records each line and tells each breach when it comes."""

    def __init__(self, payloads: Payloads, options: TapOptions, stderr: TextIO) -> None:
        self._talk = Conversation(payloads)
        self._out = options.out
        self._redaction = options.redaction
        self._stderr = stderr
        self._number = 0
        self._broken = 0

    def hear(self, direction: str, at: float, raw: bytes) -> None:
        if not raw.strip():
            return
        self._number += 1
        message = None
        with contextlib.suppress(NotStrict):  # what is no JSON is a breach when the server says it
            message = parse(raw)
        if self._out is not None:
            self._out.write(entry(direction, round(at, 3), raw, message, self._redaction))
            self._out.flush()
        if direction == "c2s":
            self._talk.client_said(message, raw)
        else:
            self._tell(self._talk.server_said(message))

    def finish(self) -> int:
        """The conversation is over: what is left, and how many breaches there were in all."""
        self._tell(self._talk.end())
        return self._broken

    def _tell(self, breaches: list[Breach]) -> None:
        for breach in breaches:
            self._broken += 1
            self._stderr.write(
                f"tap: message {self._number}: {breach.check}: expected {breach.expected}; saw {breach.actual}\n"
            )
            self._stderr.flush()
