"""One connection of a server: its handshake, its gates, what it hears, and the order in which it hears it.

Gates, in this order (decision 0006): initialize, known name, opt-in to what is experimental, capability, principal,
shutdown, params. On the asking connection the response comes first, then what it caused (THR-22): what is announced
while a request is served is held back until the reply is sent.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET

from turnwire import wire
from turnwire.codec import NO_PARAMS, encode_error, encode_known_result, encode_result
from turnwire.errors import Refusal, internal_error, not_initialized, overloaded, shutting_down, unauthorized
from turnwire.events import CloseReason, NotificationReceived, Refused, RequestId, RequestReceived
from turnwire.peer import Peer, Reply
from turnwire.server.call import Call
from turnwire.server.handlers import Route, route_of
from turnwire.server.host import Host
from turnwire.server.state import ServerState
from turnwire.state import StateMachine

__all__ = ["AtEnd", "Session"]

# What is sent behind a reply, each with the thread that it tells of.
_Held: TypeAlias = list[tuple[str, Callable[[], None]]]

_log = logging.getLogger("turnwire.server")

AtEnd = Callable[[CloseReason], Coroutine[Any, Any, None]]
"""What is to be done when a connection ends whose end is the server's (stdio)."""


class Session:
    """See `Endpoint`, `Caller` and `Listener`."""

    def __init__(
        self, state: ServerState, peer: Peer, *, principal: str | None = None, at_end: AtEnd | None = None
    ) -> None:
        self.principal = principal
        self.answers: frozenset[str] = frozenset()
        self._state = state
        self._authorize = state.host.authorize
        self._peer = peer
        self._at_end = at_end
        self._machine = StateMachine("connection")
        self._routes: dict[str, Route] = {}
        # What anyone may ask and is always answered alike, such as ping; a host that decides who may has none.
        self._constants: dict[str, bytes] = {}
        self._opted_out: frozenset[str] = frozenset()
        self._experimental = False
        self._gates = state.hub.gates
        # What was announced since `hold`, in order, with its thread; None while nothing is held back.
        self._held: _Held | None = None
        # The moment of `hold`.
        self._mark = 0
        # How many replies wait for the disk.
        self._owed = 0

    @property
    def initialized(self) -> bool:
        return self._machine.state != "opened"

    def handle_request(self, request: RequestReceived) -> Reply:
        params = request.params
        if params == NO_PARAMS:
            constant = self._constants.get(request.method)
            if constant is not None:
                return encode_known_result(request.id, constant)
        route = self._routes.get(request.method) or self._admit(request.method)
        if route.changes:
            self._demand_running()
        if not self._authorize(self.principal, request.method):
            raise unauthorized()
        if self._owed >= self._peer.limits.requests:
            # LIM-3: a request whose reply waits for the disk is one that has not returned.
            raise overloaded(self._peer.limits.retry_after_ms)
        call = Call(self._state, self, route.read(params), params)
        if route.waits:
            # The bytes of the params alias what came in, and a coroutine outlives that.
            return self._serve_later(request, route, call._replace(raw=bytes(call.raw)))
        self.hold()
        try:
            reply = encode_result(request.id, route.handler(call))
        except Refusal as refusal:
            reply = encode_error(request.id, refusal)
        except Exception as error:  # noqa: BLE001 - ERR-3: what was not foreseen is an answer too
            reply = encode_error(request.id, self._unforeseen(request.method, error))
        return self._send_first(request.id, call.params, reply)

    def handle_notification(self, notification: NotificationReceived) -> None:
        """LIFE-9: `initialized` "may be sent any number of times"; there is no other."""

    def handle_refused(self, refused: Refused) -> None:
        _log.debug("refused what came: %s", refused.message)

    def handle_closed(self, reason: CloseReason) -> Coroutine[Any, Any, None] | None:
        if reason == "lost":
            self._leave()
            return None if self._at_end is None else self._at_end(reason)
        if self._at_end is None and not self._gates.is_busy:
            self._leave()
            return None
        return self._end(self._at_end or self._settle, reason)

    def open(self, capabilities: wire.ClientCapabilities) -> None:
        self._machine.move("initialize")
        self._routes.clear()
        self._experimental = capabilities.experimental is True
        declared = (
            ("approval/request", capabilities.approvals),
            ("userInput/request", capabilities.user_input),
            ("tool/call", capabilities.dynamic_tools),
        )
        self.answers = frozenset(method for method, given in declared if given is True)
        refused = set(capabilities.opt_out_notifications or ())
        if capabilities.tool_progress is not True:
            refused.add("item/toolCall/progress")  # ITEM-7
        if capabilities.traces is not True:
            refused.add("trace/span")  # TRACE-2
        self._opted_out = frozenset(refused)
        self._state.hub.join(self)

    def drain(self) -> None:
        if not self._machine.allows("shutdown"):
            raise shutting_down()
        self._machine.move("shutdown")
        self._state.draining = True

    def hold(self) -> None:
        if self._held is None:
            self._held = []
            self._mark = self._gates.mark()

    def deliver(self, method: str, thread_id: str, line: bytes) -> None:
        if method in self._opted_out:
            return
        if self._held is None and self._gates.is_open(thread_id):
            self._peer.send(line)
        else:
            self._send_later(thread_id, lambda: self._peer.send(line))

    def tell(self, method: str, thread_id: str, params: msgspec.Struct) -> None:
        if method in self._opted_out:
            return
        if self._held is None and self._gates.is_open(thread_id):
            self._peer.notify(method, params)
        else:
            self._send_later(thread_id, lambda: self._peer.notify(method, params))

    async def ask(self, method: str, params: msgspec.Struct) -> Any:
        # REC-3: what was recorded before it is on the disk before anybody is asked to do something.
        await self._gates.passing(getattr(params, "thread_id", ""))
        return await self._peer.request(method, params)

    def _admit(self, method: str) -> Route:
        if not self.initialized and method != "initialize":
            # LIFE-2: "Any request before `initialize`, known or not".
            raise not_initialized()
        route = self._routes[method] = route_of(method, experimental=self._experimental, offered=self._state.offered)
        if route.constant is not None and type(self._state.host).authorize is Host.authorize:
            self._constants[method] = route.constant
        return route

    async def _serve_later(self, request: RequestReceived, route: Route, call: Call) -> bytes:
        try:
            # A shutdown that came before this request may have begun after it passed the gates.
            if route.changes:
                self._demand_running()
            reply = encode_result(request.id, await route.handler(call))
        except Refusal as refusal:
            reply = encode_error(request.id, refusal)
        except Exception as error:  # noqa: BLE001 - see handle_request
            reply = encode_error(request.id, self._unforeseen(request.method, error))
        return self._send_first(request.id, call.params, reply)

    def _demand_running(self) -> None:
        if self._state.draining:
            raise shutting_down()

    def _send_later(self, thread_id: str, send: Callable[[], None]) -> None:
        if self._held is not None:
            self._held.append((thread_id, send))
        else:
            self._gates.pass_through([thread_id], lambda error: send() if error is None else None)

    def _send_first(self, request_id: RequestId, params: Any, reply: bytes) -> bytes:
        """Sends the reply, then what was held back behind it: all of it when everything that it tells of is safe."""
        held, self._held = self._held, None
        if not self._gates.is_busy:
            if not held:
                return reply
            self._send_all(reply, held)
            return b""
        threads = [thread_id for thread_id, _ in held or ()]
        named = getattr(params, "thread_id", UNSET)
        if isinstance(named, str):
            threads.append(named)
        if held is not None:
            threads += self._gates.closed_since(self._mark)
        self._owed += 1
        self._gates.pass_through(threads, lambda error: self._send_safe(request_id, reply, held or [], error))
        return b""

    def _send_safe(self, request_id: RequestId, reply: bytes, held: _Held, error: OSError | None) -> None:
        self._owed -= 1
        if error is None:
            self._send_all(reply, held)
        else:
            # ERR-3: what is wrong with the disk went to stderr.
            self._peer.send(encode_error(request_id, internal_error("What was recorded could not be kept.")))

    def _send_all(self, reply: bytes, held: _Held) -> None:
        self._peer.send(reply)
        for _thread_id, send in held:
            send()

    def _unforeseen(self, method: str, error: Exception) -> Refusal:
        _log.error("%s failed", method, exc_info=error)
        return (
            internal_error(f"{type(error).__name__}: {error}") if self._state.host.expose_errors else internal_error()
        )

    async def _end(self, at_end: AtEnd, reason: CloseReason) -> None:
        try:
            await at_end(reason)
        finally:
            self._leave()

    async def _settle(self, _reason: CloseReason) -> None:
        """Replies that wait for the disk are still sent."""
        await self._gates.settled()

    def _leave(self) -> None:
        self._machine = StateMachine("connection", "closed")
        threads = self._state.hub.leave(self)
        if self._state.work is not None:
            self._state.work.gone(self, threads)
