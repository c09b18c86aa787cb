"""What a handler is given: one request whose gates are passed and whose params are read."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from turnwire.server.hub import Asker
from turnwire.server.state import ServerState
from turnwire.wire import ClientCapabilities

__all__ = ["Call", "Caller", "Handler"]


class Caller(Asker, Protocol):
    """The connection that asks."""

    principal: str | None

    @property
    def initialized(self) -> bool:
        """Whether the handshake succeeded."""

    def open(self, capabilities: ClientCapabilities) -> None:
        """The handshake succeeded; from now on everything is served and notified."""

    def drain(self) -> None:
        """This connection asked for the shutdown."""

    def hold(self) -> None:
        """What is announced from here on goes out behind the reply. A coroutine calls it after its last await."""


class Call(NamedTuple):
    """One request. `raw` is the JSON of its params as it came."""

    state: ServerState
    caller: Caller
    params: Any
    raw: bytes


Handler = Callable[[Call], Any]
"""A result, or a coroutine that gives it. Refusals are raised."""
