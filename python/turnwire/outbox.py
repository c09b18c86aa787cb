"""What waits to be written: whole messages in order, bounded for the sake of a slow reader.

LIM-4: "deltas of one item are merged, then transient messages are dropped […] before any recorded message is lost."
A line that was put is never dropped; only what was put as transient can be merged or lost.
"""

from typing import Any, TypeAlias, cast

import msgspec

from turnwire.codec import Params, encode_notification
from turnwire.wire import METHODS

__all__ = ["TRANSIENT", "Outbox"]

TRANSIENT = frozenset(
    method.name for method in METHODS.values() if method.kind == "notification" and not method.durable
)
"""Notifications that are not recorded: the other side loses nothing that it could not read again."""

# The text of a delta is cut off from growing here, well below the limit of a message.
_DELTA_BYTES = 1024 * 1024


class _Transient(msgspec.Struct):
    """A line that may be dropped."""

    line: bytes

    @property
    def size(self) -> int:
        return len(self.line)

    def encode(self) -> bytes:
        return self.line


class _Delta(msgspec.Struct):
    """Deltas of one item that follow each other; encoded when they leave."""

    method: str
    params: msgspec.Struct
    pieces: list[str]
    size: int
    end: int

    def encode(self) -> bytes:
        return encode_notification(self.method, msgspec.structs.replace(self.params, delta="".join(self.pieces)))


_Entry: TypeAlias = bytes | _Transient | _Delta


class Outbox:
    """At most so many messages and bytes, but for recorded ones, which are never lost, and a single long one."""

    def __init__(self, messages: int, size: int) -> None:
        self._messages = messages
        self._bytes = size
        self._entries: list[_Entry] = []
        self._size = 0
        self._droppable = 0
        self._deltas: dict[tuple[str, str], _Delta] = {}
        self.dropped = 0

        self.is_full = False
        """Whether a bound is reached. LIM-2: a single message is never too long for an empty queue."""

    def __len__(self) -> int:
        return len(self._entries)

    def put(self, line: bytes) -> None:
        """A line that is never lost."""
        entries = self._entries
        entries.append(line)
        self._size += len(line)
        if len(entries) >= self._messages or self._size >= self._bytes:
            self._fill()

    def put_transient(self, method: str, params: Params) -> None:
        """A notification that may be merged with its like, or lost when the bounds are reached."""
        if method.lower().endswith("delta") and isinstance(params, msgspec.Struct):
            self._put_delta(method, params)
        else:
            self._add(_Transient(encode_notification(method, params)))

    def take(self) -> list[bytes]:
        """All lines, in order; the outbox is empty then."""
        entries, self._entries = self._entries, []
        self._size = 0
        self.is_full = False
        if self._droppable:
            self._droppable = 0
            self._deltas.clear()
            return [entry if isinstance(entry, bytes) else entry.encode() for entry in entries]
        return cast(list[bytes], entries)

    def _put_delta(self, method: str, params: Any) -> None:
        # Every delta has the members of ItemDeltaParams; offsets count code points, as Python's strings do.
        text: str = params.delta
        size = len(text.encode())
        key = (method, params.item_id)
        last = self._deltas.get(key)
        if last is not None and last.end == params.offset and last.size < _DELTA_BYTES:
            last.pieces.append(text)
            last.end += len(text)
            last.size += size
            self._size += size
            self._fill()
            return
        delta = _Delta(method, params, [text], size, params.offset + len(text))
        if self._add(delta):
            self._deltas[key] = delta

    def _add(self, entry: _Transient | _Delta) -> bool:
        if self.is_full:
            self.dropped += 1
            return False
        self._entries.append(entry)
        self._size += entry.size
        self._droppable += 1
        self._fill()
        return True

    def _fill(self) -> None:
        """A bound may be reached: make room, or say so."""
        if self._is_over() and self._droppable:
            self._drop()
        self.is_full = self._is_over()

    def _is_over(self) -> bool:
        return len(self._entries) >= self._messages or (self._size >= self._bytes and len(self._entries) > 1)

    def _drop(self) -> None:
        """Forget the oldest transient messages until the bounds are kept, or none is left."""
        kept: list[_Entry] = []
        surplus = max(1, len(self._entries) - self._messages + 1)
        for entry in self._entries:
            over = surplus > 0 or self._size >= self._bytes
            if isinstance(entry, bytes) or not over:
                kept.append(entry)
                continue
            surplus -= 1
            self._size -= entry.size
            self._droppable -= 1
            self.dropped += 1
        self._entries = kept
        self._deltas.clear()
