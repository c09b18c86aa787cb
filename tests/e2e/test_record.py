"""What is kept: events on the wire, context, and a thread that is opened again after a stop or a kill (REC-*)."""

import json
import os
import signal

import pytest

from e2e.talk import Talk
from turnwire.errors import RemoteError
from turnwire.store.chain import verify
from turnwire.store.jsonl import JsonlStore
from turnwire.store.opening import STORES
from turnwire.wire import (
    ApprovalAnswer,
    ContextEntry,
    ResumeDecision,
    TextPart,
    ThreadEventsListParams,
    ThreadItemsListParams,
    ThreadListParams,
    ThreadReadParams,
    ThreadResumeParams,
    ThreadTurnsListParams,
    TurnResume,
    TurnStartParams,
    TurnSteerParams,
)


@pytest.mark.parametrize("limit", [1, 3, 1000])
async def test_events_are_listed_in_order_and_as_they_are_stored(house, limit):
    talk = await house.connect()
    thread_id = await talk.thread()
    await talk.run(thread_id, "text Hi")

    events, cursor = [], {}
    while True:
        params = {"threadId": thread_id, "limit": limit, **cursor}
        page = json.loads(bytes(await talk.client.call_raw("thread/events/list", params)))
        events += page["data"]
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}

    recorded = [(params["seq"], method) for method, params in _recorded(talk)]
    assert [(event["seq"], event["type"]) for event in events] == recorded
    assert [event["prev"] for event in events[1:]] == [event["hash"] for event in events[:-1]]
    assert (
        verify(json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode() for event in events).fault is None
    )
    evidence = events[-2]["payload"]["turn"]["evidence"]
    assert (evidence["seq"], evidence["headHash"]) == (events[-2]["seq"], events[-2]["prev"])


async def test_events_after_one_are_listed_only(house):
    talk = await house.connect()
    thread_id = await talk.thread()
    await talk.run(thread_id, "text Hi")

    page = await talk.client.thread_events_list(ThreadEventsListParams(thread_id=thread_id, after_seq=5))
    end = await talk.client.thread_events_list(ThreadEventsListParams(thread_id=thread_id, after_seq=10**6))

    assert (page.data[0].seq, end.data) == (6, [])


async def test_context_is_kept_until_it_is_given_anew_or_cleared(house):
    talk = await house.connect()
    context = {"editor": ContextEntry(kind="application", value="open: a.py")}
    thread_id = await talk.thread(additional_context=context)
    engine = house.server._state.work

    def known():
        return engine.threads.load(thread_id).history.context

    assert known() == context
    await talk.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    assert known() == context
    await talk.client.thread_resume(ThreadResumeParams(thread_id=thread_id, additional_context={}))
    assert known() == {}


async def test_context_is_bounded(house):
    house.limits = {"context_bytes": 60}
    talk = await house.connect()

    with pytest.raises(RemoteError, match="invalidParams") as refused:
        await talk.thread(additional_context={"a": ContextEntry(kind="application", value="x" * 60)})

    assert refused.value.data["issues"][0]["path"] == "/additionalContext"


async def test_after_a_stop_everything_is_as_it_was(tmp_path):
    one = await Talk.over_stdio("{}", str(tmp_path), approvals="defer")
    thread_id = await one.thread(title="Kept", metadata={"k": 1})
    done = await one.run(thread_id, "text Hi\nusage 1 2")
    paused = await one.run(thread_id, "approve rm\ntext after")
    nonce = one.asked[0].approval.binding.nonce
    header = (await one.client.thread_read(ThreadReadParams(thread_id=thread_id))).thread
    items = (await one.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))).data
    await one.close()

    two = await Talk.over_stdio("{}", str(tmp_path), approvals="accept")
    again = await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id, after_seq=header.seq))
    turns = (await two.client.thread_turns_list(ThreadTurnsListParams(thread_id=thread_id))).data

    assert (again.thread, again.gap, again.seq) == (header, False, header.seq)
    assert (await two.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))).data == items
    assert turns == [done, paused]
    approval = again.pending[0].approval
    assert approval.approval_id == paused.pending[0].approval.approval_id
    # APPR-11: "Its approvals keep their ids and get new nonces."
    assert approval.binding.nonce != nonce
    answer = ApprovalAnswer(decision="accept", nonce=approval.binding.nonce)
    resume = TurnResume(decisions=[ResumeDecision(approval_id=approval.approval_id, answer=answer)])
    started = await two.client.turn_start(TurnStartParams(thread_id=thread_id, resume=resume))
    assert (await two.ended(started.turn)).final_output == "after"
    await two.close()


