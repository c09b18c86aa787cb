"""What an agent does, as events of its thread: the context that the server gives to `Agent.run`."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from turnwire.agents.base import Conversation, Question, Steered, Subagent, Verdict
from turnwire.server.approvals import APPROVAL
from turnwire.server.budgets import Meter
from turnwire.server.canonical import digest
from turnwire.server.checkpoints import keep_files
from turnwire.server.conversations import compact, conversation_of
from turnwire.server.host import FileProvider, HostError
from turnwire.server.ids import new_id, now_ms
from turnwire.server.inbox import Inbox
from turnwire.server.inputs import INPUT, questions_digest
from turnwire.server.items import TEXT_LENGTH, Items
from turnwire.server.opening import Opening
from turnwire.server.questions import Asked, id_of
from turnwire.server.resuming import Carried, key_of
from turnwire.server.rules import Rules, options_for
from turnwire.server.thread import LiveThread, Running
from turnwire.server.waiting import Kind, Requests, Waiting
from turnwire.server.work import Work
from turnwire.store.records import FilesRecord, SavedRecord
from turnwire.wire import (
    Approval,
    ApprovalBinding,
    ApprovalItem,
    ApprovalResolution,
    ContextCompactionItem,
    ContextEntry,
    DynamicTool,
    PlanItem,
    PlanStep,
    Thread,
    Turn,
    TurnDiffUpdatedParams,
    TurnError,
    TurnPlanUpdatedParams,
    TurnUsageUpdatedParams,
    Usage,
    UserInput,
    UserInputBinding,
    UserInputItem,
    UserInputResolution,
)
from turnwire.wire import Question as PersonQuestion

__all__ = ["Delegate", "Ending", "RunContext"]

_log = logging.getLogger("turnwire.server")
_T = TypeVar("_T")

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


Delegate: TypeAlias = Callable[[LiveThread, str, str], Awaitable[Running]]
"""Starts a turn of an agent (second) with a task (third) in a thread below the first.

Raises:
    AgentFailed: it cannot be started.
