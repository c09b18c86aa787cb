"""Threads and their lists, several connections on one server (THR-*)."""

import json

import pytest

from turnwire.errors import RemoteError
from turnwire.wire import (
    ThreadArchiveParams,
    ThreadDeleteParams,
    ThreadIdentity,
    ThreadItemsListParams,
    ThreadListParams,
    ThreadPauseParams,
    ThreadReadParams,
    ThreadResumeParams,
    ThreadTurnsListParams,
    ThreadUnarchiveParams,
    ThreadUnpauseParams,
    ThreadUnsubscribeParams,
    ThreadUpdateParams,
    TurnInterruptParams,
)


async def test_a_started_thread_is_as_asked_and_its_id_is_taken(house):
    talk = await house.connect()
    identity = ThreadIdentity(channel_name="desk", user_id="ann")

    thread_id = await talk.thread(
        thread_id="t:1", agent="echo", title="One", identity=identity, metadata={"a": [1, None]}, mode="plan"
    )

    thread = (await talk.client.thread_read(ThreadReadParams(thread_id=thread_id))).thread
    assert (thread.id, thread.agent, thread.title, thread.status, thread.mode) == ("t:1", "echo", "One", "idle", "plan")
    assert (thread.identity, thread.metadata, thread.version, thread.seq) == (identity, {"a": [1, None]}, 1, 1)
    with pytest.raises(RemoteError, match="conflict"):
        await talk.thread(thread_id="t:1")


async def test_who_hears_what(house):
    one, two = await house.connect(), await house.connect()

    turn = await one.run(await one.thread(), "text Hi")
    await two.client.ping()

    assert set(two.methods()) == {"thread/started", "thread/status/changed"}
    assert [params["status"] for params in two.said("thread/status/changed")] == ["active", "idle"]
    await two.client.thread_resume(ThreadResumeParams(thread_id=turn.thread_id))
    await one.run(turn.thread_id, "text again")
    await two.client.ping()
    assert [params["turn"]["status"] for params in two.said("turn/completed")] == ["completed"]


async def test_resume_replays_what_was_missed_and_then_goes_on(house):
    one, two = await house.connect(), await house.connect()
    turn = await one.turn(await one.thread(), "slow 6 60")
    await one.heard("item/agentMessage/delta")
    known = one.said("turn/started")[0]["seq"]

    resumed = await two.client.thread_resume(ThreadResumeParams(thread_id=turn.thread_id, after_seq=known))
    await two.client.thread_resume(ThreadResumeParams(thread_id=turn.thread_id))
    await one.ended(turn)
    await two.ended(turn)

    so_far = next(item.text for item in resumed.items if item.type == "agentMessage")
    later = "".join(params["delta"] for params in two.said("item/agentMessage/delta"))
    assert so_far + later == "1 2 3 4 5 6 "
    assert two.said("item/agentMessage/delta")[0]["offset"] == len(so_far)
    after = [params["seq"] for params in _recorded(one) if params["seq"] > known]
    assert [params["seq"] for params in _recorded(two) if params["seq"] > known] == after
    assert (resumed.gap, resumed.active_turn.id) == (False, turn.id)
    two.hears_all = False


REPLAYS = [(None, False, 0), (0, False, 7), (6, False, 1), (7, False, 0), (8, True, 0)]


@pytest.mark.parametrize(("after", "gap", "count"), REPLAYS)
async def test_a_replay_is_bounded_and_says_so(house, after, gap, count):
    house.limits = {"replay_events": 7}
    one, two = await house.connect(), await house.connect(opt_out_notifications=["thread/started"])
    thread_id = await one.thread()
    for number in range(6):
        await one.client.thread_update(ThreadUpdateParams(thread_id=thread_id, title=f"{number}"))

    params = (
        ThreadResumeParams(thread_id=thread_id)
        if after is None
        else ThreadResumeParams(thread_id=thread_id, after_seq=after)
    )
    result = await two.client.thread_resume(params)
    await two.client.ping()

    started = 1 if after == 0 else 0
    assert (result.gap, result.seq, len(_recorded(two)) + started) == (gap, 7, count)


async def test_one_event_too_many_is_a_gap(house):
    house.limits = {"replay_events": 1}
    talk, other = await house.connect(), await house.connect()
    thread_id = await talk.thread()
    await talk.client.thread_update(ThreadUpdateParams(thread_id=thread_id, title="x"))

    at, beyond = [
        (await other.client.thread_resume(ThreadResumeParams(thread_id=thread_id, after_seq=after))).gap
        for after in (1, 0)
    ]

    assert (at, beyond) == (False, True)


async def test_resume_of_an_unknown_thread_creates_nothing(house):
    talk = await house.connect()

    with pytest.raises(RemoteError, match="notFound"):
        await talk.client.thread_resume(ThreadResumeParams(thread_id="nothing"))

    assert (await talk.client.thread_list(ThreadListParams())).total_matched == 0


