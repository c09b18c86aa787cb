"""Whole conversations over both transports; the fixture holds each trace to the invariants of `lawful`."""

import asyncio

import pytest

from turnwire.errors import RemoteError
from turnwire.wire import (
    ApprovalAnswer,
    ResumeDecision,
    TextPart,
    ThreadItemsListParams,
    ThreadReadParams,
    ThreadResumeParams,
    TurnInterruptParams,
    TurnResume,
    TurnStartParams,
    TurnSteerParams,
)


async def test_a_turn_shows_its_input_then_what_the_agent_does(connect):
    talk = await connect(approvals="accept")
    thread_id = await talk.thread(title="First")

    script = 'text Hello world\ntool grep {"for":"x"}\nthink so\nnotice careful'

    turn = await talk.run(thread_id, script)

    assert turn.status == "completed"
    assert turn.final_output == "Hello world"
    assert talk.methods() == [
        "thread/started",
        "thread/status/changed",
        "turn/started",
        *["item/started", "item/completed"],
        *["item/started", "item/agentMessage/delta", "item/completed"],
        *["item/started", "item/completed"],
        *["item/started", "item/reasoning/delta", "item/completed"],
        *["item/started", "item/completed"],
        "turn/completed",
        "thread/status/changed",
    ]
    assert talk.items("userMessage")[0]["input"] == [{"type": "text", "text": script}]
    assert talk.items("toolCall")[0]["result"] == {"echo": {"for": "x"}}


async def test_deltas_are_of_at_most_eight_code_points_and_join_to_the_text(connect):
    talk = await connect()
    text = "ünïcödé 😀😀😀😀😀😀😀😀😀 \u2028 \u0085 end"

    turn = await talk.run(await talk.thread(), f"text {text}")

    deltas = [params["delta"] for params in talk.said("item/agentMessage/delta")]
    assert "".join(deltas) == text == turn.final_output
    assert max(map(len, deltas)) <= 8


DECISIONS = [
    ("accept", "completed", "completed", True),
    ("decline", "completed", "declined", False),
    ("cancel", "interrupted", None, False),
]


@pytest.mark.parametrize(("decision", "status", "tool", "ran"), DECISIONS)
async def test_a_tool_runs_with_a_valid_accept_and_never_without(connect, decision, status, tool, ran):
    talk = await connect(approvals=decision)

    turn = await talk.run(await talk.thread(), 'approve rm {"path":"a"}\ntext after')

    assert turn.status == status
    assert [item["status"] for item in talk.items("toolCall")] == ([] if tool is None else [tool])
    assert [item["executionStarted"] for item in talk.items("toolCall")] == ([] if tool is None else [ran])
    assert [params["resolution"]["decision"] for params in talk.said("approval/resolved")] == [decision]
    assert ("after" in str(turn.final_output)) is (status == "completed")


async def test_item_notification_and_request_of_an_approval_are_the_same_but_for_the_nonce(connect):
    talk = await connect(approvals="accept")

    await talk.run(await talk.thread(), 'approve rm {"n":12345678901234567890}')

    item = next(params["item"] for params in talk.said("item/started") if params["item"]["type"] == "approval")
    noticed = talk.said("approval/requested")[0]["approval"]
    asked = talk.said("approval/request")[0]["approval"]
    nonce = asked["binding"].pop("nonce")
    assert item["approval"] == noticed == asked
    assert len(nonce) >= 16
    assert talk.items("toolCall")[0]["id"] == asked["subjectItemId"]
    order = ["item/started", "approval/requested", "approval/request", "approval/resolved", "item/completed"]
    at = talk.methods().index("approval/requested") - 1
    assert talk.methods()[at : at + 5] == order


async def test_without_a_client_that_can_answer_the_operation_is_declined(connect):
    talk = await connect()

    turn = await talk.run(await talk.thread(), "approve rm")

    assert turn.status == "completed"
    resolution = talk.said("approval/resolved")[0]["resolution"]
    assert (resolution["outcome"], resolution["decision"]) == ("abandoned", "decline")


