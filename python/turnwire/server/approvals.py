"""Approvals (APPR-*): whether an operation may run is asked of every client that can answer, and the first valid
answer wins. Whatever goes wrong, nothing runs without a valid accept (APPR-4).
"""

import asyncio
import logging
from collections.abc import Iterable
from hmac import compare_digest
from typing import Any

from msgspec import UNSET

from turnwire.errors import ConnectionClosed, Issue, ProtocolError, invalid_params, not_found, request_closed
from turnwire.server.hub import Asker, Hub, Listener
from turnwire.server.ids import now_ms
from turnwire.server.thread import LiveThread, with_nonce, without_nonce
from turnwire.state import StateMachine
from turnwire.store.base import StoreFault
from turnwire.wire import (
    Approval,
    ApprovalAnswer,
    ApprovalItem,
    ApprovalOption,
    ApprovalRequestedParams,
    ApprovalRequestParams,
    ApprovalResolution,
    ApprovalResolvedParams,
    Limits,
    PendingApproval,
)

__all__ = ["OPTIONS", "Approvals", "Waiting", "announce_resolution", "chosen_option", "demand_nonce"]

_log = logging.getLogger("turnwire.server")

# APPR-13: what every approval offers; saved answers would be more, and are not served.
OPTIONS = (
    ("accept", "Run it"),
    ("decline", "Do not run it"),
    ("cancel", "Do not run it, and stop the turn"),
    ("defer", "Decide later, and pause the turn"),
)
# How many ids are remembered after their end, for whoever answers late (APPR-5).
_CLOSED = 10_000


class Waiting:
    """One approval that waits: who was asked, who failed, and when it ends by itself."""

    def __init__(self, thread: LiveThread, approval: Approval) -> None:
        self.thread = thread
        self.approval = approval
        self.machine = StateMachine("approval")
        self.future: asyncio.Future[ApprovalResolution] = asyncio.get_running_loop().create_future()
        self.resolution: ApprovalResolution | None = None
        self.asked: dict[Listener, asyncio.Task[None]] = {}
        self.failed: set[Listener] = set()
        self.expiry: asyncio.TimerHandle | None = None
        self.grace: asyncio.TimerHandle | None = None

    @property
    def can_be_answered(self) -> bool:
        """Whether somebody was asked who is there and has not failed."""
        return not self.asked.keys() <= self.failed


