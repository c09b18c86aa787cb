"""Threads from a point of another (THR-7)."""

import pytest

from e2e.lawful import assert_lawful
from e2e.recording import Frame
from turnwire.errors import RemoteError
from turnwire.store.history import History
from turnwire.wire import (
    ThreadForkParams,
    ThreadItemsListParams,
    ThreadReadParams,
    ThreadResumeParams,
    ThreadTurnsListParams,
    TurnInterruptParams,
)

SCRIPT = 'text one\nthink two\napprove rm {"a":1}\ntext three'


async def _listed(talk, thread_id):
    turns = (await talk.client.thread_turns_list(ThreadTurnsListParams(thread_id=thread_id))).data
    items = (await talk.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))).data
    return turns, items


async def test_a_fork_has_everything_under_new_ids_and_goes_its_own_way(house):
    talk = await house.connect(approvals="decline")
    thread_id = await talk.thread(title="Source", metadata={"k": 1})
    await talk.run(thread_id, SCRIPT)
    turns, items = await _listed(talk, thread_id)

    fork = (await talk.client.thread_fork(ThreadForkParams(thread_id=thread_id, new_thread_id="copy"))).thread
    copied_turns, copied_items = await _listed(talk, "copy")
    after = await talk.run("copy", "text on its own")

    assert (fork.title, fork.metadata, fork.status) == ("Source", {"k": 1}, "idle")
    assert (fork.forked_from.thread_id, fork.forked_from.item_id) == (thread_id, items[-1].id)
    assert [turn.forked_from for turn in copied_turns] == [turn.id for turn in turns]
    assert [item.forked_from for item in copied_items] == [item.id for item in items]
    assert [item.type for item in copied_items] == [item.type for item in items]
    assert {turn.id for turn in turns}.isdisjoint(turn.id for turn in copied_turns)
    assert [(turn.status, turn.final_output) for turn in copied_turns] == [("completed", "three")]
    approval = next(item.approval for item in copied_items if item.type == "approval")
    tool = next(item for item in copied_items if item.type == "toolCall")
    assert (approval.thread_id, approval.turn_id, approval.subject_item_id) == ("copy", copied_turns[0].id, tool.id)
    assert after.status == "completed"
    assert await _listed(talk, thread_id) == (turns, items)


async def test_a_fork_ends_at_the_item_that_is_named(house):
    talk = await house.connect(approvals="accept")
    thread_id = await talk.thread()
    await talk.run(thread_id, SCRIPT)
    await talk.run(thread_id, "text later")
    _, items = await _listed(talk, thread_id)
    cut = next(item for item in items if item.type == "reasoning")

    fork = (await talk.client.thread_fork(ThreadForkParams(thread_id=thread_id, item_id=cut.id))).thread
    turns, copied = await _listed(talk, fork.id)

    assert [item.type for item in copied] == ["userMessage", "agentMessage", "reasoning"]
    assert [(turn.status, turn.final_output or None, turn.error or None) for turn in turns] == [
        ("interrupted", None, None)
    ]


async def test_a_running_turn_is_copied_as_far_as_it_is_done(house):
    talk = await house.connect()
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "text one\nslow 1000 20")
    await talk.heard("item/agentMessage/delta", lambda params: params.delta == "1 ")

    fork = (await talk.client.thread_fork(ThreadForkParams(thread_id=thread_id))).thread
    turns, items = await _listed(talk, fork.id)
    await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id, turn_id=turn.id))

    assert [item.status for item in items] == ["completed", "completed"]
    assert [turn.status for turn in turns] == ["interrupted"]
    assert (await talk.client.thread_read(ThreadReadParams(thread_id=fork.id))).thread.status == "idle"


async def test_what_waits_is_not_copied(house):
    talk = await house.connect(approvals="defer")
    thread_id = await talk.thread()
    await talk.run(thread_id, "text one\napprove rm")

    fork = (await talk.client.thread_fork(ThreadForkParams(thread_id=thread_id))).thread
    resumed = await talk.client.thread_resume(ThreadResumeParams(thread_id=fork.id))

    assert (fork.status, fork.paused_by or None, resumed.pending) == ("idle", None, [])
    assert (await talk.run(fork.id, "text free")).status == "completed"


async def test_the_record_of_a_fork_is_lawful_and_tells_the_same_history(house):
    one, two = await house.connect(approvals="accept"), await house.connect()
    thread_id = await one.thread()
    await one.run(thread_id, SCRIPT)
    fork = (await one.client.thread_fork(ThreadForkParams(thread_id=thread_id))).thread

    two.trace.clear()
    await two.client.thread_resume(ThreadResumeParams(thread_id=fork.id, after_seq=0))
    await two.client.ping()
    replayed = [frame for frame in two.trace if frame.message.get("method")]
    engine = house.server._state.work

    assert len([frame for frame in replayed if frame.message["method"] == "item/completed"]) == 6
    assert_lawful([Frame("s2c", frame.message) for frame in replayed if frame.way == "s2c"], hears_all=False)
    told = History.load(engine._state.store.events(fork.id))
    assert (told.turns, told.items) == (engine.threads.history(fork.id).turns, engine.threads.history(fork.id).items)
    two.trace.clear()


REFUSED = [
    ({"itemId": "nothing"}, "notFound"),
    ({"threadId": "nothing"}, "notFound"),
    ({"newThreadId": "taken"}, "conflict"),
    ({"newThreadId": "no spaces"}, "invalidParams"),
]


@pytest.mark.parametrize(("changes", "name"), REFUSED)
async def test_a_fork_that_is_refused_leaves_nothing(house, changes, name):
    talk = await house.connect()
    await talk.thread(thread_id="t")
    await talk.thread(thread_id="taken")

    with pytest.raises(RemoteError, match=name):
        await talk.client.call_raw("thread/fork", {"threadId": "t", **changes})

    assert len(talk.said("thread/started")) == 2


async def test_a_fork_is_announced_behind_its_response_and_once_a_key(house):
    talk = await house.connect()
    thread_id = await talk.thread()
    params = ThreadForkParams(thread_id=thread_id, idempotency_key="k")

    results = [await talk.client.thread_fork(params) for _ in range(2)]

    assert (results[0].thread.id, results[1].replayed) == (results[1].thread.id, True)
    assert [params["seq"] for params in talk.said("thread/started")] == [1, 1]
    order = [frame.message.get("method", "response") for frame in talk.trace if frame.way == "s2c"]
    assert order[-3:] == ["response", "thread/started", "response"]
