"""A turn that runs: its agent's task, the input that is steered to it, and the one end that it comes to (TURN-9)."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from turnwire.agents.base import Agent, AgentFailed
from turnwire.server.asking import Ending
from turnwire.server.budgets import Meter
from turnwire.server.host import FileProvider
from turnwire.server.ids import new_id, now_ms
from turnwire.server.opening import Opening, Resolved, outputs
from turnwire.server.permissions import Permits
from turnwire.server.questions import pending_of, without_nonce
from turnwire.server.rules import Rules
from turnwire.server.run_context import Delegate, RunContext
from turnwire.server.spans import Spans
from turnwire.server.thread import LiveThread
from turnwire.server.traces import TraceProvider
from turnwire.server.waiting import Requests
from turnwire.state import next_state
from turnwire.store.records import OutputRecord, SteeredRecord
from turnwire.wire import (
    ContextCompactionItem,
    Evidence,
    InputPart,
    Review,
    ReviewItem,
    ReviewTarget,
    Turn,
    TurnError,
    UserMessageItem,
)

__all__ = ["Surroundings", "TurnRun"]

_log = logging.getLogger("turnwire.server")

# What the items that are open come to, by what the turn comes to.
_ITEM_EVENTS = {"complete": "complete", "fail": "fail", "interrupt": "interrupt", "pause": "interrupt"}
_EVIDENCE = {"completed": "succeeded", "failed": "failed", "interrupted": "cancelled", "paused": "blocked"}


class Surroundings(NamedTuple):
    """What a turn has of its server."""

    requests: Requests
    rules: Rules
    permits: Permits
    files: FileProvider | None
    traces: TraceProvider | None
    expose_errors: bool
    ended: Callable[[LiveThread, Turn | None], None]
    delegate: Delegate


class TurnRun:
    """See `Running`. The turn is recorded when this is made, and its agent begins with the next turn of the loop."""

    def __init__(
        self,
        thread: LiveThread,
        turn: Turn,
        *,
        opening: Opening,
        resolved: Resolved,
        around: Surroundings,
    ) -> None:
        self.turn_id = turn.id
        self.thread_id = thread.id
        loop = asyncio.get_running_loop()
        self.done: asyncio.Future[Turn] = loop.create_future()
        self._thread = thread
        self._around = around
        self._ending: Ending | None = None
        self._structured: Any = UNSET
        self._review: Review | UnsetType = UNSET
        self._meter = None if resolved.budget is None else Meter(resolved.budget)
        self._context = RunContext(
            thread,
            turn,
            opening=opening,
            run_config=resolved.run_config,
            requests=around.requests,
            rules=around.rules,
            permits=around.permits,
            stop=self._stop,
            delegate=around.delegate,
            meter=self._meter,
            files=around.files,
        )
        self._begin(turn, opening)
        self._task = loop.create_task(self._work(resolved.agent, opening.review))
        self._timer: asyncio.TimerHandle | None = None
        if self._meter is not None and self._meter.seconds is not None:
            self._timer = loop.call_later(self._meter.seconds, self._context.demand_budget)
        # A callback and not a `finally`: it comes also when the task is cancelled before it began.
        self._task.add_done_callback(self._end)

    def interrupt(self, reason: str) -> None:
        self._stop(Ending("interrupt", reason))

    def compacted(self, outcome: str) -> None:
        context = self._context
        context.items.show(ContextCompactionItem(**context.common(), outcome=outcome))

    def steer(self, parts: Sequence[InputPart], mode: str, *, key: str | UnsetType) -> str:
        given = SteeredRecord(turn_id=self.turn_id, item_id=new_id("item"), input=list(parts), mode=mode)
        # What was accepted is not lost when the process dies before the agent takes it (TURN-5).
        self._thread.record("record/steered", given, key=key)
        self._context.inbox.put(given)
        return given.item_id

    def _begin(self, turn: Turn, opening: Opening) -> None:
        thread, items = self._thread, self._context.items
        if self._around.traces is not None:
            items.spans = Spans(thread, turn, self._around.traces, opening.trace)
        thread.begin(turn, key=opening.key)
        if opening.output_schema is not None:
            thread.record("record/output", OutputRecord(turn_id=turn.id, schema=opening.output_schema))
        thread.run = self
        if turn.input:
            # TURN-18: "a userMessage item before items of the agent, with equal content".
            message = UserMessageItem(**items.common(), input=turn.input, client_message_id=turn.client_message_id)
            items.show(message)

    async def _work(self, agent: Agent, target: ReviewTarget | None) -> None:
        kept = await self._context.keep_files()
        if target is None:
            await agent.run(self._context)
        else:
            await self._review_it(agent, target)
        if kept is not None:
            await self._context.tell_diff(kept)
        if self._context.output_schema is not None:
            await self._judge(self._context.output_schema)

    async def _review_it(self, agent: Agent, target: ReviewTarget) -> None:
        """REVIEW-1: "`turn.review` of the completed turn has the findings", and so has the item."""
        item = ReviewItem(**self._context.common(), target=target)
        self._context.items.start(item)
        self._review = await agent.review(self._context, target)
        self._context.items.complete(item.id, review=self._review)

    async def _judge(self, schema: dict[str, Any]) -> None:
        """Holds what the agent said last to a schema; the agent is done, so what it left open is whole."""
        self._context.end_asides()
        self._context.items.close("complete")
        text = self._context.items.last_message
        judge = outputs()
        try:
            self._structured = await judge.read_output(schema, None if text is UNSET else text)
        except judge.OutputInvalid as invalid:
            raise AgentFailed(str(invalid), code="outputSchemaInvalid") from None

    def _stop(self, ending: Ending) -> None:
        if self._ending is None:
            self._ending = ending
        # Asked again, an agent that did not stop is told once more.
        self._task.cancel()

    def _end(self, task: "asyncio.Task[None]") -> None:
        turn: Turn | None = None
        try:
            turn = self._record_end(self._ending or self._ending_of(task))
        except Exception as error:  # noqa: BLE001 - the record cannot be written; nobody is told, nobody may wait
            _log.exception("turn %s could not be ended", self.turn_id)
            self._thread.run = None
            self.done.set_exception(error)
            self.done.exception()
        else:
            self.done.set_result(turn)
        self._around.ended(self._thread, turn)

    def _ending_of(self, task: "asyncio.Task[None]") -> Ending:
        if task.cancelled():
            return Ending("interrupt", "error")
        error = task.exception()
        if error is None:
            return Ending("complete")
        if isinstance(error, AgentFailed):
            return Ending("fail", "error", TurnError(code=error.code, message=str(error)[:4096]))
        # ERR-3: the particulars go to stderr; here only where the host exposes errors.
        _log.error("the agent of turn %s failed", self.turn_id, exc_info=error)
        message = f"{type(error).__name__}: {error}" if self._around.expose_errors else "The agent failed."
        return Ending("fail", "error", TurnError(code="agentFailed", message=message[:4096]))

    def _record_end(self, ending: Ending) -> Turn:
        context = self._context
        if self._timer is not None:
            self._timer.cancel()
        context.end_asides()
        context.items.close(_ITEM_EVENTS[ending.event])
        if ending.event == "pause":
            context.keep_state()
            self._thread.defer(one.asked for one in context.carried.values())
        else:
            self._thread.deferred.clear()
        turn = self._thread.history.turns[self.turn_id]
        status = next_state("turn", turn.status, ending.event)
        output = context.items.last_message
        ended = replace(
            turn,
            status=status,
            completed_at=max(now_ms(), turn.started_at),
            end_reason=ending.reason,
            error=ending.error,
            budget=UNSET if self._meter is None else self._meter.read(),
            final_output=output,
            review=self._review if status == "completed" else UNSET,
            structured_output=self._structured if status == "completed" else UNSET,
            pending=self._pending() if status == "paused" else UNSET,
            untaken=context.inbox.untaken() or UNSET,
            evidence=Evidence(
                status="budgetExhausted" if ending.reason == "budget" else _EVIDENCE[status],
                seq=self._thread.seq,
                output_digest=_output_digest(output),
                head_hash=self._thread.head_hash,
            ),
        )
        if context.items.spans is not None:
            context.items.spans.close(status)
        self._thread.end(ended)
        return ended

    def _pending(self) -> list[Any]:
        return [pending_of(without_nonce(one)) for one in self._thread.deferred.values()]


def _output_digest(output: str | UnsetType) -> str | UnsetType:
    return UNSET if output is UNSET else sha256(output.encode()).hexdigest()
