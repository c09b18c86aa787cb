"""The spans of one turn (TRACE-*): of the turn as a whole, of its items, and of what its agent names.

They are one tree. What ends takes with it what is still open within it, so that every span lies within its parent.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from msgspec import UNSET, UnsetType

from turnwire.errors import Issue
from turnwire.server.thread import LiveThread, Tracing
from turnwire.server.traces import TraceProvider
from turnwire.wire import Span, TraceContext, TraceSpanParams, Turn

__all__ = ["Spans", "trace_issues"]

_log = logging.getLogger("turnwire.server")

# What comes of the span of an item or a turn, by its status; anything else was stopped.
_STATUS = {"completed": "ok", "failed": "error"}
# Not sampled: nobody promises to keep what another server would.
_FLAGS = "00"
# The longest `Name` of the schema.
_NAME = 256
# The span of the agent that encloses what it does now.
_within: ContextVar[str | None] = ContextVar("within", default=None)


class _Open(NamedTuple):
    """A span that has not ended."""

    id: str
    parent_id: str | UnsetType
    name: str
    started_at: int
    attributes: Mapping[str, Any]


def trace_issues(pointer: str, context: TraceContext | UnsetType) -> Iterator[Issue]:
    """TRACE-4: what is wrong with the trace of a client that the schema cannot say."""
    if context is UNSET:
        return
    _, trace_id, span_id, _ = context.traceparent.split("-")
    if not int(trace_id, 16) or not int(span_id, 16):
        yield Issue(f"{pointer}/traceparent", "names a trace or a span of zeros only", "one that exists")


class Spans:
    """See the module. It announces each span when it has ended, and gives it to the provider."""

    def __init__(
        self, thread: LiveThread, turn: Turn, provider: TraceProvider, context: TraceContext | UnsetType
    ) -> None:
        self._thread = thread
        self._turn = turn
        self._provider = provider
        self._began = time.monotonic()
        self._open: dict[str, _Open] = {}
        parent: str | UnsetType = UNSET
        self.trace_id, self._flags = os.urandom(16).hex(), _FLAGS
        if context is not UNSET:
            _, self.trace_id, parent, self._flags = context.traceparent.split("-")
        self._root = turn.id
        self._open[self._root] = _Open(_new_id(), parent, "turn", turn.started_at, {"agent": turn.agent})
        thread.tracing = Tracing(turn.id, self.trace_id)
        self._tell(lambda: provider.begin(thread.id, turn.id, self.trace_id))

    @property
    def traceparent(self) -> str:
        """The turn as the parent of what happens elsewhere, as W3C Trace Context has it."""
        return f"00-{self.trace_id}-{self._open[self._root].id}-{self._flags}"

    def begin(self, item: Any) -> None:
        """An item has started."""
        attributes = {"itemId": item.id}
        if getattr(item, "tool_name", UNSET) is not UNSET:
            attributes["toolName"] = item.tool_name
        parent = self._open.get(item.parent_item_id, self._open[self._root])
        self._open[item.id] = _Open(_new_id(), parent.id, item.type, self._now(), attributes)

    def end(self, item: Any, status: str) -> None:
        """An item has ended; one that was denied has no start, and took no time."""
        if item.id not in self._open and status == "declined":
            self.begin(item)
        self._end(item.id, _STATUS.get(status, "interrupted"))

    def reset(self, item_id: str) -> None:
        """An item was taken back."""
        self._end(item_id, "interrupted")

    def close(self, status: str) -> None:
        """The turn ends, and with it every span that is open."""
        self._end(self._root, _STATUS.get(status, "interrupted"))

    @contextmanager
    def within(self, name: str, attributes: Mapping[str, Any], parent_item_id: str | UnsetType) -> Iterator[None]:
        """A span of the agent, which lasts as long as the block."""
        around = self._open.get(_within.get() or "") or self._open.get(
            self._root if parent_item_id is UNSET else parent_item_id
        )
        if around is None:
            # What it would be a part of has ended.
            yield
            return
        span_id = _new_id()
        self._open[span_id] = _Open(span_id, around.id, name[:_NAME], self._now(), attributes)
        outer = _within.get()
        _within.set(span_id)
        status = "interrupted"
        try:
            yield
            status = "ok"
        except Exception:
            status = "error"
            raise
        finally:
            # Not by a token: an agent that is given up may be unwound in the context of somebody else.
            _within.set(outer)
            self._end(span_id, status)

    def _end(self, key: str, status: str) -> None:
        span = self._open.get(key)
        if span is None:
            return
        for inner in [inner for inner, one in self._open.items() if one.parent_id == span.id]:
            self._end(inner, "interrupted")
        del self._open[key]
        ended = Span(
            id=span.id,
            parent_id=span.parent_id,
            name=span.name,
            started_at=span.started_at,
            duration_ms=self._now() - span.started_at,
            status=status,
            attributes=dict(span.attributes) or UNSET,
        )
        thread, turn = self._thread, self._turn
        self._tell(lambda: self._provider.add(thread.id, turn.id, ended))
        params = TraceSpanParams(thread_id=thread.id, turn_id=turn.id, trace_id=self.trace_id, span=ended)
        thread.tell("trace/span", params)

    def _now(self) -> int:
        """The clock of the wall as it was when the turn began, and what has passed since: it never goes back."""
        return self._turn.started_at + int((time.monotonic() - self._began) * 1000)

    def _tell(self, keep: Callable[[], None]) -> None:
        try:
            keep()
        except Exception:  # noqa: BLE001 - the provider is foreign code, and no turn may fail of it
            _log.exception("a span of turn %s could not be kept", self._turn.id)


def _new_id() -> str:
    return os.urandom(8).hex()
