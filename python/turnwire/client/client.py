"""A typed asynchronous client over any transport.

Whatever the server does ends in a value or in one clear error: garbage on the line, a process that dies, an answer
that never comes. Nothing is ever approved by default.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from importlib import import_module
from typing import Any, Self

from msgspec import UNSET, Raw

from turnwire._version import __version__
from turnwire.client.backlog import Message
from turnwire.client.inbox import Handler, Inbox, RequestHandler
from turnwire.client.methods import Call, Methods
from turnwire.client.process import ProcessTransport, Stderr
from turnwire.codec import Params
from turnwire.errors import ConnectionClosed
from turnwire.events import CloseReason, NotificationReceived, Refused, RequestReceived
from turnwire.peer import Peer, PeerLimits, Reply
from turnwire.transports.base import Transport, Witness
from turnwire.wire import (
    METHODS,
    PROTOCOL_MAJOR,
    ClientCapabilities,
    ClientInfo,
    InitializeParams,
    InitializeResult,
)

__all__ = ["TIMEOUT", "Client", "Handler", "Message", "RequestHandler", "default_limits"]

TIMEOUT = 120.0
"""How long a client waits for an answer that is asked for without a bound, in seconds (LIM-5)."""


def default_limits() -> PeerLimits:
    """A client drops its own handlers when it closes, and gives a server process the time that STDIO-13 grants it."""
    return PeerLimits(drain_seconds=0.0, linger_seconds=8.0)


class Client(Methods):
    """One connection to a server; use it as an asynchronous context manager, or close it."""

    def __init__(
        self,
        transport: Transport,
        *,
        limits: PeerLimits | None = None,
        within: float = TIMEOUT,
        inbox: Inbox | None = None,
    ) -> None:
        """Use `over` or `spawn`: a client that is only made is not connected. `inbox` has a new one's handlers."""
        self.within = within
        self.inbox = Inbox() if inbox is None else inbox
        self._transport = transport
        self._peer = Peer("client", transport, default_limits() if limits is None else limits)
        self._running: asyncio.Task[None] | None = None

    @property
    def faults(self) -> list[Refused]:
        """What the server wrote that is no message; the first of it."""
        return self.inbox.faults

    @classmethod
    async def over(cls, transport: Transport, *, limits: PeerLimits | None = None, within: float = TIMEOUT) -> Self:
        """A client over a transport that is not started yet. It is connected, and not initialized.

        Raises:
            OSError: the transport cannot be used.
        """
        client = cls(transport, limits=limits, within=within)
        await client._start()
        return client

    @classmethod
    async def spawn(
        cls,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stderr: Stderr = "inherit",
        within: float = TIMEOUT,
    ) -> Self:
        """A client of a server that is started for it, and that ends with it.

        Raises:
            ProcessNotStarted: the command cannot be run.
        """
        return await cls.over(ProcessTransport(argv, cwd=cwd, env=env, stderr=stderr), within=within)

    @classmethod
    async def connect(cls, url: str, *, token: str | None = None, within: float = TIMEOUT) -> Self:
        """A client of the server at a `ws:` or `wss:` URL, which takes the extra `websocket`.

        Raises:
            ValueError: the URL or the token is none.
            OSError: the server cannot be reached, or has no time now.
            RemoteProtocolError: it does not let us in, or is something else.
        """
        # Imported where it is asked for: the client needs no package but msgspec.
        transports = import_module("turnwire.transports.websocket")
        return await cls.over(transports.WebSocketTransport(url, token=token), within=within)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the connection; a server that was spawned is gone afterwards, with all its children. Idempotent."""
        self._peer.close()
        if self._running is not None:
            await asyncio.wait([self._running])

    def initialize(
        self, params: InitializeParams | None = None, *, within: float | None = None
    ) -> Call[InitializeResult]:
        """`initialize`; without params in the name of this library, with a capability for each handler it has."""
        return self.call("initialize", self._introduction() if params is None else params, within=within)

    async def call(self, method: str, params: Params = None, *, within: float | None = None) -> Any:
        """Send one request of the protocol; the result as its type.

        Raises:
            RemoteError: the server refused.
            RemoteProtocolError: the answer is garbage.
            RequestTimeout: no answer came in time; the request may run all the same.
            ConnectionClosed: the connection ended first, with what is known of why.
            PendingFull: too many requests wait already.
            KeyError: the protocol has no such request; see `call_raw`.
        """
        if METHODS[method].kind != "request":
            raise KeyError(method)
        try:
            return await self._peer.request(method, params, within=self._bound(within))
        except ConnectionClosed as error:
            raise await self._explained(error) from None

    async def call_raw(self, method: str, params: Params = None, *, within: float | None = None) -> Raw:
        """As `call`, for any method name; the result as the JSON text that came."""
        try:
            return await self._peer.request_raw(method, params, within=self._bound(within))
        except ConnectionClosed as error:
            raise await self._explained(error) from None

    def notify(self, method: str, params: Params = None) -> None:
        """Send a notification, known or not."""
        self._peer.notify(method, params)

    def on(self, method: str, handler: Handler) -> None:
        """Let `handler` have the notifications of one method from here on, in place of the backlog."""
        self.inbox.on(method, handler)

    def on_request(self, method: str, handler: RequestHandler) -> None:
        """Let `handler` answer the requests of one method. Declare the capability too, or `initialize` afterwards."""
        self.inbox.on_request(method, handler)

    async def next_message(self, method: str | None = None, *, within: float | None = None) -> Message:
        """The next message that no handler took, or the next of one method; the others keep their place.

        Raises:
            RequestTimeout: none came in time.
            ConnectionClosed: no more comes.
        """
        return await self.inbox.next_message(method, self._bound(within))

    # What follows is the Endpoint of the peer.

    def handle_request(self, request: RequestReceived) -> Reply:
        """See `Endpoint`."""
        return self.inbox.answer(request, lambda: self._peer.is_closed)

    def handle_notification(self, notification: NotificationReceived) -> None:
        """See `Endpoint`. Params that are not what the protocol says are a fault of the server."""
        self.inbox.notify(notification)

    def handle_refused(self, refused: Refused) -> None:
        """See `Endpoint`; the first faults are kept in `faults`."""
        self.inbox.blame(refused)

    def handle_closed(self, reason: CloseReason) -> Coroutine[Any, Any, None] | None:
        """See `Endpoint`."""
        self.inbox.end(ConnectionClosed(f"the connection has ended ({reason})"))
        return None

    async def _start(self) -> None:
        await self._peer.start(self)
        self._running = asyncio.create_task(self._peer.wait_closed())

    def _bound(self, within: float | None) -> float:
        return self.within if within is None else within

    def _introduction(self) -> InitializeParams:
        capabilities = ClientCapabilities(
            approvals=self.inbox.answers("approval/request") or UNSET,
            user_input=self.inbox.answers("userInput/request") or UNSET,
            dynamic_tools=self.inbox.answers("tool/call") or UNSET,
            # Tools of the client are experimental, so whoever answers calls of them opts in.
            experimental=self.inbox.answers("tool/call") or UNSET,
        )
        info = ClientInfo(name="turnwire", version=__version__)
        return InitializeParams(protocol_version=PROTOCOL_MAJOR, client_info=info, capabilities=capabilities)

    async def _explained(self, error: ConnectionClosed) -> ConnectionClosed:
        """The same error, with what the server did before it."""
        told = [str(error)]
        if isinstance(self._transport, Witness):
            told += await self._transport.last_words()
        if self.faults:
            told.append(f"it had written what is no message: {self.faults[0].excerpt.decode('utf-8', 'replace')!r}")
        return ConnectionClosed("; ".join(told))