# What ran, and what becomes of it: the status of the turn, why it ended, who pauses the thread.
KILLED = [
    ("slow 1000 20", ("interrupted", "crash", None)),
    ("approve rm", ("paused", None, "turn")),
    ("ask name Who?", ("paused", None, "turn")),
]


@pytest.mark.parametrize(("line", "becomes"), KILLED)
@pytest.mark.parametrize("look", ["list", "read", "resume"])
async def test_after_a_kill_what_ran_is_ended_and_what_waited_waits(tmp_path, line, becomes, look):
    status, reason, paused_by = becomes
    one = await Talk.over_stdio("{}", str(tmp_path), approvals=_never, inputs=_never)
    turn = await one.turn(await one.thread(), f"text whole\n{line}")
    await one.heard("item/completed", lambda params: params.item.type == "agentMessage")
    if paused_by:
        await one.heard("userInput/requested" if line.startswith("ask") else "approval/requested")
    else:
        await one.heard("item/agentMessage/delta", lambda params: params.delta == "1 ")
    os.kill(one.transport.pid, signal.SIGKILL)
    await one.client.close()

    two = await Talk.over_stdio("{}", str(tmp_path))
    two.hears_all = False
    thread = await _look(two, look, turn.thread_id)
    turns = (await two.client.thread_turns_list(ThreadTurnsListParams(thread_id=turn.thread_id))).data
    items = (await two.client.thread_items_list(ThreadItemsListParams(thread_id=turn.thread_id))).data

    assert (thread.status, thread.paused_by or None) == ("paused" if paused_by else "idle", paused_by)
    assert [(one.id, one.status, one.end_reason or None) for one in turns] == [(turn.id, status, reason)]
    assert [item.status for item in items] == ["completed", "completed", "interrupted"]
    if paused_by is None:
        await two.client.thread_resume(ThreadResumeParams(thread_id=turn.thread_id))
        assert (await two.run(turn.thread_id, "text well")).status == "completed"
    await two.close()


@pytest.mark.parametrize("store", list(STORES))
@pytest.mark.parametrize("line", ["approve rm", "slow 1000 2000"])
async def test_what_was_steered_and_not_taken_is_not_lost_by_a_kill(tmp_path, store, line):
    one = await Talk.over_stdio("{}", str(tmp_path), store, approvals=_never)
    turn = await one.turn(await one.thread(), line)
    await one.heard("approval/requested" if line == "approve rm" else "item/agentMessage/delta")
    given = [TextPart(text="and this")]
    steer = TurnSteerParams(thread_id=turn.thread_id, expected_turn_id=turn.id, input=given, idempotency_key="k")
    item_id = (await one.client.turn_steer(steer)).item_id
    os.kill(one.transport.pid, signal.SIGKILL)
    await one.client.close()

    two = await Talk.over_stdio("{}", str(tmp_path), store)
    (ended,) = (await two.client.thread_turns_list(ThreadTurnsListParams(thread_id=turn.thread_id))).data
    again = await two.client.turn_steer(steer)

    assert [(one.input, one.mode) for one in ended.untaken] == [(given, "steer")]
    assert (again.item_id, again.replayed) == (item_id, True)
    await two.close()


