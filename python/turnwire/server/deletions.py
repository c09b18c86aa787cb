"""Deletions that have an idempotency key (REC-5): what was deleted says nothing any more, so the store keeps a note.

The note is written before the first thread goes. Where the process dies in between, the next one finishes what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from turnwire.server.threads import Threads
from turnwire.store.base import Store
from turnwire.store.notes import Deletion, Gone, Note
from turnwire.wire import Thread

__all__ = ["Deletions"]


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
        gone = [Gone(thread.id, thread.created_at) for thread in threads]
        self._threads.note(Note(deletion=Deletion(key, digest, gone)))

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
        return [note.deletion for note in self._store.notes() if note.deletion is not None]
