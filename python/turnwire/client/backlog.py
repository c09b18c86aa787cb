"""What the server sent and nobody handled, in order, for whoever asks next."""

import asyncio
from collections import deque
from typing import Any

import msgspec

from turnwire.errors import ConnectionClosed
from turnwire.events import RequestId

__all__ = ["Backlog", "Message"]

# Far more than a conversation holds; a program that never looks must not grow without end.
_BACKLOG = 10_000


class Message(msgspec.Struct, frozen=True):
    """A notification, or with an `id` a request that was answered by default; `params` is its type, or plain JSON
    where the protocol does not know the method."""

    method: str
    params: Any
    id: RequestId | None = None


class Backlog:
    """A queue that can be asked for one method and keeps the rest where it was."""

    def __init__(self) -> None:
        self._messages: deque[Message] = deque(maxlen=_BACKLOG)
        self._waiting: list[tuple[str | None, asyncio.Future[Message]]] = []
        self._end: ConnectionClosed | None = None

    def put(self, message: Message) -> None:
        """Hand a message to who waits for it, or keep it; beyond 10,000 the oldest is forgotten."""
        for method, waiter in self._waiting:
            if not waiter.done() and method in (None, message.method):
                waiter.set_result(message)
                return
        self._messages.append(message)

    async def take(self, method: str | None = None) -> Message:
        """The next message, or the next of one method.

        Raises:
            ConnectionClosed: no more comes.
        """
        for message in self._messages:
            if method in (None, message.method):
                self._messages.remove(message)
                return message
        if self._end is not None:
            raise self._end
        waiter: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        entry = (method, waiter)
        self._waiting.append(entry)
        try:
            return await waiter
        finally:
            self._waiting.remove(entry)

    def end(self, error: ConnectionClosed) -> None:
        """No more comes; what is kept can still be taken."""
        self._end = error
        for _, waiter in self._waiting:
            if not waiter.done():
                waiter.set_exception(error)
