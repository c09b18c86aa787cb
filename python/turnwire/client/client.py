"""A typed asynchronous client over any transport.

Whatever the server does ends in a value or in one clear error: garbage on the line, a process that dies, an answer
that never comes. Nothing is ever approved by default.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Self, TypeAlias

import msgspec
from msgspec import UNSET, Raw

from turnwire._version import __version__
from turnwire.client.backlog import Backlog, Message
from turnwire.client.methods import Call, Methods
from turnwire.client.process import ProcessTransport, Stderr
from turnwire.codec import Params, decode_params, encode_result
from turnwire.errors import ConnectionClosed, Refusal, RequestTimeout, method_not_found
from turnwire.events import CloseReason, NotificationReceived, Refused, RequestReceived
from turnwire.peer import Peer, PeerLimits, Reply
from turnwire.transports.base import Transport
from turnwire.wire import (
    METHODS,
    PROTOCOL_MAJOR,
    ApprovalAnswer,
    ApprovalRequestParams,
    ClientCapabilities,
    ClientInfo,
    InitializeParams,
    InitializeResult,
)

__all__ = ["Client", "Handler", "Message", "RequestHandler", "default_limits"]

Handler: TypeAlias = Callable[[Any], Awaitable[None] | None]
"""Gets the params of a notification; what it awaits runs beside the others."""

RequestHandler: TypeAlias = Callable[[Any], Any]
"""Gets the params of a request; gives the result, or an awaitable of it, or raises a Refusal."""

# LIM-5: "waits 120 seconds for an answer".
_TIMEOUT = 120.0
# A server that writes nothing but garbage is quoted by its first lines.
_FAULTS = 20


def default_limits() -> PeerLimits:
    """A client drops its own handlers when it closes, and gives a server process the time that STDIO-13 grants it."""
    return PeerLimits(drain_seconds=0.0, linger_seconds=8.0)


class Client(Methods):
    """One connection to a server; use it as an asynchronous context manager, or close it."""

    def __init__(self, transport: Transport, *, limits: PeerLimits | None = None, within: float = _TIMEOUT) -> None:
        """Use `over` or `spawn`: a client that is only made is not connected."""
        self.within = within
        self.faults: list[Refused] = []
        self._transport = transport
        self._peer = Peer("client", transport, default_limits() if limits is None else limits)
        self._handlers: dict[str, Handler] = {}
        self._request_handlers: dict[str, RequestHandler] = {}
        self._backlog = Backlog()
        self._tasks: set[asyncio.Future[None]] = set()
        self._running: asyncio.Task[None] | None = None

    @classmethod
    async def over(cls, transport: Transport, *, limits: PeerLimits | None = None, within: float = _TIMEOUT) -> Self:
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
        within: float = _TIMEOUT,
    ) -> Self:
        """A client of a server that is started for it, and that ends with it.

        Raises:
            ProcessNotStarted: the command cannot be run.
        """
        return await cls.over(ProcessTransport(argv, cwd=cwd, env=env, stderr=stderr), within=within)

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
        self._handlers[method] = handler

    def on_request(self, method: str, handler: RequestHandler) -> None:
        """Let `handler` answer the requests of one method. Declare the capability too, or `initialize` afterwards."""
        self._request_handlers[method] = handler

    async def next_message(self, method: str | None = None, *, within: float | None = None) -> Message:
        """The next message that no handler took, or the next of one method; the others keep their place.

        Raises:
            RequestTimeout: none came in time.
            ConnectionClosed: no more comes.
        """
        try:
            async with asyncio.timeout(self._bound(within)):
                return await self._backlog.take(method)
        except TimeoutError:
            raise RequestTimeout(f"no {method or 'message'} came in time") from None

    # What follows is the Endpoint of the peer.

    def handle_request(self, request: RequestReceived) -> Reply:
        """See `Endpoint`."""
        params = self._params(request)
        handler = self._request_handlers.get(request.method)
        if handler is None:
            self._backlog.put(Message(request.method, params, request.id))
            return encode_result(request.id, _default_answer(request.method, params))
        result = handler(params)
        return self._later(request, result) if inspect.isawaitable(result) else encode_result(request.id, result)

    def handle_notification(self, notification: NotificationReceived) -> None:
        """See `Endpoint`. Params that are not what the protocol says are a fault of the server."""
        try:
            params = self._params(notification)
        except Refusal as fault:
            excerpt = b"" if notification.params is None else bytes(notification.params)[:160]
            self.handle_refused(Refused(b"", fault.code, f"{notification.method}: {fault.message}", excerpt))
            return
        handler = self._handlers.get(notification.method)
        if handler is None:
            self._backlog.put(Message(notification.method, params))
            return
        awaitable = handler(params)
        if awaitable is not None:
            task = asyncio.ensure_future(awaitable)
            self._tasks.add(task)
            task.add_done_callback(self._task_done)

    def handle_refused(self, refused: Refused) -> None:
        """See `Endpoint`; the first faults are kept in `faults`."""
        if len(self.faults) < _FAULTS:
            self.faults.append(refused)

    def handle_closed(self, reason: CloseReason) -> None:
        """See `Endpoint`."""
        self._backlog.end(ConnectionClosed(f"the connection has ended ({reason})"))

    async def _start(self) -> None:
        await self._peer.start(self)
        self._running = asyncio.create_task(self._peer.wait_closed())

    def _bound(self, within: float | None) -> float:
        return self.within if within is None else within

    def _introduction(self) -> InitializeParams:
        capabilities = ClientCapabilities(
            approvals="approval/request" in self._request_handlers or UNSET,
            user_input="userInput/request" in self._request_handlers or UNSET,
        )
        info = ClientInfo(name="turnwire", version=__version__)
        return InitializeParams(protocol_version=PROTOCOL_MAJOR, client_info=info, capabilities=capabilities)

    def _params(self, message: RequestReceived | NotificationReceived) -> Any:
        if message.method in METHODS:
            return decode_params(message.method, message.params)
        return None if message.params is None else msgspec.json.decode(message.params)

    def _task_done(self, task: asyncio.Future[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            context = {"message": "a notification handler failed", "exception": task.exception()}
            task.get_loop().call_exception_handler(context)

    async def _later(self, request: RequestReceived, answer: Awaitable[Any]) -> bytes:
        try:
            return encode_result(request.id, await answer)
        except asyncio.CancelledError:
            if not self._peer.is_closed:
                raise
            # Who leaves while a person thinks has not answered; an error would be an answer, and count as a refusal.
            return b""

    async def _explained(self, error: ConnectionClosed) -> ConnectionClosed:
        """The same error, with what the server did before it."""
        told = [str(error)]
        if isinstance(self._transport, ProcessTransport):
            told += await self._transport.last_words()
        if self.faults:
            told.append(f"it had written what is no message: {self.faults[0].excerpt.decode('utf-8', 'replace')!r}")
        return ConnectionClosed("; ".join(told))


def _default_answer(method: str, params: Any) -> Any:
    """What a request gets that no handler takes: nothing is approved, and nothing unknown is served."""
    if method == "ping":
        return {}
    if isinstance(params, ApprovalRequestParams):
        nonce = params.approval.binding.nonce
        return ApprovalAnswer(decision="decline", nonce="" if nonce is UNSET else nonce)
    raise method_not_found(method)
