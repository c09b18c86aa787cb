"""A thread as its events tell it: header, turns and items.

`apply` is the only way in which anything of a thread changes, live and on loading alike. What the engine of a turn
holds beyond it (tasks, timers, nonces) is no history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from turnwire import wire
from turnwire.state import next_state
from turnwire.store.base import StoredEvent
from turnwire.store.records import (
    RECORDS,
    CompactedRecord,
    ContextRecord,
    DiscardedRecord,
    FilesRecord,
    HeldRecord,
    KeyRecord,
    OutputRecord,
    PrunedRecord,
    QueuedRecord,
    SavedRecord,
    SteeredRecord,
    TakenRecord,
    TextRecord,
)

__all__ = ["History", "KeptFiles"]


class KeptFiles(NamedTuple):
    """Files that were kept: at which place of the thread, and the items that were at work in that moment."""

    seq: int
    files: FilesRecord
    open: frozenset[str]


class History:
    """The state of one thread; `header` is whole from the first event on."""

    header: wire.Thread

    def __init__(self) -> None:
        self.turns: dict[str, wire.Turn] = {}
        # Of any arm of the union `Item`; whoever keeps one knows its members.
        self.items: dict[str, Any] = {}
        self.waiting: set[str] = set()
        self.held = False
        self.context: dict[str, wire.ContextEntry] = {}
        self.queue: list[wire.QueueEntry] = []
        self.queue_held = False
        self.taken: wire.QueueEntry | None = None
        # Who put an entry into the queue, where that is known.
        self.principals: dict[str, str] = {}
        # What was steered to the turn that is not over and was not taken yet, by the id that its item will have.
        self.steered: dict[str, SteeredRecord] = {}
        # The number of the event that brought a turn or an item: its place in every list (THR-5).
        self._places: dict[str, int] = {}
        # Grows when the end of the thread is taken back: a cursor of an earlier generation is stale (THR-19).
        self.generation = 0
        # What was started or shown, in this order, as lists show it.
        self.item_places: list[tuple[int, str]] = []
        self.turn_places: list[tuple[int, str]] = []
        # The ids of the items of each turn, in the order in which they started.
        self._by_turn: dict[str, dict[str, None]] = {}
        self._texts: dict[str, list[str]] = {}
        self._lengths: dict[str, int] = {}
        self._saved: dict[str, Any] = {}
        self._output_schemas: dict[str, dict[str, Any]] = {}
        self._paused: str | None = None
        # The files that were kept, oldest first; what was taken back of the thread takes none of them back.
        self.files: list[KeptFiles] = []
        self._compacted: list[CompactedRecord] = []
        # By method and key, what came of a request; by key and type, its first event, where that was not recorded.
        self._keys: dict[tuple[str, str], KeyRecord] = {}
        self._first: dict[str, dict[str, Any]] = {}

    @classmethod
    def load(cls, events: Iterable[StoredEvent]) -> History:
        """The history that these events tell, from the first on."""
        history = cls()
        for event in events:
            history.take(event)
        return history

    def take(self, event: StoredEvent) -> None:
        """Takes in an event that was recorded earlier."""
        params = _params(event)
        self.apply(event.type, params, seq=event.seq, at=event.at)
        self.answers(event.idempotency_key, event.type, params)
        if type(params) is TextRecord:
            # Live, the text came as deltas before it was recorded; on loading, the record is all there is.
            self.delta(params.item_id, params.text)

    def apply(self, type_: str, params: Any, *, seq: int, at: int) -> None:
        """Takes one event in. Events of a type that changes nothing here only count."""
        change = self._CHANGES.get(type_)
        if change is not None:
            change(self, params, seq)
        self.header = replace(self.header, seq=seq, updated_at=at)

    def answers(self, key: str | UnsetType, type_: str, params: Any) -> None:
        """The event that was taken in last is stored, and the first of the request with this key."""
        if key is not UNSET and params is not None:
            self._first.setdefault(key, {})[type_] = params

    def delta(self, item_id: str, text: str) -> int:
        """Adds transient text to an item that is not completed; returns how many code points the item has now."""
        self._texts.setdefault(item_id, []).append(text)
        length = self._lengths.get(item_id, 0) + len(text)
        self._lengths[item_id] = length
        return length

    def item(self, item_id: str) -> Any:
        """The item, with its text so far where it is not completed."""
        item = self.items[item_id]
        texts = self._texts.get(item_id)
        if not texts:
            return item
        if len(texts) > 1:
            texts[:] = ["".join(texts)]
        member = "output" if hasattr(item, "output") else "text"
        return replace(item, **{member: texts[0]})

    def items_of(self, turn_id: str) -> list[wire.Item]:
        """The items of a turn in the order in which they started."""
        return [self.item(item_id) for item_id in self.item_ids_of(turn_id)]

    def item_ids_of(self, turn_id: str) -> Iterable[str]:
        """Their ids, in the same order."""
        return self._by_turn.get(turn_id, ())

    def place(self, id_: str) -> int:
        """The number of the event that brought this turn or item."""
        return self._places[id_]

    def active_turn(self) -> wire.Turn | None:
        """The turn that is not over, if there is one."""
        active = self.header.active_turn
        return None if active is UNSET else self.turns[active.id]

    def paused_turn(self) -> wire.Turn | None:
        """The turn that paused the thread and waits to be resumed or discarded, if there is one."""
        return None if self._paused is None else self.turns[self._paused]

    def saved(self, turn_id: str) -> Any:
        """Where the agent of the turn stood when it last said so; None when it never did."""
        return self._saved.get(turn_id)

    def output_schema(self, turn_id: str) -> dict[str, Any] | None:
        """What the output of a turn that is not over must fit; None where it is free."""
        return self._output_schemas.get(turn_id)

    def compacted(self, *, by: int | None = None) -> CompactedRecord | None:
        """Up to where the context was shortened last, or last within the events up to `by`; None where it never was.
        What was taken back does not count."""
        end = self.header.seq if by is None else by
        known = (one for one in reversed(self._compacted) if one.item_id in self.items)
        return next((one for one in known if self._places[one.item_id] <= end), None)

    def keyed(self, method: str, key: str) -> KeyRecord | None:
        """What was recorded of what came of a request with an idempotency key."""
        return self._keys.get((method, key))

    def cut_short(self, key: str, type_: str) -> Any:
        """The params of the first event of a request with this key, where it has this type and what came of the request
        was not recorded: the process died before, or the disk was full. None where there is no such event."""
        return self._first.get(key, {}).get(type_)

    def _thread_started(self, params: Any, _seq: int) -> None:
        self.header = params.thread

    def _status_changed(self, params: Any, _seq: int) -> None:
        self.header = replace(
            self.header, status=params.status, paused_by=params.paused_by, active_turn=params.active_turn
        )

    def _archived(self, params: Any, _seq: int) -> None:
        self.header = replace(self.header, archived_at=getattr(params, "archived_at", UNSET))

    def _turn_started(self, params: Any, seq: int) -> None:
        turn = params.turn
        self._paused = None
        self.taken = None
        self.turns[turn.id] = turn
        self._places[turn.id] = seq
        self.turn_places.append((seq, turn.id))
        self.header = replace(self.header, active_turn=wire.ActiveTurn(id=turn.id, status=turn.status))

    def _turn_completed(self, params: Any, _seq: int) -> None:
        turn = params.turn
        self.turns[turn.id] = turn
        self.waiting.clear()
        self.steered.clear()
        if turn.status == "paused":
            self._paused = turn.id
        else:
            self._saved.pop(turn.id, None)
            self._output_schemas.pop(turn.id, None)
        self.header = replace(self.header, active_turn=UNSET)

    def _usage_updated(self, params: Any, _seq: int) -> None:
        self.turns[params.turn_id] = replace(self.turns[params.turn_id], usage=params.usage)

    def _item_started(self, params: Any, seq: int) -> None:
        self.items[params.item.id] = params.item
        self.steered.pop(params.item.id, None)
        self._places[params.item.id] = seq
        self.item_places.append((seq, params.item.id))
        self._by_turn.setdefault(params.item.turn_id, {})[params.item.id] = None

    def _item_completed(self, params: Any, seq: int) -> None:
        item = params.item
        self.items[item.id] = item
        if item.id not in self._places:
            self._places[item.id] = seq
            self.item_places.append((seq, item.id))
        self._by_turn.setdefault(item.turn_id, {})[item.id] = None
        self._texts.pop(item.id, None)
        self._lengths.pop(item.id, None)

    def _item_reset(self, params: Any, _seq: int) -> None:
        for item_id in params.item_ids:
            self.items.pop(item_id, None)
            self._texts.pop(item_id, None)
            self._by_turn[params.turn_id].pop(item_id, None)
        self.item_places = [place for place in self.item_places if place[1] in self.items]

    def _rewound(self, params: Any, _seq: int) -> None:
        end = self._places[params.item_id]
        for turn_id, item_ids in self._by_turn.items():
            gone = [item_id for item_id in item_ids if self._places[item_id] > end]
            for item_id in gone:
                del self.items[item_id], item_ids[item_id]
            if turn_id in params.removed_turn_ids:
                self.turns.pop(turn_id, None)
        self.item_places = [place for place in self.item_places if place[1] in self.items]
        self.turn_places = [place for place in self.turn_places if place[1] in self.turns]
        self._paused = None
        self.generation += 1

    def _approval_requested(self, params: Any, _seq: int) -> None:
        self.waiting.add(params.approval.approval_id)
        self._move_turn(params.turn_id, "approval/requested")

    def _approval_resolved(self, params: Any, _seq: int) -> None:
        self._answered(params.approval_id, params.turn_id)

    def _input_resolved(self, params: Any, _seq: int) -> None:
        self._answered(params.user_input_id, params.turn_id)

    def _answered(self, id_: str, turn_id: str) -> None:
        if id_ not in self.waiting:
            return
        self.waiting.remove(id_)
        if not self.waiting:
            self._move_turn(turn_id, "answered")

    def _input_requested(self, params: Any, _seq: int) -> None:
        # INPUT-5: "A question that is not `blocking` does not stop the turn."
        if params.user_input.blocking:
            self.waiting.add(params.user_input.user_input_id)
            self._move_turn(params.turn_id, "userInput/requested")

    def _queue_updated(self, params: Any, _seq: int) -> None:
        self.queue = params.entries
        self.queue_held = params.held
        if self.taken is not None and any(entry.id == self.taken.id for entry in params.entries):
            self.taken = None

    def _taken(self, params: TakenRecord, _seq: int) -> None:
        self.taken = params.entry

    def _keep_files(self, params: FilesRecord, seq: int) -> None:
        active = self.header.active_turn
        ids = () if active is UNSET else self.item_ids_of(active.id)
        at_work = frozenset(item_id for item_id in ids if self.items[item_id].status == "inProgress")
        self.files.append(KeptFiles(seq, params, at_work))

    def _compact(self, params: CompactedRecord, _seq: int) -> None:
        self._compacted.append(params)

    def _queued(self, params: QueuedRecord, _seq: int) -> None:
        known = {entry.id for entry in (*self.queue, *([self.taken] if self.taken else []))}
        kept = {entry_id: principal for entry_id, principal in self.principals.items() if entry_id in known}
        self.principals = {**kept, params.entry_id: params.principal}

    def _steered(self, params: SteeredRecord, _seq: int) -> None:
        self.steered[params.item_id] = params

    def _held(self, params: HeldRecord, _seq: int) -> None:
        self.held = params.held

    def _context_given(self, params: ContextRecord, _seq: int) -> None:
        self.context = params.context

    def _saved_record(self, params: SavedRecord, _seq: int) -> None:
        self._saved[params.turn_id] = params.state

    def _output(self, params: OutputRecord, _seq: int) -> None:
        self._output_schemas[params.turn_id] = params.schema

    def _discarded(self, params: DiscardedRecord, _seq: int) -> None:
        self._saved.pop(params.turn_id, None)
        self._output_schemas.pop(params.turn_id, None)
        self._paused = None

    def _key(self, params: KeyRecord, _seq: int) -> None:
        self._keys[params.method, params.key] = params
        first = self._first.pop(params.key, {})
        if first:
            # Another method may have the same key; this is of the last that began.
            first.popitem()
        if first:
            self._first[params.key] = first

    def _pruned(self, params: PrunedRecord, _seq: int) -> None:
        for kept in params.summary:
            event = StoredEvent(kept.seq, kept.at, kept.type, bytes(kept.payload), UNSET, kept.idempotency_key)
            self.take(event)

    def _move_turn(self, turn_id: str, event: str) -> None:
        turn = self.turns[turn_id]
        status = next_state("turn", turn.status, event)
        self.turns[turn_id] = replace(turn, status=status)
        self.header = replace(self.header, active_turn=wire.ActiveTurn(id=turn_id, status=status))

    # Every other event changes nothing that a list or a header shows.
    _CHANGES: ClassVar[dict[str, Callable[[History, Any, int], None]]] = {
        "thread/started": _thread_started,
        "thread/updated": _thread_started,
        "thread/status/changed": _status_changed,
        "thread/archived": _archived,
        "thread/unarchived": _archived,
        "turn/started": _turn_started,
        "turn/completed": _turn_completed,
        "turn/usage/updated": _usage_updated,
        "turn/queue/updated": _queue_updated,
        "item/started": _item_started,
        "item/completed": _item_completed,
        "item/reset": _item_reset,
        "thread/rewound": _rewound,
        "approval/requested": _approval_requested,
        "approval/resolved": _approval_resolved,
        "userInput/requested": _input_requested,
        "userInput/resolved": _input_resolved,
        "record/held": _held,
        "record/context": _context_given,
        "record/saved": _saved_record,
        "record/output": _output,
        "record/discarded": _discarded,
        "record/key": _key,
        "record/compacted": _compact,
        "record/files": _keep_files,
        "record/queued": _queued,
        "record/steered": _steered,
        "record/taken": _taken,
        "record/pruned": _pruned,
    }


def _params(event: StoredEvent) -> Any:
    record = RECORDS.get(event.type)
    if record is not None:
        return msgspec.json.decode(event.payload, type=record)
    if event.type not in History._CHANGES:  # noqa: SLF001 - of this module
        # It only counts; and it may be of a type that only another version knows.
        return None
    return wire.params_decoder(event.type)(event.payload)
