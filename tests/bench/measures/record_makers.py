"""Records to measure with: long, wide, and left in the middle of a turn."""

from contextlib import closing
from pathlib import Path

import msgspec

from store.conversation import THREAD
from store.records import event, first, header
from turnwire.store.base import StoredEvent
from turnwire.store.chain import link
from turnwire.store.opening import DurableStore, open_store
from turnwire.wire import (
    ActiveTurn,
    AgentMessageItem,
    ItemCompletedParams,
    ItemStartedParams,
    Thread,
    ThreadStatusChangedParams,
    Turn,
    TurnCompletedParams,
    TurnStartedParams,
)

__all__ = ["EVENTS", "ITEMS", "THREADS", "full_of_items", "full_of_threads", "grown", "orphaned"]

EVENTS = 100_000
ITEMS = 100_000
THREADS = 10_000
TEXT = "x" * 200

_encode = msgspec.json.Encoder().encode


def grown(store: DurableStore) -> None:
    """A thread of many events beside one that has just begun."""
    store.create(header("short"), first("short"))
    head = store.create(header("long"), first("long"))
    lines = []
    for seq in range(2, EVENTS + 1):
        line, head = link(head, event(seq, text=TEXT))
        lines.append(line)
    store.adopt(header("long", EVENTS), lines)


def full_of_threads(kind: str, directory: Path, count: int) -> None:
    """Threads of two events each, none of them held."""
    with closing(open_store(kind, directory, fsync="never")) as store:
        for number in range(count):
            store.create(header(f"t{number}"), first(f"t{number}"))
            store.append(header(f"t{number}", 2), event(2, "thread/noted", text=TEXT))
            store.release(f"t{number}")


def full_of_items(store: DurableStore, count: int) -> None:
    """A thread of one turn after the other, ten items each."""
    store.delete("t0")
    begun = header(THREAD)
    head = store.create(begun, first(THREAD))
    lines: list[bytes] = []
    for number in range(count):
        turn = Turn(
            id=f"u{number // 10}", thread_id=THREAD, status="running", agent="scripted", input=[], started_at=1000
        )
        steps: list[tuple[str, msgspec.Struct]] = []
        seq = head.seq
        if number % 10 == 0:
            steps.append(("turn/started", TurnStartedParams(thread_id=THREAD, turn=turn, seq=seq + 1)))
        item = AgentMessageItem(
            id=f"i{number}", thread_id=THREAD, turn_id=turn.id, status="inProgress", created_at=1000, text=""
        )
        done = msgspec.structs.replace(item, status="completed", text=f"{number} said", completed_at=1000)
        for type_, params in (("item/started", ItemStartedParams), ("item/completed", ItemCompletedParams)):
            shown = item if params is ItemStartedParams else done
            at = seq + len(steps) + 1
            steps.append((type_, params(thread_id=THREAD, turn_id=turn.id, item=shown, seq=at)))
        if number % 10 == 9:
            ended = msgspec.structs.replace(turn, status="completed", completed_at=1000)
            at = seq + len(steps) + 1
            steps.append(("turn/completed", TurnCompletedParams(thread_id=THREAD, turn=ended, seq=at)))
        for type_, step in steps:
            line, head = link(head, StoredEvent(head.seq + 1, 1001, type_, _encode(step)))
            lines.append(line)
    store.adopt(msgspec.structs.replace(begun, seq=head.seq, updated_at=1001), lines)
    store.release(THREAD)


def orphaned(kind: str, directory: Path, count: int) -> None:
    """Some threads of a full directory are left in the middle of a turn, as a process that died leaves them."""
    with closing(open_store(kind, directory, fsync="never")) as store:
        for number in range(1, count + 1):
            thread_id = f"t{number}"
            active = ActiveTurn(id="u", status="running")
            now: Thread = msgspec.structs.replace(header(thread_id, 3), status="active", active_turn=active)
            changed = ThreadStatusChangedParams(thread_id=thread_id, status="active", active_turn=active, seq=3)
            store.append(now, StoredEvent(3, 1003, "thread/status/changed", _encode(changed)))
            turn = Turn(id="u", thread_id=thread_id, status="running", agent="scripted", input=[], started_at=1003)
            begun = TurnStartedParams(thread_id=thread_id, turn=turn, seq=4)
            store.append(
                msgspec.structs.replace(now, seq=4, updated_at=1004),
                StoredEvent(4, 1004, "turn/started", _encode(begun)),
            )
