"""A server that listens: as many WebSockets as come, each a connection of its own (LIFE-17), and one end for all.

Imported where it is asked for, since it needs the extra `websocket`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from turnwire.server.app import Server
from turnwire.server.limits import peer_limits
from turnwire.transports.websocket import Door, Link, Listener

__all__ = ["PRINCIPAL", "NotAllowed", "listening", "serve_websocket"]

PRINCIPAL = "bearer"
"""Who `Host.authorize` and `TurnRequest.principal` say has come in with the token; None where none is asked for."""


class NotAllowed(Exception):  # noqa: N818 - says what is the matter
    """WS-3: the server is not to listen there."""


async def serve_websocket(
    server: Server,
    address: tuple[str, int],
    *,
    token: str | None = None,
    origins: Iterable[str] = (),
    tell: Callable[[str], None],
) -> None:
    """Serves at `address` until SIGTERM, or until a client has asked for `shutdown`; `tell` gets the URL once.

    Raises:
        NotAllowed: the address is not one of this machine alone, and there is no token.
        OSError: it cannot be listened at.
    """
    stop = asyncio.Event()
    if sys.platform != "win32":
        # There, a process is ended without being asked.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    try:
        async with listening(server, address, token=token, origins=origins, stop=stop) as url:
            tell(url)
            await stop.wait()
    finally:
        await server.close()


@asynccontextmanager
async def listening(
    server: Server,
    address: tuple[str, int],
    *,
    token: str | None = None,
    origins: Iterable[str] = (),
    stop: asyncio.Event | None = None,
    ping_seconds: float = 30.0,
) -> AsyncIterator[str]:
    """Listens while the block runs, and gives the URL; the end of the block drains the server and closes every
    connection with 1001 (WS-4). `stop` is set when a client has asked for `shutdown`.

    Raises:
        NotAllowed: the address is not one of this machine alone, and there is no token.
        OSError: it cannot be listened at.
    """
    host, port = await _resolved(*address)
    if token is None and not ipaddress.ip_address(host).is_loopback:
        raise NotAllowed(f"{address[0]} can be reached from other machines, so a token is needed")
    closing = asyncio.Event()
    principal = None if token is None else PRINCIPAL

    async def serve(link: Link) -> None:
        await server.serve(link, principal=principal, stop=closing)

    bound = peer_limits(server.limits).message_bytes
    listener = Listener(Door(token, frozenset(origins)), serve, message_bytes=bound, ping_seconds=ping_seconds)
    host, port = await listener.open(host, port)
    watching = asyncio.create_task(_hear_shutdown(server, stop))
    try:
        yield f"ws://{f'[{host}]' if ':' in host else host}:{port}"
        listener.is_ready = False
        await server.drain()
    finally:
        watching.cancel()
        closing.set()
        await listener.close()


async def _hear_shutdown(server: Server, stop: asyncio.Event | None) -> None:
    await server.wait_shut_down()
    if stop is not None:
        stop.set()


async def _resolved(host: str, port: int) -> tuple[str, int]:
    """The first address of a name, so that what is judged is what is listened at."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=1)
    return str(found[0][4][0]), port
