"""Idempotency keys in the record, for repetitions that come after a restart (REC-5).

The key is a member of the first event of its request, so it is stored with it or not at all; what came of the request
follows. Where the process died in between, the first event itself tells what came of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from turnwire.errors import Refusal
from turnwire.server.canonical import digest
from turnwire.server.deletions import Deletions
from turnwire.server.threads import Threads
from turnwire.store.base import Store, StoreFault
from turnwire.store.history import History
from turnwire.store.records import KeyRecord
from turnwire.wire import (
    ReviewStartResult,
    Thread,
    ThreadDeleteResult,
    ThreadForkResult,
    ThreadRewindResult,
    ThreadStartResult,
    TurnEnqueueResult,
    TurnStartResult,
    TurnSteerResult,
    result_decoder,
)

__all__ = ["Earlier", "RecordedKeys"]

_log = logging.getLogger("turnwire.server")

# In seconds: most requests are carried out within the first; one that waits for a host or an agent takes its time.
_FIRST_WAIT = 0.001
_LAST_WAIT = 0.05

# What a request came to, by its method and the type of its first event, from the params of that event and the history.
# `thread/delete` leaves no record of its own: see `Deletions`.
_RESULTS: dict[str, dict[str, Callable[[Any, History], Any]]] = {
    "thread/start": {"thread/started": lambda first, _: ThreadStartResult(thread=first.thread)},
    # A copy is stored as a whole.
    "thread/fork": {"thread/started": lambda _, history: ThreadForkResult(thread=history.header)},
    "thread/rewind": {
        "thread/rewound": lambda first, history: ThreadRewindResult(
            thread=history.header, removed_turn_ids=first.removed_turn_ids
        )
    },
    "review/start": {"thread/started": lambda _, history: _review_started(history)},
    "turn/steer": {"record/steered": lambda first, _: TurnSteerResult(turn_id=first.turn_id, item_id=first.item_id)},
    "turn/start": {"turn/started": lambda first, _: TurnStartResult(turn=first.turn)},
    "turn/enqueue": {
        "turn/started": lambda first, _: TurnEnqueueResult(entry_id=first.turn.id, position=0, turn_id=first.turn.id),
        "turn/queue/updated": lambda first, _: TurnEnqueueResult(
            entry_id=first.entries[-1].id, position=len(first.entries) - 1
        ),
    },
}
# They are recorded in the thread that they begin, which says where it comes from; the result says which it is.
_BEGINNERS: dict[str, Callable[[Any], str]] = {
    "thread/start": lambda result: str(result.thread.id),
    "thread/fork": lambda result: str(result.thread.id),
    "review/start": lambda result: str(result.review_thread_id),
}


class Earlier(NamedTuple):
    """The result of an earlier request; the digest of its params, where it is known."""

    result: Any
    digest: str | None


class RecordedKeys:
    """The keys in the records of a store."""

    def __init__(self, store: Store, threads: Threads) -> None:
        self._store = store
        self._threads = threads
        self.deletions = Deletions(store, threads)

    def find(self, method: str, thread_id: str | None, key: str) -> Earlier | None:
        """What was recorded under a key, in a thread or (None) by a request that belongs to none."""
        if method == "thread/delete":
            return self._deleted(key)
        if method not in _RESULTS:
            return None
        places = [thread_id] if method not in _BEGINNERS else self._store.started_with(key)
        for place in places:
            assert place is not None, "what begins no thread belongs to one"
            try:
                history = self._threads.history(place)
            except Refusal:
                # It was deleted, or is damaged: nothing is known of it any more.
                continue
            if method in _BEGINNERS and _origin_of(history.header) != thread_id:
                continue
            found = _in_history(history, method, key)
            if found is not None:
                return found
        return None

    @asynccontextmanager
    async def alone(self, method: str, thread_id: str | None, key: str) -> AsyncIterator[None]:
        """Waits while another process carries out a request of this key, and keeps them all waiting meanwhile.

        Raises:
            OSError: the store cannot be used.
        """
        name = digest([method, thread_id, key])
        wait = _FIRST_WAIT
        while not self._store.reserve(name):
            # A lock of another process tells nobody when it is freed.
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LAST_WAIT)
        try:
            yield
        finally:
            self._store.free(name)

    def _deleted(self, key: str) -> Earlier | None:
        deletion = self.deletions.find(key)
        if deletion is None:
            return None
        ids = deletion.thread_ids
        return Earlier(ThreadDeleteResult(thread_id=ids[0], deleted_thread_ids=ids), deletion.digest)

    def keep(self, method: str, thread_id: str | None, key: str, digest: str, result: Any) -> None:
        """Records what came of a request whose first event has the key."""
        if method not in _RESULTS:
            return
        record = KeyRecord(method=method, key=key, digest=digest, result=msgspec.Raw(msgspec.json.encode(result)))
        place = _BEGINNERS[method](result) if method in _BEGINNERS or thread_id is None else thread_id
        try:
            self._threads.load(place).record("record/key", record)
        except (Refusal, StoreFault, OSError):
            # The request was carried out and its key is stored: a repetition is known, but not by its params.
            _log.exception("what came of %s could not be recorded", method)
        finally:
            # Where nobody listens and nothing runs.
            self._threads.unload(place)


def _in_history(history: History, method: str, key: str) -> Earlier | None:
    kept = history.keyed(method, key)
    if kept is not None:
        return Earlier(result_decoder(method)(bytes(kept.result)), kept.digest)
    for type_, tell in _RESULTS[method].items():
        first = history.cut_short(key, type_)
        result = None if first is None else tell(first, history)
        if result is not None:
            return Earlier(result, None)
    return None


def _origin_of(header: Thread) -> str | None:
    """The thread that another one was begun from; None for one that came by itself."""
    if header.forked_from is not UNSET:
        return header.forked_from.thread_id
    return None if header.parent_thread_id is UNSET else header.parent_thread_id


def _review_started(history: History) -> ReviewStartResult | None:
    """The process may have died between the thread and its turn; then nothing was reviewed."""
    turns = list(history.turns.values())
    return ReviewStartResult(turn=turns[0], review_thread_id=history.header.id) if turns else None
