"""What an agent shows of its work: every kind of item, whose it is, what is taken back, and how it is told again."""

import contextlib

import pytest

from e2e.own import own
from turnwire.agents.base import Question
from turnwire.store.history import History
from turnwire.wire import (
    FileChange,
    ThreadForkParams,
    ThreadItemsListParams,
    ThreadResumeParams,
    TurnInterruptParams,
)


async def _command(turn):
    work = turn.command("make test", cwd="/src")
    await work.write("2 passed\n")
    await work.write("\U0001f600")
    work.complete(3)


async def _silent_command(turn):
    turn.command("true").complete(0)


async def _missing_command(turn):
    turn.command("mkae").fail("notFound", ran=False)


async def _declined_command(turn):
    turn.declined_command("rm -rf /", item_id="item_1")


async def _drafted_tool(turn):
    draft = turn.draft_tool("grep")
    await draft.write('{"for":')
    await draft.write('"x"}')
    draft.run({"for": "x"}).complete(["a.py"])


async def _declined_draft(turn):
    draft = turn.draft_tool("grep")
    await draft.write("{}")
    draft.decline({})


async def _mcp_tool(turn):
    turn.mcp_tool("files", "read", {"path": "a"}).complete({"text": "x"})


async def _artifact(turn):
    turn.artifact("report.pdf", mime_type="application/pdf", size_bytes=12)


async def _error(turn):
    turn.error("modelBusy", "The model is busy.", will_retry=True)


async def _subagent(turn):
    with turn.subagent("look it up", agent="scripted") as helper:
        helper.notice("looking")
        helper.finish("found it")


async def _failing_subagent(turn):
    with contextlib.suppress(KeyError), turn.subagent("look it up"):
        {}["it"]
    turn.notice("went on")


RAN = {"executionStarted": True}
# What the agent does, and the completed items that come of it: type, status, members.
WORK = [
    (_command, [("commandExecution", "completed", {"output": "2 passed\n\U0001f600", "exitCode": 3, **RAN})]),
    (_silent_command, [("commandExecution", "completed", {"exitCode": 0, **RAN})]),
    (_missing_command, [("commandExecution", "failed", {"errorCode": "notFound", "executionStarted": False})]),
    (_declined_command, [("commandExecution", "declined", {"executionStarted": False})]),
    (_drafted_tool, [("toolCall", "completed", {"arguments": {"for": "x"}, "result": ["a.py"], **RAN})]),
    (_declined_draft, [("toolCall", "declined", {"arguments": {}, "executionStarted": False})]),
    (_mcp_tool, [("mcpToolCall", "completed", {"server": "files", "result": {"text": "x"}, **RAN})]),
    (_artifact, [("artifact", "completed", {"name": "report.pdf", "sizeBytes": 12})]),
    (_error, [("error", "completed", {"code": "modelBusy", "willRetry": True})]),
    (
        _subagent,
        [
            ("notice", "completed", {"text": "looking", "agent": "scripted"}),
            ("subagent", "completed", {"task": "look it up", "childAgent": "scripted", "result": "found it", **RAN}),
        ],
    ),
    (
        _failing_subagent,
        [("subagent", "failed", {"errorCode": "subagentFailed", **RAN}), ("notice", "completed", {"text": "went on"})],
    ),
]


@pytest.mark.parametrize(("work", "items"), WORK)
async def test_work_shows_as_items(house, work, items):
    talk = await own(house, work).connect()
    thread_id = await talk.thread()
    ended = await talk.run(thread_id, "x")
    shown = [params["item"] for params in talk.said("item/completed")][1:]
    listed = (await talk.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))).data
    told = History.load(house.server._state.store.events(thread_id))

    assert ended.status == "completed"
    assert [(item["type"], item["status"]) for item in shown] == [item[:2] for item in items]
    for item, (_, _, members) in zip(shown, items, strict=True):
        assert {name: item.get(name) for name in members} == members
    assert sorted(item.id for item in listed[1:]) == sorted(item["id"] for item in shown)
    assert {item.id: item for item in listed} == told.items
    talk.assert_lawful()


