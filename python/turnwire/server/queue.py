"""The turns that wait in a thread (QUEUE-*). Every change is recorded whole, so that the last one tells all."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from turnwire.errors import conflict, not_found, overloaded
from turnwire.server.ids import new_id, now_ms
from turnwire.server.opening import Opening
from turnwire.server.thread import LiveThread
from turnwire.state import next_state
from turnwire.store.records import QueuedRecord, TakenRecord
from turnwire.wire import InputPart, QueueEntry, TurnQueueUpdatedParams

__all__ = ["add", "opening_of", "put_back", "remove", "reorder", "resume", "take_first", "turn_ended", "update"]

# How long a client waits before it tries again to enqueue.
_RETRY_MS = 1000


def add(thread: LiveThread, opening: Opening, *, limit: int | None) -> QueueEntry:
    """Puts a turn at the end.

    Raises:
        Refusal: overloaded, where the queue is full.
    """
    entries = thread.history.queue
    if limit is not None and len(entries) >= limit:
        raise overloaded(_RETRY_MS)
    entry = QueueEntry(
        id=new_id("entry"),
        thread_id=thread.id,
        input=list(opening.given),
        client_message_id=opening.client_message_id,
        created_at=now_ms(),
    )
    if opening.principal is not None:
        # Before the entry: a turn is never started in the name of nobody because a process died in between.
        thread.record("record/queued", QueuedRecord(entry_id=entry.id, principal=opening.principal))
    _record(thread, [*entries, entry], key=opening.key)
    return entry


def remove(thread: LiveThread, entry_id: str) -> None:
    """Takes an entry out.

    Raises:
        Refusal: notFound.
    """
    entry = _entry(thread, entry_id)
    _record(thread, [one for one in thread.history.queue if one is not entry])


def update(thread: LiveThread, entry_id: str, parts: Sequence[InputPart]) -> None:
    """Changes what a waiting turn will be given.

    Raises:
        Refusal: notFound.
    """
    entry = _entry(thread, entry_id)
    changed = replace(entry, input=list(parts))
    _record(thread, [changed if one is entry else one for one in thread.history.queue])


def reorder(thread: LiveThread, entry_ids: Sequence[str]) -> None:
    """Puts the queue into another order.

    Raises:
        Refusal: conflict `staleOrder`, where these are not exactly the ids of the queue.
    """
    known = {entry.id: entry for entry in thread.history.queue}
    if sorted(entry_ids) != sorted(known):
        raise conflict("staleOrder", "These are not the ids of the queue as it is now.")
    order = [known[entry_id] for entry_id in entry_ids]
    if order != thread.history.queue:
        _record(thread, order)


def resume(thread: LiveThread) -> None:
    """Lets a held queue go on."""
    _move(thread, "resume")


def turn_ended(thread: LiveThread, status: str) -> None:
    """QUEUE-4: "After a failed, interrupted or paused one the queue is held"."""
    if thread.history.queue:
        _move(thread, "turnCompleted" if status == "completed" else "turnNotCompleted")


def take_first(thread: LiveThread) -> QueueEntry:
    """Takes the entry out that starts next; there is one."""
    entry, *rest = thread.history.queue
    # The host is asked before the turn is recorded; a crash in between must not lose what waits.
    thread.record("record/taken", TakenRecord(entry=entry))
    _record(thread, rest)
    return entry


def put_back(thread: LiveThread, entry: QueueEntry) -> None:
    """The turn of an entry did not start: it is the first again, and the queue is held."""
    _record(thread, [entry, *thread.history.queue], held=True)


def opening_of(thread: LiveThread, entry: QueueEntry) -> Opening:
    """What the turn of an entry is started with: all of it is in the record, and survives a restart."""
    return Opening(
        given=entry.input,
        client_message_id=entry.client_message_id,
        principal=thread.history.principals.get(entry.id),
    )


def _entry(thread: LiveThread, entry_id: str) -> QueueEntry:
    for entry in thread.history.queue:
        if entry.id == entry_id:
            return entry
    raise not_found("queueEntry", entry_id)


def _move(thread: LiveThread, event: str) -> None:
    state = "held" if thread.history.queue_held else "open"
    held = next_state("queue", state, event) == "held"
    if held is not thread.history.queue_held:
        _record(thread, thread.history.queue, held=held)


def _record(
    thread: LiveThread, entries: Sequence[QueueEntry], *, held: bool | None = None, key: str | UnsetType = UNSET
) -> None:
    params = TurnQueueUpdatedParams(
        thread_id=thread.id,
        entries=list(entries),
        held=thread.history.queue_held if held is None else held,
        seq=thread.seq,
    )
    thread.record("turn/queue/updated", params, key=key)