async def test_without_one_a_thread_that_wants_it_pauses(connect):
    talk = await connect()

    turn = await talk.run(await talk.thread(approval_policy="pause"), "approve rm")

    assert turn.status == "paused"
    assert talk.said("approval/resolved")[0]["resolution"]["outcome"] == "abandoned"
    assert (await talk.client.thread_read(ThreadReadParams(thread_id=turn.thread_id))).thread.paused_by == "turn"


RESUMED = [("accept", ["completed"], "completed"), ("decline", ["declined"], "completed"), ("defer", [], "paused")]


@pytest.mark.parametrize(("decision", "tools", "status"), RESUMED)
async def test_a_deferred_turn_is_resumed_where_it_paused(connect, decision, tools, status):
    talk = await connect(approvals="defer")
    thread_id = await talk.thread()
    paused = await talk.run(thread_id, 'text before\napprove rm {"a":1}\ntext after')
    assert paused.status == "paused"
    assert [one.approval.approval_id for one in paused.pending] == [talk.asked[0].approval.approval_id]
    with pytest.raises(RemoteError, match="threadPaused"):
        await talk.turn(thread_id, "text no")

    resumed = await talk.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    approval = resumed.pending[0].approval
    answer = ApprovalAnswer(decision=decision, nonce=approval.binding.nonce)
    resume = TurnResume(decisions=[ResumeDecision(approval_id=approval.approval_id, answer=answer)])
    started = await talk.client.turn_start(TurnStartParams(thread_id=thread_id, resume=resume))
    turn = await talk.ended(started.turn)

    assert (turn.status, turn.resumes, turn.input) == (status, paused.id, [])
    assert [item["status"] for item in talk.items("toolCall")] == tools
    said = [item["text"] for item in talk.items("agentMessage")]
    assert said == (["before", "after"] if status == "completed" else ["before"])


async def test_a_resumed_turn_needs_the_nonce_and_declines_by_default(connect):
    talk = await connect(approvals="defer")
    thread_id = await talk.thread()
    await talk.run(thread_id, "approve rm")
    answer = ApprovalAnswer(decision="accept", nonce="0" * 48)
    decision = ResumeDecision(approval_id=talk.asked[0].approval.approval_id, answer=answer)
    with pytest.raises(RemoteError, match="requestClosed"):
        await talk.client.turn_start(TurnStartParams(thread_id=thread_id, resume=TurnResume(decisions=[decision])))

    started = await talk.client.turn_start(TurnStartParams(thread_id=thread_id, resume=TurnResume()))
    turn = await talk.ended(started.turn)

    assert turn.status == "completed"
    assert [item["status"] for item in talk.items("toolCall")] == ["declined"]


async def test_interrupt_discards_a_paused_turn(connect):
    talk = await connect(approvals="defer")
    thread_id = await talk.thread()
    paused = await talk.run(thread_id, "approve rm")

    result = await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id))

    assert (result.turn.id, result.already_terminal) == (paused.id, True)
    assert (await talk.run(thread_id, "text free")).status == "completed"
    with pytest.raises(RemoteError, match="noActiveTurn"):
        await talk.client.turn_start(TurnStartParams(thread_id=thread_id, resume=TurnResume()))


async def test_interrupt_answers_when_the_work_has_stopped(connect):
    talk = await connect()
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "slow 1000 50")
    await talk.heard("item/agentMessage/delta")

    result = await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id, turn_id=turn.id))

    assert (result.settled, result.turn.status, result.turn.end_reason) == (True, "interrupted", "user")
    assert talk.said("turn/completed")[-1]["turn"]["id"] == turn.id
    again = await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id, turn_id=turn.id))
    assert again.already_terminal is True
    assert [item["status"] for item in talk.items("agentMessage")] == ["interrupted"]


async def test_interrupt_resolves_an_approval_that_waits(connect):
    never = asyncio.Event()
    talk = await connect(approvals=lambda _: never.wait())
    thread_id = await talk.thread()
    await talk.turn(thread_id, "approve rm")
    await talk.heard("approval/requested")

    await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id))

    resolution = talk.said("approval/resolved")[0]["resolution"]
    assert resolution["outcome"] == "interrupted"
    assert [item["resolution"] for item in talk.items("approval")] == [resolution]
    assert talk.items("toolCall") == []
    never.set()