async def test_unsubscribe_unloads_what_nobody_needs_and_resume_brings_it_back(house):
    one, two = await house.connect(), await house.connect()
    turn = await one.run(await one.thread(title="Kept"), "text Hi")
    await two.client.thread_resume(ThreadResumeParams(thread_id=turn.thread_id))

    first = await one.client.thread_unsubscribe(ThreadUnsubscribeParams(thread_id=turn.thread_id))
    second = await two.client.thread_unsubscribe(ThreadUnsubscribeParams(thread_id=turn.thread_id))
    await two.heard("thread/closed")
    again = await two.client.thread_resume(ThreadResumeParams(thread_id=turn.thread_id))
    after = await two.run(turn.thread_id, "text more")
    await one.client.ping()

    assert (first.closed, second.closed, first.subscribed) == (False, True, False)
    assert one.said("thread/closed") == []
    assert (again.thread.title, again.thread.status) == ("Kept", "idle")
    assert after.id not in json.dumps(one.said("turn/completed"))


async def test_a_turn_goes_on_when_everybody_has_gone(house):
    one, two = await house.connect(), await house.connect()
    turn = await one.turn(await one.thread(), "slow 5 20")
    await one.client.close()

    await two.heard("thread/status/changed", lambda params: params.status == "idle")

    turns = await two.client.thread_turns_list(ThreadTurnsListParams(thread_id=turn.thread_id))
    assert [(one.id, one.status) for one in turns.data] == [(turn.id, "completed")]


async def test_update_keeps_what_is_absent_and_clears_what_is_null(house):
    talk = await house.connect()
    thread_id = await talk.thread(title="Old", metadata={"k": 1})

    first = await talk.client.thread_update(ThreadUpdateParams(thread_id=thread_id, title=None, mode="plan"))
    same = await talk.client.thread_update(ThreadUpdateParams(thread_id=thread_id, mode="plan", expected_version=2))

    assert (first.thread.metadata, first.thread.mode, first.thread.version) == ({"k": 1}, "plan", 2)
    assert "title" not in talk.said("thread/updated")[0]["thread"]
    assert (same.thread.version, len(talk.said("thread/updated"))) == (2, 1)
    with pytest.raises(RemoteError, match="conflict"):
        await talk.client.thread_update(ThreadUpdateParams(thread_id=thread_id, title="x", expected_version=1))


async def test_archive_hides_and_refuses_input_but_stops_nothing(house):
    talk = await house.connect()
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "slow 4 30")

    archived = await talk.client.thread_archive(ThreadArchiveParams(thread_id=thread_id))
    again = await talk.client.thread_archive(ThreadArchiveParams(thread_id=thread_id))

    assert (await talk.ended(turn)).status == "completed"
    assert archived.thread.archived_at == again.thread.archived_at
    assert len(talk.said("thread/archived")) == 1
    with pytest.raises(RemoteError, match="threadArchived"):
        await talk.turn(thread_id, "text no")
    listed = [(await talk.client.thread_list(ThreadListParams(archived=flag))).total_matched for flag in (False, True)]
    assert listed == [0, 1]
    await talk.client.thread_unarchive(ThreadUnarchiveParams(thread_id=thread_id))
    assert (await talk.run(thread_id, "text yes")).status == "completed"


async def test_pause_holds_new_turns_and_lets_the_running_one_end(house):
    talk = await house.connect()
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "slow 4 30")

    held = await talk.client.thread_pause(ThreadPauseParams(thread_id=thread_id))
    ended = await talk.ended(turn)
    with pytest.raises(RemoteError, match="threadPaused"):
        await talk.turn(thread_id, "text no")
    free = await talk.client.thread_unpause(ThreadUnpauseParams(thread_id=thread_id))

    assert (held.thread.status, ended.status, free.thread.status) == ("active", "completed", "idle")
    seen = [(params["status"], params.get("pausedBy")) for params in talk.said("thread/status/changed")]
    assert seen == [("active", None), ("paused", "user"), ("idle", None)]
    assert (await talk.run(thread_id, "text yes")).status == "completed"


async def test_delete_interrupts_first_and_answers_last(house):
    one, two = await house.connect(), await house.connect()
    thread_id = await one.thread()
    turn = await one.turn(thread_id, "slow 1000 30")

    result = await one.client.thread_delete(ThreadDeleteParams(thread_id=thread_id, idempotency_key="d"))
    again = await one.client.thread_delete(ThreadDeleteParams(thread_id=thread_id, idempotency_key="d"))
    await two.client.ping()

    assert (result.deleted_thread_ids, again.replayed) == ([thread_id], True)
    ended = one.said("turn/completed")[0]["turn"]
    assert (ended["id"], ended["status"], ended["endReason"]) == (turn.id, "interrupted", "deleted")
    assert [params["threadId"] for params in two.said("thread/deleted")] == [thread_id]
    for call in (one.client.thread_read(ThreadReadParams(thread_id=thread_id)), one.turn(thread_id, "text x")):
        with pytest.raises(RemoteError, match="notFound"):
            await call


