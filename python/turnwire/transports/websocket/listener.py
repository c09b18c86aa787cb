"""A socket that listens, and what comes in: questions after the health of the server, and clients that want to stay.

A client that the door refuses, or that does not say what it wants in time, never meets the server behind it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import cast

from websockets.datastructures import Headers
from websockets.exceptions import InvalidHeader
from websockets.headers import parse_subprotocol
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from turnwire.transports.websocket.bearer import SUBPROTOCOL
from turnwire.transports.websocket.client import quiet_logger
from turnwire.transports.websocket.door import Door, Verdict
from turnwire.transports.websocket.link import PING_SECONDS, Link

__all__ = ["Listener"]

# A client that has not asked for its upgrade by then has no need of it.
_OPENING_SECONDS = 10.0
# What was refused is read over for so long, so that the answer is not cut off.
_LINGER_SECONDS = 5.0

_log = logging.getLogger("turnwire.server")


class Listener:
    """Accepts WebSockets at one address. `accepted` serves each to its end."""

    def __init__(
        self,
        door: Door,
        accepted: Callable[[Link], Awaitable[None]],
        *,
        message_bytes: int,
        ping_seconds: float = PING_SECONDS,
    ) -> None:
        self.message_bytes = message_bytes
        # Whether new clients come in (`/readyz`); those that are in stay.
        self.is_ready = True
        self._door = door
        self._accepted = accepted
        self._ping_seconds = ping_seconds
        self._server: asyncio.Server | None = None
        self._sockets: set[asyncio.Transport] = set()
        self._served: set[asyncio.Task[None]] = set()

    async def open(self, host: str, port: int) -> tuple[str, int]:
        """Listens; the address, whose port was chosen where `port` is 0.

        Raises:
            OSError: it cannot be listened at.
        """
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Incoming(self), host, port)
        address = self._server.sockets[0].getsockname()
        own = {host, address[0], "localhost"} if address[0] in ("127.0.0.1", "::1") else {host, address[0]}
        names = (f"[{name}]" if ":" in name else name for name in own)
        origins = {f"{scheme}://{name}:{address[1]}" for name in names for scheme in ("http", "https")}
        self._door = self._door._replace(origins=self._door.origins | origins)
        return address[0], address[1]

    async def close(self) -> None:
        """Listens no more, and returns when every client has been served to its end. What lingers is cut off."""
        self.is_ready = False
        if self._server is not None:
            self._server.close()
        if self._served:
            await asyncio.wait(self._served)
        for tcp in list(self._sockets):
            tcp.abort()

    def verdict(self, request: Request) -> Verdict | None:
        """What a request is answered with before anything of it becomes a WebSocket; None: it may."""
        path = request.path.partition("?")[0]
        if path == "/healthz":
            return Verdict(HTTPStatus.OK, "alive")
        if path == "/readyz":
            return Verdict(HTTPStatus.OK, "ready") if self.is_ready else _DRAINING
        if not self.is_ready:
            return _DRAINING
        return self._door.refusal(
            origins=request.headers.get_all("Origin"),
            authorization=request.headers.get_all("Authorization"),
            subprotocols=_subprotocols(request.headers),
        )

    def came(self, tcp: asyncio.Transport) -> None:
        """Somebody has connected."""
        self._sockets.add(tcp)

    def left(self, tcp: asyncio.Transport) -> None:
        """Nothing is left of their socket."""
        self._sockets.discard(tcp)

    def accept(self, protocol: ServerProtocol, tcp: asyncio.Transport) -> None:
        """A client has come in."""
        link = Link(protocol, tcp, ping_seconds=self._ping_seconds, on_gone=lambda: self.left(tcp))
        task = asyncio.get_running_loop().create_task(self._serve(link, tcp))
        self._served.add(task)
        task.add_done_callback(self._served.discard)

    async def _serve(self, link: Link, tcp: asyncio.Transport) -> None:
        try:
            await self._accepted(link)
        except Exception:  # noqa: BLE001 - one connection must not take the others with it
            _log.exception("a connection failed")
            tcp.abort()


class _Incoming(asyncio.Protocol):
    """A connection before its upgrade."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._protocol = ServerProtocol(
            select_subprotocol=_selected, max_size=listener.message_bytes, logger=quiet_logger()
        )
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._tcp: asyncio.Transport | None = None
        self._is_refused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._tcp = cast(asyncio.Transport, transport)
        self._timer = self._loop.call_later(_OPENING_SECONDS, self._tcp.abort)
        self._listener.came(self._tcp)

    def data_received(self, data: bytes) -> None:
        assert self._tcp is not None, "data comes over a connection"
        if self._is_refused:
            return
        self._protocol.receive_data(data)
        events = self._protocol.events_received()
        if self._protocol.handshake_exc is not None:
            self._refuse(self._tcp)
        elif len(events) > 1 or self._protocol.eof_sent:
            # RFC 6455: a client sends no frame before it has its answer.
            self._tcp.abort()
        elif events:
            self._answer(cast(Request, events[0]), self._tcp)

    def eof_received(self) -> None:
        self._protocol.receive_eof()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - there is nobody to tell
        assert self._tcp is not None, "what is lost was there"
        self._stop_clock()
        self._listener.left(self._tcp)

    def _answer(self, request: Request, tcp: asyncio.Transport) -> None:
        verdict = self._listener.verdict(request)
        if verdict is None:
            response = self._protocol.accept(request)
        else:
            response = self._protocol.reject(verdict.status, verdict.text + "\n")
            for name, value in verdict.headers:
                response.headers[name] = value
        self._protocol.send_response(response)
        if response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            self._stop_clock()
            tcp.write(b"".join(self._protocol.data_to_send()))
            self._listener.accept(self._protocol, tcp)
        else:
            self._refuse(tcp)

    def _refuse(self, tcp: asyncio.Transport) -> None:
        """Send the answer that is not the one they wanted."""
        self._is_refused = True
        self._stop_clock()
        answer = b"".join(self._protocol.data_to_send())
        # What cannot be read has no answer of the library, or one, by its version.
        tcp.write(answer or self._protocol.reject(HTTPStatus.BAD_REQUEST, "This is no request of HTTP.\n").serialize())
        tcp.write_eof()
        self._timer = self._loop.call_later(_LINGER_SECONDS, tcp.abort)

    def _stop_clock(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


_DRAINING = Verdict(HTTPStatus.SERVICE_UNAVAILABLE, "The server is about to end.")


def _subprotocols(headers: Headers) -> list[str]:
    try:
        return [name for value in headers.get_all("Sec-WebSocket-Protocol") for name in parse_subprotocol(value)]
    except InvalidHeader:
        # The upgrade will say so.
        return []


def _selected(_protocol: ServerProtocol, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """That of the protocol; a client that offers none may come in, one that offers others means somebody else."""
    if not offered:
        return None
    if SUBPROTOCOL not in offered:
        raise InvalidHeader("Sec-WebSocket-Protocol", f"{SUBPROTOCOL} is not among them")
    return Subprotocol(SUBPROTOCOL)
