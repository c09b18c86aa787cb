"""A server may die after any event. What the next one records makes the thread whole, and makes nothing up."""

import asyncio
from functools import cache

import msgspec
import pytest

from store.conversation import recorded
from store.records import header
from turnwire.store.base import StoredEvent
from turnwire.store.chain import read
from turnwire.store.history import History
from turnwire.store.records import RECORDS
from turnwire.store.recovery import recover
from turnwire.wire import (
    ActiveTurn,
    AgentMessageItem,
    ItemStartedParams,
    QueueEntry,
    ThreadStartedParams,
    ThreadStatusChangedParams,
    ToolCallItem,
    Turn,
    TurnQueueUpdatedParams,
    TurnStartedParams,
    params_decoder,
)

NOW = 2_000_000_000_000
_encode = msgspec.json.Encoder().encode


@cache
def conversation():
    return [read(line) for line in asyncio.run(recorded())]


def events_of(*params):
    """Events by their type and params, numbered from 1."""
    return [StoredEvent(seq, 1000 + seq, type_, _encode(one)) for seq, (type_, one) in enumerate(params, 1)]


def mended(events):
    """The history after recovery, and what was recorded for it; every event is read as a client reads it."""
    found = recover(History.load(events), events, now=NOW)
    added = []
    for number, (type_, params) in enumerate(found, 1):
        payload = _encode(params)
        assert params_decoder(type_)(payload) == params
        assert params.seq == events[-1].seq + number
        added.append(StoredEvent(params.seq, NOW, type_, payload))
    return History.load([*events, *added]), found


def prefixes():
    return range(1, len(conversation()) + 1)


@pytest.mark.parametrize("length", range(1, 98))
def test_after_any_event_the_thread_is_made_whole(length):
    events = conversation()[:length]
    before = History.load(events)
    history, found = mended(events)

    assert history.header.active_turn is msgspec.UNSET
    assert history.header.status in ("idle", "paused")
    assert {item.status for item in history.items.values()} <= {"completed", "declined", "failed", "interrupted"}
    assert {turn.status for turn in history.turns.values()} <= {"completed", "failed", "interrupted", "paused"}
    assert set(history.items) == set(before.items)
    assert all(history.items[key] == item for key, item in before.items.items() if item.status != "inProgress")
    assert len([one for one in found if one.type == "turn/completed"]) <= 1
    assert mended([*events, *(StoredEvent(p.seq, NOW, t, _encode(p)) for t, p in found)])[1] == []


def test_the_conversation_is_as_long_as_the_rows_above_say():
    assert len(conversation()) == 97


def nth(type_, number, *, after=0):
    """The place of the `number`-th event of a type."""
    places = [place for place, event in enumerate(conversation(), 1) if event.type == type_]
    return places[number - 1] + after


@pytest.mark.parametrize(
    ("length", "types", "status", "ended"),
    [
        (lambda: nth("thread/started", 1), [], "idle", None),
        (lambda: nth("turn/started", 1) - 1, ["thread/status/changed"], "idle", None),
        (lambda: nth("turn/started", 1), ["turn/completed", "thread/status/changed"], "idle", "interrupted"),
        (lambda: nth("turn/completed", 1), ["thread/status/changed"], "idle", None),
        (
            lambda: nth("approval/requested", 1) - 1,
            ["item/completed", "turn/completed", "thread/status/changed"],
            "idle",
            "interrupted",
        ),
        (
            lambda: nth("approval/requested", 1),
            ["approval/resolved", "item/completed", "turn/completed", "thread/status/changed"],
            "paused",
            "paused",
        ),
        # An accept that was recorded is not carried out after a crash.
        (
            lambda: nth("approval/resolved", 1),
            ["item/completed", "turn/completed", "thread/status/changed"],
            "idle",
            "interrupted",
        ),
        (lambda: nth("approval/resolved", 1) + 1, ["turn/completed", "thread/status/changed"], "idle", "interrupted"),
        # The tool has started: whether it ran to its end is not known.
        (
            lambda: nth("approval/resolved", 1) + 2,
            ["item/completed", "turn/completed", "thread/status/changed"],
            "idle",
            "interrupted",
        ),
        # What was deferred before the crash stays so.
        (
            lambda: nth("approval/resolved", 4),
            ["item/completed", "turn/completed", "thread/status/changed"],
            "paused",
            "paused",
        ),
        (lambda: nth("approval/resolved", 4) + 1, ["turn/completed", "thread/status/changed"], "paused", "paused"),
        (lambda: nth("turn/completed", 7), ["thread/status/changed"], "paused", None),
        # The status of a turn that resumes was recorded, and not the turn: what is paused stays paused.
        (lambda: nth("turn/started", 8) - 1, ["thread/status/changed"], "paused", None),
        (lambda: nth("turn/started", 8), ["turn/completed", "thread/status/changed"], "idle", "interrupted"),
        (lambda: nth("turn/completed", 8) + 1, [], "idle", None),
    ],
)
def test_what_is_recorded_after_a_crash(length, types, status, ended):
    history, found = mended(conversation()[: length()])

    assert [one.type for one in found] == types
    assert history.header.status == status
    assert [one.params.turn.status for one in found if one.type == "turn/completed"] == ([ended] if ended else [])


