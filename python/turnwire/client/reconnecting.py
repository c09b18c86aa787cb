"""A client that outlives its connections.

After a loss it connects again with a new handshake and resumes each thread after the last event that it heard, so that
handlers miss nothing. It never repeats a request: one whose answer was lost may have run, and ends in
`ConnectionClosed`.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Literal, NamedTuple, Self

import msgspec

from turnwire.client.backlog import Message
from turnwire.client.backoff import Backoff, with_retry
from turnwire.client.client import TIMEOUT, Client
from turnwire.client.inbox import Handler, Inbox, RequestHandler
from turnwire.client.methods import Methods
from turnwire.client.subscriptions import Subscriptions
from turnwire.codec import Params
from turnwire.errors import ConnectionClosed, ProtocolError, RemoteError, RequestTimeout
from turnwire.events import CloseReason, NotificationReceived
from turnwire.peer import PeerLimits
from turnwire.transports.base import Transport
from turnwire.wire import InitializeParams, InitializeResult, ThreadResumeParams, ThreadResumeResult

__all__ = ["Change", "ReconnectingClient"]

# A connection that lived so long was a good one: the next loss is a new story.
_GOOD_SECONDS = 10.0


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What happens to the connection.

    `connected`: the handshake is done, as `server` says; the threads are resumed next. `resumed`: a thread goes on, as
    `result` says, and its events come next; with a gap some were missed. `notResumed`: a thread does not go on.
    `disconnected`: the connection is lost or was not made; the next attempt is made in `retry_in` seconds.
    """

    kind: Literal["connected", "resumed", "notResumed", "disconnected"]
    server: InitializeResult | None = None
    thread_id: str | None = None
    result: ThreadResumeResult | None = None
    error: Exception | None = None
    retry_in: float | None = None


