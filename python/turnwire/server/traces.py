"""Where the spans of turns are kept (TRACE-1): a provider of the host, and one that keeps them in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from turnwire import wire

__all__ = ["MemoryTraces", "TraceProvider", "Traced"]

# TRACE-1: "the last 2,000 of each of the last 200 turns".
_SPANS = 2_000
_TURNS = 200


class Traced(NamedTuple):
    """What is known of the time of a turn: its trace, the spans that ended, oldest first, and how many more did."""

    trace_id: str
    spans: Sequence[wire.Span]
    dropped: int


class TraceProvider(Protocol):
    """Keeps spans. Nothing that it raises disturbs a turn; it must not block."""

    def begin(self, thread_id: str, turn_id: str, trace_id: str) -> None:
        """A turn begins; its spans follow."""

    def add(self, thread_id: str, turn_id: str, span: wire.Span) -> None:
        """A span of a turn has ended."""

    def read(self, thread_id: str, turn_id: str) -> Traced | None:
        """What is known of a turn; None where nothing is kept of it."""

    def forget(self, thread_id: str) -> None:
        """The thread is deleted."""


class MemoryTraces:
    """See `TraceProvider`. What it keeps is bounded, and goes with the process."""

    def __init__(self) -> None:
        # By thread and turn, the turn that began first comes first.
        self._turns: dict[tuple[str, str], _Kept] = {}

    def begin(self, thread_id: str, turn_id: str, trace_id: str) -> None:
        self._turns[thread_id, turn_id] = _Kept(trace_id)
        if len(self._turns) > _TURNS:
            del self._turns[next(iter(self._turns))]

    def add(self, thread_id: str, turn_id: str, span: wire.Span) -> None:
        kept = self._turns.get((thread_id, turn_id))
        if kept is not None:
            kept.spans.append(span)
            kept.ended += 1

    def read(self, thread_id: str, turn_id: str) -> Traced | None:
        kept = self._turns.get((thread_id, turn_id))
        return None if kept is None else Traced(kept.trace_id, list(kept.spans), kept.ended - len(kept.spans))

    def forget(self, thread_id: str) -> None:
        for place in [place for place in self._turns if place[0] == thread_id]:
            del self._turns[place]


class _Kept:
    """The last spans of a turn, and how many there were."""

    def __init__(self, trace_id: str) -> None:
        self.trace_id = trace_id
        self.spans: deque[wire.Span] = deque(maxlen=_SPANS)
        self.ended = 0
