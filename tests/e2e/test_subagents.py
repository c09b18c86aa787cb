"""Work that is handed to another agent, in a thread below the first; the subtree goes along (THR-10, THR-11)."""

import asyncio

import pytest
from msgspec import UNSET

from e2e.own import own
from turnwire.errors import RemoteError
from turnwire.wire import (
    ThreadArchiveParams,
    ThreadDeleteParams,
    ThreadListParams,
    ThreadReadParams,
    ThreadResumeParams,
    ThreadTurnsListParams,
    ThreadUnarchiveParams,
    TurnInterruptParams,
)


def delegating(*tasks, to="scripted"):
    """Hands these tasks on, one after the other, and says what came of each."""

    async def work(turn):
        for task in tasks:
            ended = await turn.delegate(task, agent=to)
            output = "" if ended.final_output is UNSET else ended.final_output
            with turn.message() as message:
                await message.write(f"{ended.status}: {output}")

    return work


async def child_of(talk, thread_id):
    """The thread that was started below this one."""
    started = await talk.heard("thread/started", lambda params: params.thread.parent_thread_id == thread_id)
    return started.thread


async def test_a_subagent_works_in_a_thread_of_its_own(house):
    talk = await own(house, delegating("text found")).connect()
    thread_id = await talk.thread(cwd="/src", permission_mode="ask")
    ended = await talk.run(thread_id, "look")
    child = await child_of(talk, thread_id)
    (item,) = talk.items("subagent")
    (turn,) = (await talk.client.thread_turns_list(ThreadTurnsListParams(thread_id=child.id))).data

    assert ended.final_output == "completed: found"
    assert (item["childThreadId"], item["childAgent"], item["task"]) == (child.id, "scripted", "text found")
    assert (item["status"], item["result"]) == ("completed", "found")
    assert (child.agent, child.cwd, child.permission_mode) == ("scripted", "/src", "ask")
    assert (turn.status, turn.input[0].text) == ("completed", "text found")
    # Who does not subscribe to it hears only what everybody hears of it.
    assert {params["threadId"] for params in talk.said("item/started")} == {thread_id}


# What becomes of the subagent's turn, and of its item.
ENDS = [
    ("fail no", "failed", "subagentFailed"),
    ("approve rm", "completed", None),
    ("crash", "failed", "subagentFailed"),
]


@pytest.mark.parametrize(("task", "status", "code"), ENDS)
async def test_whatever_comes_of_it_the_turn_goes_on(house, task, status, code):
    talk = await own(house, delegating(task)).connect()
    ended = await talk.run(await talk.thread(), "look")
    (item,) = talk.items("subagent")

    assert (ended.status, ended.final_output) == ("completed", f"{status}: ")
    assert (item["status"], item.get("errorCode")) == ("failed" if code else "completed", code)


async def test_a_subagent_that_pauses_waits_in_its_own_thread(house):
    talk = await own(house, delegating("approve rm\ntext done")).connect()
    thread_id = await talk.thread(approval_policy="pause")
    ended = await talk.run(thread_id, "look")
    child = await child_of(talk, thread_id)
    read = (await talk.client.thread_read(ThreadReadParams(thread_id=child.id))).thread

    assert ended.final_output == "paused: "
    assert (read.status, read.paused_by) == ("paused", "turn")
    assert talk.items("subagent")[0]["errorCode"] == "subagentPaused"


async def test_an_agent_that_is_not_there_fails_the_turn_that_wants_it(house):
    talk = await own(house, delegating("x", to="nobody")).connect()
    ended = await talk.run(await talk.thread(), "look")

    assert (ended.status, ended.error.code, ended.error.message) == ("failed", "hostError", "There is no agent nobody.")
    assert len(talk.said("thread/started")) == 1


async def test_an_interrupt_stops_the_subagent_too(house):
    talk = await own(house, delegating("slow 1000 20")).connect()
    thread_id = await talk.thread()
    await talk.turn(thread_id, "look")
    child = await child_of(talk, thread_id)
    await talk.client.thread_resume(ThreadResumeParams(thread_id=child.id))
    talk.hears_all = False
    await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id))
    ended = await talk.heard("turn/completed", lambda params: params.thread_id == child.id)

    assert (ended.turn.status, ended.turn.end_reason) == ("interrupted", "user")
    assert talk.items("subagent")[0]["status"] == "interrupted"


async def test_archiving_takes_the_subtree_along_and_leaves_what_was_archived(house):
    talk = await own(house, delegating("text one", "text two")).connect()
    parent = await talk.thread()
    await talk.run(parent, "look")
    one, two = (await child_of(talk, parent)).id, (await child_of(talk, parent)).id
    await talk.client.thread_archive(ThreadArchiveParams(thread_id=one))
    await asyncio.sleep(0.002)

    async def archived():
        listed = (await talk.client.thread_list(ThreadListParams(archived=True))).data
        return {thread.id for thread in listed}

    await talk.client.thread_archive(ThreadArchiveParams(thread_id=parent))
    all_of_them = await archived()
    await talk.client.thread_unarchive(ThreadUnarchiveParams(thread_id=parent))

    assert (all_of_them, await archived()) == ({parent, one, two}, {one})


async def test_deleting_interrupts_and_takes_the_subtree_along(house):
    talk = await own(house, delegating("text one", "slow 1000 20")).connect()
    parent, other = await talk.thread(), await talk.thread()
    turn = await talk.turn(parent, "look")
    children = [(await child_of(talk, parent)).id for _ in range(2)]

    result = await talk.client.thread_delete(ThreadDeleteParams(thread_id=parent))

    assert result.deleted_thread_ids == [parent, *result.deleted_thread_ids[1:]]
    assert sorted(result.deleted_thread_ids[1:]) == sorted(children)
    (ended,) = [params["turn"] for params in talk.said("turn/completed")]
    assert (ended["id"], ended["endReason"]) == (turn.id, "deleted")
    # Children first: a parent is never gone while something below it is there.
    assert [params["threadId"] for params in talk.said("thread/deleted")][-1] == parent
    assert [thread.id for thread in (await talk.client.thread_list(ThreadListParams())).data] == [other]
    for thread_id in (parent, *children):
        with pytest.raises(RemoteError, match="notFound"):
            await talk.client.thread_read(ThreadReadParams(thread_id=thread_id))


async def test_after_a_restart_the_subtree_is_known(house):
    one = await own(house, delegating("text one")).connect()
    parent = await one.thread()
    await one.run(parent, "look")
    child = (await child_of(one, parent)).id
    await house.restart()
    two = await house.connect()

    result = await two.client.thread_delete(ThreadDeleteParams(thread_id=parent))

    assert result.deleted_thread_ids == [parent, child]
