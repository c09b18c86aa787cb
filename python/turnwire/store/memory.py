"""A store that keeps its threads for as long as the process lives."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from msgspec import UNSET

from turnwire import wire
from turnwire.store.base import Forcing, Head, HeadMoved, StoredEvent, ThreadTaken
from turnwire.store.chain import GENESIS, Link, follow, link, read
from turnwire.store.changes import Changes
from turnwire.store.notes import Note, most, needed

__all__ = ["MemoryStore"]


class MemoryStore:
    """See `Store`. Nothing survives the process, so `limits.fsync` is absent with it, and nobody else can hold."""

    fsync: str | None = None

    def __init__(self) -> None:
        self._records: dict[str, _Record] = {}
        # The threads by the keys that they were started with.
        self._keys: dict[str, dict[str, None]] = {}
        self._notes: list[Note] = []
        self._most_notes = most(0)
        self._changes = Changes()

    def create(self, header: wire.Thread, event: StoredEvent) -> Head:
        if header.id in self._records:
            raise ThreadTaken(header.id)
        return self._begin(header, event).append(header, event)

    def append(self, header: wire.Thread, event: StoredEvent) -> Head:
        record = self._records[header.id]
        self._changes.touch(header.id)
        return record.append(header, event)

    def events(self, thread_id: str, after: int = 0, limit: int | None = None) -> Sequence[StoredEvent]:
        return [read(line) for line in self.lines(thread_id, after, limit)]

    def lines(self, thread_id: str, after: int = 0, limit: int | None = None) -> Sequence[bytes]:
        record = self._records.get(thread_id)
        if record is None:
            return []
        start = bisect_right(record.seqs, after)
        return record.lines[start : None if limit is None else start + limit]

    def head(self, thread_id: str) -> Head | None:
        record = self._records.get(thread_id)
        return None if record is None else record.head

    def header(self, thread_id: str) -> wire.Thread | None:
        record = self._records.get(thread_id)
        return None if record is None else record.header

    def adopt(self, header: wire.Thread, lines: Sequence[bytes]) -> Head:
        record = self._records.get(header.id)
        links = list(follow(GENESIS if record is None else record.head, lines))
        if record is None:
            record = self._begin(header, read(lines[0]))
        self._changes.touch(header.id)
        for added in links:
            record.add(header, added)
        return record.head

    def started_with(self, key: str) -> Sequence[str]:
        return list(self._keys.get(key, ()))

    def headers(self) -> Iterable[wire.Thread]:
        return [record.header for record in self._records.values()]

    def changed(self, since: int) -> tuple[int, Sequence[tuple[str, wire.Thread | None]]]:
        return self._changes.moment, self._changes.told(since, self.header)

    def notes(self) -> Sequence[Note]:
        return list(self._notes)

    def note(self, note: Note) -> None:
        self._notes.append(note)
        if len(self._notes) > self._most_notes:
            self._notes = [self._notes[place] for place in needed(self._notes)]
            self._most_notes = most(len(self._notes))

    def claim(self, thread_id: str) -> None:
        if thread_id not in self._records:
            raise KeyError(thread_id)

    def release(self, thread_id: str) -> None:
        """No other process could write the thread before or after."""

    def reserve(self, name: str) -> bool:  # noqa: ARG002 - there is no other process
        return True

    def free(self, name: str) -> None:
        """No other process waited for it."""

    def delete(self, thread_id: str) -> None:
        record = self._records.pop(thread_id, None)
        if record is not None:
            self._changes.touch(thread_id)
            key = read(record.lines[0]).idempotency_key
            if key is not UNSET:
                named = self._keys[key]
                del named[thread_id]
                if not named:
                    del self._keys[key]

    def owes(self, thread_id: str) -> bool:  # noqa: ARG002 - nothing is ever owed a disk that there is not
        return False

    def force(self, thread_id: str) -> Forcing:
        raise AssertionError(f"nothing is owed of {thread_id!r} in memory")

    def close(self) -> None:
        self._records.clear()

    def _begin(self, header: wire.Thread, first: StoredEvent) -> _Record:
        self._changes.touch(header.id)
        record = self._records[header.id] = _Record(header)
        if first.idempotency_key is not UNSET:
            self._keys.setdefault(first.idempotency_key, {})[header.id] = None
        return record


class _Record:
    """One thread: the bytes of its events, as any other store would keep them."""

    def __init__(self, header: wire.Thread) -> None:
        self.header = header
        self.head = GENESIS
        self.seqs: list[int] = []
        self.lines: list[bytes] = []

    def append(self, header: wire.Thread, event: StoredEvent) -> Head:
        if event.seq <= self.head.seq:
            raise HeadMoved(header.id)
        return self.add(header, link(self.head, event))

    def add(self, header: wire.Thread, added: Link) -> Head:
        self.seqs.append(added.head.seq)
        self.lines.append(added.line)
        self.head = added.head
        self.header = header
        return self.head
