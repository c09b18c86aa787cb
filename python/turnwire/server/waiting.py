"""Approvals and questions that wait for an answer (APPR-*, INPUT-*): each is asked of every client that can answer, and
the first valid answer wins. Whatever goes wrong, nothing is taken for an answer that is none (APPR-4).
"""

import asyncio
import logging
from collections.abc import Iterable
from typing import Any, ClassVar, Protocol

import msgspec
from msgspec import UNSET

from turnwire.errors import ConnectionClosed, ProtocolError, not_found, request_closed
from turnwire.server.hub import Asker, Hub, Listener
from turnwire.server.ids import now_ms
from turnwire.server.questions import Asked, demand_nonce, id_of, pending_of, request_of, with_nonce, without_nonce
from turnwire.server.thread import LiveThread
from turnwire.state import StateMachine
from turnwire.store.base import StoreFault
from turnwire.wire import Limits, PendingApproval, PendingUserInput

__all__ = ["Kind", "Requests", "Waiting"]

_log = logging.getLogger("turnwire.server")

# How many ids are remembered after their end, for whoever answers late (APPR-5).
_CLOSED = 10_000


class Kind(Protocol):
    """What approvals and questions do differently."""

    # The ObjectKind of what is not found.
    object: ClassVar[str]

    def params(self, asked: Any) -> msgspec.Struct:
        """The params of the request."""

    def announce(self, thread: LiveThread, asked: Any) -> None:
        """Records and announces that it is asked."""

    def can_pause(self, asked: Any) -> bool:
        """Whether its turn can pause for it."""

    def read(self, asked: Any, answer: Any, pointer: str) -> tuple[str, Any]:
        """The event of the machine `approval` that an answer is, and the resolution that it comes to; `pointer` is
        where the answer stands in the params.

        Raises:
            Refusal: invalidParams.
        """

    def unanswered(self, outcome: str, *, defers: bool) -> Any:
        """The resolution where nobody answered."""

    def shown(self, asked: Any, resolution: Any) -> Any:
        """The resolution as everybody may see it."""

    def announce_end(self, thread: LiveThread, asked: Any, resolution: Any, *, defers: bool) -> None:
        """Records and announces how it was resolved (APPR-7)."""


class Waiting:
    """One that waits: who was asked, who failed, and when it ends by itself."""

    def __init__(self, kind: Kind, thread: LiveThread, asked: Asked) -> None:
        self.kind = kind
        self.thread = thread
        self.asked = asked
        self.machine = StateMachine("approval")
        # The resolution, once it is recorded.
        self.future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.resolution: Any = None
        self.clients: dict[Listener, asyncio.Task[None]] = {}
        self.failed: set[Listener] = set()
        self.expiry: asyncio.TimerHandle | None = None
        self.grace: asyncio.TimerHandle | None = None

    def settle(self, error: OSError | None) -> None:
        """The resolution may be acted on, or is lost."""
        # Whoever waited may have been cancelled, and the future with it.
        if self.future.done():
            return
        if error is None:
            self.future.set_result(self.resolution)
        else:
            self.future.set_exception(error)

    @property
    def can_be_answered(self) -> bool:
        """Whether somebody was asked who is there and has not failed."""
        return not self.clients.keys() <= self.failed

    @property
    def is_deferred(self) -> bool:
        """Whether it waits on in a paused turn."""
        return self.machine.state == "deferred"


