"""Who hears what (THR-15): a thread's notifications go to its subscribers, a few go to every connection.

A notification is encoded once, however many hear it. What a connection does not want (opt-outs) it drops itself, so
that every notification counts in `seq` all the same (LIFE-15).
"""

from typing import Any, Protocol

import msgspec

from turnwire.codec import encode_notification
from turnwire.server.gates import Gates
from turnwire.wire import METHODS

__all__ = ["Asker", "Hub", "Listener"]


class Listener(Protocol):
    """A connection after its handshake."""

    def deliver(self, method: str, thread_id: str, line: bytes) -> None:
        """Sends a recorded notification of a thread when it is its turn, unless the connection does not want it."""

    def tell(self, method: str, thread_id: str, params: msgspec.Struct) -> None:
        """Sends a transient notification likewise, unless the connection reads too slowly."""


class Asker(Listener, Protocol):
    """A connection that may declare that it answers requests."""

    # The requests that the client declared a capability for (LIFE-18).
    answers: frozenset[str]

    async def ask(self, method: str, params: msgspec.Struct) -> Any:
        """The typed answer of the client to a request.

        Raises:
            ProtocolError: there is none.
        """


class Hub:
    """The connections of one server, and what each subscribed to. Both are kept in the order in which they came."""

    def __init__(self) -> None:
        # Where what they are told of a thread waits for the disk.
        self.gates = Gates()
        self._listeners: dict[Listener, None] = {}
        self._subscribers: dict[str, dict[Listener, None]] = {}

    def join(self, listener: Listener) -> None:
        """From now on the connection hears what every connection hears (LIFE-9)."""
        self._listeners[listener] = None

    def leave(self, listener: Listener) -> list[str]:
        """The connection has gone; returns the threads that it was subscribed to."""
        self._listeners.pop(listener, None)
        threads = [thread_id for thread_id, found in self._subscribers.items() if listener in found]
        for thread_id in threads:
            self.unsubscribe(thread_id, listener)
        return threads

    def subscribe(self, thread_id: str, listener: Listener) -> bool:
        """Whether the connection hears the thread now, once however often it subscribes (THR-25); one that has ended
        hears nothing, although requests of it may still run."""
        if listener not in self._listeners:
            return False
        self._subscribers.setdefault(thread_id, {})[listener] = None
        return True

    def unsubscribe(self, thread_id: str, listener: Listener) -> None:
        """The connection hears no more of the thread but what every connection hears."""
        subscribers = self._subscribers.get(thread_id, {})
        subscribers.pop(listener, None)
        if not subscribers:
            self._subscribers.pop(thread_id, None)

    def subscribers(self, thread_id: str) -> list[Listener]:
        """The connections that are subscribed, first come first."""
        return list(self._subscribers.get(thread_id, ()))

    def announce(self, method: str, thread_id: str, payload: bytes) -> None:
        """Sends a recorded notification of a thread to all that hear it; `payload` is the JSON of its params."""
        everyone = METHODS[method].scope == "server"
        listeners = self._listeners if everyone else self._subscribers.get(thread_id)
        if listeners:
            line = encode_notification(method, msgspec.Raw(payload))
            for listener in list(listeners):
                listener.deliver(method, thread_id, line)

    def tell(self, method: str, thread_id: str, params: msgspec.Struct) -> None:
        """Sends a transient notification of a thread to its subscribers."""
        for listener in list(self._subscribers.get(thread_id, ())):
            listener.tell(method, thread_id, params)

    def forget(self, thread_id: str) -> None:
        """The thread is deleted."""
        self._subscribers.pop(thread_id, None)