class ReconnectingClient(Methods):
    """One server, over as many connections as it takes. Set handlers, then `connect`, or use it with `async with`."""

    def __init__(
        self,
        make_transport: Callable[[], Transport],
        *,
        introduction: InitializeParams | None = None,
        backoff: Backoff | None = None,
        on_change: Callable[[Change], None] | None = None,
        limits: PeerLimits | None = None,
        within: float = TIMEOUT,
    ) -> None:
        """`make_transport` makes the transport of each connection; `introduction` is what `initialize` says, absent
        that of `Client`; `backoff` is how to wait after a loss, absent for ever."""
        self.within = within
        self._make_transport = make_transport
        self._introduction = introduction
        self._backoff = Backoff(attempts=None) if backoff is None else backoff
        self._on_change = on_change
        self._limits = limits
        self._inbox = Inbox()
        self._subscriptions = Subscriptions()
        self._client: asyncio.Future[_Link] | None = None
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def connect(self) -> InitializeResult:
        """Connects, and from then on again after each loss.

        Raises:
            RemoteError: the server refuses the handshake for good.
            RemoteProtocolError: the handshake is garbage.
            OSError, ConnectionClosed, RequestTimeout: what the last attempt met, when the attempts are used up.
        """
        if self._client is None:
            self._client = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run())
        link = await asyncio.shield(self._client)
        return link.server

    async def close(self) -> None:
        """Ends the connection and makes no other. Idempotent."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait([self._running])
            self._end(ConnectionClosed("the client was closed"))

    async def call(self, method: str, params: Params = None, *, within: float | None = None) -> Any:
        """As `Client.call`; while there is no connection it waits for one, and it is sent once at the most.

        Raises:
            ConnectionClosed: the connection ended before the answer came, or no other is made any more; and whatever
                `Client.call` raises.
        """
        bound = self.within if within is None else within
        started = asyncio.get_running_loop().time()
        link = await self._connected(method, bound)
        left = max(0.0, bound - (asyncio.get_running_loop().time() - started))
        result = await link.call(method, params, within=left)
        self._subscriptions.observe(method, params, result)
        return result

    def on(self, method: str, handler: Handler) -> None:
        """As `Client.on`, for every connection."""
        self._inbox.on(method, handler)

    def on_request(self, method: str, handler: RequestHandler) -> None:
        """As `Client.on_request`, for every connection that comes."""
        self._inbox.on_request(method, handler)

    async def next_message(self, method: str | None = None, *, within: float | None = None) -> Message:
        """As `Client.next_message`, over all connections; what was heard of a lost one is kept."""
        return await self._inbox.next_message(method, self.within if within is None else within)

    async def _connected(self, method: str, within: float) -> "_Link":
        if self._client is None:
            raise ConnectionClosed(f"{method} was not sent: call connect first")
        try:
            async with asyncio.timeout(within):
                # Shielded, since others wait for the same connection.
                return await asyncio.shield(self._client)
        except TimeoutError:
            raise RequestTimeout(f"{method} was not sent, there was no connection within {within:g} s") from None

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        failures = 0
        while True:
            started = loop.time()
            error = await self._connect_once()
            failures = 1 if loop.time() - started > _GOOD_SECONDS else failures + 1
            if self._backoff.is_used_up(failures) or not _may_pass(error):
                self._end(error)
                return
            retry_in = self._backoff.delay(failures)
            self._tell(Change(kind="disconnected", error=error, retry_in=retry_in))
            await asyncio.sleep(retry_in)

    async def _connect_once(self) -> Exception:
        """One connection from its beginning to its end; why it ended."""
        link: _Link | None = None
        try:
            link = _Link(self._make_transport(), self._wiring())
            await link.begin(self._introduction)
            self._tell(Change(kind="connected", server=link.server))
            for params in self._subscriptions.resumptions():
                await self._resume(link, params)
            link.release()
            assert self._client is not None, "it was made with the first connection"
            self._client.set_result(link)
            await link.lost()
        except (OSError, ProtocolError) as error:
            return error
        finally:
            if link is not None:
                await link.close()
        return ConnectionClosed("the connection was lost")

    def _wiring(self) -> "_Wiring":
        return _Wiring(self._inbox, self._subscriptions, self._limits, self.within, self._forget)

    async def _resume(self, link: "_Link", params: ThreadResumeParams) -> None:
        try:
            result = await with_retry(lambda: link.thread_resume(params))
        except RemoteError as error:
            self._subscriptions.drop(params.thread_id)
            self._tell(Change(kind="notResumed", thread_id=params.thread_id, error=error))
        else:
            self._subscriptions.observe("thread/resume", params, result)
            self._tell(Change(kind="resumed", thread_id=params.thread_id, result=result))

    def _forget(self, link: "_Link") -> None:
        """Before anyone hears of a lost answer, so that who asks again at once waits for the next connection."""
        if self._client is not None and self._client.done() and self._client.result() is link:
            self._client = asyncio.get_running_loop().create_future()

    def _end(self, error: Exception) -> None:
        closed = error if isinstance(error, ConnectionClosed) else ConnectionClosed(f"no connection: {error}")
        self._inbox.end(closed)
        if self._client is not None and not self._client.done():
            self._client.set_exception(error)
            # Nobody may be waiting when no other connection is made.
            self._client.exception()

    def _tell(self, change: Change) -> None:
        if self._on_change is not None:
            self._on_change(change)


class _Wiring(NamedTuple):
    """What a connection has of the client that outlives it."""

    inbox: Inbox
    subscriptions: Subscriptions
    limits: PeerLimits | None
    within: float
    lost: Callable[["_Link"], None]


class _Link(Client):
    """One connection of many: its end is not the end of the inbox. Until `release` what it hears is kept back, so that
    it comes behind the news that its thread goes on."""

    def __init__(self, transport: Transport, wiring: _Wiring) -> None:
        super().__init__(transport, limits=wiring.limits, within=wiring.within, inbox=wiring.inbox)
        self._wiring = wiring
        self._held: list[NotificationReceived] | None = []
        self._ended = asyncio.Event()
        self._server: InitializeResult | None = None

    @property
    def server(self) -> InitializeResult:
        """What the server said in `initialize`."""
        assert self._server is not None, "a link is given out when it has begun"
        return self._server

    async def begin(self, introduction: InitializeParams | None) -> None:
        """Connects and shakes hands."""
        await self._start()
        self._server = await self.initialize(introduction)

    def release(self) -> None:
        """Hands on what was kept back, and from now on all that comes."""
        held, self._held = self._held, None
        for notification in held or ():
            self._take(notification)

    async def lost(self) -> None:
        """Returns when the connection has ended."""
        await self._ended.wait()

    def handle_notification(self, notification: NotificationReceived) -> None:
        """See `Endpoint`."""
        if self._held is None:
            self._take(notification)
        else:
            # What came in is gone when the next chunk is read.
            raw = None if notification.params is None else msgspec.Raw(bytes(notification.params))
            self._held.append(NotificationReceived(notification.method, raw))

    def handle_closed(self, reason: CloseReason) -> Coroutine[Any, Any, None] | None:
        """See `Endpoint`."""
        del reason
        if self._held is not None:
            self.release()
        self._ended.set()
        self._wiring.lost(self)
        return None

    def _take(self, notification: NotificationReceived) -> None:
        self._wiring.subscriptions.hear(notification.method, bytes(notification.params or b"{}"))
        self.inbox.notify(notification)


def _may_pass(error: Exception) -> bool:
    """Whether another attempt may meet something else. A bug, a refusal and garbage stay what they are."""
    if isinstance(error, RemoteError):
        return error.retryable
    return isinstance(error, (OSError, ConnectionClosed, RequestTimeout))
