"""What all connections of a server share. It is light: threads and turns come with the engine, on first use."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import Protocol

from turnwire import wire
from turnwire.server.host import Host
from turnwire.server.hub import Hub, Listener
from turnwire.server.offers import offered_by
from turnwire.store.base import Store

__all__ = ["ServerState", "Work"]


class Work(Protocol):
    """What goes on in a server, as far as connections and the end of the process care."""

    def gone(self, listener: Listener, threads: list[str]) -> None:
        """A connection ended that was subscribed to these threads."""

    async def settle(self, reason: str, *, grace_ms: int) -> None:
        """Lets turns that run end by themselves for so long, then interrupts them; returns when all have stopped,
        or when an agent does not stop in time."""


class ServerState:
    """One server."""

    def __init__(self, host: Host, store: Store | None, limits: wire.Limits) -> None:
        self.host = host
        # None until the first request about a thread, where the host of the server brought none.
        self.store = store
        self.limits = limits
        self.hub = Hub()
        # LIFE-16: no new work from now on.
        self.draining = False
        # Set when a shutdown that a client asked for has settled everything.
        self.shut_down = asyncio.Event()
        # None until the first request about a thread.
        self.work: Work | None = None

    @cached_property
    def offered(self) -> frozenset[str]:
        """The capabilities whose methods and members are served."""
        return offered_by(self.host)
