"""One connection of a server: its handshake, its gates, what it hears, and the order in which it hears it.

Gates, in this order (decision 0006): initialize, known name, opt-in to what is experimental, capability, principal,
shutdown, params. On the asking connection the response comes first, then what it caused (THR-22): what is announced
while a request is served is held back until the reply is sent.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from turnwire import wire
from turnwire.codec import NO_PARAMS, encode_error, encode_known_result, encode_result
from turnwire.errors import Refusal, internal_error, not_initialized, shutting_down, unauthorized
from turnwire.events import CloseReason, NotificationReceived, Refused, RequestReceived
from turnwire.peer import Peer, Reply
from turnwire.server.call import Call
from turnwire.server.handlers import Route, route_of
from turnwire.server.host import Host
from turnwire.server.state import ServerState
from turnwire.state import StateMachine

__all__ = ["AtEnd", "Session"]

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
        # What was announced since `hold`, in order; None while nothing is held back.
        self._held: list[Callable[[], None]] | None = None

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
        call = Call(self._state, self, route.read(params), params)
        if route.waits:
            # The bytes of the params alias what came in, and a coroutine outlives that.
            return self._serve_later(request, route, call._replace(raw=bytes(call.raw)))
        self._held = []
        try:
            reply = encode_result(request.id, route.handler(call))
        except Refusal as refusal:
            reply = encode_error(request.id, refusal)
        except Exception as error:  # noqa: BLE001 - ERR-3: what was not foreseen is an answer too
            reply = encode_error(request.id, self._unforeseen(request.method, error))
        return self._send_first(reply)

    def handle_notification(self, notification: NotificationReceived) -> None:
        """LIFE-9: `initialized` "may be sent any number of times"; there is no other."""

    def handle_refused(self, refused: Refused) -> None:
        _log.debug("refused what came: %s", refused.message)

    def handle_closed(self, reason: CloseReason) -> Coroutine[Any, Any, None] | None:
        if reason == "lost" or self._at_end is None:
            self._leave()
            return None if self._at_end is None else self._at_end(reason)
        return self._end(self._at_end, reason)

    def open(self, capabilities: wire.ClientCapabilities) -> None:
        self._machine.move("initialize")
        self._routes.clear()
        self._experimental = capabilities.experimental is True
        declared = (
            ("approval/request", capabilities.approvals),
            ("userInput/request", capabilities.user_input),
        )
        self.answers = frozenset(method for method, given in declared if given is True)
        refused = set(capabilities.opt_out_notifications or ())
        if capabilities.tool_progress is not True:
            refused.add("item/toolCall/progress")  # ITEM-7
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

    def deliver(self, method: str, line: bytes) -> None:
        if method in self._opted_out:
            return
        if self._held is None:
            self._peer.send(line)
        else:
            self._held.append(lambda: self._peer.send(line))

    def tell(self, method: str, params: msgspec.Struct) -> None:
        if method in self._opted_out:
            return
        if self._held is None:
            self._peer.notify(method, params)
        else:
            self._held.append(lambda: self._peer.notify(method, params))

    async def ask(self, method: str, params: msgspec.Struct) -> Any:
        return await self._peer.request(method, params)

    def _admit(self, method: str) -> Route:
        if not self.initialized and method != "initialize":
            # LIFE-2: "Any request before `initialize`, known or not".
            raise not_initialized()
        route = self._routes[method] = route_of(method, experimental=self._experimental)
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
        return self._send_first(reply)

    def _demand_running(self) -> None:
        if self._state.draining:
            raise shutting_down()

    def _send_first(self, reply: bytes) -> bytes:
        held, self._held = self._held, None
        if not held:
            return reply
        self._peer.send(reply)
        for send in held:
            send()
        return b""

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

    def _leave(self) -> None:
        self._machine = StateMachine("connection", "closed")
        threads = self._state.hub.leave(self)
        if self._state.work is not None:
            self._state.work.gone(self, threads)
