"""A loaded thread: its history, the turn that runs, and the one way in which anything of it is recorded.

An event is stored before it is announced (REC-3), and nothing is announced that is not stored, but for deltas and
their like, which carry no `seq`.
"""

import asyncio
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from turnwire.errors import no_active_turn, not_found, thread_archived, thread_paused, turn_active
from turnwire.server.client_tools import ClientTools
from turnwire.server.gates import Act
from turnwire.server.hub import Hub
from turnwire.server.ids import now_ms
from turnwire.server.questions import Asked, id_of, with_nonce
from turnwire.state import next_state
from turnwire.store.base import Store, StoredEvent, StoreFault
from turnwire.store.chain import PRUNED
from turnwire.store.history import History
from turnwire.store.records import RECORDS, ContextRecord, DiscardedRecord, HeldRecord, TextRecord
from turnwire.wire import (
    ActiveTurn,
    ApprovalRule,
    ContextEntry,
    InputPart,
    PausedBy,
    PendingApproval,
    PendingUserInput,
    Thread,
    ThreadRewoundParams,
    ThreadStartedParams,
    ThreadStatusChangedParams,
    Turn,
    TurnCompletedParams,
    TurnStartedParams,
)

__all__ = ["LiveThread", "Running", "Tracing"]

_log = logging.getLogger("turnwire.server")
_encode = msgspec.json.Encoder().encode


class Running(Protocol):
    """A turn that runs, as its thread sees it."""

    turn_id: str
    thread_id: str
    # Set when the work has stopped and `turn/completed` was announced.
    done: asyncio.Future[Turn]

    def interrupt(self, reason: str) -> None:
        """Begins to stop the turn; `reason` is a TurnEndReason."""

    def compacted(self, outcome: str) -> None:
        """Shows that the context of earlier turns was shortened meanwhile, or why not."""

    def steer(self, parts: Sequence[InputPart], mode: str, *, key: str | UnsetType) -> str:
        """Gives it input; the id that the userMessage item will have. `key` is that of the request."""


class Tracing(NamedTuple):
    """The trace of a turn."""

    turn_id: str
    trace_id: str

    def of(self, params: Any) -> str | UnsetType:
        """The trace of an event; absent for one that is not of the turn (TRACE-5)."""
        turn_id = getattr(getattr(params, "turn", params), "id", None) or getattr(params, "turn_id", None)
        return self.trace_id if turn_id == self.turn_id or isinstance(params, TextRecord) else UNSET


