"""Two transports joined in memory: for tests, and for a client and a server in one process.

They behave as two pipes do: bytes arrive later, never within `write`, and a side that does not read makes the other
side's `pause_writing` happen.
"""

import asyncio
from collections import deque
from collections.abc import Sequence

from turnwire.events import CloseReason
from turnwire.transports.base import Receiver, SlowReader

__all__ = ["MemoryTransport", "memory_pair"]

# What a pipe and asyncio's buffer before it hold together, roughly: enough to stream, little enough to feel a stop.
_HIGH_WATER = 128 * 1024


def memory_pair() -> tuple["MemoryTransport", "MemoryTransport"]:
    """Two ends; what one writes the other receives."""
    left, right = MemoryTransport(), MemoryTransport()
    left._other, right._other = right, left  # noqa: SLF001 - the two halves are one thing
    return left, right


class MemoryTransport:
    """One end of a pair."""

    slow_reader: SlowReader = "pause"

    def __init__(self) -> None:
        self._other = self
        self._receiver: Receiver | None = None
        self._inbox: deque[bytes] = deque()
        self._waiting = 0
        self._paused = False
        self._pumping = False
        self._writer_paused = False
        self._ended = False
        self._closed = False

    async def start(self, receiver: Receiver) -> None:
        """See `Transport.start`."""
        self._receiver = receiver
        self._pump_soon()

    def write(self, lines: Sequence[bytes]) -> None:
        """See `Transport.write`."""
        if not self._closed:
            self._other._deliver(b"\n".join([*lines, b""]))  # noqa: SLF001 - see memory_pair

    def pause_reading(self) -> None:
        """See `Transport.pause_reading`."""
        self._paused = True

    def resume_reading(self) -> None:
        """See `Transport.resume_reading`."""
        self._paused = False
        self._pump_soon()

    def close(self) -> None:
        """See `Transport.close`."""
        if self._closed:
            return
        self._closed = True
        self._other._end()  # noqa: SLF001 - see memory_pair
        if self._receiver is not None:
            asyncio.get_running_loop().call_soon(self._receiver.connection_lost, None)

    def abort(self, reason: CloseReason) -> None:  # noqa: ARG002 - nobody is told
        """See `Transport.abort`; what the other end has not taken yet is lost."""
        self._other._inbox.clear()  # noqa: SLF001 - see memory_pair
        self.close()

    def _deliver(self, data: bytes) -> None:
        if not data or self._closed:
            return
        self._inbox.append(data)
        self._waiting += len(data)
        self._pump_soon()
        writer = self._other._receiver  # noqa: SLF001 - see memory_pair
        if self._waiting > _HIGH_WATER and not self._writer_paused and writer is not None:
            self._writer_paused = True
            writer.pause_writing()

    def _end(self) -> None:
        self._ended = True
        self._pump_soon()

    def _pump_soon(self) -> None:
        if not self._pumping and self._receiver is not None:
            self._pumping = True
            asyncio.get_running_loop().call_soon(self._pump)

    def _pump(self) -> None:
        """Hand over one chunk, then let others run."""
        self._pumping = False
        if self._paused or self._closed or self._receiver is None:
            return
        if self._inbox:
            chunk = self._inbox.popleft()
            self._waiting -= len(chunk)
            self._receiver.data_received(chunk)
            self._resume_writer()
            self._pump_soon()
        elif self._ended:
            self._ended = False
            self._receiver.eof_received()

    def _resume_writer(self) -> None:
        writer = self._other._receiver  # noqa: SLF001 - see memory_pair
        if self._writer_paused and self._waiting < _HIGH_WATER // 4 and writer is not None:
            self._writer_paused = False
            writer.resume_writing()
