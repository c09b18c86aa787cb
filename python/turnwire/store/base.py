"""What a store promises: the events of a thread, appended in order and never changed.

The server appends an event before it announces it (REC-3), and keeps nothing of a thread that cannot be derived
from its events. A store is called from one thread of one event loop. What was written is the kernel's when a method
returns; what the policy promises beyond that is owed, and forced by whoever tells of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from turnwire import wire
from turnwire.store.notes import Note

__all__ = [
    "Forcing",
    "Head",
    "HeadMoved",
    "Store",
    "StoreFault",
    "StoredEvent",
    "ThreadDamaged",
    "ThreadHeld",
    "ThreadTaken",
    "ThreadUnusable",
]


class StoredEvent(msgspec.Struct, frozen=True):
    """One event: its number in the thread, when it was recorded, what happened, and the particulars as JSON.

    An event that is announced has the name of its notification as `type` and the params of it as `payload`.
    """

    seq: int
    at: int
    type: str
    payload: bytes
    trace: str | UnsetType = UNSET
    # The key of the request that caused it.
    idempotency_key: str | UnsetType = UNSET


class Head(NamedTuple):
    """Where the record of a thread ends: the number and the hash of its last event."""

    seq: int
    hash: str


class Forcing(Protocol):
    """What is still to be done before anybody is told of what was written; called once, from any thread."""

    def __call__(self) -> None:
        """Returns when it is on the disk.

        Raises:
            OSError: what is on the disk is not known; the thread is to be released, and read again.
        """


class StoreFault(Exception):  # noqa: N818 - the base of what is the matter with a thread
    """The store cannot do this with this thread; nothing was stored. The bare base is never raised."""


class ThreadTaken(StoreFault):
    """A thread with this id is in the store."""


class ThreadHeld(StoreFault):
    """Another process writes this thread (TURN-11); this one may read it."""


class HeadMoved(StoreFault):
    """The record has events that the caller does not know; it must load the thread again."""


class ThreadDamaged(StoreFault):
    """The record of the thread is not what was stored (REC-4); the message names the first bad event."""


class ThreadUnusable(ThreadDamaged):
    """The record of the thread cannot be read or written as it lies there; the message says where and why. It may be
    used again when that is mended, without a word to the store."""


class Store(Protocol):
    """The contract of every store. `header` is always the header of the thread as the event leaves it.

    What is not there is no fault: reading it gives nothing. What cannot be written or read raises `OSError`.
    """

    # When events are forced to the disk, by the name that `limits.fsync` gives; None where nothing is kept on one.
    fsync: str | None

    def create(self, header: wire.Thread, event: StoredEvent) -> Head:
        """Begins the record of a thread, which this process holds from now on.

        Raises:
            ThreadTaken: the id is in use; nothing was stored.
        """

    def append(self, header: wire.Thread, event: StoredEvent) -> Head:
        """Adds an event to the record of a thread that exists; claims the thread where it is not held yet.

        Raises:
            KeyError: there is no such thread.
            ThreadHeld: another process writes it.
            HeadMoved: the number of the event is not beyond the last one of the record.
            ThreadDamaged: the record cannot be gone on with.
        """

    def events(self, thread_id: str, after: int = 0, limit: int | None = None) -> Sequence[StoredEvent]:
        """At most `limit` events beyond `after`, oldest first; none for a thread that does not exist.

        Raises:
            ThreadDamaged: the record is not what was stored.
        """

    def lines(self, thread_id: str, after: int = 0, limit: int | None = None) -> Sequence[bytes]:
        """The same events as they are stored: a RecordEvent each (REC-1), in the bytes that its hash is of.

        Raises:
            ThreadDamaged: the record is not what was stored.
        """

    def head(self, thread_id: str) -> Head | None:
        """Where the record ends; None for a thread that does not exist."""

    def claim(self, thread_id: str) -> None:
        """Makes this process the one that writes the thread, until `release` or its own end.

        What was read before is to be read again: another process may have written meanwhile.

        Raises:
            KeyError: there is no such thread.
            ThreadHeld: another process writes it.
            ThreadDamaged: the record cannot be gone on with.
        """

    def release(self, thread_id: str) -> None:
        """Lets other processes write the thread; nothing happens where it is not held."""

    def header(self, thread_id: str) -> wire.Thread | None:
        """The header as the last event left it; None for a thread that does not exist."""

    def adopt(self, header: wire.Thread, lines: Sequence[bytes]) -> Head:
        """Adds events that were made elsewhere, in their own bytes (REC-2), all of them or none; begins the thread,
        which this process holds, where it is new.

        Raises:
            BadEvent: one of them does not follow; nothing was stored.
            ThreadHeld, ThreadDamaged: as in `claim`.
        """

    def started_with(self, key: str) -> Sequence[str]:
        """The ids of the threads whose first event has this idempotency key (REC-5)."""

    def headers(self) -> Iterable[wire.Thread]:
        """The headers of all threads, in no particular order."""

    def changed(self, since: int) -> tuple[int, Sequence[tuple[str, wire.Thread | None]]]:
        """The threads whose headers changed after the moment `since` (0 is before all), by this process or another:
        their ids and headers, None for what is not there any more; and the moment up to which this is told. That
        something is gone is told once, so that one list can be kept by it."""

    def notes(self) -> Sequence[Note]:
        """What is kept of no single thread, oldest first; other processes may have added some. Those may be missing
        that are not `needed` any more."""

    def note(self, note: Note) -> None:
        """Adds one of them."""

    def reserve(self, name: str) -> bool:
        """Makes this process the only one that does what this name stands for, until `free` or its own end; whether it
        is. What another process did under the name before it is found from here on, also where it died of it.

        Raises:
            OSError: that cannot be had.
        """

    def free(self, name: str) -> None:
        """Ends what `reserve` began; nothing happens where it did not."""

    def delete(self, thread_id: str) -> None:
        """Takes a thread and its record away; its id is unknown afterwards."""

    def owes(self, thread_id: str) -> bool:
        """Whether the policy promises more of what was written of a thread than the kernel keeps; "" is the notes."""

    def force(self, thread_id: str) -> Forcing:
        """What settles that, for all that was written of the thread up to now; nothing is owed any more.

        Raises:
            OSError: it cannot be begun.
        """

    def close(self) -> None:
        """Lets go of what the store holds. It is not called again."""
