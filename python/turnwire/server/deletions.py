"""Deletions that have an idempotency key (REC-5): what was deleted says nothing any more, so the store keeps a note.

The note is written before the first thread goes. Where the process dies in between, the next one finishes what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from turnwire.server.threads import Threads
from turnwire.store.base import Store
from turnwire.wire import Thread

__all__ = ["Deletion", "Deletions"]

# REC-5: where no thread ends the life of a key, so many are kept.
_KEPT = 10_000


class _Gone(NamedTuple):
    """A thread that was deleted. A thread that is there and was created at another time is another one."""

    thread_id: str
    created_at: int


class Deletion(msgspec.Struct, frozen=True, rename="camel"):
    """One request: its key, the digest of its params, and its threads, the one that was named first."""

    key: str
    digest: str
    threads: list[_Gone]

    @property
    def thread_ids(self) -> list[str]:
        """What the request deleted."""
        return [gone.thread_id for gone in self.threads]


class _Note(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the store; those of others have other members."""

    deletion: Deletion | None = None


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Note).decode


class Deletions:
    """What was deleted under a key, over all processes of a store."""

    def __init__(self, store: Store, threads: Threads) -> None:
        self._store = store
        self._threads = threads

    def begin(self, key: str, digest: str, threads: Sequence[Thread]) -> None:
        """Notes what is deleted from here on.

        Raises:
            OSError: it could not be kept, and nothing may be deleted.
        """
        gone = [_Gone(thread.id, thread.created_at) for thread in threads]
        self._threads.note(_encode(_Note(deletion=Deletion(key, digest, gone))))

    def find(self, key: str) -> Deletion | None:
        """What was deleted under a key."""
        return next((one for one in reversed(self._all()) if one.key == key), None)

    def finish(self, delete: Callable[[str], None], *, key: str | None = None) -> None:
        """Deletes what a process that died had begun to delete, children first; under one key where one is given."""
        for deletion in self._all():
            if key not in (None, deletion.key):
                continue
            for gone in reversed(deletion.threads):
                header = self._store.header(gone.thread_id)
                if header is not None and header.created_at == gone.created_at:
                    delete(gone.thread_id)

    def _all(self) -> list[Deletion]:
        found: list[Deletion] = []
        for line in self._store.notes():
            try:
                note = _decode(line)
            except msgspec.MsgspecError:
                # A line of another version, or what a full disk left of one.
                continue
            if note.deletion is not None:
                found.append(note.deletion)
        return found[-_KEPT:]
