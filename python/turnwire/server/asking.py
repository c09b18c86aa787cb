"""What the agent of a turn asks of people: whether an operation may run, and questions; see `TurnContext`.

A turn that is resumed asks again what waited in the one before, and is given the answer to that (TURN-3).
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from turnwire.agents.base import Question, Subagent, Verdict
from turnwire.server.approvals import APPROVAL
from turnwire.server.canonical import digest
from turnwire.server.ids import new_id, now_ms
from turnwire.server.inputs import INPUT, questions_digest
from turnwire.server.items import Items
from turnwire.server.opening import Opening
from turnwire.server.permissions import Permits, answer_of
from turnwire.server.questions import Asked, id_of
from turnwire.server.resuming import Carried, key_of
from turnwire.server.rules import Rules, options_for
from turnwire.server.thread import LiveThread
from turnwire.server.waiting import Kind, Requests, Waiting
from turnwire.server.work import Work
from turnwire.store.records import SavedRecord
from turnwire.wire import (
    Approval,
    ApprovalBinding,
    ApprovalItem,
    ApprovalResolution,
    Turn,
    TurnError,
    UserInput,
    UserInputBinding,
    UserInputItem,
    UserInputResolution,
)
from turnwire.wire import Question as PersonQuestion

__all__ = ["Asking", "Ending"]

# How the item of an approval ends, by what was decided.
_ITEM_EVENTS = {
    **dict.fromkeys(("accept", "acceptForTurn", "acceptForSession", "acceptAlways"), "complete"),
    **dict.fromkeys(("decline", "declineAlways", "cancel"), "decline"),
    "defer": "interrupt",
}


class Ending(NamedTuple):
    """What a turn comes to: an event of the machine `turn`, and why."""

    event: str
    reason: str | UnsetType = UNSET
    error: TurnError | UnsetType = UNSET


class Asking(Work):
    """The half of a turn's context that asks. `stop` ends the turn, where an answer does."""

    def __init__(
        self,
        thread: LiveThread,
        turn: Turn,
        *,
        opening: Opening,
        requests: Requests,
        rules: Rules,
        permits: Permits,
        stop: Callable[[Ending], None],
    ) -> None:
        super().__init__(Items(thread, turn.id))
        self.turn = turn
        self.carried = {key_of(one.asked): one for one in opening.carried}
        self._live = thread
        self._requests = requests
        self._rules = rules
        self._permits = permits
        # The questions that are open beside the work, by item (INPUT-5).
        self._asides: dict[str, Waiting] = {}
        self._stop = stop
        self._state: Any = None
        self._pausing = False

    def save(self, state: Any) -> None:
        self._state = state

    async def approve(self, question: Question, *, subagent: Subagent | None = None) -> Verdict:
        asker = subagent if isinstance(subagent, Work) else self
        operation = _operation_digest(question)
        carried = self.carried.pop(operation, None)
        approval = self._approval(question, operation, carried)
        item = ApprovalItem(**asker.common(approval.item_id), approval=approval)
        self.items.start(item)
        resolution = await self._resolution_of(question, approval, carried)
        self.items.complete(item.id, _ITEM_EVENTS[resolution.decision], resolution=resolution)
        self._rules.save(self._live, approval, resolution.decision)
        if resolution.decision in ("cancel", "defer"):
            await self._never(Ending("pause") if resolution.decision == "defer" else Ending("interrupt", "user"))
        assert approval.subject_item_id is not UNSET, "every approval here reserves an id"
        accepted = _ITEM_EVENTS[resolution.decision] == "complete"
        if accepted:
            self.items.accepted.add(approval.subject_item_id)
        return Verdict(accepted, approval.subject_item_id, resolution)

    async def ask(self, questions: Sequence[PersonQuestion]) -> UserInputResolution:
        carried = self.carried.pop(questions_digest(questions), None)
        asked = self._user_input(questions, carried, blocking=True)
        self.items.start(UserInputItem(**self.common(asked.item_id), user_input=asked))
        resolution: UserInputResolution
        if carried is not None and carried.resolution is not None:
            resolution = self._resolve_carried(INPUT, asked, carried)
        else:
            self.keep_state()
            waiting = self._requests.ask(self._live, INPUT, asked)
            resolution = await self._wait(waiting)
            if waiting.is_deferred:
                self.items.complete(asked.item_id, "interrupt")
                await self._never(Ending("pause"))
        self._end_question(asked, resolution)
        return resolution

    def ask_aside(self, questions: Sequence[PersonQuestion]) -> Awaitable[UserInputResolution]:
        asked = self._user_input(questions, None, blocking=False)
        self.items.start(UserInputItem(**self.common(asked.item_id), user_input=asked))
        waiting = self._asides[asked.item_id] = self._requests.ask(self._live, INPUT, asked)
        waiting.future.add_done_callback(lambda answered: self._end_aside(asked, answered))
        # Whoever stops waiting for the answer does not take the question back.
        return asyncio.shield(waiting.future)

    def end_asides(self) -> None:
        """The turn or the step ends: questions that are open beside it are not answered any more."""
        for waiting in list(self._asides.values()):
            self._requests.interrupt(waiting)
            self._end_aside(waiting.asked, waiting.future)

    def keep_state(self) -> None:
        """Records where the agent stands, so that a paused turn can go on from here."""
        if self._state is not None and self._state != self._live.history.saved(self.turn.id):
            self._live.record("record/saved", SavedRecord(turn_id=self.turn.id, state=self._state))

    async def _resolution_of(
        self, question: Question, approval: Approval, carried: Carried | None
    ) -> ApprovalResolution:
        """How it is resolved. What the mode declines, nothing makes run; what it accepts, a saved rule may decline, and
        an answer that was given before, which is of a person, holds (APPR-14)."""
        mode = await answer_of(self._live.header, question, approval, self._permits)
        given: Any = None if carried is None else carried.resolution
        if mode == "decline" and (given is None or _ITEM_EVENTS[given.decision] == "complete"):
            given = ApprovalResolution(outcome="mode", decision="decline", at=now_ms())
        effect = self._rules.effect_on(self._live, approval) if given is None else None
        if effect is not None:
            given = ApprovalResolution(outcome="rule", decision=effect, at=now_ms())
        elif given is None and mode == "accept":
            given = ApprovalResolution(outcome="mode", decision="accept", at=now_ms())
        resolution: ApprovalResolution
        if given is not None:
            told = Carried(approval if carried is None else carried.asked, given)
            resolution = self._resolve_carried(APPROVAL, approval, told)
        else:
            self.keep_state()
            resolution = await self._wait(self._requests.ask(self._live, APPROVAL, approval))
        return resolution

    async def _wait(self, waiting: Waiting) -> Any:
        try:
            return await waiting.future
        except asyncio.CancelledError:
            # TURN-14: a turn that pauses "lists in `pending` what waits", for whatever it pauses.
            resolution = self._requests.suspend(waiting) if self._pausing else self._requests.interrupt(waiting)
            members = {} if waiting.is_deferred and waiting.kind is INPUT else {"resolution": resolution}
            self.items.complete(waiting.asked.item_id, "interrupt", **members)
            raise

    def _resolve_carried(self, kind: Kind, asked: Asked, carried: Carried) -> Any:
        resolution = carried.resolution
        kind.announce_end(self._live, asked, resolution, defers=False)
        if isinstance(resolution, ApprovalResolution) and resolution.decision == "defer":
            self._live.deferred[id_of(asked)] = carried.asked
        elif resolution is not None:
            self._requests.close([id_of(asked)], resolution.outcome)
        return resolution

    def _end_question(self, asked: UserInput, resolution: UserInputResolution) -> None:
        event = "complete" if resolution.outcome == "answered" else "interrupt"
        self.items.complete(asked.item_id, event, resolution=INPUT.shown(asked, resolution))

    def _end_aside(self, asked: Any, answered: "asyncio.Future[Any]") -> None:
        # It comes twice where the turn ends in the moment of the answer.
        if self._asides.pop(asked.item_id, None) is None or answered.cancelled() or answered.exception() is not None:
            return
        self._end_question(asked, answered.result())

    async def _never(self, ending: Ending) -> None:
        """Ends the turn; the agent does not go on from here."""
        self._pausing = ending.event == "pause"
        self._stop(ending)
        await asyncio.get_running_loop().create_future()

    def _user_input(self, questions: Sequence[PersonQuestion], carried: Carried | None, *, blocking: bool) -> UserInput:
        expires_at = self._requests.expiry() if carried is None else carried.asked.binding.expires_at
        return UserInput(
            user_input_id=new_id("input") if carried is None else id_of(carried.asked),
            thread_id=self._live.id,
            turn_id=self.turn.id,
            item_id=new_id("item"),
            questions=list(questions),
            blocking=blocking,
            binding=UserInputBinding(expires_at=expires_at),
        )

    def _approval(self, question: Question, operation: str, carried: Carried | None) -> Approval:
        members = {name: getattr(question, name) for name in question.__struct_fields__ if name != "side_effect"}
        expires_at = self._requests.expiry() if carried is None else carried.asked.binding.expires_at
        cwd = self._live.header.cwd
        binding = ApprovalBinding(
            operation_digest=operation,
            workspace_digest=UNSET if cwd is UNSET else digest(cwd),
            expires_at=expires_at,
        )
        return Approval(
            **members,
            approval_id=new_id("appr") if carried is None else id_of(carried.asked),
            thread_id=self._live.id,
            turn_id=self.turn.id,
            item_id=new_id("item"),
            subject_item_id=new_id("item"),
            available_decisions=options_for(self._live.header, question.kind, question.scope_key),
            binding=binding,
        )


def _operation_digest(question: Question) -> str:
    """APPR-3: the digest of what would be done; a client can check what it shows."""
    members = {
        "kind": question.kind,
        "operation": question.operation,
        "target": question.target,
        "arguments": question.arguments,
        "toolName": question.tool_name,
    }
    return digest({name: msgspec.to_builtins(value) for name, value in members.items() if value is not UNSET})
