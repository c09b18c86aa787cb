"""What a server sends, as its client hears it: handlers for it, and a backlog for what nobody handles.

Nothing is ever approved by default.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET

from turnwire.client.backlog import Backlog, Message
from turnwire.codec import decode_params, encode_result
from turnwire.errors import ConnectionClosed, Refusal, RequestTimeout, method_not_found
from turnwire.events import NotificationReceived, Refused, RequestReceived
from turnwire.peer import Reply
from turnwire.wire import METHODS, ApprovalAnswer, ApprovalRequestParams

__all__ = ["Handler", "Inbox", "RequestHandler"]

Handler: TypeAlias = Callable[[Any], Awaitable[None] | None]
"""Gets the params of a notification; what it awaits runs beside the others."""

RequestHandler: TypeAlias = Callable[[Any], Any]
"""Gets the params of a request; gives the result, or an awaitable of it, or raises a Refusal."""

# A server that writes nothing but garbage is quoted by its first lines.
_FAULTS = 20


class Inbox:
    """The handlers and the backlog of one client, over all its connections."""

    def __init__(self) -> None:
        self.faults: list[Refused] = []
        self._handlers: dict[str, Handler] = {}
        self._request_handlers: dict[str, RequestHandler] = {}
        self._backlog = Backlog()
        self._tasks: set[asyncio.Future[None]] = set()

    def on(self, method: str, handler: Handler) -> None:
        """Let `handler` have the notifications of one method from here on, in place of the backlog."""
        self._handlers[method] = handler

    def on_request(self, method: str, handler: RequestHandler) -> None:
        """Let `handler` answer the requests of one method."""
        self._request_handlers[method] = handler

    def answers(self, method: str) -> bool:
        """Whether a handler answers the requests of this method."""
        return method in self._request_handlers

    async def next_message(self, method: str | None, within: float) -> Message:
        """The next message that no handler took, or the next of one method; the others keep their place.

        Raises:
            RequestTimeout: none came in time.
            ConnectionClosed: no more comes.
        """
        try:
            async with asyncio.timeout(within):
                return await self._backlog.take(method)
        except TimeoutError:
            raise RequestTimeout(f"no {method or 'message'} came in time") from None

    def answer(self, request: RequestReceived, is_closed: Callable[[], bool]) -> Reply:
        """The reply to a request; `is_closed` says whether the connection that it came on has ended."""
        params = _params(request)
        handler = self._request_handlers.get(request.method)
        if handler is None:
            self._backlog.put(Message(request.method, params, request.id))
            return encode_result(request.id, _default_answer(request.method, params))
        result = handler(params)
        return _later(request, result, is_closed) if inspect.isawaitable(result) else encode_result(request.id, result)

    def notify(self, notification: NotificationReceived) -> None:
        """Hands a notification on. Params that are not what the protocol says are a fault of the server."""
        try:
            params = _params(notification)
        except Refusal as fault:
            excerpt = b"" if notification.params is None else bytes(notification.params)[:160]
            self.blame(Refused(b"", fault.code, f"{notification.method}: {fault.message}", excerpt))
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

    def blame(self, refused: Refused) -> None:
        """Keeps a fault of the server; the first ones are kept."""
        if len(self.faults) < _FAULTS:
            self.faults.append(refused)

    def end(self, error: ConnectionClosed) -> None:
        """No more comes; what is kept can still be taken."""
        self._backlog.end(error)

    def _task_done(self, task: asyncio.Future[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            context = {"message": "a notification handler failed", "exception": task.exception()}
            task.get_loop().call_exception_handler(context)


async def _later(request: RequestReceived, answer: Awaitable[Any], is_closed: Callable[[], bool]) -> bytes:
    try:
        return encode_result(request.id, await answer)
    except asyncio.CancelledError:
        if not is_closed():
            raise
        # Who leaves while a person thinks has not answered; an error would be an answer, and count as a refusal.
        return b""


def _params(message: RequestReceived | NotificationReceived) -> Any:
    if message.method in METHODS:
        return decode_params(message.method, message.params)
    return None if message.params is None else msgspec.json.decode(message.params)


def _default_answer(method: str, params: Any) -> Any:
    """What a request gets that no handler takes: nothing is approved, and nothing unknown is served."""
    if method == "ping":
        return {}
    if isinstance(params, ApprovalRequestParams):
        nonce = params.approval.binding.nonce
        return ApprovalAnswer(decision="decline", nonce="" if nonce is UNSET else nonce)
    raise method_not_found(method)
