"""What an agent does, as events of its thread: the context that the server gives to `Agent.run`."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from msgspec import UNSET, UnsetType

from turnwire.agents.base import Conversation, Steered
from turnwire.server.asking import Asking, Ending
from turnwire.server.budgets import Meter
from turnwire.server.checkpoints import keep_files
from turnwire.server.conversations import compact, conversation_of
from turnwire.server.host import FileProvider, HostError
from turnwire.server.inbox import Inbox
from turnwire.server.items import TEXT_LENGTH
from turnwire.server.opening import Opening
from turnwire.server.permissions import Permits
from turnwire.server.rules import Rules
from turnwire.server.thread import LiveThread, Running
from turnwire.server.waiting import Requests
from turnwire.store.records import FilesRecord
from turnwire.wire import (
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
)

__all__ = ["Delegate", "RunContext"]

_log = logging.getLogger("turnwire.server")
_T = TypeVar("_T")

Delegate: TypeAlias = Callable[[LiveThread, str, str], Awaitable[Running]]
"""Starts a turn of an agent (second) with a task (third) in a thread below the first.

Raises:
    AgentFailed: it cannot be started.
"""


class RunContext(Asking):
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
        permits: Permits,
        stop: Callable[[Ending], None],
        delegate: Delegate,
        meter: Meter | None = None,
        files: FileProvider | None = None,
    ) -> None:
        super().__init__(thread, turn, opening=opening, requests=requests, rules=rules, permits=permits, stop=stop)
        self.input = opening.given
        self.run_config = run_config
        self.output_schema = opening.output_schema
        self.resumed = None if turn.resumes is UNSET else thread.history.saved(turn.resumes)
        self.inbox = Inbox()
        self._delegate = delegate
        self._meter = meter
        self._files = files

    @property
    def thread(self) -> Thread:
        """The header as it is now: what was changed during the turn holds from its next call on."""
        return self._live.header

    @property
    def context(self) -> Mapping[str, ContextEntry]:
        return self._live.history.context

    @property
    def traceparent(self) -> str | None:
        return None if self.items.spans is None else self.items.spans.traceparent

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