def test_a_turn_that_only_waited_keeps_its_question():
    place = nth("approval/requested", 1)
    asked = params_decoder("approval/requested")(conversation()[place - 1].payload).approval
    history, found = mended(conversation()[:place])
    turn = history.paused_turn()

    assert [pending.approval for pending in turn.pending] == [asked]
    assert turn.end_reason is msgspec.UNSET
    assert history.saved(turn.id) == 0
    assert (found[0].params.resolution.outcome, found[0].params.resolution.decision) == ("crashed", "defer")


def test_what_ran_is_interrupted_with_the_text_so_far():
    place = {"thread_id": "t1", "turn_id": "u1"}
    common = {**place, "status": "inProgress", "created_at": 1000}
    turn = Turn(id="u1", thread_id="t1", status="running", input=[], agent="scripted", started_at=1000)
    message = AgentMessageItem(id="m", **common, text="")
    tool = ToolCallItem(id="c", **common, tool_name="look", arguments={}, execution_started=True)
    active = ActiveTurn(id="u1", status="running")
    events = events_of(
        ("thread/started", ThreadStartedParams(thread=header(), seq=1)),
        (
            "thread/status/changed",
            ThreadStatusChangedParams(thread_id="t1", status="active", active_turn=active, seq=2),
        ),
        ("turn/started", TurnStartedParams(thread_id="t1", turn=turn, seq=3)),
        ("item/started", ItemStartedParams(**place, item=message, seq=4)),
        ("record/text", RECORDS["record/text"](item_id="m", text="so ")),
        ("record/text", RECORDS["record/text"](item_id="m", text="far")),
        ("item/started", ItemStartedParams(**place, item=tool, seq=7)),
    )
    history, _found = mended(events)

    assert (history.items["m"].text, history.items["m"].status) == ("so far", "interrupted")
    assert (history.items["c"].status, history.items["c"].execution_started) == ("interrupted", True)
    assert history.items["c"].result is msgspec.UNSET
    assert (history.turns["u1"].end_reason, history.turns["u1"].final_output) == ("crash", "so far")
    assert history.turns["u1"].completed_at == NOW


@pytest.mark.parametrize(
    ("held", "status", "by", "types"),
    [(True, "idle", None, ["thread/status/changed"]), (False, "paused", "user", ["thread/status/changed"])],
)
def test_a_hold_that_was_recorded_holds(held, status, by, types):
    params = ThreadStatusChangedParams(thread_id="t1", status=status, seq=2)
    if by is not None:
        params = msgspec.structs.replace(params, paused_by=by)
    events = events_of(
        ("thread/started", ThreadStartedParams(thread=header(), seq=1)),
        ("thread/status/changed", params),
        ("record/held", RECORDS["record/held"](held=held)),
    )
    history, found = mended(events)

    assert [one.type for one in found] == types
    assert history.header.status == ("paused" if held else "idle")
    assert history.header.paused_by == ("user" if held else msgspec.UNSET)


def test_turns_that_wait_are_held_after_a_crash():
    entry = QueueEntry(id="q", thread_id="t1", input=[], created_at=1000)
    turn = Turn(id="u1", thread_id="t1", status="running", input=[], agent="scripted", started_at=1000)
    active = ActiveTurn(id="u1", status="running")
    events = events_of(
        ("thread/started", ThreadStartedParams(thread=header(), seq=1)),
        (
            "thread/status/changed",
            ThreadStatusChangedParams(thread_id="t1", status="active", active_turn=active, seq=2),
        ),
        ("turn/started", TurnStartedParams(thread_id="t1", turn=turn, seq=3)),
        ("turn/queue/updated", TurnQueueUpdatedParams(thread_id="t1", entries=[entry], held=False, seq=4)),
    )
    history, found = mended(events)

    assert [one.type for one in found] == ["turn/completed", "thread/status/changed", "turn/queue/updated"]
    assert (history.queue, history.queue_held) == ([entry], True)


@pytest.mark.parametrize("left", [[], ["q"]], ids=["taken out", "about to be"])
def test_a_turn_that_was_about_to_start_waits_again(left):
    entries = {name: QueueEntry(id=name, thread_id="t1", input=[], created_at=1000) for name in ("q", "r")}
    events = events_of(
        ("thread/started", ThreadStartedParams(thread=header(), seq=1)),
        ("turn/queue/updated", queue_of(entries.values(), 2)),
        ("record/taken", RECORDS["record/taken"](entry=entries["q"])),
        ("turn/queue/updated", queue_of([*(entries[name] for name in left), entries["r"]], 4)),
    )
    history, found = mended(events[: 3 if left else 4])

    assert [one.type for one in found] == ["turn/queue/updated"]
    assert (history.queue, history.queue_held) == (list(entries.values()), True)


def queue_of(entries, seq):
    return TurnQueueUpdatedParams(thread_id="t1", entries=list(entries), held=False, seq=seq)


def test_the_clock_does_not_go_back():
    events = conversation()[: nth("turn/started", 1)]
    found = recover(History.load(events), events, now=0)

    assert found[0].params.turn.completed_at == events[-1].at
