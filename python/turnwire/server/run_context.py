"""What an agent does, as events of its thread: the context that the server gives to `Agent.run`."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from turnwire.agents.base import Question, Steered, Verdict
from turnwire.server.approvals import OPTIONS, Approvals, announce_resolution
from turnwire.server.canonical import digest
from turnwire.server.ids import new_id
from turnwire.server.inbox import Inbox
from turnwire.server.items import FileOperation, Growing, Items, ToolOperation
from turnwire.server.thread import LiveThread, with_nonce
from turnwire.store.history import SavedRecord
from turnwire.wire import (
    AgentMessageItem,
    Approval,
    ApprovalBinding,
    ApprovalItem,
    ApprovalOption,
    ApprovalResolution,
    ContextEntry,
    FileChange,
    FileChangeItem,
    InputPart,
    NoticeItem,
    PlanItem,
    PlanStep,
    ReasoningItem,
    Thread,
    ToolCallItem,
    ToolMetadata,
    Turn,
    TurnError,
    TurnPlanUpdatedParams,
    TurnUsageUpdatedParams,
    Usage,
)

__all__ = ["Carried", "Ending", "RunContext"]

_T = TypeVar("_T")

# How the item of an approval ends, by what was decided.
_ITEM_EVENTS = {"accept": "complete", "decline": "decline", "cancel": "decline", "defer": "interrupt"}


class Ending(NamedTuple):
    """What a turn comes to: an event of the machine `turn`, and why."""

    event: str
    reason: str | UnsetType = UNSET
    error: TurnError | UnsetType = UNSET


class Carried(NamedTuple):
    """An approval of a paused turn, and how the turn that resumes it was told to resolve it."""

    approval: Approval
    resolution: ApprovalResolution


class RunContext:
    """See `TurnContext`."""

    def __init__(
        self,
        thread: LiveThread,
        turn: Turn,
        *,
        given: Sequence[InputPart],
        run_config: Any,
        carried: Sequence[Carried],
        approvals: Approvals,
        stop: Callable[[Ending], None],
    ) -> None:
        self.turn = turn
        self.input = given
        self.run_config = run_config
        self.resumed = None if turn.resumes is UNSET else thread.history.saved(turn.resumes)
        self.items = Items(thread, turn.id)
        self.inbox = Inbox()
        self.carried = {one.approval.binding.operation_digest: one for one in carried}
        self._live = thread
        self._approvals = approvals
        self._stop = stop
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

    def message(self) -> Growing:
        return self.items.grow(AgentMessageItem(**self.items.common(), text=""))

    def reasoning(self) -> Growing:
        return self.items.grow(ReasoningItem(**self.items.common(), text=""))

    def tool(
        self, name: str, arguments: Any, *, item_id: str | None = None, metadata: ToolMetadata | UnsetType = UNSET
    ) -> ToolOperation:
        item = ToolCallItem(
            **self.items.common(item_id),
            tool_name=name,
            arguments=arguments,
            tool_metadata=metadata,
            execution_started=True,
        )
        return ToolOperation(self.items, item)

    def declined_tool(self, name: str, arguments: Any, *, item_id: str) -> None:
        common = self.items.common(item_id)
        self.items.show_declined(ToolCallItem(**common, tool_name=name, arguments=arguments, execution_started=False))

    def file_change(self, changes: Sequence[FileChange], *, item_id: str | None = None) -> FileOperation:
        return FileOperation(self.items, FileChangeItem(**self.items.common(item_id), changes=list(changes)))

    def declined_file_change(self, changes: Sequence[FileChange], *, item_id: str) -> None:
        common = self.items.common(item_id)
        self.items.show_declined(FileChangeItem(**common, changes=list(changes), execution_started=False))

    def notice(self, text: str, *, level: str = "info", code: str | UnsetType = UNSET) -> None:
        self.items.show(NoticeItem(**self.items.common(), text=text, level=level, code=code))

    def plan(self, steps: Sequence[PlanStep], *, explanation: str | UnsetType = UNSET) -> None:
        self.items.show(PlanItem(**self.items.common(), steps=list(steps)))
        params = TurnPlanUpdatedParams(
            thread_id=self._live.id,
            turn_id=self.turn.id,
            steps=list(steps),
            explanation=explanation,
            seq=self._live.seq,
        )
        self._live.record("turn/plan/updated", params)

    def usage(self, usage: Usage) -> None:
        params = TurnUsageUpdatedParams(thread_id=self._live.id, turn_id=self.turn.id, usage=usage, seq=self._live.seq)
        self._live.record("turn/usage/updated", params)

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
            self.items.close("interrupt")
            self.inbox.take_aborting(self.items)

    async def approve(self, question: Question) -> Verdict:
        operation = _operation_digest(question)
        carried = self.carried.pop(operation, None)
        approval = self._approval(question, operation, carried)
        item = ApprovalItem(**self.items.common(approval.item_id), approval=approval)
        self.items.start(item)
        if carried is not None:
            resolution = self._resolve_carried(_with_nonce_of(approval, carried.approval), carried.resolution)
        else:
            self.keep_state()
            resolution = await self._ask(item)
        self.items.complete(item.id, _ITEM_EVENTS[resolution.decision], resolution=resolution)
        if resolution.decision in ("cancel", "defer"):
            await self._never(Ending("pause") if resolution.decision == "defer" else Ending("interrupt", "user"))
        assert approval.subject_item_id is not UNSET, "every approval here reserves an id"
        return Verdict(resolution.decision == "accept", approval.subject_item_id, resolution)

    def keep_state(self) -> None:
        """Records where the agent stands, so that a paused turn can go on from here."""
        if self._state is not None and self._state != self._live.history.saved(self.turn.id):
            self._live.record("record/saved", SavedRecord(turn_id=self.turn.id, state=self._state))

    async def _ask(self, item: ApprovalItem) -> ApprovalResolution:
        waiting = self._approvals.ask(self._live, item)
        try:
            return await waiting.future
        except asyncio.CancelledError:
            # TURN-14: a turn that pauses "lists in `pending` what waits", for whichever approval it pauses.
            resolution = self._approvals.suspend(waiting) if self._pausing else self._approvals.interrupt(waiting)
            self.items.complete(item.id, "interrupt", resolution=resolution)
            raise

    def _resolve_carried(self, approval: Approval, resolution: ApprovalResolution) -> ApprovalResolution:
        announce_resolution(self._live, approval, resolution)
        if resolution.decision == "defer":
            self._live.deferred[approval.approval_id] = approval
        else:
            self._approvals.close([approval.approval_id], resolution.outcome)
        return resolution

    async def _never(self, ending: Ending) -> None:
        """Ends the turn; the agent does not go on from here."""
        self._pausing = ending.event == "pause"
        self._stop(ending)
        await asyncio.get_running_loop().create_future()

    def _approval(self, question: Question, operation: str, carried: Carried | None) -> Approval:
        members = {name: getattr(question, name) for name in question.__struct_fields__}
        expires_at = self._approvals.expiry() if carried is None else carried.approval.binding.expires_at
        cwd = self._live.header.cwd
        binding = ApprovalBinding(
            operation_digest=operation,
            workspace_digest=UNSET if cwd is UNSET else digest(cwd),
            expires_at=expires_at,
        )
        return Approval(
            **members,
            approval_id=new_id("appr") if carried is None else carried.approval.approval_id,
            thread_id=self._live.id,
            turn_id=self.turn.id,
            item_id=new_id("item"),
            subject_item_id=new_id("item"),
            available_decisions=[ApprovalOption(option_id=key, label=label, decision=key) for key, label in OPTIONS],
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


def _with_nonce_of(approval: Approval, other: Approval) -> Approval:
    """The approval with the nonce under which it was asked first."""
    nonce = with_nonce(other).binding.nonce
    return msgspec.structs.replace(approval, binding=msgspec.structs.replace(approval.binding, nonce=nonce))
