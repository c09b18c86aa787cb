"""The threads of a server: created, found, loaded when something is done with them, unloaded when nobody is left."""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from turnwire.errors import Refusal, conflict, internal_error, not_found
from turnwire.server.hub import Hub
from turnwire.server.ids import now_ms
from turnwire.server.listing import ThreadList
from turnwire.server.thread import LiveThread, Tracing
from turnwire.store.base import Head, Store, StoredEvent, ThreadDamaged, ThreadHeld, ThreadTaken, ThreadUnusable
from turnwire.store.chain import BadEvent, hash_of, read
from turnwire.store.history import History
from turnwire.store.memory import MemoryStore
from turnwire.store.notes import Note
from turnwire.store.recovery import recover
from turnwire.wire import Thread

__all__ = ["Threads"]

_log = logging.getLogger("turnwire.server")

# So many threads can be walked over at once without reading one anew for each page.
_READ = 4


class _Named(msgspec.Struct):
    id: str


class _Began(msgspec.Struct):
    """What is to be known of a turn that has started."""

    turn: _Named


class Threads:
    """Every thread in the store; those with a subscriber or a turn are loaded."""

    def __init__(self, store: Store, hub: Hub) -> None:
        self._store = store
        self._hub = hub
        self._listing = ThreadList(store)
        self._live: dict[str, LiveThread] = {}
        # Histories that were read lately without loading the thread, the least lately first.
        self._read: dict[str, tuple[Head, History]] = {}

    def create(self, header: Thread, *, key: str | UnsetType = UNSET) -> LiveThread:
        """Stores a new thread and loads it; it is yet to be announced. `key` is that of the request.

        Raises:
            Refusal: conflict `identityTaken`.
        """
        try:
            thread = LiveThread.start(header, self._store, self._hub, key=key)
        except ThreadTaken:
            raise _taken() from None
        self._live[thread.id] = thread
        return thread

    def adopt(self, header: Thread, fill: Callable[[LiveThread], None], *, key: str | UnsetType = UNSET) -> LiveThread:
        """Stores a new thread with all that `fill` records in it, all of it or nothing, and loads it; it is yet to be
        announced. `key` is that of the request.

        Raises:
            Refusal: conflict `identityTaken`.
        """
        aside = MemoryStore()
        draft = LiveThread.start(header, aside, Hub(), key=key)
        fill(draft)
        if self._store.header(header.id) is not None:
            raise _taken()
        try:
            self._store.adopt(draft.header, aside.lines(header.id))
        except (ThreadHeld, ThreadDamaged, BadEvent):
            # Another process began it in this moment.
            raise _taken() from None
        thread = self._live[header.id] = LiveThread(draft.history, self._store, self._hub)
        thread.guard()
        return thread

    def header(self, thread_id: str) -> Thread:
        """The header of a thread, loaded or not.

        Raises:
            Refusal: notFound.
        """
        live = self._live.get(thread_id)
        header = live.header if live else self._store.header(thread_id)
        if header is None:
            raise self._absent(thread_id)
        return header

    def headers(self) -> Iterator[Thread]:
        """The headers of all threads."""
        return iter(list(self._store.headers()))

    def listing(self) -> ThreadList:
        """All threads in their order, as they are now."""
        self._listing.refresh()
        return self._listing

    def load(self, thread_id: str) -> LiveThread:
        """The thread, loaded; this process writes it until `unload`.

        Raises:
            Refusal: notFound, or conflict `heldElsewhere`.
        """
        live = self._live.get(thread_id)
        if live is not None and live.broken and live.run is None:
            live = None
        if live is None:
            self._claim(thread_id)
            live = self._live[thread_id] = self._recovered(self._events(thread_id))
        return live

    def recover(self) -> None:
        """Ends what a process that died left open, in every thread that nobody else writes."""
        for header in self.headers():
            if header.status == "active":
                try:
                    self.load(header.id)
                except Refusal:
                    # It is damaged, which was said, or another process is at work in it.
                    continue
                self.unload(header.id)

    def history(self, thread_id: str) -> History:
        """What was recorded of a thread, which is not loaded by it.

        Raises:
            Refusal: notFound.
        """
        live = self._live.get(thread_id)
        if live is not None:
            return live.history
        if self._store.header(thread_id) is None:
            raise self._absent(thread_id)
        try:
            return self._read_history(thread_id)
        except ThreadDamaged as damage:
            raise _damaged(damage) from damage

    def lines(self, thread_id: str, *, after: int, limit: int) -> list[tuple[int, bytes]]:
        """The events beyond `after`, each with its number, in the bytes in which they are stored.

        Raises:
            Refusal: internalError, where the record is damaged.
        """
        try:
            return [(read(line).seq, line) for line in self._store.lines(thread_id, after, limit)]
        except ThreadDamaged as damage:
            raise _damaged(damage) from damage

    def note(self, note: Note) -> None:
        """Keeps something of no single thread; whoever asked for it is answered when it is safe.

        Raises:
            OSError: it could not be kept.
        """
        self._store.note(note)
        self._hub.gates.guard(self._store, "", _tell_lost)

    def loaded(self, thread_id: str) -> LiveThread | None:
        """The thread, if it is loaded."""
        return self._live.get(thread_id)

    def all_loaded(self) -> list[LiveThread]:
        """The threads that are loaded."""
        return list(self._live.values())

    def is_loaded(self, thread_id: str) -> bool:
        """Whether the thread is loaded."""
        return thread_id in self._live

    def unload(self, thread_id: str) -> bool:
        """Lets go of a thread that nobody listens to and in which nothing runs; whether it did."""
        live = self._live.get(thread_id)
        if live is None or live.run or live.starting or live.users or self._hub.subscribers(thread_id):
            return False
        del self._live[thread_id]
        self._store.release(thread_id)
        return True

    def delete(self, thread: LiveThread) -> None:
        """Takes the thread and its record away."""
        thread.delete_record()
        self._live.pop(thread.id, None)
        self._hub.forget(thread.id)
        # What is gone is kept until the list was told.
        self._listing.refresh()

    def subtree(self, thread_id: str) -> list[str]:
        """The thread and the subagent threads below it, parents first."""
        children: dict[Any, list[str]] = {}
        for header in self._store.headers():
            if header.parent_thread_id is not UNSET:
                children.setdefault(header.parent_thread_id, []).append(header.id)
        found = [thread_id]
        for parent in found:
            found.extend(children.get(parent, ()))
        return found

    def running(self) -> list[LiveThread]:
        """The threads in which a turn runs."""
        return [thread for thread in self._live.values() if thread.run is not None]

    def _recovered(self, events: Sequence[StoredEvent]) -> LiveThread:
        """The thread that these events tell, when what they leave open was ended (APPR-11, ITEM-9)."""
        history = History.load(events)
        thread = LiveThread(history, self._store, self._hub)
        found = recover(history, events, now=now_ms())
        if found:
            thread.tracing = _tracing_in(events)
        for type_, params in found:
            thread.record(type_, params)
        # A turn that is paused now has approvals that wait in the thread.
        return LiveThread(history, self._store, self._hub) if found else thread

    def _read_history(self, thread_id: str) -> History:
        """A walk over the items of a thread reads each event once, and then what came since."""
        found = self._read.pop(thread_id, None)
        head = self._store.head(thread_id)
        assert head is not None, "the thread has a header"
        if found is not None and found[0] != head and not self._goes_on(thread_id, found[0]):
            found = None
        history = History() if found is None else found[1]
        for event in self._store.events(thread_id, 0 if found is None else found[0].seq):
            history.take(event)
        self._read[thread_id] = head, history
        if len(self._read) > _READ:
            del self._read[next(iter(self._read))]
        return history

    def _goes_on(self, thread_id: str, head: Head) -> bool:
        """Whether the record has this event still; if not, it was pruned, or it is another thread by now."""
        lines = self._store.lines(thread_id, head.seq - 1, 1)
        return bool(lines) and hash_of(lines[0]) == head.hash

    def _absent(self, thread_id: str) -> Refusal:
        """Why a thread has no header: its record cannot be used, or there is none."""
        try:
            self._store.head(thread_id)
        except ThreadDamaged as damage:
            return _damaged(damage)
        return not_found("thread", thread_id)

    def _claim(self, thread_id: str) -> None:
        try:
            self._store.claim(thread_id)
        except KeyError:
            raise not_found("thread", thread_id) from None
        except ThreadHeld:
            # TURN-11: one active turn "over all connections and processes", so one process writes a thread.
            raise conflict("heldElsewhere", "Another process writes this thread.") from None
        except ThreadDamaged as damage:
            raise _damaged(damage) from damage

    def _events(self, thread_id: str) -> Sequence[StoredEvent]:
        try:
            return self._store.events(thread_id)
        except ThreadDamaged as damage:
            raise _damaged(damage) from damage


def _tracing_in(events: Sequence[StoredEvent]) -> Tracing | None:
    """The trace of the turn that began last: what is recorded of it now belongs to it too."""
    for event in reversed(events):
        if event.type == "turn/started":
            turn_id = msgspec.json.decode(event.payload, type=_Began).turn.id
            return None if event.trace is UNSET else Tracing(turn_id, event.trace)
    return None


def _tell_lost(error: OSError) -> None:
    # The line is there for every process; only the power can take it back.
    _log.error("a note could not be forced to the disk", exc_info=error)


def _taken() -> Refusal:
    return conflict("identityTaken", "A thread with this id exists.")


def _damaged(damage: ThreadDamaged) -> Refusal:
    """REC-4: a damaged thread hurts no other; what is wrong with it is for whoever keeps the record."""
    _log.error("a thread cannot be used: %s", damage)
    what = "cannot be used" if isinstance(damage, ThreadUnusable) else "is damaged"
    return internal_error(f"The record of this thread {what}.")
