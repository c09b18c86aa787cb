"""What an agent is given of earlier turns, and how that is shortened while the record stays as it is (THR-14)."""

import asyncio

import pytest

from e2e.own import Own, own
from turnwire.agents.base import AgentFailed
from turnwire.errors import RemoteError
from turnwire.wire import (
    ThreadCompactParams,
    ThreadDeleteParams,
    ThreadForkParams,
    ThreadItemsListParams,
    ThreadResumeParams,
    ThreadRewindParams,
    TurnInterruptParams,
)


class Remembering(Own):
    """Notes what it is given of earlier turns, and shortens it to a list of types."""

    def __init__(self, *, wait=None):
        super().__init__(self._note)
        self.given = []
        self.wait = wait

    async def _note(self, turn):
        conversation = turn.conversation
        self.given.append((conversation.summary or None, [item.type for item in conversation.items]))
        with turn.message() as message:
            await message.write("noted")

    async def compact(self, conversation, _run_config):
        if self.wait is not None:
            await self.wait.wait()
        return "+".join([*([conversation.summary] if conversation.summary else []), str(len(conversation.items))])


def compact(talk, thread_id):
    return talk.client.thread_compact(ThreadCompactParams(thread_id=thread_id))


PAIR = ["userMessage", "agentMessage"]


async def test_an_agent_is_given_what_was_said_and_what_compacting_left(house):
    agent = Remembering()
    talk = await own(house, agent).connect()
    thread_id = await talk.thread()
    await talk.run(thread_id, "one")
    await talk.run(thread_id, "two")
    events = house.server._state.store.lines(thread_id)
    items = (await talk.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))).data

    outcome = (await compact(talk, thread_id)).outcome
    after = house.server._state.store.lines(thread_id)
    await talk.run(thread_id, "three")
    await compact(talk, thread_id)
    await house.restart()
    other = await house.connect()
    await other.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    await other.run(thread_id, "four")
    listed = (await other.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))).data

    assert outcome == "compacted"
    assert agent.given == [(None, []), (None, PAIR), ("4", []), ("4+2", [])]
    assert after[: len(events)] == events
    assert listed[: len(items)] == items


async def test_nothing_is_compacted_where_there_is_nothing(house):
    talk = await own(house, Remembering()).connect()
    thread_id = await talk.thread()

    assert (await compact(talk, thread_id)).outcome == "unchanged"


async def test_what_is_taken_back_is_not_brought_back_by_a_summary(house):
    agent = Remembering()
    talk = await own(house, agent).connect()
    thread_id = await talk.thread()
    await talk.run(thread_id, "one")
    await compact(talk, thread_id)
    await talk.run(thread_id, "two")
    await compact(talk, thread_id)
    items = (await talk.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))).data
    await talk.client.thread_rewind(ThreadRewindParams(thread_id=thread_id, item_id=items[1].id))
    await talk.run(thread_id, "three")

    assert agent.given[-1] == ("2", [])


async def test_a_copy_is_given_what_its_origin_was(house):
    agent = Remembering()
    talk = await own(house, agent).connect()
    thread_id = await talk.thread()
    await talk.run(thread_id, "one")
    await compact(talk, thread_id)
    await talk.run(thread_id, "two")
    items = (await talk.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))).data

    for end, given in ((items[0], (None, ["userMessage"])), (items[3], ("2", PAIR))):
        params = ThreadForkParams(thread_id=thread_id, item_id=end.id)
        await talk.run((await talk.client.thread_fork(params)).thread.id, "three")
        assert agent.given[-1] == given


async def test_during_a_turn_it_shows_as_an_item_of_that(house):
    agent = Remembering()
    talk = await own(house, agent).connect()
    thread_id = await talk.thread()
    await talk.run(thread_id, "one")
    agent.work = lambda turn: turn.wait_steered()
    turn = await talk.turn(thread_id, "two")

    outcome = (await compact(talk, thread_id)).outcome
    await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id))

    assert outcome == "compacted"
    assert [(item["turnId"], item["outcome"]) for item in talk.items("contextCompaction")] == [(turn.id, "compacted")]
    agent.work = agent._note
    await talk.run(thread_id, "three")
    assert agent.given[-1] == ("2", ["userMessage", "contextCompaction"])


async def test_an_agent_shortens_by_its_own_choice(house):
    async def work(turn):
        turn.compacted("all of it", before=100, after=3)

    talk = await own(house, work).connect()
    thread_id = await talk.thread()
    for script in ("one", "two"):
        await talk.run(thread_id, script)
    engine = house.server._state.work

    assert [item["outcome"] for item in talk.items("contextCompaction")] == ["unchanged", "compacted"]
    assert engine.threads.history(thread_id).compacted().summary == "all of it"


@pytest.mark.parametrize("fault", [AgentFailed("No."), RuntimeError("hunter2")])
async def test_an_agent_that_fails_leaves_the_conversation_as_it_was(house, fault):
    class Failing(Remembering):
        async def compact(self, conversation, run_config):
            raise fault

    agent = Failing()
    talk = await own(house, agent).connect()
    thread_id = await talk.thread()
    await talk.run(thread_id, "one")
    with pytest.raises(RemoteError, match="hostError") as refused:
        await compact(talk, thread_id)
    await talk.run(thread_id, "two")

    assert "hunter2" not in refused.value.message
    assert agent.given[-1] == (None, PAIR)


async def test_a_thread_that_is_deleted_meanwhile_is_not_there(house):
    agent = Remembering(wait=asyncio.Event())
    talk = await own(house, agent).connect()
    thread_id = await talk.thread()
    compacting = asyncio.ensure_future(compact(talk, thread_id))
    await talk.client.ping()
    await talk.client.thread_delete(ThreadDeleteParams(thread_id=thread_id))
    agent.wait.set()

    with pytest.raises(RemoteError, match="notFound"):
        await compacting


@pytest.mark.parametrize("agent", ["scripted", "echo"])
async def test_the_agents_of_this_package_keep_a_count(connect, agent):
    talk = await connect()
    thread_id = await talk.thread(agent=agent)
    await talk.run(thread_id, "text Hi")

    assert [(await compact(talk, thread_id)).outcome for _ in range(2)] == ["compacted", "unchanged"]