class Requests:
    """What waits in one server, and the ends of what did."""

    def __init__(self, hub: Hub, limits: Limits) -> None:
        self._hub = hub
        self._limits = limits
        self._waiting: dict[str, Waiting] = {}
        self._closed: dict[str, str] = {}

    def expiry(self) -> Any:
        """When what is asked now expires; absent means never."""
        ttl = self._limits.approval_ttl_ms
        return UNSET if ttl is UNSET else now_ms() + ttl

    def ask(self, thread: LiveThread, kind: Kind, asked: Asked) -> "Waiting":
        """Asks. The item is started already; `future` of what this returns gets the resolution once it is recorded."""
        waiting = Waiting(kind, thread, with_nonce(asked))
        self._waiting[id_of(asked)] = waiting
        kind.announce(thread, asked)
        self._arm(waiting)
        for listener in self._hub.subscribers(thread.id):
            self._ask(waiting, listener)
        if not waiting.clients:
            self._abandon(waiting)
        return waiting

    def interrupt(self, waiting: "Waiting") -> Any:
        """The turn does not wait any more: the resolution that there is, or `interrupted`."""
        return self._resolve(waiting, "interrupt", waiting.kind.unanswered("interrupted", defers=False))

    def suspend(self, waiting: "Waiting") -> Any:
        """The turn pauses for another reason: the resolution that there is, or it waits with the turn."""
        return self._resolve(waiting, "defer", waiting.kind.unanswered("interrupted", defers=True))

    def answer(self, kind: Kind, id_: str, answer: Any) -> Any:
        """An answer out of band (APPR-8, INPUT-4); the resolution as everybody may see it.

        Raises:
            Refusal: notFound, requestClosed, or invalidParams for an answer that is not offered.
        """
        waiting = self._waiting.get(id_)
        if waiting is not None and waiting.kind is kind:
            return kind.shown(waiting.asked, self._answer(waiting, answer))
        outcome = self._closed.get(id_)
        if outcome is None:
            raise not_found(kind.object, id_)
        raise request_closed("It is resolved already.", resolution=outcome)

    def subscribed(self, thread_id: str, listener: Listener) -> None:
        """A connection subscribed: what waits in the thread is asked of it too."""
        for waiting in self._of(thread_id):
            self._ask(waiting, listener)
            if waiting.can_be_answered and waiting.grace is not None:
                waiting.grace.cancel()
                waiting.grace = None

    def gone(self, thread_id: str, listener: Listener) -> None:
        """A connection is no longer subscribed: it cannot answer any more."""
        for waiting in self._of(thread_id):
            task = waiting.clients.pop(listener, None)
            if task is None:
                continue
            task.cancel()
            waiting.failed.discard(listener)
            if not waiting.can_be_answered and waiting.grace is None:
                # APPR-10: "when the last client that could answer has been gone for `limits.approvalGraceMs`"
                delay = 0 if self._limits.approval_grace_ms is UNSET else self._limits.approval_grace_ms / 1000
                waiting.grace = asyncio.get_running_loop().call_later(delay, self._abandon, waiting)

    def pending(self, thread: LiveThread, listener: Listener) -> list[PendingApproval | PendingUserInput]:
        """What waits in a thread, nonces included for a connection that may answer (APPR-2)."""
        found = [waiting.asked for waiting in self._of(thread.id)] or list(thread.deferred.values())
        answers = _answers(listener)
        return [pending_of(asked if request_of(asked) in answers else without_nonce(asked)) for asked in found]

    def close(self, ids: Iterable[str], outcome: str) -> None:
        """Remembers how those ended that waited in no running turn."""
        for id_ in ids:
            self._remember(id_, outcome)

    def _of(self, thread_id: str) -> list[Waiting]:
        return [waiting for waiting in self._waiting.values() if waiting.thread.id == thread_id]

    def _arm(self, waiting: Waiting) -> None:
        expires_at = waiting.asked.binding.expires_at
        if expires_at is not UNSET:
            delay = max(0, expires_at - now_ms()) / 1000
            waiting.expiry = asyncio.get_running_loop().call_later(delay, self._expire, waiting)

    def _ask(self, waiting: Waiting, listener: Any) -> None:
        if request_of(waiting.asked) in _answers(listener) and listener not in waiting.clients:
            waiting.clients[listener] = asyncio.get_running_loop().create_task(self._hear(waiting, listener))

    async def _hear(self, waiting: Waiting, asker: Asker) -> None:
        kind = waiting.kind
        try:
            await waiting.thread.safe()
            self._answer(waiting, await asker.ask(request_of(waiting.asked), kind.params(waiting.asked)))
        except ConnectionClosed:
            # It has gone, which `gone` is told too; that is no refusal.
            return
        except ProtocolError:
            # APPR-6: an error, garbage, a wrong nonce: "no answer from that client".
            waiting.failed.add(asker)
            if not waiting.can_be_answered:
                self._resolve(waiting, "unanswered", kind.unanswered("unanswered", defers=False))
        except (StoreFault, OSError):
            _log.exception("the answer to %s could not be recorded", id_of(waiting.asked))

    def _answer(self, waiting: Waiting, answer: Any) -> Any:
        if waiting.machine.state != "waiting":
            raise request_closed("It is resolved already.")
        demand_nonce(waiting.asked, answer)
        event, resolution = waiting.kind.read(waiting.asked, answer, "/answer")
        return self._resolve(waiting, event, resolution)

    def _expire(self, waiting: Waiting) -> None:
        self._resolve(waiting, "expire", waiting.kind.unanswered("expired", defers=False))

    def _abandon(self, waiting: Waiting) -> None:
        defers = waiting.thread.header.approval_policy == "pause" and waiting.kind.can_pause(waiting.asked)
        event = "defer" if defers else "abandon"
        self._resolve(waiting, event, waiting.kind.unanswered("abandoned", defers=defers))

    def _resolve(self, waiting: Waiting, event: str, resolution: Any) -> Any:
        """The one place where one ends; what comes later finds it resolved, and gets what it came to."""
        if waiting.resolution is not None:
            return waiting.resolution
        waiting.machine.move(event)
        waiting.resolution = resolution
        id_ = id_of(waiting.asked)
        del self._waiting[id_]
        self._remember(id_, resolution.outcome)
        for timer in (waiting.expiry, waiting.grace):
            if timer is not None:
                timer.cancel()
        current = asyncio.current_task()
        for task in waiting.clients.values():
            if task is not current:
                task.cancel()
        try:
            waiting.kind.announce_end(waiting.thread, waiting.asked, resolution, defers=waiting.is_deferred)
        except (StoreFault, OSError) as error:
            # A decision that is not recorded is none: the agent fails where it waits, and nothing runs.
            if not waiting.future.done():
                waiting.future.set_exception(error)
            raise
        if waiting.is_deferred:
            waiting.thread.deferred[id_] = waiting.asked
        waiting.thread.when_safe(waiting.settle)
        return resolution

    def _remember(self, id_: str, outcome: str) -> None:
        self._closed[id_] = outcome
        if len(self._closed) > _CLOSED:
            del self._closed[next(iter(self._closed))]


def _answers(listener: Any) -> frozenset[str]:
    """The requests that a connection said it answers; a listener that is no connection answers none."""
    answers: frozenset[str] = getattr(listener, "answers", frozenset())
    return answers
