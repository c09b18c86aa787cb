"""What a crash leaves open in a thread, and the events that end it: a function of what was recorded, and nothing else.

A turn that only waited for an answer is paused, so that it can go on (APPR-11); any other ends `interrupted`, and what
it had open is completed `interrupted`, its outcome unknown (ITEM-9). Nothing is made up.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from turnwire.state import next_state
from turnwire.store.base import StoredEvent
from turnwire.store.history import History
from turnwire.wire import (
    ApprovalItem,
    ApprovalResolution,
    ApprovalResolvedParams,
    Evidence,
    ItemCompletedParams,
    PendingApproval,
    PendingUserInput,
    ThreadStatusChangedParams,
    Turn,
    TurnCompletedParams,
    TurnQueueUpdatedParams,
    UntakenInput,
    UserInputItem,
    UserInputResolution,
    UserInputResolvedParams,
    params_decoder,
)

__all__ = ["Recovered", "recover"]


class Recovered(NamedTuple):
    """An event to record: its type, and its params with the number that it will have."""

    type: str
    params: msgspec.Struct


def recover(history: History, events: Iterable[StoredEvent], *, now: int) -> list[Recovered]:
    """What is to be recorded of a thread that nobody works on, before anything else; nothing where all is in order.

    `history` is what `events` tell; it is not changed.
    """
    active = history.header.active_turn
    turn = None if active is UNSET else history.turns.get(active.id)
    recovery = _Recovery(history, now)
    pauses = history.paused_turn() is not None
    if turn is not None:
        resolutions = _resolutions(events, turn.id)
        pauses = recovery.end(turn, resolutions)
    status = recovery.settle(pauses=pauses)
    if turn is not None or status == "idle":
        recovery.hold_queue()
    return recovery.recorded


class _Recovery:
    """The events of one recovery, in the order in which a server that stops would have recorded them (TURN-9)."""

    def __init__(self, history: History, now: int) -> None:
        self.recorded: list[Recovered] = []
        self._history = history
        self._now = max(now, history.header.updated_at)

    def end(self, turn: Turn, resolutions: dict[str, Any]) -> bool:
        """Ends a turn whose agent is gone; whether it is paused."""
        items: list[Any] = list(self._history.items_of(turn.id))
        waiting = [item for item in items if self._waits(item, resolutions)]
        begun = [item for item in items if item.status == "inProgress"]
        pauses = bool(waiting) and all(item in waiting or _is_aside(item) for item in begun)
        for item in begun:
            self._complete(item, resolutions, decision="defer" if pauses else "decline")
        output = next((item.text for item in reversed(items) if item.type == "agentMessage"), UNSET)
        ended = replace(
            turn,
            status=next_state("turn", turn.status, "pause" if pauses else "interrupt"),
            completed_at=self._now,
            end_reason=UNSET if pauses else "crash",
            final_output=output,
            pending=[_pending(item) for item in waiting] if pauses else UNSET,
            untaken=[UntakenInput(input=one.input, mode=one.mode) for one in self._history.steered.values()] or UNSET,
            evidence=Evidence(
                status="blocked" if pauses else "cancelled",
                seq=self._seq,
                output_digest=UNSET if output is UNSET else sha256(output.encode()).hexdigest(),
            ),
        )
        self._record("turn/completed", TurnCompletedParams(thread_id=turn.thread_id, turn=ended, seq=self._seq))
        return pauses

    def settle(self, *, pauses: bool) -> str:
        """Makes the thread what it is between turns, unless it is so; returns its status."""
        header, held = self._history.header, self._history.held
        status = next_state("thread", "active", "turn/paused" if pauses else "turn/completed")
        if held and not pauses:
            status = next_state("thread", status, "thread/pause")
        by = UNSET if status != "paused" else "turn" if pauses else "user"
        if (header.status, header.paused_by, header.active_turn) != (status, by, UNSET):
            params = ThreadStatusChangedParams(thread_id=header.id, status=status, paused_by=by, seq=self._seq)
            self._record("thread/status/changed", params)
        return status

    def hold_queue(self) -> None:
        """QUEUE-4: the turn before did not complete, so a person says when those that wait go on."""
        taken, waiting = self._history.taken, list(self._history.queue)
        if taken is not None:
            # Its turn did not start: it is the first again.
            waiting = [taken, *(entry for entry in waiting if entry.id != taken.id)]
        if waiting and (waiting != self._history.queue or not self._history.queue_held):
            params = TurnQueueUpdatedParams(
                thread_id=self._history.header.id, entries=waiting, held=True, seq=self._seq
            )
            self._record("turn/queue/updated", params)

    @property
    def _seq(self) -> int:
        return self._history.header.seq + len(self.recorded) + 1

    def _waits(self, item: Any, resolutions: dict[str, Any]) -> bool:
        """Whether it waited for an answer, or was to wait in a paused turn."""
        if item.type == "userInput":
            return item.user_input.user_input_id in self._history.waiting
        if item.type != "approval":
            return False
        resolution = resolutions.get(item.approval.approval_id)
        if resolution is None:
            return item.approval.approval_id in self._history.waiting
        return bool(resolution.decision == "defer")

    def _complete(self, item: Any, resolutions: dict[str, Any], *, decision: str) -> None:
        members: dict[str, Any] = {"status": next_state("item", item.status, "interrupt"), "completed_at": self._now}
        if item.type == "approval":
            members["resolution"] = resolutions.get(item.approval.approval_id) or self._resolve(item, decision)
        elif item.type == "userInput" and (decision == "decline" or _is_aside(item)):
            # What waits on in a paused turn is not resolved; what does not, and was not answered, is.
            members["resolution"] = resolutions.get(item.user_input.user_input_id) or self._close_question(item)
        place = {"thread_id": item.thread_id, "turn_id": item.turn_id}
        self._record("item/completed", ItemCompletedParams(**place, item=replace(item, **members), seq=self._seq))

    def _close_question(self, item: UserInputItem) -> UserInputResolution:
        resolution = UserInputResolution(outcome="crashed", at=self._now)
        params = UserInputResolvedParams(
            thread_id=item.thread_id,
            turn_id=item.turn_id,
            item_id=item.id,
            user_input_id=item.user_input.user_input_id,
            resolution=resolution,
            seq=self._seq,
        )
        self._record("userInput/resolved", params)
        return resolution

    def _resolve(self, item: ApprovalItem, decision: str) -> ApprovalResolution:
        resolution = ApprovalResolution(outcome="crashed", decision=decision, at=self._now)
        if item.approval.approval_id in self._history.waiting:
            params = ApprovalResolvedParams(
                thread_id=item.thread_id,
                turn_id=item.turn_id,
                item_id=item.id,
                approval_id=item.approval.approval_id,
                resolution=resolution,
                seq=self._seq,
            )
            self._record("approval/resolved", params)
        return resolution

    def _record(self, type_: str, params: msgspec.Struct) -> None:
        self.recorded.append(Recovered(type_, params))


def _is_aside(item: Any) -> bool:
    """INPUT-5: a question that is not `blocking` keeps nothing waiting."""
    return item.type == "userInput" and not item.user_input.blocking


def _pending(item: Any) -> PendingApproval | PendingUserInput:
    if item.type == "approval":
        return PendingApproval(approval=item.approval)
    return PendingUserInput(user_input=item.user_input)


def _resolutions(events: Iterable[StoredEvent], turn_id: str) -> dict[str, Any]:
    """How the approvals and questions of a turn were resolved, by what was recorded."""
    found: dict[str, Any] = {}
    for event in events:
        if event.type in ("approval/resolved", "userInput/resolved"):
            params = params_decoder(event.type)(event.payload)
            if params.turn_id == turn_id:
                found[params.approval_id if event.type == "approval/resolved" else params.user_input_id] = (
                    params.resolution
                )
    return found
