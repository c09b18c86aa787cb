"""Keys that make a request safe to repeat (REC-5)."""

import asyncio
import itertools

import msgspec
import pytest

from e2e.talk import Talk
from turnwire.agents.builtin import builtin_agent
from turnwire.errors import RemoteError
from turnwire.server import DefaultHost, Server, headers
from turnwire.server.handlers import thread_changes
from turnwire.wire import (
    TextPart,
    ThreadDeleteParams,
    ThreadListParams,
    ThreadStartParams,
    ThreadTurnsListParams,
    TurnStartParams,
    TurnSteerParams,
)


async def test_the_same_request_gives_the_first_result_again_on_any_connection(house):
    one, two = await house.connect(), await house.connect()
    params = ThreadStartParams(title="Once", idempotency_key="k")

    first = await one.client.thread_start(params)
    again = await two.client.thread_start(params)

    assert (first.replayed is True, again.replayed) == (False, True)
    assert first.thread == again.thread
    assert (await one.client.thread_list(ThreadListParams())).total_matched == 1
    await one.run(first.thread.id, "text Hi")
    await two.client.ping()
    assert len(two.said("turn/completed")) == 1


CHANGES = [{"title": "Other"}, {"title": "Once", "metadata": {}}, {}, {"title": "Once", "unknown": 1}]


@pytest.mark.parametrize("params", CHANGES)
async def test_the_same_key_with_other_params_is_a_conflict(house, params):
    talk = await house.connect()
    await talk.client.call_raw("thread/start", {"title": "Once", "idempotencyKey": "k"})

    with pytest.raises(RemoteError, match="conflict") as refused:
        await talk.client.call_raw("thread/start", {**params, "idempotencyKey": "k"})

    assert refused.value.data["reason"] == "idempotencyKey"


async def test_the_order_of_members_does_not_count(house):
    talk = await house.connect()
    await talk.client.call_raw("thread/start", {"title": "Once", "agent": "echo", "idempotencyKey": "k"})

    again = await talk.client.call_raw("thread/start", {"idempotencyKey": "k", "agent": "echo", "title": "Once"})

    assert b'"replayed":true' in bytes(again)


async def test_keys_belong_to_their_method_and_thread(house):
    talk = await house.connect()
    one, two = await talk.thread(idempotency_key="k"), await talk.thread()

    turns = [await talk.run(thread_id, "text Hi", idempotency_key="k") for thread_id in (one, two)]

    assert turns[0].id != turns[1].id


async def test_a_repetition_joins_the_first_while_it_runs():
    gate = asyncio.Event()

    class Host(DefaultHost):
        async def build_run_config(self, request):
            await gate.wait()

    server = Server(Host(builtin_agent("scripted")))
    talk = await Talk.over_memory(server)
    thread_id = await talk.thread()
    params = TurnStartParams(thread_id=thread_id, input=[TextPart(text="text Hi")], idempotency_key="k")
    calls = [asyncio.ensure_future(talk.client.turn_start(params)) for _ in range(3)]
    await talk.client.ping()
    gate.set()
    results = [await call for call in calls]

    assert {result.turn.id for result in results} == {results[0].turn.id}
    assert sorted(result.replayed is True for result in results) == [False, True, True]
    await talk.ended(results[0].turn)
    turns = await talk.client.thread_turns_list(ThreadTurnsListParams(thread_id=thread_id))
    assert len(turns.data) == 1
    await talk.close()
    await server.close()


async def test_steering_twice_with_one_key_is_said_once(house):
    talk = await house.connect()
    turn = await talk.turn(await talk.thread(), "slow 4 40")
    params = TurnSteerParams(
        thread_id=turn.thread_id, expected_turn_id=turn.id, input=[TextPart(text="x")], idempotency_key="k"
    )

    results = [await talk.client.turn_steer(params) for _ in range(2)]
    await talk.ended(turn)

    assert results[0].item_id == results[1].item_id
    assert [item["id"] for item in talk.items("userMessage")][1:] == [results[0].item_id]


async def test_what_was_steered_before_a_restart_is_not_said_again(house):
    one = await house.connect()
    turn = await one.turn(await one.thread(), "slow 1000 20")
    params = TurnSteerParams(
        thread_id=turn.thread_id, expected_turn_id=turn.id, input=[TextPart(text="x")], idempotency_key="k"
    )
    first = await one.client.turn_steer(params)
    await house.restart()
    two = await house.connect()

    again = await two.client.turn_steer(params)
    with pytest.raises(RemoteError, match="conflict") as refused:
        await two.client.turn_steer(msgspec.structs.replace(params, input=[TextPart(text="y")]))

    assert (again.turn_id, again.item_id, again.replayed) == (first.turn_id, first.item_id, True)
    assert refused.value.data["reason"] == "idempotencyKey"


async def test_what_was_deleted_before_a_restart_stays_deleted_once(house):
    one = await house.connect()
    await one.thread(thread_id="t")
    params = ThreadDeleteParams(thread_id="t", idempotency_key="k")
    await one.client.thread_delete(params)
    await house.restart()
    two = await house.connect()
    await two.thread(thread_id="t", title="Another")

    again = await two.client.thread_delete(params)
    with pytest.raises(RemoteError, match="conflict") as refused:
        await two.client.thread_delete(msgspec.structs.replace(params, thread_id="u"))

    assert (again.thread_id, again.deleted_thread_ids, again.replayed) == ("t", ["t"], True)
    assert refused.value.data["reason"] == "idempotencyKey"
    assert [thread.title for thread in (await two.client.thread_list(ThreadListParams())).data] == ["Another"]


async def test_a_thread_of_the_same_id_is_another_one_however_soon_it_comes(house, monkeypatch):
    """No two threads of one id are created in one millisecond, of which the first was deleted under a key."""
    looks, clock = itertools.count(), [1_800_000_000_000]

    def look():
        clock[0] += next(looks) == 2
        return clock[0]

    monkeypatch.setattr(thread_changes, "now_ms", look)
    monkeypatch.setattr(headers, "now_ms", lambda: clock[0])
    talk = await house.connect()
    await talk.thread(thread_id="t")
    params = ThreadDeleteParams(thread_id="t", idempotency_key="k")
    await talk.client.thread_delete(params)
    await talk.thread(thread_id="t", title="Another")

    assert (await talk.client.thread_delete(params)).replayed is True
    assert [thread.title for thread in (await talk.client.thread_list(ThreadListParams())).data] == ["Another"]


async def test_a_deletion_that_was_begun_is_finished(house):
    one = await house.connect()
    for thread_id in ("parent", "child", "other"):
        await one.thread(thread_id=thread_id)
    engine = house.server._state.work
    headers = [engine.threads.header(thread_id) for thread_id in ("parent", "child")]
    engine.deletions.begin("k", "0" * 64, headers)
    engine.delete(engine.threads.load("child"))
    await house.restart()
    two = await house.connect()

    left = (await two.client.thread_list(ThreadListParams())).data

    assert [thread.id for thread in left] == ["other"]