async def test_two_processes_never_write_one_thread(tmp_path):
    one = await Talk.over_stdio("{}", str(tmp_path))
    two = await Talk.over_stdio("{}", str(tmp_path))
    turn = await one.turn(await one.thread(), "slow 20 20")
    await one.heard("turn/started")

    for call in (
        two.client.thread_resume(ThreadResumeParams(thread_id=turn.thread_id)),
        two.turn(turn.thread_id, "text no"),
    ):
        with pytest.raises(RemoteError, match="conflict") as refused:
            await call
        assert refused.value.data["reason"] == "heldElsewhere"
    listed = (await two.client.thread_list(ThreadListParams())).data
    read = await two.client.thread_read(ThreadReadParams(thread_id=turn.thread_id))
    ended = await one.ended(turn)

    assert [thread.id for thread in listed] == [read.thread.id] == [turn.thread_id]
    assert ended.status == "completed"
    await one.close()
    await two.close()


async def test_a_damaged_thread_hurts_no_other(tmp_path, caplog):
    one = await Talk.over_stdio("{}", str(tmp_path))
    bad, good = await one.thread(thread_id="bad"), await one.thread(thread_id="good")
    for thread_id in (bad, good):
        await one.run(thread_id, "text Hi\ntext there")
    await one.close()
    path = next(path for path in tmp_path.rglob("*") if path.is_file() and b'"text":"Hi"' in path.read_bytes())
    damaged = "bad" if b'"bad"' in path.read_bytes() else "good"
    path.write_bytes(path.read_bytes().replace(b'"text":"Hi"', b'"text":"Ho"'))

    two = await Talk.over_stdio("{}", str(tmp_path))
    two.hears_all = False
    other = "good" if damaged == "bad" else "bad"
    await two.client.thread_resume(ThreadResumeParams(thread_id=other))

    assert (await two.run(other, "text well")).status == "completed"
    with pytest.raises(RemoteError) as refused:
        await two.turn(damaged, "text no")
    assert refused.value.name == "internalError"
    await two.close()


async def test_a_thread_whose_file_cannot_be_read_hurts_no_other(tmp_path):
    one = await Talk.over_stdio("{}", str(tmp_path))
    bad, good = await one.thread(thread_id="bad"), await one.thread(thread_id="good")
    await one.close()
    (path,) = (tmp_path / "threads").glob("bad-*")
    path.unlink()
    path.mkdir()

    two = await Talk.over_stdio("{}", str(tmp_path))
    two.hears_all = False
    listed = (await two.client.thread_list(ThreadListParams())).data
    await two.client.thread_resume(ThreadResumeParams(thread_id=good))

    assert [thread.id for thread in listed] == [good]
    assert (await two.run(good, "text well")).status == "completed"
    for call in (
        two.turn(bad, "text no"),
        two.client.thread_read(ThreadReadParams(thread_id=bad)),
        two.client.thread_resume(ThreadResumeParams(thread_id=bad)),
    ):
        with pytest.raises(RemoteError, match="cannot be used") as refused:
            await call
        assert refused.value.name == "internalError"
    await two.close()


def test_a_store_promises_what_limits_say(tmp_path):
    assert JsonlStore(tmp_path).fsync == "terminal"


async def _look(talk, how, thread_id):
    if how == "list":
        return (await talk.client.thread_list(ThreadListParams())).data[0]
    if how == "read":
        return (await talk.client.thread_read(ThreadReadParams(thread_id=thread_id))).thread
    return (await talk.client.thread_resume(ThreadResumeParams(thread_id=thread_id))).thread


async def _never(_params):
    raise RuntimeError("nobody is there")


def _recorded(talk):
    messages = [frame.message for frame in talk.trace if frame.way == "s2c" and "method" in frame.message]
    return [(message["method"], message["params"]) for message in messages if "seq" in message["params"]]
