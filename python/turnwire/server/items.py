"""The items of one turn: each is started once, grows by deltas, and is completed once (ITEM-1).

What is still open when the turn ends is completed by `close`, so that no item outlives its turn (TURN-9).
"""

import asyncio
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Literal, Self

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from turnwire.agents.base import AgentFailed
from turnwire.server.ids import new_id, now_ms
from turnwire.server.permissions import demand_permitted, side_effect_of
from turnwire.server.spans import Spans
from turnwire.server.thread import LiveThread
from turnwire.state import next_state
from turnwire.store.records import TextRecord
from turnwire.wire import (
    AgentMessageItem,
    CommandExecutionItem,
    DynamicToolCallItem,
    FileChangeItem,
    ItemCompletedParams,
    ItemDeltaParams,
    ItemResetParams,
    ItemStartedParams,
    ItemToolCallProgressParams,
    McpToolCallItem,
    ReasoningItem,
    SubagentItem,
    ToolCallItem,
    ToolCallResult,
)

__all__ = ["TEXT_LENGTH", "CommandOperation", "FileOperation", "Growing", "Items", "ToolDrafting", "ToolOperation"]

# ITEM-10: "the text so far is recorded at least every 250 ms or 16 KiB".
_RECORD_SECONDS = 0.25
_RECORD_BYTES = 16 * 1024
TEXT_LENGTH = 8_388_608
"""The longest `Text` of the schema, in code points."""
# An agent that never waits lets others run after so many deltas.
_BREATH = 64

_DELTAS: dict[str, str] = {
    "agentMessage": "item/agentMessage/delta",
    "reasoning": "item/reasoning/delta",
    "commandExecution": "item/commandExecution/outputDelta",
}
# What an agent says is whole when its turn is completed; a command that nobody waited for is not.
_SAID = ("agentMessage", "reasoning")


class Items:
    """The items of a turn, of any arm of the union `Item`; `open` are those that are started and not completed."""

    def __init__(self, thread: LiveThread, turn_id: str) -> None:
        self.thread = thread
        self.turn_id = turn_id
        self.open: dict[str, Any] = {}
        # The ids that were reserved for operations that may run.
        self.accepted: set[str] = set()
        self._growing: dict[str, Growing] = {}
        self.last_message: str | UnsetType = UNSET
        # What the time of the turn is spent on; None where nobody keeps it.
        self.spans: Spans | None = None

    def common(self, item_id: str | None = None) -> dict[str, Any]:
        """The members that every item has, for one that starts now."""
        return {
            "id": item_id or new_id("item"),
            "thread_id": self.thread.id,
            "turn_id": self.turn_id,
            "status": "inProgress",
            "created_at": now_ms(),
        }

    def demand_permitted(self, item_id: str | None, side_effect: str | UnsetType = UNSET) -> None:
        """Keeps an operation from beginning that the thread does not permit (APPR-15).

        Raises:
            AgentFailed: it may not begin.
        """
        demand_permitted(self.thread.header, side_effect, accepted=item_id in self.accepted)

    def start(self, item: Any) -> None:
        """Announces an item that begins."""
        self.open[item.id] = item
        if self.spans is not None:
            self.spans.begin(item)
        self.thread.record("item/started", ItemStartedParams(**self._place(), item=item, seq=self.thread.seq))

    def complete(self, item_id: str, event: str = "complete", **members: Any) -> None:
        """Announces how an item ended; `event` is one of the machine `item`, `members` are what came to be known."""
        growing = self._growing.pop(item_id, None)
        if growing is not None:
            growing.stop()
        item = self.open.pop(item_id)
        self._announce(replace(self.thread.history.item(item_id), **members), next_state("item", item.status, event))

    def show(self, item: Any, event: str = "complete") -> None:
        """Announces an item that has begun and ended at once."""
        self.start(item)
        self.complete(item.id, event)

    def show_declined(self, item: Any) -> None:
        """ITEM-8: a denied operation "has `declined`, `executionStarted:false` and no duration", and no start."""
        self._announce(item, next_state("item", item.status, "decline"))

    def reset(self, item_ids: Sequence[str], reason: str) -> None:
        """Announces that items are taken back; they get no end and are in no list (ITEM-6).

        Raises:
            ValueError: one of them is not open.
        """
        unknown = [item_id for item_id in item_ids if item_id not in self.open]
        if unknown or not item_ids:
            raise ValueError(f"only items that are open can be taken back, which these are not: {unknown}")
        for item_id in item_ids:
            next_state("item", self.open.pop(item_id).status, "reset")
            growing = self._growing.pop(item_id, None)
            if growing is not None:
                growing.stop()
            if self.spans is not None:
                self.spans.reset(item_id)
        params = ItemResetParams(**self._place(), item_ids=list(item_ids), reason=reason, seq=self.thread.seq)
        self.thread.record("item/reset", params)

    def grow(self, item: AgentMessageItem | ReasoningItem | CommandExecutionItem) -> "Growing":
        """Announces an item whose text will come in pieces."""
        self.start(item)
        growing = self._growing[item.id] = Growing(self, item.id, _DELTAS[item.type])
        return growing

    def close(self, event: str) -> None:
        """Completes what is open. A text that an agent left open when it completed its turn is whole."""
        # What a subagent did ends before the subagent does.
        for item_id, item in sorted(self.open.items(), key=lambda pair: pair[1].parent_item_id is UNSET):
            whole = event == "complete" and item.type in _SAID
            self.complete(item_id, event if whole or event != "complete" else "interrupt")

    def _announce(self, item: Any, status: str) -> None:
        item = replace(item, status=status, completed_at=max(now_ms(), item.created_at))
        if self.spans is not None:
            self.spans.end(item, status)
        if item.type == "agentMessage" and item.parent_item_id is UNSET:
            self.last_message = item.text
        self.thread.record("item/completed", ItemCompletedParams(**self._place(), item=item, seq=self.thread.seq))

    def _place(self) -> dict[str, Any]:
        return {"thread_id": self.thread.id, "turn_id": self.turn_id}


