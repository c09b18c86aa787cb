"""What asyncio tells of an output that is full, told on at a moment when the receiver may write.

asyncio looks at its buffer once more after it has said that there is room: it would end the transport again where a
write within that call had found the reader gone. So the news of room comes later, and only if there still is some.
"""

import asyncio

from turnwire.transports.base import Receiver

__all__ = ["Pressure"]


class Pressure:
    """The output of one transport, and who hears of it."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        # Whether the output is full, and whether the receiver was told so.
        self._full = False
        self._told = False
        self._lost = False

    def pause_writing(self) -> None:
        """See `asyncio.BaseProtocol`."""
        self._full = True
        if not self._told:
            self._told = True
            self._receiver.pause_writing()

    def resume_writing(self) -> None:
        """See `asyncio.BaseProtocol`."""
        self._full = False
        asyncio.get_running_loop().call_soon(self._resume)

    def connection_lost(self, error: Exception | None) -> None:
        """Nothing can be written any more; the receiver hears it once."""
        if not self._lost:
            self._lost = True
            self._receiver.connection_lost(error)

    def _resume(self) -> None:
        if self._told and not self._full and not self._lost:
            self._told = False
            self._receiver.resume_writing()