class Approvals:
    """The approvals of one server that wait for an answer, and the ends of those that did."""

    def __init__(self, hub: Hub, limits: Limits) -> None:
        self._hub = hub
        self._limits = limits
        self._waiting: dict[str, Waiting] = {}
        self._closed: dict[str, str] = {}

    def expiry(self) -> Any:
        """When an approval that is asked now expires; absent means never."""
        ttl = self._limits.approval_ttl_ms
        return UNSET if ttl is UNSET else now_ms() + ttl

    def ask(self, thread: LiveThread, item: ApprovalItem) -> "Waiting":
        """Asks. The item is started already; `future` of what this returns gets the resolution once it is recorded."""
        waiting = Waiting(thread, with_nonce(item.approval))
        self._waiting[item.approval.approval_id] = waiting
        params = ApprovalRequestedParams(
            thread_id=thread.id, turn_id=item.turn_id, approval=item.approval, seq=thread.seq
        )
        thread.record("approval/requested", params)
        self._arm(waiting)
        for listener in self._hub.subscribers(thread.id):
            self._ask(waiting, listener)
        if not waiting.asked:
            self._abandon(waiting)
        return waiting

    def interrupt(self, waiting: "Waiting") -> ApprovalResolution:
        """The turn does not wait any more: the resolution that there is, or `interrupted`."""
        return self._resolve(waiting, "interrupt", _resolution("interrupted", "decline"))

    def suspend(self, waiting: "Waiting") -> ApprovalResolution:
        """The turn pauses for another reason: the resolution that there is, or the approval waits with the turn."""
        return self._resolve(waiting, "defer", _resolution("interrupted", "defer"))

    def answer(self, approval_id: str, answer: ApprovalAnswer) -> ApprovalResolution:
        """An answer out of band (APPR-8).

        Raises:
            Refusal: notFound, requestClosed, or invalidParams for a decision that is not offered.
        """
        waiting = self._waiting.get(approval_id)
        if waiting is None:
            outcome = self._closed.get(approval_id)
            if outcome is None:
                raise not_found("approval", approval_id)
            raise request_closed("The approval is resolved already.", resolution=outcome)
        return self._answer(waiting, answer)

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
            task = waiting.asked.pop(listener, None)
            if task is None:
                continue
            task.cancel()
            waiting.failed.discard(listener)
            if not waiting.can_be_answered and waiting.grace is None:
                # APPR-10: "when the last client that could answer has been gone for `limits.approvalGraceMs`"
                delay = 0 if self._limits.approval_grace_ms is UNSET else self._limits.approval_grace_ms / 1000
                waiting.grace = asyncio.get_running_loop().call_later(delay, self._abandon, waiting)

    def pending(self, thread: LiveThread, listener: Listener) -> list[PendingApproval]:
        """What waits in a thread, nonces included for a connection that may answer (APPR-2)."""
        approvals = [waiting.approval for waiting in self._of(thread.id)] or list(thread.deferred.values())
        may_answer = getattr(listener, "answers_approvals", False)
        return [PendingApproval(approval=one if may_answer else without_nonce(one)) for one in approvals]

    def close(self, approval_ids: Iterable[str], outcome: str) -> None:
        """Remembers how approvals ended that waited in no running turn."""
        for approval_id in approval_ids:
            self._remember(approval_id, outcome)

    def _of(self, thread_id: str) -> list[Waiting]:
        return [waiting for waiting in self._waiting.values() if waiting.thread.id == thread_id]

    def _arm(self, waiting: Waiting) -> None:
        expires_at = waiting.approval.binding.expires_at
        if expires_at is not UNSET:
            delay = max(0, expires_at - now_ms()) / 1000
            waiting.expiry = asyncio.get_running_loop().call_later(delay, self._expire, waiting)

    def _ask(self, waiting: Waiting, listener: Any) -> None:
        if getattr(listener, "answers_approvals", False) and listener not in waiting.asked:
            waiting.asked[listener] = asyncio.get_running_loop().create_task(self._hear(waiting, listener))

    async def _hear(self, waiting: Waiting, asker: Asker) -> None:
        try:
            answer = await asker.ask("approval/request", ApprovalRequestParams(approval=waiting.approval))
            self._answer(waiting, answer)
        except ConnectionClosed:
            # It has gone, which `gone` is told too; that is no refusal.
            return
        except ProtocolError:
            # APPR-6: an error, garbage, a wrong nonce: "no answer from that client".
            waiting.failed.add(asker)
            if not waiting.can_be_answered:
                self._resolve(waiting, "unanswered", _resolution("unanswered", "decline"))
        except (StoreFault, OSError):
            _log.exception("the answer to approval %s could not be recorded", waiting.approval.approval_id)

    def _answer(self, waiting: Waiting, answer: ApprovalAnswer) -> ApprovalResolution:
        if waiting.machine.state != "waiting":
            raise request_closed("The approval is resolved already.")
        demand_nonce(waiting.approval, answer)
        option = chosen_option(waiting.approval, answer, "/answer")
        resolution = ApprovalResolution(
            outcome="answered",
            decision=answer.decision,
            option_id=option.option_id,
            reason=answer.reason,
            metadata=answer.metadata,
            at=now_ms(),
        )
        self._resolve(waiting, "defer" if answer.decision == "defer" else "answer", resolution)
        return resolution

    def _expire(self, waiting: Waiting) -> None:
        self._resolve(waiting, "expire", _resolution("expired", "decline"))

    def _abandon(self, waiting: Waiting) -> None:
        if waiting.thread.header.approval_policy == "pause":
            self._resolve(waiting, "defer", _resolution("abandoned", "defer"))
        else:
            self._resolve(waiting, "abandon", _resolution("abandoned", "decline"))

    def _resolve(self, waiting: Waiting, event: str, resolution: ApprovalResolution) -> ApprovalResolution:
        """The one place where an approval ends; what comes later finds it resolved, and gets what it came to."""
        if waiting.resolution is not None:
            return waiting.resolution
        waiting.machine.move(event)
        waiting.resolution = resolution
        approval = waiting.approval
        del self._waiting[approval.approval_id]
        self._remember(approval.approval_id, resolution.outcome)
        for timer in (waiting.expiry, waiting.grace):
            if timer is not None:
                timer.cancel()
        current = asyncio.current_task()
        for task in waiting.asked.values():
            if task is not current:
                task.cancel()
        try:
            announce_resolution(waiting.thread, approval, resolution)
        except (StoreFault, OSError) as error:
            # A decision that is not recorded is none: the agent fails where it waits, and nothing runs.
            if not waiting.future.done():
                waiting.future.set_exception(error)
            raise
        if resolution.decision == "defer":
            waiting.thread.deferred[approval.approval_id] = approval
        # Whoever waited may have been cancelled, and the future with it.
        if not waiting.future.done():
            waiting.future.set_result(resolution)
        return resolution

    def _remember(self, approval_id: str, outcome: str) -> None:
        self._closed[approval_id] = outcome
        if len(self._closed) > _CLOSED:
            del self._closed[next(iter(self._closed))]


def announce_resolution(thread: LiveThread, approval: Approval, resolution: ApprovalResolution) -> None:
    """Records and announces how an approval was resolved (APPR-7)."""
    params = ApprovalResolvedParams(
        thread_id=thread.id,
        turn_id=approval.turn_id,
        item_id=approval.item_id,
        approval_id=approval.approval_id,
        resolution=resolution,
        seq=thread.seq,
    )
    thread.record("approval/resolved", params)


def demand_nonce(approval: Approval, answer: ApprovalAnswer) -> None:
    """Refuses an answer that is not bound to the question.

    Raises:
        Refusal: requestClosed.
    """
    nonce = approval.binding.nonce
    if nonce is UNSET or not compare_digest(nonce.encode(), answer.nonce.encode()):
        raise request_closed("The nonce is not that of the approval.")


def chosen_option(approval: Approval, answer: ApprovalAnswer, pointer: str) -> ApprovalOption:
    """The option that an answer chooses; `pointer` is where the answer stands in the params.

    Raises:
        Refusal: invalidParams, where the decision is not offered.
    """
    for option in approval.available_decisions:
        if option.decision == answer.decision and answer.option_id in (UNSET, option.option_id):
            return option
    offered = ", ".join(option.decision for option in approval.available_decisions)
    raise invalid_params([Issue(f"{pointer}/decision", "is not offered, or not under this optionId", offered)])


def _resolution(outcome: str, decision: str) -> ApprovalResolution:
    return ApprovalResolution(outcome=outcome, decision=decision, at=now_ms())
