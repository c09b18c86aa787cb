"""All threads in one SQLite file: the same events in the same bytes, and the same locks, as in files of their own.

A row of `events` is the stored bytes of an event, as they are; `threads` says where each record ends. What the file
system promises for a line, a transaction promises for a row.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from turnwire import wire
from turnwire.store.base import Head, HeadMoved, StoredEvent, ThreadDamaged, ThreadHeld, ThreadTaken
from turnwire.store.chain import GENESIS, BadEvent, Fault, Link, check, follow, link, read
from turnwire.store.changes import Changes
from turnwire.store.database import Database
from turnwire.store.durable import Durable
from turnwire.store.files import RECORD
from turnwire.store.locks import Leases

__all__ = ["SqliteStore"]

_LOCKS = "locks"
# Of so many threads it is known where their proved records end; one that was forgotten is proved again when it is used.
_KNOWN = 4096

_encode = msgspec.json.Encoder().encode


class _Place(NamedTuple):
    """A thread: its number in the file, and where its record ends."""

    number: int
    head: Head


class _Found(ThreadDamaged):
    """Damage that was not known before."""


class SqliteStore(Durable):
    """See `Store`, and `Durable` for what it is made with."""

    KIND = "sqlite"

    def __init__(self, directory: str | os.PathLike[str], **options: Any) -> None:
        super().__init__(directory, **options)
        self._files.make_directory(self._state / _LOCKS)
        self._leases = Leases(self._files, self._state / _LOCKS)
        self._path = self._state / RECORD[self.KIND]
        self._database = Database(self._files, self._path)
        if self.fsync != "never":
            # SQLite has made the write-ahead file by now; its name is forced once.
            self._files.sync_directory(self._state)
        # Where records end, as far as this process has proved them; the least lately first.
        self._places: dict[str, _Place] = {}
        # The headers, as they were when no other process had written; `_version` tells when one has.
        self._headers: dict[str, wire.Thread] = {}
        self._version = -1
        self._changes = Changes()

    def create(self, header: wire.Thread, event: StoredEvent) -> Head:
        if self._is_taken(header.id):
            raise ThreadTaken(header.id)
        first = link(GENESIS, event)
        try:
            with self._database.transaction():
                place = self._insert(header, first, first.head)
                self._add(place, first)
        except sqlite3.IntegrityError:
            self._forget(header.id)
            raise ThreadTaken(header.id) from None
        except OSError:
            self._forget(header.id)
            raise
        self._owe_for(event, header.id, self._database.ahead)
        return self._settle(header, place)

    def append(self, header: wire.Thread, event: StoredEvent) -> Head:
        place = self._claimed(header.id)
        added = self._next(place.head, header, event)
        try:
            with self._database.transaction():
                self._advance(place, header, added.head)
                self._add(place, added)
        except (OSError, HeadMoved):
            self._forget(header.id)
            raise
        self._owe_for(event, header.id, self._database.ahead)
        return self._settle(header, _Place(place.number, added.head))

    def lines(self, thread_id: str, after: int = 0, limit: int | None = None) -> Sequence[bytes]:
        place = self._proved(thread_id)
        if place is None:
            return []
        query = "SELECT line FROM events WHERE thread = ? AND seq > ? ORDER BY seq LIMIT ?"
        return [line for (line,) in self._database.rows(query, place.number, after, -1 if limit is None else limit)]

    def head(self, thread_id: str) -> Head | None:
        place = self._proved(thread_id)
        return None if place is None else place.head

    def header(self, thread_id: str) -> wire.Thread | None:
        if thread_id in self._leases or self._version == self._database.version():
            return self._headers.get(thread_id)
        # One row, however many another process has changed meanwhile.
        return self._stored_header(thread_id)

    def started_with(self, key: str) -> Sequence[str]:
        query = "SELECT id FROM threads WHERE key = ? AND fault IS NULL ORDER BY number"
        return [thread_id for (thread_id,) in self._database.rows(query, key)]

    def headers(self) -> Iterable[wire.Thread]:
        self._refresh()
        return list(self._headers.values())

    def changed(self, since: int) -> tuple[int, Sequence[tuple[str, wire.Thread | None]]]:
        self._refresh()
        return self._changes.moment, self._changes.told(since, self._headers.get)

    def claim(self, thread_id: str) -> None:
        self._claimed(thread_id)

    def release(self, thread_id: str) -> None:
        self._leases.drop(thread_id)

    def delete(self, thread_id: str) -> None:
        try:
            number, _head = self._claimed(thread_id)
        except KeyError:
            return
        with self._database.transaction():
            self._database.change("DELETE FROM events WHERE thread = ?", number)
            self._database.change("DELETE FROM threads WHERE number = ?", number)
        self._owe(thread_id, self._database.ahead)
        self._forget(thread_id)
        self._drop_header(thread_id)

    def adopt(self, header: wire.Thread, lines: Sequence[bytes]) -> Head:
        place = self._claimed(header.id) if self._is_taken(header.id) else None
        try:
            links = list(follow(GENESIS if place is None else place.head, lines))
        except BadEvent:
            self._forget(header.id)
            raise
        head = links[-1].head
        with self._database.transaction():
            if place is None:
                place = self._insert(header, links[0], head)
            else:
                self._advance(place, header, head)
            for added in links:
                self._add(place, added)
        self._owe(header.id, self._database.ahead)
        return self._settle(header, _Place(place.number, head))

    def shorten(self, thread_id: str, pruned: bytes, count: int) -> None:
        place = self._claimed(thread_id)
        first, *_rest = follow(GENESIS, [pruned, *self.lines(thread_id)[count:]])
        with self._database.transaction():
            self._database.change("DELETE FROM events WHERE thread = ? AND seq <= ?", place.number, first.head.seq)
            self._add(place, first)
        self._owe(thread_id, self._database.ahead)
        self.force(thread_id)()

    def close(self) -> None:
        super().close()
        self._leases.drop_all()
        self._database.close()

    def _survey(self) -> None:
        """A transaction stores a thread with all by which it is found, or nothing."""

    def _rests(self, thread_id: str) -> bool:
        header = self._headers.get(thread_id)
        return header is None or header.active_turn is UNSET

    def _insert(self, header: wire.Thread, first: Link, head: Head) -> _Place:
        key = read(first.line).idempotency_key
        query = "INSERT INTO threads (id, header, seq, hash, key) VALUES (?, ?, ?, ?, ?)"
        self._database.change(query, header.id, _encode(header), *head, None if key is UNSET else key)
        return _Place(self._database.rows("SELECT last_insert_rowid()")[0][0], head)

    def _add(self, place: _Place, added: Link) -> None:
        self._database.change("INSERT INTO events VALUES (?, ?, ?)", place.number, added.head.seq, added.line)

    def _refresh(self) -> None:
        """Takes in the headers as other processes left them."""
        version = self._database.version()
        if version == self._version:
            return
        self._reconsider()
        rows = self._database.rows("SELECT id, header FROM threads WHERE fault IS NULL")
        before, self._headers = self._headers, {found: _decoder().decode(header) for found, header in rows}
        for thread_id in before.keys() | self._headers.keys():
            if before.get(thread_id) != self._headers.get(thread_id):
                self._changes.touch(thread_id)
        self._version = version

    def _drop_header(self, thread_id: str) -> None:
        self._headers.pop(thread_id, None)
        self._changes.touch(thread_id)

    def _settle(self, header: wire.Thread, place: _Place) -> Head:
        self._know(header.id, place)
        self._headers[header.id] = header
        self._changes.touch(header.id)
        return place.head

    def _advance(self, place: _Place, header: wire.Thread, head: Head) -> None:
        """Compares the end of the record with what is known, and sets it."""
        query = "UPDATE threads SET header = ?, seq = ?, hash = ? WHERE number = ? AND seq = ? AND hash = ?"
        if self._database.change(query, _encode(header), *head, place.number, *place.head) != 1:
            raise HeadMoved(f"{header.id} was written by somebody who did not hold it")

    def _is_taken(self, thread_id: str) -> bool:
        """Whether there is such a thread, or another process is about to begin it; if not, this one holds it."""
        try:
            if self._find(thread_id) is None:
                self._leases.take(thread_id, rests=self._rests)
                return False
        except (ThreadHeld, ThreadDamaged):
            pass
        return True

    def _claimed(self, thread_id: str) -> _Place:
        held = thread_id in self._leases
        if not held and self._find(thread_id) is None:
            raise KeyError(thread_id)
        self._leases.take(thread_id, rests=self._rests)
        try:
            place = self._places[thread_id] if held else self._checked(thread_id)
        except ThreadDamaged:
            self._leases.drop(thread_id)
            raise
        if place is None:
            self._leases.drop(thread_id)
            raise KeyError(thread_id)
        if not held:
            header = self._stored_header(thread_id)
            assert header is not None, "the thread was found and is held"
            if self._headers.get(thread_id) != header:
                self._headers[thread_id] = header
                self._changes.touch(thread_id)
        return place

    def _stored_header(self, thread_id: str) -> wire.Thread | None:
        found = self._database.rows("SELECT header FROM threads WHERE id = ? AND fault IS NULL", thread_id)
        return _decoder().decode(found[0][0]) if found else None

    def _forget(self, thread_id: str) -> None:
        """What the file holds is read again when the thread is next used."""
        self._places.pop(thread_id, None)
        self._leases.drop(thread_id)

    def _find(self, thread_id: str) -> _Place | None:
        """Where the record ends by the table."""
        found = self._database.rows("SELECT number, seq, hash, fault FROM threads WHERE id = ?", thread_id)
        if not found:
            return None
        number, seq, digest, fault = found[0]
        if fault is not None:
            raise ThreadDamaged(fault)
        return _Place(number, Head(seq, digest))

    def _proved(self, thread_id: str) -> _Place | None:
        """Where the record ends, when every event was checked that this process has not checked yet."""
        if thread_id in self._leases and thread_id in self._places:
            return self._places[thread_id]
        return self._checked(thread_id)

    def _checked(self, thread_id: str) -> _Place | None:
        try:
            with self._database.snapshot():
                place = self._find(thread_id)
                known = self._places.get(thread_id)
                if place is None or place == known:
                    return place
                if known is None or not self._follows(place, known.head):
                    self._prove(place)
        except _Found as damage:
            self._set_aside(thread_id, damage)
            raise
        self._know(thread_id, place)
        return place

    def _know(self, thread_id: str, place: _Place) -> None:
        self._places.pop(thread_id, None)
        self._places[thread_id] = place
        if len(self._places) > _KNOWN:
            resting = next((known for known in self._places if known not in self._leases), thread_id)
            del self._places[resting]

    def _prove(self, place: _Place) -> None:
        head = GENESIS
        for count, line in enumerate(self._database.lines(place.number, 0), 1):
            try:
                head = check(head, line)
            except BadEvent as bad:
                fault = Fault(count, bad.seq, head.seq, str(bad))
                raise _Found(f"{self._path}, thread {place.number}: {fault}") from None
        if head != place.head:
            what = f"ends at event {head.seq}, and event {place.head.seq} was stored"
            raise _Found(f"{self._path}, thread {place.number}: {what}")

    def _follows(self, place: _Place, head: Head) -> bool:
        """Whether all is well since `head`; if not, the record is to be proved from its first event."""
        try:
            for line in self._database.lines(place.number, head.seq):
                head = check(head, line)
        except BadEvent:
            return False
        return head == place.head

    def _set_aside(self, thread_id: str, damage: _Found) -> None:
        self._tell(f"Set aside as damaged: {thread_id}: {damage}")
        self._drop_header(thread_id)
        self._note_fault(thread_id, str(damage))

    def _reconsider(self) -> None:
        """When the file is first listed: what was set aside may have been repaired since."""
        if self._version >= 0:
            return
        for thread_id, number, seq, digest in self._database.rows(
            "SELECT id, number, seq, hash FROM threads WHERE fault IS NOT NULL"
        ):
            try:
                self._prove(_Place(number, Head(seq, digest)))
            except _Found as damage:
                self._tell(f"Set aside as damaged: {thread_id}: {damage}")
            else:
                self._note_fault(thread_id, None)

    def _note_fault(self, thread_id: str, fault: str | None) -> None:
        with self._database.transaction():
            self._database.change("UPDATE threads SET fault = ? WHERE id = ?", fault, thread_id)


@cache
def _decoder() -> msgspec.json.Decoder[wire.Thread]:
    # Made when there is something to read: it needs the types of threads.
    return msgspec.json.Decoder(wire.Thread)
