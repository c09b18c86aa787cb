"""The protocol on standard input and output, one message a line.

Pipes, sockets and terminals are watched by the event loop. Regular files and devices cannot be: a thread reads them
and writes to them go straight through, so `serve < file > file` works. The same holds for Windows, whose default loop
watches no pipes.
"""

import asyncio
import errno
import io
import os
import select
import stat
import sys
import threading
from collections.abc import Sequence

from turnwire.events import CloseReason
from turnwire.transports.base import Receiver, SlowReader
from turnwire.transports.pressure import Pressure

__all__ = ["StdioTransport"]

# As much as asyncio reads from a pipe at once.
_CHUNK = 256 * 1024
# STDIO-13 gives a server five seconds from the end of its input.
_WATCH_SECONDS = 0.5


class StdioTransport:
    """Two file descriptors, which it owns and closes."""

    slow_reader: SlowReader = "pause"

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._reader: asyncio.ReadTransport | _ThreadReader | None = None
        self._watch: _HangupWatch | None = None
        self._writer: asyncio.WriteTransport | _FileWriter | None = None

    @classmethod
    def claim(cls) -> "StdioTransport":
        """Take stdin and stdout of the process for the protocol alone.

        STDIO-1: "stdout carries protocol messages only": what anything else prints goes to stderr from here on, and
        children inherit neither stream.

        Raises:
            OSError: a standard stream is not there.
        """
        # The number of a stream that was closed from the start may be the event loop's by now; Python remembers.
        if sys.stdin is None or sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        read_fd, write_fd = os.dup(0), os.dup(1)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null if sys.stderr is None else 2, 1)
        os.close(null)
        return cls(read_fd, write_fd)

    async def start(self, receiver: Receiver) -> None:
        """See `Transport.start`."""
        loop = asyncio.get_running_loop()
        write_end = os.fdopen(self._write_fd, "wb", buffering=0)
        if _is_watchable(self._write_fd):
            self._writer, _ = await loop.connect_write_pipe(lambda: _WriteEnd(receiver), write_end)
        else:
            self._writer = _FileWriter(write_end, receiver)
        read_end = os.fdopen(self._read_fd, "rb", buffering=0)
        if _is_watchable(self._read_fd):
            self._reader, _ = await loop.connect_read_pipe(lambda: _ReadEnd(receiver), read_end)
            self._watch = _HangupWatch(self._read_fd, receiver)
        else:
            self._reader = _ThreadReader(read_end, receiver)

    def write(self, lines: Sequence[bytes]) -> None:
        """See `Transport.write`."""
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(b"\n".join([*lines, b""]))

    def pause_reading(self) -> None:
        """See `Transport.pause_reading`."""
        if self._reader is not None:
            self._reader.pause_reading()
        if self._watch is not None:
            self._watch.begin()

    def resume_reading(self) -> None:
        """See `Transport.resume_reading`."""
        if self._watch is not None:
            self._watch.end()
        if self._reader is not None:
            self._reader.resume_reading()

    def close(self) -> None:
        """See `Transport.close`."""
        self._end_watch()
        if self._reader is not None:
            self._reader.close()
        if self._writer is not None:
            self._writer.close()

    def abort(self, reason: CloseReason) -> None:  # noqa: ARG002 - pipes carry no reason
        """See `Transport.abort`."""
        if self._reader is not None:
            self._reader.close()
        self._end_watch()
        # asyncio ends a pipe twice where it is cut off after its end, and fails at the second.
        if self._writer is not None and (not self._writer.is_closing() or self._writer.get_write_buffer_size()):
            self._writer.abort()

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.end()
            # The descriptor may be another's soon.
            self._watch = None


def _is_watchable(fd: int) -> bool:
    mode = os.fstat(fd).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(fd))


class _HangupWatch:
    """Looks at an input that is not read: that its other end is closed is seen without reading what is before it."""

    def __init__(self, descriptor: int, receiver: Receiver) -> None:
        self._receiver = receiver
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._poll = select.poll()
        # A hang-up is told whatever is asked for.
        self._poll.register(descriptor, 0)

    def begin(self) -> None:
        if self._timer is None:
            self._timer = self._loop.call_later(_WATCH_SECONDS, self._look)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = None
        if self._poll.poll(0):
            self._receiver.hangup_received()
        self.begin()


class _ReadEnd(asyncio.Protocol):
    """What asyncio tells of the input. Its loss says nothing: its end was told before, and output may go on."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver

    def data_received(self, data: bytes) -> None:
        self._receiver.data_received(data)

    def eof_received(self) -> None:
        self._receiver.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        # A read error, such as that of a terminal that hangs up, ends the input without an end of file.
        if exc is not None:
            self._receiver.eof_received()


class _WriteEnd(Pressure, asyncio.Protocol):
    """What asyncio tells of the output."""


class _ThreadReader:
    """Reads in a thread, one chunk at a time: the next is read when the loop has taken the last."""

    def __init__(self, stream: io.FileIO, receiver: Receiver) -> None:
        self._stream = stream
        self._receiver = receiver
        self._loop = asyncio.get_running_loop()
        self._turn = threading.Semaphore(1)
        self._paused = False
        self._owed = False
        self._closed = False
        # A daemon, since a read that blocks must not keep the process from its end.
        threading.Thread(target=self._read, name="turnwire-stdin", daemon=True).start()

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        if self._owed:
            self._owed = False
            self._turn.release()

    def close(self) -> None:
        # The thread may be within a read, so the file is left to the end of the process.
        self._closed = True

    def _read(self) -> None:
        chunk = b"more"
        while chunk and not self._closed:
            self._turn.acquire()
            try:
                chunk = self._stream.read(_CHUNK)
            except OSError:
                chunk = b""
            try:
                self._loop.call_soon_threadsafe(self._deliver, chunk)
            except RuntimeError:
                # The loop is closed: the process is about to end.
                return

    def _deliver(self, chunk: bytes) -> None:
        if self._closed:
            return
        if not chunk:
            self._receiver.eof_received()
            return
        self._receiver.data_received(chunk)
        if self._paused:
            self._owed = True
        else:
            self._turn.release()


class _FileWriter:
    """Writes at once: what is no pipe takes everything, or fails."""

    def __init__(self, stream: io.FileIO, receiver: Receiver) -> None:
        self._stream = stream
        self._receiver = receiver
        self._loop = asyncio.get_running_loop()
        self._closing = False

    def is_closing(self) -> bool:
        return self._closing

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._stream.write(rest) :]
        except OSError as error:
            self._close(error)

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None:
        self._close(None)

    def abort(self) -> None:
        self._close(None)

    def _close(self, error: Exception | None) -> None:
        if not self._closing:
            self._closing = True
            self._stream.close()
            self._loop.call_soon(self._receiver.connection_lost, error)
