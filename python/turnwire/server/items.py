"""The items of one turn: each is started once, grows by deltas, and is completed once (ITEM-1).

What is still open when the turn ends is completed by `close`, so that no item outlives its turn (TURN-9).
"""

import asyncio
import time
from types import TracebackType
from typing import Any, Literal, Self

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from turnwire.agents.base import AgentFailed
from turnwire.server.ids import new_id, now_ms
from turnwire.server.thread import LiveThread
from turnwire.state import next_state
from turnwire.store.records import TextRecord
from turnwire.wire import (
    AgentMessageItem,
    FileChangeItem,
    ItemCompletedParams,
    ItemDeltaParams,
    ItemStartedParams,
    ItemToolCallProgressParams,
    ReasoningItem,
    ToolCallItem,
)

__all__ = ["FileOperation", "Growing", "Items", "ToolOperation"]

# ITEM-10: "the text so far is recorded at least every 250 ms or 16 KiB".
_RECORD_SECONDS = 0.25
_RECORD_BYTES = 16 * 1024
# `Text` of the schema.
_TEXT_LENGTH = 8_388_608
# An agent that never waits lets others run after so many deltas.
_BREATH = 64

_DELTAS: dict[str, str] = {
    "agentMessage": "item/agentMessage/delta",
    "reasoning": "item/reasoning/delta",
}


class Items:
    """The items of a turn, of any arm of the union `Item`; `open` are those that are started and not completed."""

    def __init__(self, thread: LiveThread, turn_id: str) -> None:
        self.thread = thread
        self.turn_id = turn_id
        self.open: dict[str, Any] = {}
        self._growing: dict[str, Growing] = {}
        self.last_message: str | UnsetType = UNSET

    def common(self, item_id: str | None = None) -> dict[str, Any]:
        """The members that every item has, for one that starts now."""
        return {
            "id": item_id or new_id("item"),
            "thread_id": self.thread.id,
            "turn_id": self.turn_id,
            "status": "inProgress",
            "created_at": now_ms(),
        }

    def start(self, item: Any) -> None:
        """Announces an item that begins."""
        self.open[item.id] = item
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

    def grow(self, item: AgentMessageItem | ReasoningItem) -> "Growing":
        """Announces an item whose text will come in pieces."""
        self.start(item)
        growing = self._growing[item.id] = Growing(self, item.id, _DELTAS[item.type])
        return growing

    def close(self, event: str) -> None:
        """Completes what is open. A text that an agent left open when it completed its turn is whole."""
        for item_id, item in list(self.open.items()):
            whole = event == "complete" and item.type in _DELTAS
            self.complete(item_id, event if whole or event != "complete" else "interrupt")

    def _announce(self, item: Any, status: str) -> None:
        item = replace(item, status=status, completed_at=max(now_ms(), item.created_at))
        if item.type == "agentMessage":
            self.last_message = item.text
        self.thread.record("item/completed", ItemCompletedParams(**self._place(), item=item, seq=self.thread.seq))

    def _place(self) -> dict[str, Any]:
        return {"thread_id": self.thread.id, "turn_id": self.turn_id}


class Growing:
    """A text item that grows; see `TextStream`."""

    def __init__(self, items: Items, item_id: str, method: str) -> None:
        self._items = items
        self._item_id = item_id
        self._method = method
        self._length = 0
        self._deltas = 0
        self._unrecorded: list[str] = []
        self._unrecorded_bytes = 0
        self._timer: asyncio.TimerHandle | None = None

    async def write(self, text: str) -> None:
        if not text:
            return
        if self._length + len(text) > _TEXT_LENGTH:
            raise AgentFailed(f"A text has at most {_TEXT_LENGTH} code points.")
        thread = self._items.thread
        params = ItemDeltaParams(
            thread_id=thread.id,
            turn_id=self._items.turn_id,
            item_id=self._item_id,
            offset=self._length,
            delta=text,
        )
        thread.tell(self._method, params)
        self._length = thread.history.delta(self._item_id, text)
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
        if kind is None and self._item_id in self._items.open:
            self._items.complete(self._item_id)
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
        self._items.thread.record("record/text", TextRecord(item_id=self._item_id, text=text))


class ToolOperation:
    """A toolCall that runs; see `ToolWork`."""

    def __init__(self, items: Items, item: ToolCallItem) -> None:
        self._items = items
        self.item_id = item.id
        self._began = time.monotonic()
        items.start(item)

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
        self._items.complete(self.item_id, result=result, directive=directive, duration_ms=_since(self._began))

    def fail(self, error_code: str) -> None:
        self._items.complete(self.item_id, "fail", error_code=error_code, duration_ms=_since(self._began))


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
        duration = _since(self._began) if ran else UNSET
        self._items.complete(self.item_id, "fail", error_code=error_code, execution_started=ran, duration_ms=duration)


def _since(began: float) -> int:
    return int((time.monotonic() - began) * 1000)
