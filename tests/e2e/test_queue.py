"""Turns that wait for the one before (QUEUE-*)."""

import asyncio

import pytest

from e2e.talk import Talk
from turnwire.agents.builtin import builtin_agent
from turnwire.errors import RemoteError
from turnwire.server import DefaultHost, HostError, Server
from turnwire.wire import (
    QueueListParams,
    QueueRemoveParams,
    QueueReorderParams,
    QueueResumeParams,
    QueueUpdateParams,
    TextPart,
    ThreadArchiveParams,
    ThreadDeleteParams,
    ThreadPauseParams,
    ThreadResumeParams,
    ThreadTurnsListParams,
    ThreadUnarchiveParams,
    ThreadUnpauseParams,
    TurnEnqueueParams,
    TurnInterruptParams,
)


async def enqueue(talk, thread_id, script, **members):
    params = TurnEnqueueParams(thread_id=thread_id, input=[TextPart(text=script)], **members)
    return await talk.client.turn_enqueue(params)


async def outputs(talk, thread_id, count):
    """The final outputs of the next turns that end."""
    return [(await talk.heard("turn/completed")).turn.final_output for _ in range(count)]


async def test_an_idle_thread_starts_the_turn_at_once(connect):
    talk = await connect()
    thread_id = await talk.thread()

    result = await enqueue(talk, thread_id, "text now", client_message_id="m1")
    turn = (await talk.heard("turn/completed")).turn

    assert (result.position, result.turn_id) == (0, turn.id)
    assert (turn.final_output, turn.client_message_id) == ("now", "m1")
    assert talk.said("turn/queue/updated") == []


async def test_turns_wait_and_start_one_after_the_other(connect):
    talk = await connect()
    thread_id = await talk.thread()
    await talk.turn(thread_id, "slow 3 40\ntext one")

    results = [await enqueue(talk, thread_id, f"text {word}", client_message_id=word) for word in ("two", "three")]
    said = await outputs(talk, thread_id, 3)

    assert [(result.position, bool(result.turn_id)) for result in results] == [(0, False), (1, False)]
    assert said == ["one", "two", "three"]
    assert [turn["turn"].get("clientMessageId") for turn in talk.said("turn/started")] == [None, "two", "three"]
    assert [len(params["entries"]) for params in talk.said("turn/queue/updated")] == [1, 2, 1, 0]
    await talk.heard("thread/status/changed", lambda params: params.status == "idle")


HELD = [("fail no", None), ("approve rm", "cancel"), ("approve rm", "defer")]


@pytest.mark.parametrize(("script", "decision"), HELD)
async def test_after_a_turn_that_did_not_complete_the_queue_is_held(connect, script, decision):
    talk = await connect(approvals=decision or "accept")
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, f"slow 3 40\n{script}")
    await enqueue(talk, thread_id, "text later")

    ended = await talk.ended(turn)
    held = await talk.client.turn_queue_list(QueueListParams(thread_id=thread_id))
    if ended.status == "paused":
        await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id))
    resumed = await talk.client.turn_queue_resume(QueueResumeParams(thread_id=thread_id))

    assert (held.held, len(held.entries)) == (True, 1)
    assert (resumed.held, resumed.entries) == (False, [])
    assert await outputs(talk, thread_id, 1) == ["later"]
    await talk.heard("thread/status/changed", lambda params: params.status == "idle")


async def test_a_completed_turn_lets_a_held_queue_go_on(connect):
    talk = await connect()
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "slow 3 40\nfail no")
    await enqueue(talk, thread_id, "text later")
    await talk.ended(turn)

    await talk.turn(thread_id, "text first")

    assert await outputs(talk, thread_id, 2) == ["first", "later"]
    await talk.heard("thread/status/changed", lambda params: params.status == "idle")


async def test_what_waits_can_be_changed(house):
    talk = await house.connect()
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "listen")
    one, two, three = [(await enqueue(talk, thread_id, f"text {word}")).entry_id for word in ("1", "2", "3")]

    def ids(result):
        return [entry.id for entry in result.entries]

    await talk.client.turn_queue_reorder(QueueReorderParams(thread_id=thread_id, entry_ids=[three, one, two]))
    left = await talk.client.turn_queue_remove(QueueRemoveParams(thread_id=thread_id, entry_id=one))
    part = [TextPart(text="text changed")]
    await talk.client.turn_queue_update(QueueUpdateParams(thread_id=thread_id, entry_id=two, input=part))
    other = await house.connect()
    seen = await other.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    other.hears_all = False

    assert ids(left) == [three, two]
    assert [entry.input[0].text for entry in seen.queue] == ["text 3", "text changed"]
    for order in ([three], [three, two, one], [three, three]):
        with pytest.raises(RemoteError, match="conflict") as refused:
            await talk.client.turn_queue_reorder(QueueReorderParams(thread_id=thread_id, entry_ids=order))
        assert refused.value.data["reason"] == "staleOrder"
    for call in (
        talk.client.turn_queue_remove(QueueRemoveParams(thread_id=thread_id, entry_id=one)),
        talk.client.turn_queue_update(QueueUpdateParams(thread_id=thread_id, entry_id=one, input=part)),
    ):
        with pytest.raises(RemoteError, match="notFound") as refused:
            await call
        assert refused.value.data["kind"] == "queueEntry"
    await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id, turn_id=turn.id))