class Growing:
    """A text item that grows; see `TextStream`."""

    def __init__(self, items: Items, item_id: str, method: str) -> None:
        self._items = items
        self.item_id = item_id
        self._method = method
        self._length = 0
        self._deltas = 0
        self._unrecorded: list[str] = []
        self._unrecorded_bytes = 0
        self._timer: asyncio.TimerHandle | None = None

    async def write(self, text: str) -> None:
        if not text:
            return
        if self._length + len(text) > TEXT_LENGTH:
            raise AgentFailed(f"A text has at most {TEXT_LENGTH} code points.")
        thread = self._items.thread
        params = ItemDeltaParams(
            thread_id=thread.id,
            turn_id=self._items.turn_id,
            item_id=self.item_id,
            offset=self._length,
            delta=text,
        )
        thread.tell(self._method, params)
        self._length = thread.history.delta(self.item_id, text)
        self._keep(text)
        self._deltas += 1
        if self._deltas % _BREATH == 0:
            await asyncio.sleep(0)

    def stop(self) -> None:
        """No more text comes, and what is not recorded yet will be with the whole item."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        self._unrecorded.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        # An agent that fails or is stopped leaves the item open; how it ended depends on how the turn does.
        if kind is None and self.item_id in self._items.open:
            self._items.complete(self.item_id)
        return False

    def _keep(self, text: str) -> None:
        self._unrecorded.append(text)
        self._unrecorded_bytes += len(text.encode())
        if self._unrecorded_bytes >= _RECORD_BYTES:
            self._record()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_RECORD_SECONDS, self._record)

    def _record(self) -> None:
        text = "".join(self._unrecorded)
        self.stop()
        self._unrecorded_bytes = 0
        self._items.thread.record("record/text", TextRecord(item_id=self.item_id, text=text))


class ToolDrafting:
    """A toolCall whose arguments are being written; see `ToolDraft`."""

    def __init__(self, items: Items, item: ToolCallItem) -> None:
        self._items = items
        self.item_id = item.id
        self._side_effect = side_effect_of(item.tool_metadata)
        self._length = 0
        items.start(item)

    async def write(self, text: str) -> None:
        if not text:
            return
        thread = self._items.thread
        params = ItemDeltaParams(
            thread_id=thread.id,
            turn_id=self._items.turn_id,
            item_id=self.item_id,
            offset=self._length,
            delta=text,
        )
        # Nothing of it is recorded: arguments count when they are whole, and come with the end of the item.
        thread.tell("item/toolCall/argumentsDelta", params)
        self._length += len(text)

    def run(self, arguments: Any) -> "ToolOperation":
        self._items.demand_permitted(None, self._side_effect)
        return ToolOperation(self._items, self.item_id, arguments=arguments, execution_started=True)

    def decline(self, arguments: Any) -> None:
        self._items.complete(self.item_id, "decline", arguments=arguments, execution_started=False)


class ToolOperation:
    """A call that runs, of whatever kind; see `ToolWork`. `members` are what its item does not say yet."""

    def __init__(self, items: Items, item_id: str, **members: Any) -> None:
        self._items = items
        self.item_id = item_id
        self._members = members
        self._began = time.monotonic()

    @classmethod
    def begin(cls, items: Items, item: ToolCallItem | McpToolCallItem | DynamicToolCallItem | SubagentItem) -> Self:
        """Announces a call that runs from now on."""
        items.start(item)
        return cls(items, item.id)

    def progress(self, message: str, *, done: float | None = None, total: float | None = None) -> None:
        thread = self._items.thread
        params = ItemToolCallProgressParams(
            thread_id=thread.id,
            turn_id=self._items.turn_id,
            item_id=self.item_id,
            message=message,
            progress=UNSET if done is None else done,
            total=UNSET if total is None else total,
        )
        thread.tell("item/toolCall/progress", params)

    def complete(self, result: Any, *, directive: str | UnsetType = UNSET) -> None:
        self._end("complete", result=result, **({} if directive is UNSET else {"directive": directive}))

    def fail(self, error_code: str) -> None:
        self._end("fail", error_code=error_code)

    def end_as(self, result: ToolCallResult) -> None:
        """It ended as the client that ran it says."""
        members = {name: getattr(result, name) for name in result.__struct_fields__}
        if self._items.open[self.item_id].execution_started is True:
            self._end("complete" if result.success else "fail", **members)
        else:
            # ITEM-8: what did not run took no time.
            self._items.complete(self.item_id, "fail", **members)

    def _end(self, event: str, **members: Any) -> None:
        self._items.complete(self.item_id, event, duration_ms=_since(self._began), **self._members, **members)


class CommandOperation:
    """A commandExecution that runs; see `CommandWork`."""

    def __init__(self, items: Items, item: CommandExecutionItem) -> None:
        self._items = items
        self.item_id = item.id
        self._began = time.monotonic()
        self._output = items.grow(item)

    async def write(self, output: str) -> None:
        await self._output.write(output)

    def complete(self, exit_code: int) -> None:
        self._items.complete(self.item_id, exit_code=exit_code, duration_ms=_since(self._began))

    def fail(self, error_code: str, *, ran: bool) -> None:
        _fail(self._items, self.item_id, self._began, error_code, ran=ran)


class FileOperation:
    """A fileChange; see `FileWork`."""

    def __init__(self, items: Items, item: FileChangeItem) -> None:
        self._items = items
        self.item_id = item.id
        self._began = time.monotonic()
        items.start(item)

    def complete(self) -> None:
        self._items.complete(self.item_id, execution_started=True, duration_ms=_since(self._began))

    def fail(self, error_code: str, *, ran: bool) -> None:
        _fail(self._items, self.item_id, self._began, error_code, ran=ran)


def _fail(items: Items, item_id: str, began: float, error_code: str, *, ran: bool) -> None:
    # ITEM-8: what did not run took no time.
    duration = _since(began) if ran else UNSET
    items.complete(item_id, "fail", error_code=error_code, execution_started=ran, duration_ms=duration)


def _since(began: float) -> int:
    return int((time.monotonic() - began) * 1000)