class LiveThread:
    """One thread. `history` changes through `record` and in no other way."""

    def __init__(self, history: History, store: Store, hub: Hub) -> None:
        self.history = history
        self.id = history.header.id
        self._store = store
        self._hub = hub
        self.run: Running | None = None
        # The id of a turn that the host is asked about: it holds the thread, and nothing of it is recorded yet.
        self.starting: str | None = None
        # The trace of the turn that runs, where one is kept.
        self.tracing: Tracing | None = None
        # Set when an event could not be stored: what is here is ahead of the record, and is to be loaded again.
        self.broken = False
        # Why nothing more can be recorded: an event was stored, and may be lost with the power.
        self._lost: OSError | None = None
        # How many requests work with it, so that it stays loaded meanwhile.
        self.users = 0
        # Set while the thread is being deleted: no turn may start any more.
        self.going = False
        # The tools that clients declared for the thread.
        self.client_tools = ClientTools()
        # The saved answers that hold while the thread is loaded, and those of the turn that runs (APPR-12).
        self.rules: list[ApprovalRule] = []
        # What waits in the turn that paused the thread, nonces included. After a restart they get new nonces.
        self.deferred: dict[str, Asked] = {}
        paused = history.paused_turn()
        if paused is not None:
            self.defer(_waiting_in(paused))

    @classmethod
    def start(cls, header: Thread, store: Store, hub: Hub, *, key: str | UnsetType = UNSET) -> "LiveThread":
        """A new thread; it is stored, and its start is yet to be announced.

        Raises:
            ThreadTaken: the id is in use.
        """
        history = History()
        params = ThreadStartedParams(thread=header, seq=header.seq)
        history.apply("thread/started", params, seq=header.seq, at=header.created_at)
        event = StoredEvent(header.seq, header.created_at, "thread/started", _encode(params), idempotency_key=key)
        store.create(history.header, event)
        history.answers(key, event.type, params)
        thread = cls(history, store, hub)
        thread.guard()
        return thread

    @property
    def header(self) -> Thread:
        """The header as it is now."""
        return self.history.header

    @property
    def seq(self) -> int:
        """The number that the next event will have."""
        return self.history.header.seq + 1

    @property
    def head_hash(self) -> str | UnsetType:
        """The hash of the last event; absent where the store keeps no chain."""
        head = self._store.head(self.id)
        return UNSET if head is None else head.hash

    def record(self, type_: str, params: msgspec.Struct, *, key: str | UnsetType = UNSET) -> None:
        """Stores an event, lets the history take it in and announces it. `params.seq`, if any, is `self.seq`; `key` is
        that of the request whose first event it is.

        Raises:
            StoreFault, OSError: it could not be stored, and is not announced.
        """
        if self._lost is not None:
            raise OSError(f"{self.id} is to be loaded again: {self._lost}") from self._lost
        at = max(now_ms(), self.header.updated_at)
        trace = UNSET if self.tracing is None else self.tracing.of(params)
        event = StoredEvent(self.seq, at, type_, _encode(params), trace=trace, idempotency_key=key)
        self.history.apply(type_, params, seq=event.seq, at=event.at)
        try:
            self._store.append(self.header, event)
        except (StoreFault, OSError):
            self.broken = True
            raise
        self.history.answers(key, type_, params)
        self.guard()
        if type_ not in RECORDS:
            self._hub.announce(type_, self.id, event.payload)

    def guard(self) -> None:
        """Keeps everybody from being told of what was just stored until the disk has what the policy promises."""
        self._hub.gates.guard(self._store, self.id, self._lose)

    async def safe(self) -> None:
        """Returns when what was recorded may be acted on.

        Raises:
            OSError: it could not be forced to the disk.
        """
        await self._hub.gates.passing(self.id)

    def when_safe(self, act: Act) -> None:
        """Acts when what was recorded may be acted on, at once if it may now."""
        self._hub.gates.pass_through([self.id], act)

    def tell(self, method: str, params: msgspec.Struct) -> None:
        """Announces something transient, which is not stored."""
        self._hub.tell(method, self.id, params)

    def announce_start(self) -> None:
        """Announces a thread that `start` stored."""
        (first,) = self._store.events(self.id, 0, 1)
        self._hub.announce(first.type, self.id, first.payload)

    def events_after(self, seq: int) -> list[StoredEvent] | None:
        """The announced events beyond `seq`, for a replay; None where some of them were pruned."""
        events = self._store.events(self.id, seq)
        if events and events[0].type == PRUNED:
            return None
        return [event for event in events if event.type not in RECORDS]

    def delete_record(self) -> None:
        """Takes the record away, when the end of it was announced."""
        self._store.delete(self.id)
        self.guard()

    @property
    def is_free(self) -> bool:
        """Whether no turn runs and none is about to start."""
        return self.run is None and self.starting is None

    @property
    def is_open(self) -> bool:
        """Whether the thread takes new turns at all."""
        return not self.going and self.header.archived_at is UNSET and self.header.paused_by is UNSET

    def demand_open(self) -> None:
        """Refuses a turn that shall wait, in a thread that starts none.

        Raises:
            Refusal: notFound, threadArchived or threadPaused.
        """
        if self.going:
            raise not_found("thread", self.id)
        if self.header.archived_at is not UNSET:
            raise thread_archived()
        # A pause that is asked for during a turn holds already, though the thread is paused only at its end (THR-12).
        if self.history.held:
            raise thread_paused("user")
        if self.header.paused_by is not UNSET:
            raise thread_paused(self.header.paused_by)

    def demand_free(self) -> None:
        """Refuses what needs a thread in which no turn runs or is about to start.

        Raises:
            Refusal: notFound, threadArchived or turnActive.
        """
        if self.going:
            raise not_found("thread", self.id)
        if self.header.archived_at is not UNSET:
            raise thread_archived()
        active = self.starting or (self.run.turn_id if self.run else None)
        if active is not None:
            raise turn_active(active)

    def demand_ready(self) -> None:
        """Refuses new input to a thread that cannot take it.

        Raises:
            Refusal: notFound, threadArchived, turnActive or threadPaused.
        """
        self.demand_free()
        if self.header.paused_by is not UNSET:
            raise thread_paused(self.header.paused_by)

    def demand_resumable(self) -> Turn:
        """The turn that waits to be resumed.

        Raises:
            Refusal: as in `demand_ready`; noActiveTurn where none is paused.
        """
        self.demand_free()
        paused = self.history.paused_turn()
        if self.history.held:
            raise thread_paused("user")
        if paused is None:
            raise no_active_turn()
        return paused

    def begin(self, turn: Turn, *, key: str | UnsetType = UNSET) -> None:
        """Records that a turn starts; the thread is active from now on."""
        status = next_state("thread", self.header.status, "turn/started")
        self.deferred.clear()
        self._change_status(status, active=ActiveTurn(id=turn.id, status=turn.status))
        self.record("turn/started", TurnStartedParams(thread_id=self.id, turn=turn, seq=self.seq), key=key)

    def end(self, turn: Turn) -> None:
        """Records how a turn ended; the thread is free before anybody hears of it (TURN-9)."""
        self.run = None
        self.rules = [rule for rule in self.rules if rule.turn_id != turn.id]
        self.record("turn/completed", TurnCompletedParams(thread_id=self.id, turn=turn, seq=self.seq))
        self.tracing = None
        if turn.status == "paused":
            self._change_status(next_state("thread", self.header.status, "turn/paused"), by="turn")
        else:
            self._rest("turn/completed")

    def give_context(self, context: Mapping[str, ContextEntry] | UnsetType) -> None:
        """THR-24: context that is absent stays as it is, an empty one clears it."""
        if context is not UNSET and context != self.history.context:
            self.record("record/context", ContextRecord(context=dict(context)))

    def hold(self) -> None:
        """THR-12: no new turn until `release`; a turn that runs goes on."""
        if self.history.held:
            return
        self.record("record/held", HeldRecord(held=True))
        if self.header.status == "idle":
            self._change_status(next_state("thread", "idle", "thread/pause"), by="user")

    def release(self) -> None:
        """Ends what `hold` began. A turn that paused the thread still does."""
        if not self.history.held:
            return
        self.record("record/held", HeldRecord(held=False))
        if self.header.paused_by == "user":
            self._change_status(next_state("thread", "paused", "thread/unpause"))

    def rewind(self, item_id: str, *, key: str | UnsetType = UNSET) -> tuple[list[str], list[str]]:
        """Takes back what comes after an item (THR-8); the turns that are in no list any more, and what waited
        and does not any more."""
        end = self.history.place(item_id)
        removed = [turn_id for turn_id in self.history.turns if self.history.place(turn_id) > end]
        dropped = list(self.deferred)
        self.deferred.clear()
        params = ThreadRewoundParams(thread_id=self.id, item_id=item_id, removed_turn_ids=removed, seq=self.seq)
        self.record("thread/rewound", params, key=key)
        if self.header.paused_by == "turn":
            self._rest("turn/completed")
        return removed, dropped

    def discard(self, paused: Turn) -> list[str]:
        """The paused turn will not be resumed (TURN-14); returns the ids of what waited with it."""
        dropped = list(self.deferred)
        self.deferred.clear()
        self.record("record/discarded", DiscardedRecord(turn_id=paused.id))
        self._rest("turn/completed")
        return dropped

    def defer(self, waiting: Iterable[Asked]) -> None:
        """Keeps what waits in a turn that paused, so that answers to it can be checked."""
        for asked in waiting:
            self.deferred[id_of(asked)] = with_nonce(asked)

    def _lose(self, error: OSError) -> None:
        """The disk did not take what was stored: the thread is as the file has it when it is next loaded."""
        _log.error("what was recorded of %s could not be forced to the disk", self.id, exc_info=error)
        self.broken = True
        self._lost = error
        self._store.release(self.id)
        if self.run is not None:
            self.run.interrupt("error")

    def _rest(self, event: str) -> None:
        """The thread is idle from here on, or paused where a person holds it."""
        status = next_state("thread", self.header.status, event)
        if self.history.held:
            self._change_status(next_state("thread", status, "thread/pause"), by="user")
        else:
            self._change_status(status)

    def _change_status(
        self, status: str, *, by: PausedBy | UnsetType = UNSET, active: ActiveTurn | UnsetType = UNSET
    ) -> None:
        params = ThreadStatusChangedParams(
            thread_id=self.id, status=status, paused_by=by, active_turn=active, seq=self.seq
        )
        self.record("thread/status/changed", params)


def _waiting_in(paused: Turn) -> Iterator[Asked]:
    for pending in paused.pending or ():
        if isinstance(pending, PendingApproval):
            yield pending.approval
        elif isinstance(pending, PendingUserInput):
            yield pending.user_input