"""


class RunContext(Work):
    """See `TurnContext`."""

    def __init__(
        self,
        thread: LiveThread,
        turn: Turn,
        *,
        opening: Opening,
        run_config: Any,
        requests: Requests,
        rules: Rules,
        stop: Callable[[Ending], None],
        delegate: Delegate,
        meter: Meter | None = None,
        files: FileProvider | None = None,
    ) -> None:
        super().__init__(Items(thread, turn.id))
        self.turn = turn
        self.input = opening.given
        self.run_config = run_config
        self.output_schema = opening.output_schema
        self.resumed = None if turn.resumes is UNSET else thread.history.saved(turn.resumes)
        self.inbox = Inbox()
        self.carried = {key_of(one.asked): one for one in opening.carried}
        self._live = thread
        self._requests = requests
        self._rules = rules
        # The questions that are open beside the work, by item (INPUT-5).
        self._asides: dict[str, Waiting] = {}
        self._stop = stop
        self._delegate = delegate
        self._meter = meter
        self._files = files
        self._state: Any = None
        self._pausing = False

    @property
    def thread(self) -> Thread:
        """The header as it is now: what was changed during the turn holds from its next call on."""
        return self._live.header

    @property
    def context(self) -> Mapping[str, ContextEntry]:
        return self._live.history.context

    def save(self, state: Any) -> None:
        self._state = state

    @property
    def client_tools(self) -> Sequence[DynamicTool]:
        return self._live.client_tools.all()

    @property
    def conversation(self) -> Conversation:
        return conversation_of(self._live, before=self.turn.id)

    def compacted(self, summary: str, *, before: int | UnsetType = UNSET, after: int | UnsetType = UNSET) -> None:
        outcome = "compacted" if compact(self._live, self.conversation, summary) else "unchanged"
        item = ContextCompactionItem(**self.common(), outcome=outcome, tokens_before=before, tokens_after=after)
        self.items.show(item)

    async def keep_files(self) -> FilesRecord | None:
        """See `TurnContext`; what was kept."""
        if self._files is None:
            return None
        try:
            return await keep_files(self._live, self._files)
        except HostError as error:
            # A thread may well work where no files are kept; a rewind says so when it is asked.
            _log.info("the files of %s were not kept: %s", self._live.id, error)
            return None

    async def tell_diff(self, kept: FilesRecord) -> None:
        """Tells what changed in the files since they were kept, where that is anything and can be said."""
        assert self._files is not None, "something kept them"
        try:
            diff = await self._files.diff(kept.cwd, kept.kept)
        except HostError as error:
            _log.warning("what %s changed in files is not known: %s", self.turn.id, error)
            return
        if diff and len(diff) <= TEXT_LENGTH:
            self.diff(diff)

    def plan(self, steps: Sequence[PlanStep], *, explanation: str | UnsetType = UNSET) -> None:
        self.items.show(PlanItem(**self.common(), steps=list(steps)))
        params = TurnPlanUpdatedParams(
            thread_id=self._live.id,
            turn_id=self.turn.id,
            steps=list(steps),
            explanation=explanation,
            seq=self._live.seq,
        )
        self._live.record("turn/plan/updated", params)

    def diff(self, diff: str) -> None:
        params = TurnDiffUpdatedParams(thread_id=self._live.id, turn_id=self.turn.id, diff=diff, seq=self._live.seq)
        self._live.record("turn/diff/updated", params)

    def usage(self, usage: Usage) -> None:
        params = TurnUsageUpdatedParams(thread_id=self._live.id, turn_id=self.turn.id, usage=usage, seq=self._live.seq)
        self._live.record("turn/usage/updated", params)
        if self._meter is not None:
            self._meter.take(usage)
            self.demand_budget()

    def demand_budget(self) -> None:
        """Ends the turn when a bound of its budget was passed."""
        if self._meter is None:
            return
        exhausted = self._meter.read().exhausted
        if exhausted is not UNSET:
            error = TurnError(code="budgetExhausted", message=f"The budget of the turn ({exhausted}) is used up.")
            self._stop(Ending("fail", "budget", error))

    def steered(self) -> Sequence[Steered]:
        return self.inbox.take(self.items)

    async def wait_steered(self) -> Sequence[Steered]:
        await self.inbox.arrival()
        return self.inbox.take(self.items)

    async def step(self, work: Callable[[], Awaitable[_T]]) -> _T:
        while True:
            running = asyncio.ensure_future(work())
            self.inbox.step = running
            try:
                return await running
            except asyncio.CancelledError:
                task = asyncio.current_task()
                assert task is not None, "a step is awaited by the task of its turn"
                if task.cancelling() or not self.inbox.was_injected():
                    raise
            finally:
                self.inbox.step = None
            # TURN-6: "items of the step that are open are completed `interrupted`"
            self.end_asides()
            self.items.close("interrupt")
            self.inbox.take_aborting(self.items)

    async def delegate(self, task: str, *, agent: str) -> Turn:
        child = await self._delegate(self._live, agent, task)
        with self.subagent(task, agent=agent, thread_id=child.thread_id) as work:
            try:
                ended = await asyncio.shield(child.done)
            except asyncio.CancelledError:
                child.interrupt("user")
                raise
            if ended.status == "completed":
                work.finish("" if ended.final_output is UNSET else ended.final_output)
            else:
                work.fail(f"subagent{ended.status.capitalize()}")
        return ended

    async def approve(self, question: Question, *, subagent: Subagent | None = None) -> Verdict:
        asker = subagent if isinstance(subagent, Work) else self
        operation = _operation_digest(question)
        carried = self.carried.pop(operation, None)
        approval = self._approval(question, operation, carried)
        item = ApprovalItem(**asker.common(approval.item_id), approval=approval)
        self.items.start(item)
        resolution: ApprovalResolution
        effect = self._rules.effect_on(self._live, approval)
        if carried is not None and carried.resolution is not None:
            resolution = self._resolve_carried(APPROVAL, approval, carried)
        elif effect is not None:
            resolution = ApprovalResolution(outcome="rule", decision=effect, at=now_ms())
            APPROVAL.announce_end(self._live, approval, resolution, defers=False)
        else:
            self.keep_state()
            resolution = await self._wait(self._requests.ask(self._live, APPROVAL, approval))
        self.items.complete(item.id, _ITEM_EVENTS[resolution.decision], resolution=resolution)
        self._rules.save(self._live, approval, resolution.decision)
        if resolution.decision in ("cancel", "defer"):
            await self._never(Ending("pause") if resolution.decision == "defer" else Ending("interrupt", "user"))
        assert approval.subject_item_id is not UNSET, "every approval here reserves an id"
        return Verdict(_ITEM_EVENTS[resolution.decision] == "complete", approval.subject_item_id, resolution)

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
        members = {name: getattr(question, name) for name in question.__struct_fields__}
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
