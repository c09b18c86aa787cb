"""One connection to a server that listens, told as a process is: lines go out, messages come in, and it ends.

A line that is written becomes a text frame. Pings are answered at once, as every client must; what else comes of frames
is kept for the checks that ask for it. The server lives on when a connection ends.
"""

import contextlib
import selectors
import shutil
import signal
import ssl
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import NamedTuple

from turnwire.conformance.model import NotApplicable, TargetFault
from turnwire.conformance.target import FLOOD_BYTES, Target
from turnwire.conformance.websocket.address import upgraded
from turnwire.conformance.websocket.frames import (
    BINARY,
    CLOSE,
    CONT,
    PING,
    PONG,
    TEXT,
    Frame,
    FrameReader,
    closing,
    encode_frame,
)

__all__ = ["NO_CLOSE", "Closing", "Connection"]

CHUNK = 256 * 1024
NORMAL = 1000
# A close without a code, and an end without a close, as RFC 6455 counts them.
NO_CODE, NO_CLOSE = 1005, 1006


class Closing(NamedTuple):
    """How the server ended a connection: 1005 is a close without a code, 1006 an end without a close."""

    code: int
    reason: str = ""

    def __str__(self) -> str:
        if self.code == NO_CLOSE:
            return "it cut the connection off, without a close"
        code = "a close without a code" if self.code == NO_CODE else str(self.code)
        return f"it closed the connection with {code}{f' ({self.reason})' if self.reason else ''}"