async def test_lists_filter_by_what_is_given(house):
    talk = await house.connect()
    await talk.thread(title="Fix the LOGIN test", identity=ThreadIdentity(user_id="ann", channel_name="x"))
    await talk.thread(title="Login again", identity=ThreadIdentity(user_id="bob"))
    await talk.thread(agent="echo")

    async def count(**members):
        return (await talk.client.thread_list(ThreadListParams(**members))).total_matched

    assert await count() == 3
    assert await count(query="login") == 2
    assert await count(query="test fix") == 1
    assert await count(agent="echo") == 1
    assert await count(identity=ThreadIdentity(user_id="ann")) == 1
    assert await count(identity=ThreadIdentity(user_id="ann", channel_name="y")) == 0


@pytest.mark.parametrize("direction", ["ascending", "descending"])
@pytest.mark.parametrize("limit", [1, 2, 7])
async def test_a_walk_gives_everything_once_and_nothing_that_came_later(house, direction, limit):
    talk = await house.connect()
    thread_id = await talk.thread()
    for number in range(5):
        await talk.run(thread_id, f"text {number}")
    one_page = await talk.client.thread_items_list(
        ThreadItemsListParams(thread_id=thread_id, limit=500, direction=direction)
    )

    walked, cursor = [], {}
    while True:
        params = ThreadItemsListParams(thread_id=thread_id, limit=limit, direction=direction, **cursor)
        page = await talk.client.thread_items_list(params)
        walked += [item.id for item in page.data]
        if not page.next_cursor:
            break
        cursor = {"cursor": page.next_cursor}
        await talk.run(thread_id, "text later") if len(walked) < 3 else None

    assert walked == [item.id for item in one_page.data]
    assert len(walked) == 10


@pytest.mark.parametrize("again", range(10))
async def test_threads_that_change_during_a_walk_hide_no_other(again, house):
    """Within the same millisecond too, which some of these walks are."""
    talk = await house.connect()
    ids = [await talk.thread() for _ in range(5)]

    first = await talk.client.thread_list(ThreadListParams(limit=2))
    await talk.thread()
    for thread_id in ids:
        await talk.client.thread_update(ThreadUpdateParams(thread_id=thread_id, title="moved"))
    rest = await talk.client.thread_list(ThreadListParams(limit=100, cursor=first.next_cursor))

    assert sorted(thread.id for thread in first.data + rest.data) == sorted(ids)
    assert not rest.next_cursor


async def test_a_page_is_bounded_by_bytes_and_never_empty(house):
    house.limits = {"page_bytes": 100}
    talk = await house.connect()
    thread_id = await talk.thread()
    await talk.run(thread_id, "text one\ntext two")

    page = await talk.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))

    assert (len(page.data), bool(page.next_cursor)) == (1, True)


async def test_a_cursor_is_of_its_own_list_only(house):
    talk = await house.connect()
    thread_id, other = await talk.thread(), await talk.thread()
    for one in (thread_id, thread_id, other):
        await talk.run(one, "text x")
    page = await talk.client.thread_turns_list(ThreadTurnsListParams(thread_id=thread_id, limit=1))
    cursor = page.next_cursor
    wrong = [
        ("mismatch", ThreadTurnsListParams(thread_id=other, cursor=cursor)),
        ("mismatch", ThreadTurnsListParams(thread_id=thread_id, direction="descending", cursor=cursor)),
        ("malformed", ThreadTurnsListParams(thread_id=thread_id, cursor="nonsense")),
        ("malformed", ThreadTurnsListParams(thread_id=thread_id, cursor="é")),
        ("malformed", ThreadTurnsListParams(thread_id=thread_id, cursor=cursor[:-2])),
        ("malformed", ThreadTurnsListParams(thread_id=thread_id, cursor=cursor.swapcase())),
    ]

    for reason, params in wrong:
        with pytest.raises(RemoteError, match="cursorInvalid") as refused:
            await talk.client.thread_turns_list(params)
        assert refused.value.data["reason"] == reason
    with pytest.raises(RemoteError, match="cursorInvalid"):
        await talk.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id, cursor=cursor))


@pytest.mark.parametrize("limit", [0, 101, -1])
async def test_a_limit_out_of_bounds_is_refused(house, limit):
    talk = await house.connect()

    with pytest.raises(RemoteError, match="invalidParams") as refused:
        await talk.client.call_raw("thread/list", {"limit": limit})

    assert refused.value.data["issues"][0]["path"] == "/limit"


async def test_a_thread_runs_one_turn_at_a_time_and_several_threads_run_at_once(house):
    one, two = await house.connect(), await house.connect()
    threads = [await one.thread() for _ in range(3)]
    turns = [await one.turn(thread_id, "slow 5 20") for thread_id in threads]

    with pytest.raises(RemoteError, match="turnActive") as refused:
        await two.turn(threads[0], "text no")
    # Which of them ends first nobody says.
    completed = [(await one.heard("turn/completed")).turn for _ in turns]

    assert refused.value.data["turnId"] == turns[0].id
    assert {turn.id: turn.status for turn in completed} == {turn.id: "completed" for turn in turns}
    assert (
        await one.client.turn_interrupt(TurnInterruptParams(thread_id=threads[0], turn_id=turns[0].id))
    ).already_terminal


def _recorded(talk):
    messages = [frame.message for frame in talk.trace if frame.way == "s2c" and "method" in frame.message]
    return [message["params"] for message in messages if "seq" in message["params"]]
