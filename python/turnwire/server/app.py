"""A server: connections over any transport, around one host and one store.

`Server(host).serve(transport)` serves one connection; `connect(send)` one whose messages the caller moves itself;
`serve_last(transport)` one whose end is the end of the server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from turnwire import wire
from turnwire.events import CloseReason
from turnwire.peer import Peer
from turnwire.server.host import Host
from turnwire.server.limits import default_limits, peer_limits
from turnwire.server.session import Session
from turnwire.server.state import ServerState
from turnwire.store.base import Store
from turnwire.transports.base import Transport
from turnwire.transports.embedded import EmbeddedTransport

__all__ = ["EmbeddedSession", "Server"]


class Server:
    """Threads and turns of one host, for as many connections as there are."""

    def __init__(self, host: Host, *, store: Store | None = None, limits: wire.Limits | None = None) -> None:
        given = default_limits() if limits is None else limits
        # What a store promises is its own; one that keeps nothing on a disk promises nothing.
        self.limits = replace(given, fsync=UNSET if store is None or store.fsync is None else store.fsync)
        self._state = ServerState(host, store, self.limits)
        self._peer_limits = peer_limits(self.limits)

    async def serve(
        self, transport: Transport, *, principal: str | None = None, stop: asyncio.Event | None = None
    ) -> None:
        """Serves one connection to its end, or until `stop` is set. Turns go on without it.

        Raises:
            OSError: the transport cannot be used.
        """
        peer = Peer("server", transport, self._peer_limits)
        await _run(peer, Session(self._state, peer, principal=principal), None if stop is None else _end(stop, peer))

    async def serve_last(self, transport: Transport, *, stop: asyncio.Event | None = None) -> None:
        """Serves one connection whose end is the end of the server (stdio): turns that run then end `interrupted`
        (STDIO-14), and so they do when `stop` is set.

        Raises:
            OSError: the transport cannot be used.
        """
        peer = Peer("server", transport, self._peer_limits)
        session = Session(self._state, peer, at_end=self._at_end)
        await _run(peer, session, None if stop is None else self._drain_and_end(stop, peer))
        await self.close()

    def connect(self, send: Callable[[bytes], None], *, principal: str | None = None) -> EmbeddedSession:
        """Serves a connection whose messages the caller moves; `send` gets one message a call, and must not block."""
        return EmbeddedSession(self, send, principal)

    async def drain(self, reason: str = "shutdown") -> None:
        """LIFE-16: takes no new work, lets turns end for `limits.shutdownMs`, and interrupts what is left."""
        self._state.draining = True
        if self._state.work is not None:
            grace = self.limits.shutdown_ms
            await self._state.work.settle(reason, grace_ms=0 if grace is UNSET else grace)

    async def wait_shut_down(self) -> None:
        """Returns when a client has asked for `shutdown` and was answered, or is about to be."""
        await self._state.shut_down.wait()

    async def close(self) -> None:
        """Ends what still runs and lets go of host and store."""
        self._state.draining = True
        if self._state.work is not None:
            await self._state.work.settle("shutdown", grace_ms=0)
        if self._state.store is not None:
            self._state.store.close()
        await self._state.host.close()

    async def _at_end(self, reason: CloseReason) -> None:
        self._state.draining = True
        if self._state.work is not None:
            await self._state.work.settle("shutdown" if reason == "closed" else "eof", grace_ms=0)

    async def _drain_and_end(self, stop: asyncio.Event, peer: Peer) -> None:
        await stop.wait()
        await self.drain()
        peer.close()


class EmbeddedSession:
    """One connection of a server that is embedded in another program."""

    def __init__(self, server: Server, send: Callable[[bytes], None], principal: str | None) -> None:
        self._transport = EmbeddedTransport(send)
        self._task = asyncio.get_running_loop().create_task(server.serve(self._transport, principal=principal))

    def receive(self, message: bytes) -> None:
        """One whole message of the other side."""
        self._transport.receive(message)

    async def close(self) -> None:
        """The other side has gone; returns when everything that was due was sent."""
        self._transport.end()
        await self._task


async def _run(peer: Peer, session: Session, ending: Coroutine[Any, Any, None] | None) -> None:
    """Serves a connection; `ending` runs beside it, and no longer."""
    beside = None if ending is None else asyncio.get_running_loop().create_task(ending)
    try:
        await peer.run(session)
    finally:
        if beside is not None:
            beside.cancel()


async def _end(stop: asyncio.Event, peer: Peer) -> None:
    await stop.wait()
    peer.close()
