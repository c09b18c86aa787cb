"""Taking back the end of a thread (THR-8): the record only grows, and what is taken back is in no list."""

import pytest

from turnwire.errors import RemoteError
from turnwire.store.history import History
from turnwire.wire import (
    ThreadEventsListParams,
    ThreadForkParams,
    ThreadItemsListParams,
    ThreadRewindParams,
    ThreadTurnsListParams,
    TurnInterruptParams,
    TurnResume,
    TurnStartParams,
)


async def _listed(talk, thread_id):
    turns = (await talk.client.thread_turns_list(ThreadTurnsListParams(thread_id=thread_id))).data
    items = (await talk.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))).data
    return turns, items


async def test_what_comes_after_the_item_is_taken_back(house):
    one, two = await house.connect(), await house.connect()
    thread_id = await one.thread()
    await two.client.call_raw("thread/resume", {"threadId": thread_id})
    for word in ("one\ntext more", "two", "three"):
        await one.run(thread_id, f"text {word}")
    turns, items = await _listed(one, thread_id)
    events = (await one.client.thread_events_list(ThreadEventsListParams(thread_id=thread_id))).data

    result = await one.client.thread_rewind(ThreadRewindParams(thread_id=thread_id, item_id=items[1].id))
    left = await _listed(one, thread_id)
    after = (await one.client.thread_events_list(ThreadEventsListParams(thread_id=thread_id))).data
    await two.client.ping()

    assert result.removed_turn_ids == [turn.id for turn in turns[1:]]
    assert ([turn.id for turn in left[0]], left[1]) == ([turns[0].id], items[:2])
    assert after[: len(events)] == events
    told = {"threadId": thread_id, "itemId": items[1].id, "removedTurnIds": result.removed_turn_ids}
    for talk in (one, two):
        assert [{name: params[name] for name in told} for params in talk.said("thread/rewound")] == [told]
    await one.run(thread_id, "text on")
    engine = house.server._state.work
    live, again = engine.threads.history(thread_id), History.load(engine._state.store.events(thread_id))
    assert (again.turns, again.items, again.generation) == (live.turns, live.items, 1)
    assert len(live.turns) == 2


async def test_cursors_of_before_are_stale(house):
    talk = await house.connect()
    thread_id = await talk.thread()
    for _ in range(3):
        await talk.run(thread_id, "text x")
    _, items = await _listed(talk, thread_id)
    page = await talk.client.thread_turns_list(ThreadTurnsListParams(thread_id=thread_id, limit=1))

    await talk.client.thread_rewind(ThreadRewindParams(thread_id=thread_id, item_id=items[3].id))

    with pytest.raises(RemoteError, match="cursorInvalid") as refused:
        await talk.client.thread_turns_list(ThreadTurnsListParams(thread_id=thread_id, cursor=page.next_cursor))
    assert refused.value.data["reason"] == "stale"


async def test_what_waited_does_not_wait_any_more(house):
    talk = await house.connect(approvals="defer")
    thread_id = await talk.thread()
    await talk.run(thread_id, "text one")
    await talk.run(thread_id, "approve rm")
    _, items = await _listed(talk, thread_id)

    result = await talk.client.thread_rewind(ThreadRewindParams(thread_id=thread_id, item_id=items[1].id))

    assert (result.thread.status, result.thread.paused_by or None) == ("idle", None)
    with pytest.raises(RemoteError, match="noActiveTurn"):
        await talk.client.turn_start(TurnStartParams(thread_id=thread_id, resume=TurnResume()))
    assert (await talk.run(thread_id, "text free")).status == "completed"


async def test_a_fork_of_a_rewound_thread_has_what_is_left(house):
    talk = await house.connect()
    thread_id = await talk.thread()
    await talk.run(thread_id, "text one")
    await talk.run(thread_id, "text two")
    _, items = await _listed(talk, thread_id)
    await talk.client.thread_rewind(ThreadRewindParams(thread_id=thread_id, item_id=items[1].id))

    fork = (await talk.client.thread_fork(ThreadForkParams(thread_id=thread_id))).thread

    assert [item.forked_from for item in (await _listed(talk, fork.id))[1]] == [item.id for item in items[:2]]


async def test_a_rewind_that_is_refused_changes_nothing(house):
    talk = await house.connect()
    thread_id = await talk.thread()
    await talk.run(thread_id, "text one")
    _, items = await _listed(talk, thread_id)
    params = {"threadId": thread_id, "itemId": items[0].id}

    refused = [
        ("notFound", {**params, "itemId": "nothing"}),
        ("notFound", {**params, "threadId": "nothing"}),
        ("agentUnsupported", {**params, "files": True}),
    ]
    for name, wrong in refused:
        with pytest.raises(RemoteError, match=name):
            await talk.client.call_raw("thread/rewind", wrong)
    turn = await talk.turn(thread_id, "listen")
    with pytest.raises(RemoteError, match="turnActive") as active:
        await talk.client.call_raw("thread/rewind", params)
    await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id))

    assert active.value.data["turnId"] == turn.id
    assert talk.said("thread/rewound") == []


async def test_a_rewind_is_done_once_a_key(house):
    talk = await house.connect()
    thread_id = await talk.thread()
    await talk.run(thread_id, "text one")
    _, items = await _listed(talk, thread_id)
    params = ThreadRewindParams(thread_id=thread_id, item_id=items[0].id, idempotency_key="k")

    results = [await talk.client.thread_rewind(params) for _ in range(2)]

    assert (results[1].replayed, len(talk.said("thread/rewound"))) == (True, 1)