async def test_steered_input_is_taken_between_two_deltas(connect):
    talk = await connect()
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "slow 5 60\ntext done")
    await talk.heard("item/agentMessage/delta")

    steered = await talk.client.turn_steer(_steer(turn, "left"))
    await talk.ended(turn)

    message = talk.items("userMessage")[1]
    assert (message["id"], message["mode"]) == (steered.item_id, "steer")
    assert message["input"] == [{"type": "text", "text": "left"}]


async def test_listen_says_what_it_hears(connect):
    talk = await connect()
    turn = await talk.turn(await talk.thread(), "listen")

    await talk.client.turn_steer(_steer(turn, "now"))

    assert (await talk.ended(turn)).final_output == "heard: now"


async def test_injected_input_begins_the_step_again(connect):
    talk = await connect()
    turn = await talk.turn(await talk.thread(), "slow 3 150")
    await talk.heard("item/agentMessage/delta")

    await talk.client.turn_steer(_steer(turn, "again", mode="inject"))
    ended = await talk.ended(turn)

    messages = talk.items("agentMessage")
    assert [message["status"] for message in messages] == ["interrupted", "completed"]
    assert ended.final_output == messages[-1]["text"] == "1 2 3 "
    kinds = [params["item"]["type"] for params in talk.said("item/completed")]
    assert kinds == ["userMessage", "agentMessage", "userMessage", "agentMessage"]


async def test_input_that_is_not_taken_is_given_back_and_never_leaks(connect):
    talk = await connect(approvals="cancel")
    thread_id = await talk.thread()
    never = asyncio.Event()
    talk.client.on_request("approval/request", lambda _: never.wait())
    turn = await talk.turn(thread_id, "approve rm")
    await talk.heard("approval/requested")
    await talk.client.turn_steer(_steer(turn, "late"))

    result = await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id))
    after = await talk.run(thread_id, "text next")

    assert [untaken.input for untaken in result.untaken] == [[TextPart(text="late")]]
    items = await talk.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id, turn_id=after.id))
    assert [item.type for item in items.data] == ["userMessage", "agentMessage"]
    never.set()


FAILURES = [
    ("fail No luck", "No luck"),
    ("crash", "The agent failed."),
    ("text one\nslow x 1", "Line 2: `slow` needs COUNT MS, two whole numbers."),
    ("tool t [1]", "Line 1: `tool` needs arguments that are a JSON object."),
    ("crash now", "Line 1: `crash` takes no argument."),
]


@pytest.mark.parametrize(("script", "message"), FAILURES)
async def test_a_failing_agent_is_a_failed_turn_and_the_thread_goes_on(connect, script, message):
    talk = await connect()
    thread_id = await talk.thread()

    failed = await talk.run(thread_id, script)

    assert (failed.status, failed.error.code, failed.error.message) == ("failed", "agentFailed", message)
    assert (await talk.run(thread_id, "text well")).final_output == "well"


async def test_writes_reach_the_disk_below_cwd_only_and_after_an_accept(connect, tmp_path):
    talk = await connect(approvals="accept")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path)
    thread_id = await talk.thread(cwd=str(inside))

    await talk.run(thread_id, "write a.txt some words\nwrite ../b.txt no\nwrite link/c.txt no\nwrite a.txt other words")

    changes = talk.items("fileChange")
    assert [item["status"] for item in changes] == ["completed", "failed", "failed", "completed"]
    assert [item["changes"][0]["kind"] for item in changes] == ["add", "add", "add", "update"]
    assert sorted(path.name for path in tmp_path.rglob("*.txt")) == ["a.txt"]
    assert (inside / "a.txt").read_text() == "other words"


async def test_usage_and_plan_are_whole(connect):
    talk = await connect()

    turn = await talk.run(await talk.thread(), "usage 3 0\nplan look; leap")

    assert (turn.usage.input_tokens, turn.usage.output_tokens) == (3, 0)
    assert talk.said("turn/plan/updated")[0]["steps"] == talk.items("plan")[0]["steps"]


async def test_a_flood_arrives_whole_in_its_item(connect):
    talk = await connect()

    turn = await talk.run(await talk.thread(), "flood 2000 100")

    assert len(turn.final_output) == 200_000


def _steer(turn, text, **members):
    return TurnSteerParams(thread_id=turn.thread_id, expected_turn_id=turn.id, input=[TextPart(text=text)], **members)