@pytest.mark.parametrize("work", [_command, _drafted_tool, _subagent])
async def test_a_copy_of_work_is_whole(house, work):
    talk = await own(house, work).connect()
    thread_id = await talk.thread()
    await talk.run(thread_id, "x")
    items = (await talk.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))).data

    fork = (await talk.client.thread_fork(ThreadForkParams(thread_id=thread_id))).thread
    copies = (await talk.client.thread_items_list(ThreadItemsListParams(thread_id=fork.id))).data

    assert [(copy.type, copy.status, copy.forked_from) for copy in copies] == [
        (item.type, item.status, item.id) for item in items
    ]
    ids = {item.id: copy.id for item, copy in zip(items, copies, strict=True)}
    assert [copy.parent_item_id for copy in copies] == [
        ids.get(item.parent_item_id, item.parent_item_id) for item in items
    ]


async def test_what_a_subagent_does_is_its_own(house):
    async def work(turn):
        with turn.message() as message:
            await message.write("mine")
        with turn.subagent("try", agent="helper") as helper:
            with helper.message() as message:
                await message.write("its")
            question = Question(kind="shell", title="Run", operation="ls")
            verdict = await turn.approve(question, subagent=helper)
            helper.declined_command("ls", item_id=verdict.subject_item_id)

    talk = await own(house, work).connect(approvals="decline")
    ended = await talk.run(await talk.thread(), "x")
    items = [params["item"] for params in talk.said("item/completed")][1:]
    whose = [(item["type"], item.get("agent"), "parentItemId" in item) for item in items]
    (subagent,) = talk.items("subagent")

    assert whose == [
        ("agentMessage", None, False),
        ("agentMessage", "helper", True),
        ("approval", "helper", True),
        ("commandExecution", "helper", True),
        ("subagent", None, False),
    ]
    assert {item["parentItemId"] for item in items if "parentItemId" in item} == {subagent["id"]}
    assert ended.final_output == "mine"


async def test_a_step_that_another_model_takes_over_is_taken_back(house):
    async def work(turn):
        turn.notice("before")
        message, tool = turn.message(), turn.draft_tool("grep")
        await message.write("half of it")
        turn.reset([message.item_id, tool.item_id], "The model is gone.")
        with turn.message() as second:
            await second.write("all of it")

    talk = await own(house, work).connect()
    thread_id = await talk.thread()
    ended = await talk.run(thread_id, "x")
    (reset,) = talk.said("item/reset")
    listed = (await talk.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))).data
    started = [params["item"]["id"] for params in talk.said("item/started")]

    assert reset["itemIds"] == [item_id for item_id in started if item_id not in {item.id for item in listed}]
    assert [item.type for item in listed] == ["userMessage", "notice", "agentMessage"]
    assert ended.final_output == "all of it"
    talk.assert_lawful()


async def test_what_is_completed_cannot_be_taken_back(house, caplog):
    async def work(turn):
        tool = turn.tool("grep", {})
        tool.complete(1)
        turn.reset([tool.item_id], "no")

    talk = await own(house, work).connect()
    ended = await talk.run(await talk.thread(), "x")

    assert (ended.status, talk.said("item/reset")) == ("failed", [])
    assert "only items that are open can be taken back" in caplog.text


async def test_output_so_far_is_there_for_who_comes_later(house):
    async def work(turn):
        command = turn.command("make")
        await command.write("line 1\n")
        await turn.wait_steered()

    one, two = await own(house, work).connect(), await house.connect()
    two.hears_all = False
    turn = await one.turn(await one.thread(), "x")
    await one.heard("item/commandExecution/outputDelta")
    seen = (await two.client.thread_resume(ThreadResumeParams(thread_id=turn.thread_id))).items
    ended = (await one.client.turn_interrupt(TurnInterruptParams(thread_id=turn.thread_id))).turn

    assert [(item.type, item.status) for item in seen] == [
        ("userMessage", "completed"),
        ("commandExecution", "inProgress"),
    ]
    assert seen[1].output == "line 1\n"
    assert (ended.status, one.items("commandExecution")[0]["status"]) == ("interrupted", "interrupted")


async def test_snapshots_are_whole_and_the_last_one_wins(house):
    async def work(turn):
        turn.diff("--- a\n+++ b\n")
        turn.file_change([FileChange(path="b", kind="add")]).complete()
        turn.diff("--- a\n+++ c\n")

    talk = await own(house, work).connect()
    turn = await talk.turn(await talk.thread(), "x")
    await talk.ended(turn)

    assert [(params["turnId"], params["diff"]) for params in talk.said("turn/diff/updated")] == [
        (turn.id, "--- a\n+++ b\n"),
        (turn.id, "--- a\n+++ c\n"),
    ]