class Connection:
    """One WebSocket, from its upgrade to its end."""

    def __init__(self, target: Target) -> None:
        """Connect and upgrade.

        Raises:
            TargetFault: the server is not there, or does not become a WebSocket.
        """
        assert target.address is not None, "only a server that listens is connected to"
        self.target = target
        self.address = target.address
        self.stderr: deque[str] = deque(maxlen=0)
        self.listened = 0.0
        self.ended_output = False
        self.closing: Closing | None = None
        # What RFC 6455 forbids a server and this one did, as sentences.
        self.faults: list[str] = []
        self.pongs: list[bytes] = []
        # Whether the socket itself has been ended by the server, which comes after its close.
        self.is_cut = False
        self._frames = FrameReader()
        self._messages: list[tuple[bytes, bool]] = []
        self._parts: list[bytes] = []
        self._is_amidst = False
        self._written = b""
        self._outgoing: deque[memoryview] = deque()
        self._received = 0
        self._has_closed = False
        self._stopped = False
        self._scratch: Path | None = None
        self._sock, rest = upgraded(target.address, target.timeouts.start)
        self._sock.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._sock, selectors.EVENT_READ)
        self._take(rest)

    @property
    def scratch(self) -> Path:
        """A directory that the server reaches too.

        Raises:
            NotApplicable: it is on another machine.
        """
        if not self.address.is_here:
            raise NotApplicable("the server is not on this machine, so what it writes cannot be looked at")
        if self._scratch is None:
            self._scratch = Path(tempfile.mkdtemp(prefix="turnwire-check-"))
        return self._scratch

    def write(self, data: bytes) -> None:
        """Queue lines, each of them a message; what has no end of line yet waits for it."""
        *lines, self._written = (self._written + data).split(b"\n")
        self.send_frames(*(encode_frame(TEXT, line) for line in lines))

    def send_frames(self, *frames: bytes) -> None:
        """Queue frames as they are, lawful or not; they leave together."""
        data = b"".join(frames)
        if not data or self._stopped or self.is_cut:
            return
        self._outgoing.append(memoryview(data))
        # At once, since while another connection is listened to nobody pumps this one.
        self._write_some()

    @property
    def untaken(self) -> int:
        """Bytes that wait here; what the server has read of the others it alone knows."""
        return sum(len(piece) for piece in self._outgoing)

    def take_messages(self) -> list[tuple[bytes, bool]]:
        """The messages that have come since it was last asked; all of them are whole."""
        taken, self._messages = self._messages, []
        return taken

    def pump(self, seconds: float) -> None:
        """Wait at most this long for anything to happen, and let it happen.

        Raises:
            TargetFault: the server floods.
        """
        if self._stopped or self.is_cut:
            time.sleep(max(0.0, min(seconds, 0.01)))
            return
        for _, events in self._selector.select(max(0.0, seconds)):
            if events & selectors.EVENT_WRITE:
                self._write_some()
            if events & selectors.EVENT_READ:
                self._read_some()

    def leave_unread(self, seconds: float) -> None:
        """Let it write to a client that is busy with something else."""
        time.sleep(seconds)
        self.listened += seconds

    def close_input(self) -> None:
        """Close, with everything queued before it."""
        if not self._has_closed:
            self.close_with(NORMAL)

    def close_with(self, code: int | None) -> None:
        """Close with this code, or with none."""
        self._has_closed = True
        self.send_frames(encode_frame(CLOSE, closing(code)))

    def wait_exit(self, seconds: float) -> int | None:
        """Hear it until the server has ended the connection, or the time is up. It has no exit code to tell."""
        deadline = time.monotonic() + seconds
        while not self.is_cut and not self._stopped and time.monotonic() < deadline:
            self.pump(min(0.25, deadline - time.monotonic()))
        return self.exit_code()

    def exit_code(self) -> int | None:
        """Of a connection there is none."""
        return None

    def is_over(self) -> bool:
        """Whether the server has ended it."""
        return self.ended_output

    def ending(self) -> str:
        """How it ended, in words."""
        return str(self.closing) if self.closing else "the connection is still open"

    def stop(self) -> None:
        """Say goodbye and end the connection; the server lives on."""
        if self._stopped:
            return
        self.close_input()
        self._write_some()
        self._stopped = True
        self._selector.close()
        self._sock.close()
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)

    # Within

    def _write_some(self) -> None:
        while self._outgoing:
            piece = self._outgoing[0]
            try:
                written = self._sock.send(piece)
            except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
                break
            except OSError:
                # The reader is gone; how is for the check to say, from what came before.
                self._outgoing.clear()
                break
            if written < len(piece):
                self._outgoing[0] = piece[written:]
            else:
                self._outgoing.popleft()
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._outgoing else 0)
        with contextlib.suppress(KeyError, ValueError):  # it has ended meanwhile
            self._selector.modify(self._sock, wanted)

    def _read_some(self) -> None:
        while True:
            try:
                said = self._sock.recv(CHUNK)
            except (BlockingIOError, ssl.SSLWantReadError):
                return
            except OSError:
                said = b""
            if not said:
                self._be_cut()
                return
            self._received += len(said)
            if self._received > FLOOD_BYTES:
                raise TargetFault(f"the server floods: more than {FLOOD_BYTES >> 20} MiB on one connection")
            self._take(said)
            if not isinstance(self._sock, ssl.SSLSocket):
                # TLS may hold bytes of which the selector knows nothing; without it the selector says when to go on.
                return

    def _be_cut(self) -> None:
        self.is_cut = self.ended_output = True
        self.closing = self.closing or Closing(NO_CLOSE)
        self._outgoing.clear()
        self._selector.unregister(self._sock)

    def _take(self, data: bytes) -> None:
        for frame in self._frames.feed(data):
            if self.closing is None:
                self._heard(frame)
            elif frame.opcode in (TEXT, BINARY, CONT):
                self.faults.append("a message after its close")
        self.faults += self._frames.faults
        self._frames.faults.clear()

    def _heard(self, frame: Frame) -> None:
        if frame.opcode == PING:
            self.send_frames(encode_frame(PONG, frame.payload))
        elif frame.opcode == PONG:
            self.pongs.append(frame.payload)
        elif frame.opcode == CLOSE:
            self._hear_close(frame.payload)
        elif frame.opcode in (TEXT, BINARY, CONT):
            self._hear_part(frame)

    def _hear_close(self, payload: bytes) -> None:
        if len(payload) == 1:
            self.faults.append("a close of one byte")
        code = int.from_bytes(payload[:2]) if len(payload) > 1 else NO_CODE
        self.closing = Closing(code, payload[2:].decode("utf-8", "backslashreplace"))
        self.ended_output = True
        if not self._has_closed:
            self._has_closed = True
            self.send_frames(encode_frame(CLOSE, payload[:2]))

    def _hear_part(self, frame: Frame) -> None:
        if frame.opcode == BINARY:
            self.faults.append("a binary frame")
        if (frame.opcode == CONT) != self._is_amidst:
            self.faults.append("a message within another" if self._is_amidst else "a fragment of nothing")
        self._is_amidst = not frame.is_last
        self._parts.append(frame.payload)
        if frame.is_last:
            message, self._parts = b"".join(self._parts), []
            if not _is_utf8(message):
                self.faults.append("a text frame that is not UTF-8")
            self._messages.append((message, True))

    # What only a process has.

    def close_output(self) -> None:
        """Of a process only; so are those that follow."""
        raise self._no_process()

    def signal(self, number: signal.Signals) -> None:
        """Nobody signals what somebody else runs."""
        del number
        raise self._no_process()

    def resident_bytes(self) -> int | None:
        """Nobody measures it either."""
        return None

    def wanted_seconds(self) -> float | None:
        """Nor its time."""
        return None

    def survivors(self) -> list[int]:
        """It is meant to live on."""
        return []

    def _no_process(self) -> NotApplicable:
        return NotApplicable("the server is connected to, so it is not the judge's to end")


def _is_utf8(message: bytes) -> bool:
    try:
        message.decode()
    except UnicodeDecodeError:
        return False
    return True
