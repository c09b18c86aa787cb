"""Where the spans of turns are kept (TRACE-1): a provider of the host, and one that keeps them in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from turnwire import wire

__all__ = ["MemoryTraces", "TraceProvider", "Traced"]

# TRACE-1: "the last 2,000 of each of the last 200 turns", "no more than 4 MiB a turn and 32 MiB together as JSON". The
# spans of a turn are read as a whole, so they must fit into a message.
_SPANS = 2_000
_TURNS = 200
_TURN_BYTES = 4 * 1024 * 1024
_BYTES = 32 * 1024 * 1024


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
        self._bytes = 0

    def begin(self, thread_id: str, turn_id: str, trace_id: str) -> None:
        self._turns[thread_id, turn_id] = _Kept(trace_id)
        if len(self._turns) > _TURNS:
            self._drop(next(iter(self._turns)))

    def add(self, thread_id: str, turn_id: str, span: wire.Span) -> None:
        kept = self._turns.get((thread_id, turn_id))
        if kept is None:
            return
        self._bytes += kept.add(span)
        if self._bytes > _BYTES:
            self._make_room()

    def read(self, thread_id: str, turn_id: str) -> Traced | None:
        kept = self._turns.get((thread_id, turn_id))
        if kept is None:
            return None
        return Traced(kept.trace_id, [span for span, _ in kept.spans], kept.ended - len(kept.spans))

    def forget(self, thread_id: str) -> None:
        for place in [place for place in self._turns if place[0] == thread_id]:
            self._drop(place)

    def _drop(self, place: tuple[str, str]) -> None:
        self._bytes -= self._turns.pop(place).bytes

    def _make_room(self) -> None:
        """Drops spans of the turn that began first, and of the next."""
        for kept in self._turns.values():
            while kept.spans and self._bytes > _BYTES:
                self._bytes -= kept.drop_first()
            if self._bytes <= _BYTES:
                return


class _Kept:
    """The last spans of a turn, each with its length as JSON, how long they are together, and how many there were."""

    def __init__(self, trace_id: str) -> None:
        self.trace_id = trace_id
        self.spans: deque[tuple[wire.Span, int]] = deque()
        self.bytes = 0
        self.ended = 0

    def add(self, span: wire.Span) -> int:
        """Adds one, and drops what is too much then; by how many bytes it has grown."""
        before = self.bytes
        size = len(_encode(span))
        self.spans.append((span, size))
        self.bytes += size
        self.ended += 1
        while len(self.spans) > _SPANS or self.bytes > _TURN_BYTES:
            self.drop_first()
        return self.bytes - before

    def drop_first(self) -> int:
        """Drops the oldest; how many bytes it took."""
        _, size = self.spans.popleft()
        self.bytes -= size
        return size


_encode = msgspec.json.Encoder().encode