async def test_the_queue_is_bounded(house):
    house.limits = {"queue_entries": 1}
    talk = await house.connect()
    thread_id = await talk.thread()
    await talk.turn(thread_id, "listen")
    await enqueue(talk, thread_id, "text at the bound")

    with pytest.raises(RemoteError, match="overloaded"):
        await enqueue(talk, thread_id, "text beyond it")

    await talk.client.thread_delete(ThreadDeleteParams(thread_id=thread_id))


async def test_a_held_or_archived_thread_lets_the_queue_wait(house):
    talk = await house.connect()
    thread_id = await talk.thread()
    await talk.turn(thread_id, "slow 4 30")
    await enqueue(talk, thread_id, "text one")
    await talk.client.thread_pause(ThreadPauseParams(thread_id=thread_id))
    with pytest.raises(RemoteError, match="threadPaused"):
        await enqueue(talk, thread_id, "text no")
    await talk.heard("thread/status/changed", lambda params: params.status == "paused")

    await talk.client.thread_archive(ThreadArchiveParams(thread_id=thread_id))
    await talk.client.thread_unpause(ThreadUnpauseParams(thread_id=thread_id))
    with pytest.raises(RemoteError, match="threadArchived"):
        await enqueue(talk, thread_id, "text no")
    turns = (await talk.client.thread_turns_list(ThreadTurnsListParams(thread_id=thread_id))).data
    await talk.client.thread_unarchive(ThreadUnarchiveParams(thread_id=thread_id))

    assert len(turns) == 1
    assert (await talk.heard("turn/completed", lambda params: params.turn.id != turns[0].id)).turn.final_output == "one"
    await talk.heard("thread/status/changed", lambda params: params.status == "idle")


async def test_enqueuing_twice_with_one_key_is_said_once(house):
    talk = await house.connect()
    thread_id = await talk.thread()
    await talk.turn(thread_id, "slow 4 40")

    results = [await enqueue(talk, thread_id, "text x", idempotency_key="k") for _ in range(2)]

    assert (results[0].entry_id, results[1].replayed) == (results[1].entry_id, True)
    assert len((await talk.client.turn_queue_list(QueueListParams(thread_id=thread_id))).entries) == 1
    await talk.client.thread_delete(ThreadDeleteParams(thread_id=thread_id))


async def test_a_turn_that_the_host_refuses_waits_on(caplog):
    refusing = asyncio.Event()

    class Host(DefaultHost):
        async def build_run_config(self, request):
            if refusing.is_set():
                raise HostError("No credit is left.")

    server = Server(Host(builtin_agent("scripted")))
    talk = await Talk.over_memory(server)
    thread_id = await talk.thread()
    await talk.turn(thread_id, "slow 3 30")
    await enqueue(talk, thread_id, "text later")
    refusing.set()

    held = await talk.heard("turn/queue/updated", lambda params: params.held)
    refusing.clear()
    await talk.client.turn_queue_resume(QueueResumeParams(thread_id=thread_id))

    assert [entry.input[0].text for entry in held.entries] == ["text later"]
    assert "No credit is left." in caplog.text
    assert (await outputs(talk, thread_id, 2))[1] == "later"
    await talk.heard("thread/status/changed", lambda params: params.status == "idle" and params.seq > held.seq)
    await talk.close()
    await server.close()


async def test_a_turn_that_waited_for_a_restart_is_started_with_all_that_was_given(house):
    named = []

    class Host(DefaultHost):
        async def build_run_config(self, request):
            named.append(request.principal)

    one = await house.connect()
    thread_id = await one.thread()
    principals = ["ada", "bob", None]
    await one.turn(thread_id, "listen")
    for number, principal in enumerate(principals):
        house.session_of(one).principal = principal
        await enqueue(one, thread_id, f"text {number}", client_message_id=f"m{number}")
    entries = (await one.client.turn_queue_list(QueueListParams(thread_id=thread_id))).entries
    part = [TextPart(text="text changed")]
    await one.client.turn_queue_update(QueueUpdateParams(thread_id=thread_id, entry_id=entries[1].id, input=part))
    await house.restart()

    house.make = lambda store: Server(Host(builtin_agent("scripted")), store=store)
    two = await house.connect()
    resumed = await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    await two.client.turn_queue_resume(QueueResumeParams(thread_id=thread_id))

    assert [(one.id, one.client_message_id) for one in resumed.queue] == [
        (entry.id, f"m{number}") for number, entry in enumerate(entries)
    ]
    assert await outputs(two, thread_id, 3) == ["0", "changed", "2"]
    assert named == principals
    assert [params["turn"]["clientMessageId"] for params in two.said("turn/started")] == ["m0", "m1", "m2"]
    await two.heard("thread/status/changed", lambda params: params.status == "idle")
