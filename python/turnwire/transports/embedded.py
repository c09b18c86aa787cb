"""A transport for a host that moves whole messages itself: the host calls `receive`, and is called with what to send.

For a web framework's own socket, an editor's extension API, or whatever else carries text frames.
"""

import asyncio
from collections.abc import Callable, Sequence

from turnwire.events import CloseReason
from turnwire.transports.base import Receiver, SlowReader

__all__ = ["EmbeddedTransport"]


class EmbeddedTransport:
    """`send` gets one message a call, without a line end, and must not block; `receive` and `end` are the way back."""

    slow_reader: SlowReader = "close"

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._receiver: Receiver | None = None
        self._held: list[bytes] = []
        self._paused = False
        self._closed = False

    async def start(self, receiver: Receiver) -> None:
        """See `Transport.start`."""
        self._receiver = receiver
        self.resume_reading()

    def receive(self, message: bytes) -> None:
        """One message of the other side; held while the peer reads no more, ignored after the end."""
        if self._closed:
            return
        if self._paused or self._receiver is None:
            self._held.append(message)
        else:
            self._receiver.message_received(message)

    def end(self) -> None:
        """The other side has gone."""
        if not self._closed and self._receiver is not None:
            self._receiver.eof_received()

    def write(self, lines: Sequence[bytes]) -> None:
        """See `Transport.write`."""
        if not self._closed:
            for line in lines:
                self._send(line)

    def pause_reading(self) -> None:
        """See `Transport.pause_reading`."""
        self._paused = True

    def resume_reading(self) -> None:
        """See `Transport.resume_reading`."""
        self._paused = False
        while self._held and not self._paused:
            self.receive(self._held.pop(0))

    def close(self) -> None:
        """See `Transport.close`."""
        if not self._closed:
            self._closed = True
            if self._receiver is not None:
                asyncio.get_running_loop().call_soon(self._receiver.connection_lost, None)

    def abort(self, reason: CloseReason) -> None:  # noqa: ARG002 - nobody is told
        """See `Transport.abort`."""
        self.close()
