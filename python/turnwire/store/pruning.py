"""What a prefix of a thread's record comes to: one event that tells the same history, without what was superseded.

Turns, items and their places stay as they are; what goes is how they came about. A cut is only made between turns.
"""

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from turnwire.store.base import Head, StoredEvent
from turnwire.store.chain import GENESIS, PRUNED, check, link, read
from turnwire.store.history import History
from turnwire.store.records import KeptEvent, PrunedRecord

__all__ = ["Cut", "cut_before", "prune"]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.decode

# A later one says all that an earlier one said.
_LAST = ("thread/updated", "thread/status/changed", "turn/queue/updated", "record/held", "record/context")
# Of use while its turn goes on; the turn and its items say in the end what came of it.
_PASSING = (
    "turn/usage/updated",
    "turn/plan/updated",
    "turn/diff/updated",
    "approval/",
    "userInput/",
    "record/text",
    "record/steered",
    "record/taken",
    "item/reset",
)


class Cut(msgspec.Struct, frozen=True):
    """Where a record is cut: how many of its lines go, and the head after them."""

    lines: int
    head: Head


def cut_before(lines: Sequence[bytes], seq: int) -> Cut | None:
    """The last place before event `seq` at which no turn goes on; None where nothing would go."""
    history = History()
    head, found = GENESIS, None
    for count, line in enumerate(lines, 1):
        event = read(line)
        if event.seq >= seq:
            break
        history.take(event)
        head = check(head, line)
        between_turns = history.header.active_turn is UNSET and history.header.status != "active"
        if count > 1 and between_turns and history.taken is None:
            found = Cut(count, head)
    return found


def prune(lines: Sequence[bytes], cut: Cut, *, now: int) -> bytes:
    """The event that stands for the first `cut.lines` of these lines."""
    gone = [read(line) for line in lines[: cut.lines]]
    before = [_decode(gone[0].payload, type=PrunedRecord)] if gone[0].type == PRUNED else []
    count = len(gone) + sum(record.events - 1 for record in before)
    kept = _essence([*(event for record in before for event in record.summary), *map(_keep, gone[len(before) :])])
    record = PrunedRecord(seq=cut.head.seq, hash=cut.head.hash, events=count, pruned_at=now, summary=kept)
    # The time is that of the last pruned event, so that the thread keeps its place in the list of threads.
    key = gone[0].idempotency_key
    return link(GENESIS, StoredEvent(cut.head.seq, gone[-1].at, PRUNED, _encode(record), idempotency_key=key)).line


def _keep(event: StoredEvent) -> KeptEvent:
    return KeptEvent(event.seq, event.at, event.type, msgspec.Raw(event.payload), event.idempotency_key)


def _essence(events: Iterable[KeptEvent]) -> list[KeptEvent]:
    """The events without those that others made superfluous, in the order of their places."""
    kept: dict[object, KeptEvent] = {}
    for event in events:
        if event.type.startswith(_PASSING):
            for item_id in _taken_back(event):
                kept.pop(("item", item_id), None)
            continue
        if event.type == "turn/completed":
            # Where its agent stood matters for a turn that can be resumed.
            turn = _decode(event.payload)["turn"]
            if turn["status"] != "paused":
                kept.pop(("saved", turn["id"]), None)
        key = _key(event)
        started = kept.get(key)
        if started is not None and event.type == "item/completed":
            # An item keeps the place at which it started (THR-5).
            event = replace(event, seq=started.seq, idempotency_key=started.idempotency_key)  # noqa: PLW2901 - the same event at another place
        elif started is not None:
            del kept[key]
        kept[key] = event
    return sorted(kept.values(), key=lambda event: event.seq)


def _key(event: KeptEvent) -> object:
    """Of two events with the same key the later one is enough; an event of a type that is not known here stays."""
    if event.type in _LAST:
        return event.type
    if event.type in ("item/started", "item/completed"):
        return ("item", _decode(event.payload)["item"]["id"])
    if event.type == "record/saved":
        return ("saved", _decode(event.payload)["turnId"])
    return event.seq


def _taken_back(event: KeptEvent) -> list[str]:
    if event.type != "item/reset":
        return []
    ids: list[str] = _decode(event.payload)["itemIds"]
    return ids
