"""Threads and events as the store tests write them: small, lawful, and told apart by their number."""

from collections.abc import Iterator

import msgspec

from turnwire.store.base import Store, StoredEvent
from turnwire.store.chain import GENESIS, link
from turnwire.wire import AgentMessageItem, ItemStartedParams, Thread, ThreadStartedParams

__all__ = ["chain_of", "event", "first", "header", "said", "settle"]

_encode = msgspec.json.Encoder().encode


def header(thread_id: str = "t1", seq: int = 1, *, title: str = "A thread") -> Thread:
    """The header of a thread as event `seq` leaves it."""
    return Thread(
        id=thread_id,
        status="idle",
        agent="scripted",
        title=title,
        created_at=1000,
        updated_at=1000 + seq,
        version=0,
        seq=seq,
    )


def first(thread_id: str = "t1") -> StoredEvent:
    """The event that starts a thread."""
    params = ThreadStartedParams(thread=header(thread_id), seq=1)
    return StoredEvent(1, 1001, "thread/started", _encode(params))


def event(seq: int, type_: str = "item/progress", *, text: str = "") -> StoredEvent:
    """An event of no particular meaning; `text` makes it long."""
    return StoredEvent(seq, 1000 + seq, type_, _encode({"n": seq, "text": text}))


def said(seq: int, thread_id: str = "t1") -> StoredEvent:
    """An item that a history can take in."""
    item = AgentMessageItem(
        id=f"i{seq}", thread_id=thread_id, turn_id="u1", status="completed", created_at=1000, text="said"
    )
    params = ItemStartedParams(thread_id=thread_id, turn_id="u1", item=item, seq=seq)
    return StoredEvent(seq, 1000 + seq, "item/started", _encode(params))


def settle(store: Store, thread_id: str = "t1") -> None:
    """Forces what is owed, as whoever tells of it does."""
    if store.owes(thread_id):
        store.force(thread_id)()


def chain_of(events: int, thread_id: str = "t1") -> Iterator[bytes]:
    """The stored bytes of a thread of so many events."""
    head = GENESIS
    for seq in range(1, events + 1):
        line, head = link(head, first(thread_id) if seq == 1 else event(seq))
        yield line
