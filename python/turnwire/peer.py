"""The only loop: a transport on one side, an endpoint on the other, the sans-IO connection between them.

All lines of one read are handled before their answers leave in one write. A handler that does not await never becomes
a task. Bounds: LIM-1 to LIM-4.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, cast

from msgspec import Raw

from turnwire.codec import Params, decode_result, encode_error
from turnwire.connection import Connection, Role
from turnwire.endpoint import Endpoint, PeerLimits, Reply
from turnwire.errors import ConnectionClosed, Refusal, RequestTimeout, internal_error, overloaded
from turnwire.events import (
    Closed,
    CloseReason,
    Event,
    NotificationReceived,
    Refused,
    RequestId,
    RequestReceived,
    ResponseReceived,
)
from turnwire.outbox import TRANSIENT, Outbox
from turnwire.transports.base import Transport

__all__ = ["Endpoint", "Peer", "PeerLimits", "Reply"]

# While the other side does not read, so much of what it writes is kept unhandled before no more is taken from it.
_HELD_BYTES = 1024 * 1024


class Peer:
    """One side of one connection, alive from `run` to its return. Made inside a running event loop."""

    def __init__(self, role: Role, transport: Transport, limits: PeerLimits | None = None) -> None:
        self.limits = PeerLimits() if limits is None else limits
        self._connection = Connection(role, self.limits, pending_limit=self.limits.pending)
        self._transport = transport
        self._outbox = Outbox(self.limits.output_messages, self.limits.output_bytes)
        self._loop = asyncio.get_running_loop()
        self._lost: asyncio.Future[None] = self._loop.create_future()
        self._endpoint: Endpoint | None = None
        self._calls: dict[RequestId, asyncio.Future[ResponseReceived]] = {}
        self._handlers: set[asyncio.Task[None]] = set()
        self._handler_bytes = 0
        self._inbox: list[Event] = []
        self._held = 0
        self._congested = False
        self._flush_due = False
        self._timer: asyncio.TimerHandle | None = None
        self._drain: asyncio.Task[None] | None = None
        self._last_call: asyncio.TimerHandle | None = None

    @property
    def is_closed(self) -> bool:
        """Whether the end has come: nothing is received any more, and no request can be sent."""
        return self._connection.is_closed

    async def run(self, endpoint: Endpoint) -> None:
        """Serve `endpoint` until the connection has ended and everything that was due is written.

        Raises:
            OSError: the transport cannot be used.
        """
        await self.start(endpoint)
        await self.wait_closed()

    async def start(self, endpoint: Endpoint) -> None:
        """The first half of `run`: from here on the connection can be used, and `wait_closed` is owed.

        Raises:
            OSError: the transport cannot be used.
        """
        self._endpoint = endpoint
        await self._transport.start(self)

    async def wait_closed(self) -> None:
        """The second half of `run`. When it is cancelled, the connection is cut off."""
        try:
            # Shielded, since a future that is awaited is cancelled with its waiter.
            await asyncio.shield(self._lost)
        finally:
            if not self._lost.done():
                self._end("closed")
                self._transport.abort("closed")
        if self._drain is not None:
            await self._drain

    def notify(self, method: str, params: Params = None) -> None:
        """Send a notification. To a slow reader deltas are merged and transient ones may be dropped (LIM-4)."""
        if self._congested and method in TRANSIENT:
            self._outbox.put_transient(method, params)
        else:
            self.send(self._connection.send_notification(method, params))

    async def request(self, method: str, params: Params = None, *, within: float | None = None) -> Any:
        """Call the other side; the result as its type.

        Raises:
            RemoteError: the other side refused.
            RemoteProtocolError: the answer is garbage.
            RequestTimeout: no answer came within so many seconds; it is ignored when it comes later.
            ConnectionClosed: the connection ended first.
            PendingFull: too many requests wait already.
        """
        return decode_result(method, await self.request_raw(method, params, within=within))

    async def request_raw(self, method: str, params: Params = None, *, within: float | None = None) -> Raw:
        """As `request`, for any method name; the result as the JSON text that came."""
        deadline = None if within is None else self._loop.time() + within
        call_id, line = self._connection.send_request(method, params, deadline=deadline)
        answer: asyncio.Future[ResponseReceived] = self._loop.create_future()
        self._calls[call_id] = answer
        self.send(line)
        if deadline is not None:
            self._arm(deadline)
        try:
            response = await answer
        finally:
            del self._calls[call_id]
            self._connection.give_up(call_id)
        if response.error is not None:
            raise response.error
        assert response.result is not None, "a response without an error has a result"
        return response.result

    def send(self, line: bytes) -> None:
        """Write a line that is encoded already: a reply, or what must not be lost. Order is kept."""
        self._outbox.put(line)
        if self._outbox.is_full:
            self._relieve()
        elif not self._flush_due:
            self._flush_due = True
            self._loop.call_soon(self._flush)

    def close(self) -> None:
        """End the connection from this side: no more is read, what runs may finish, everything is flushed."""
        self._transport.pause_reading()
        self._inbox.clear()
        self._end("closed")

    # What follows is the Receiver of the transport.

    def data_received(self, chunk: bytes) -> None:
        """See `Receiver`."""
        if not self.is_closed:
            self._hear(self._connection.receive_data(chunk), len(chunk))

    def message_received(self, message: bytes) -> None:
        """See `Receiver`."""
        if not self.is_closed:
            self._hear(self._connection.receive_message(message), len(message))

    def eof_received(self) -> None:
        """See `Receiver`."""
        self._hear(self._connection.receive_eof())
        self._limit_the_end("eof")

    def hangup_received(self) -> None:
        """See `Receiver`. What is still to be read waits for the other side to read; a process does not outlive it."""
        if not self.is_closed:
            self._limit_the_end("eof")

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - why does not matter here
        """See `Receiver`."""
        self._inbox.clear()
        self._end("lost")
        if self._last_call is not None:
            self._last_call.cancel()
        if not self._lost.done():
            self._lost.set_result(None)

    def pause_writing(self) -> None:
        """See `Receiver`."""
        self._congested = True

    def resume_writing(self) -> None:
        """See `Receiver`."""
        self._congested = False
        if self._last_call is not None and not self.is_closed:
            # The other side does read.
            self._last_call.cancel()
            self._last_call = None
        self._flush()
        events, self._inbox, self._held = self._inbox, [], 0
        self._dispatch(events)
        if not self._inbox and not self.is_closed:
            self._transport.resume_reading()

    def _hear(self, events: list[Event], size: int = 0) -> None:
        if not self._inbox:
            self._dispatch(events)
            return
        self._inbox += events
        self._held += size
        if self._held > _HELD_BYTES:
            self._transport.pause_reading()

    def _dispatch(self, events: list[Event]) -> None:
        """Handle what one read gave; all answers leave in one write."""
        endpoint, outbox = self._endpoint, self._outbox
        assert endpoint is not None, "a transport delivers nothing before it is started"
        self._flush_due = True
        coming = iter(events)
        for event in coming:
            if outbox.is_full and not self._has_room():
                # LIM-4: "on stdio no more is read"; what was read already waits with it.
                self._inbox = [event, *coming]
                break
            if type(event) is not RequestReceived:
                self._handle(endpoint, event)
                continue
            try:
                reply = endpoint.handle_request(event)
            except Exception as error:  # noqa: BLE001 - RPC-19: "Every request gets exactly one reply"
                reply = self._failed(event, error)
            if type(reply) is not bytes:
                self._accept(event, cast(Coroutine[Any, Any, bytes], reply))
            elif reply:
                outbox.put(reply)
        self._flush()

    def _handle(self, endpoint: Endpoint, event: Event) -> None:
        """What is no request."""
        try:
            if isinstance(event, NotificationReceived):
                endpoint.handle_notification(event)
            elif isinstance(event, ResponseReceived):
                self._settle(event)
            elif isinstance(event, Refused):
                if event.reply:
                    self._outbox.put(event.reply)
                endpoint.handle_refused(event)
            elif isinstance(event, Closed):
                self._end(event.reason)
        except Exception as error:  # noqa: BLE001 - an event that the endpoint fails on must not end the connection
            self._report(f"the endpoint failed on {type(event).__name__}", error)

    def _accept(self, request: RequestReceived, answering: Coroutine[Any, Any, bytes]) -> None:
        """LIM-3: a handler that does not answer at once is accepted while the request queue has room."""
        if self._is_overloaded(request):
            answering.close()
            self._outbox.put(encode_error(request.id, overloaded(self.limits.retry_after_ms)))
            return
        self._handler_bytes += len(request.params)
        handler = self._loop.create_task(self._serve(request, answering))
        self._handlers.add(handler)
        handler.add_done_callback(self._handlers.discard)

    def _is_overloaded(self, request: RequestReceived) -> bool:
        # LIM-2: "A message within its own limit is never refused for bytes when the queue is empty."
        over = self._handler_bytes + len(request.params) > self.limits.request_bytes
        return len(self._handlers) >= self.limits.requests or (over and bool(self._handlers))

    async def _serve(self, request: RequestReceived, answering: Coroutine[Any, Any, bytes]) -> None:
        try:
            reply = await answering
        except asyncio.CancelledError:
            self.send(encode_error(request.id, internal_error("The connection ended before the answer was there.")))
            raise
        except Exception as error:  # noqa: BLE001 - RPC-19: "Every request gets exactly one reply"
            reply = self._failed(request, error)
        finally:
            self._handler_bytes -= len(request.params)
        if reply:
            self.send(reply)

    def _failed(self, request: RequestReceived, error: Exception) -> bytes:
        if isinstance(error, Refusal):
            return encode_error(request.id, error)
        self._report(f"the handler of {request.method} failed", error)
        return encode_error(request.id, internal_error())

    def _report(self, what: str, error: Exception) -> None:
        """ERR-3: "The particulars of an internal error go to stderr", by way of the loop's exception handler."""
        self._loop.call_exception_handler({"message": what, "exception": error})

    def _settle(self, response: ResponseReceived) -> None:
        answer = self._calls.get(response.id)
        if answer is not None and not answer.done():
            answer.set_result(response)

    def _arm(self, deadline: float) -> None:
        """Let one timer watch over the earliest deadline."""
        if self._timer is None or deadline < self._timer.when():
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._loop.call_at(deadline, self._expire)

    def _expire(self) -> None:
        self._timer = None
        # A loop may call a timer early by the resolution of its clock.
        for call in self._connection.take_expired(self._loop.time() + 0.001):
            answer = self._calls.get(call.id)
            if answer is not None and not answer.done():
                answer.set_exception(RequestTimeout(f"{call.method} got no answer in time"))
        deadline = self._connection.next_deadline()
        if deadline is not None:
            self._arm(deadline)

    def _has_room(self) -> bool:
        self._flush()
        self._flush_due = True
        return not self._outbox.is_full

    def _relieve(self) -> None:
        """The outbox is full: write it, or do what the transport says before a recorded message would be lost."""
        if not self._congested:
            self._flush()
        elif self._transport.slow_reader == "close" and not self.is_closed:
            self._end("slowReader")
            self._transport.abort("slowReader")

    def _flush(self) -> None:
        self._flush_due = False
        if not self._congested:
            lines = self._outbox.take()
            if lines:
                self._transport.write(lines)

    def _end(self, reason: CloseReason) -> None:
        """The one place where a connection ends, whoever ended it first."""
        if self._drain is not None or self._endpoint is None:
            return
        self._connection.close(reason)
        if self._timer is not None:
            self._timer.cancel()
        for answer in self._calls.values():
            if not answer.done():
                answer.set_exception(ConnectionClosed(f"the connection ended ({reason}) before the answer came"))
        self._drain = self._loop.create_task(self._finish(self._endpoint.handle_closed(reason)))
        self._limit_the_end(reason)

    def _limit_the_end(self, reason: CloseReason) -> None:
        """A reader that takes nothing does not keep the process alive."""
        if self._last_call is None and not self._lost.done():
            seconds = self.limits.drain_seconds + self.limits.linger_seconds
            self._last_call = self._loop.call_later(seconds, self._transport.abort, reason)

    async def _finish(self, closing: Coroutine[Any, Any, None] | None) -> None:
        try:
            async with asyncio.timeout(self.limits.drain_seconds):
                if closing is not None:
                    await closing
                while self._handlers:
                    await asyncio.wait(self._handlers)
        except TimeoutError:
            for handler in self._handlers:
                handler.cancel()
            if self._handlers:
                await asyncio.wait(self._handlers, timeout=0.1)
        except Exception as error:  # noqa: BLE001 - the endpoint's end must not keep the transport open
            self._report("the endpoint failed at the end of the connection", error)
        self._congested = False
        self._flush()
        self._transport.close()
