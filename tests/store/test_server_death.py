"""A server dies in the middle of a conversation; another one, over the same record, goes on with what there is."""

import asyncio
import os
import signal
from collections import Counter

import pytest

from store.conversation import THREAD, Client, converse, recorded, server_over
from store.processes import Child
from turnwire.store.chain import read, verify
from turnwire.store.opening import open_store

# The conversation records as many events; some of them are enough to die at.
EVENTS = 97


class Mortal:
    """A store that kills its process at an append, or another method of its: `before` it, or `after` it."""

    def __init__(self, store, calls, moment, method="append"):
        self._store = store
        self._left = calls
        self._moment = moment
        self._method = method

    def __getattr__(self, name):
        found = getattr(self._store, name)
        return self._counted(found) if name == self._method else found

    def _counted(self, call):
        def last(*args):
            self._left -= 1
            if self._left == 0 and self._moment == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = call(*args)
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return last


def die(opener, appends, moment):
    """A process that talks until it has appended so often, and then is no more; how many events it left."""

    def work(_report):
        store = open_store(opener.kind, opener.directory, fsync="never")
        asyncio.run(converse(Mortal(store, appends, moment)))

    with Child(work) as child:
        assert child.wait() == -signal.SIGKILL
    store = opener()
    left = list(store.lines(THREAD))
    store.close()
    assert len(left) == appends + (1 if moment == "after" else 0)
    return left


async def look(store):
    """What a client sees of the thread after the restart, and how a turn goes that it starts then."""
    server = server_over(store)
    client = Client(server)
    await client.begin()
    listed = (await client.ask("thread/list"))["data"]
    seen = await client.ask("thread/resume", threadId=THREAD)
    turns = (await client.ask("thread/turns/list", threadId=THREAD))["data"]
    items = (await client.ask("thread/items/list", threadId=THREAD))["data"]
    if seen["thread"]["status"] == "paused":
        await client.ask("turn/interrupt", threadId=THREAD)
    ended = await client.turn("text here we are")
    await client.close()
    await server.close()
    return listed, seen, turns, items, ended


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("appends", [*range(1, EVENTS - 1, 11), 31, 32, 81, 82, 83, 84, 86])
def test_death_at_an_append_leaves_a_thread_that_goes_on(opener, appends, moment):
    left = die(opener, appends, moment)
    listed, seen, turns, items, ended = asyncio.run(look(opener()))
    stored = list(open_store(opener.kind, opener.directory, fsync="never").lines(THREAD))
    kinds = Counter(read(line).type for line in stored)

    assert stored[: len(left)] == left
    assert verify(stored).fault is None
    assert [(found["id"], found["status"]) for found in listed] == [(THREAD, seen["thread"]["status"])]
    assert seen["thread"]["status"] in ("idle", "paused")
    assert "activeTurn" not in seen
    assert {turn["status"] for turn in turns} <= {"completed", "failed", "interrupted", "paused"}
    assert {turn.get("endReason") for turn in turns} <= {None, "error", "user", "crash"}
    assert "inProgress" not in {item["status"] for item in items}
    assert ended["status"] == "completed"
    assert kinds["turn/started"] == kinds["turn/completed"]


@pytest.mark.parametrize("appends", [31, 82])
def test_death_while_it_waits_pauses_the_turn(lasting, appends):
    die(lasting, appends, "after")
    _listed, seen, *_rest, ended = asyncio.run(look(lasting()))

    assert seen["thread"]["status"] == "paused"
    assert ended["status"] == "completed"


async def wait_for_ever(store):
    """A turn that asks and gets no answer."""
    client = Client(server_over(store))
    await client.begin()
    await client.ask("thread/start", threadId=THREAD)
    await client.ask("turn/start", threadId=THREAD, input=[{"type": "text", "text": 'approve build {"x":1}'}])
    return client


async def answer_after_restart(store):
    """The nonce that the question has now, the turn that resumes, and what ran in it."""
    server = server_over(store)
    client = Client(server)
    await client.begin()
    seen = await client.ask("thread/resume", threadId=THREAD)
    approval = seen["pending"][0]["approval"]
    decision = {
        "approvalId": approval["approvalId"],
        "answer": {"decision": "accept", "nonce": approval["binding"]["nonce"]},
    }
    turn = (await client.ask("turn/start", threadId=THREAD, resume={"decisions": [decision]}))["turn"]
    ended = await client.ended(turn["id"])
    items = (await client.ask("thread/items/list", threadId=THREAD))["data"]
    await client.close()
    await server.close()
    return seen, approval, ended, [item for item in items if item["type"] == "toolCall"]


def test_a_question_survives_its_server(lasting):
    def work(report):
        async def ask():
            client = await wait_for_ever(open_store(lasting.kind, lasting.directory, fsync="never"))
            await client.until(lambda message: message.get("method") == "approval/request")
            nonce = client.requests[0]["params"]["approval"]["binding"]["nonce"]
            report(int(nonce[:15], 36) % 2**62)
            await asyncio.Event().wait()

        asyncio.run(ask())

    with Child(work) as child:
        old = child.report()
    seen, approval, ended, tools = asyncio.run(answer_after_restart(lasting()))

    assert (seen["thread"]["status"], seen["thread"]["pausedBy"]) == ("paused", "turn")
    assert int(approval["binding"]["nonce"][:15], 36) % 2**62 != old
    assert ended["status"] == "completed"
    assert [(tool["status"], tool["executionStarted"]) for tool in tools] == [("completed", True)]


def test_another_process_may_look_and_not_touch(lasting):
    def work(report):
        async def hold():
            client = await wait_for_ever(open_store(lasting.kind, lasting.directory, fsync="never"))
            await client.until(lambda message: message.get("method") == "approval/request")
            report(1)
            await asyncio.Event().wait()

        asyncio.run(hold())

    async def touch():
        server = server_over(lasting())
        client = Client(server)
        await client.begin()
        header = (await client.ask("thread/read", threadId=THREAD))["thread"]
        turns = (await client.ask("thread/turns/list", threadId=THREAD))["data"]
        client._send({"id": 99, "method": "turn/start", "params": {"threadId": THREAD, "input": INPUT}})
        refused = await client.until(lambda message: message.get("id") == 99)
        await client.close()
        await server.close()
        return header, turns, refused

    with Child(work) as child:
        child.report()
        header, turns, refused = asyncio.run(touch())

    assert (header["status"], header["activeTurn"]["status"]) == ("active", "waitingApproval")
    assert [turn["status"] for turn in turns] == ["waitingApproval"]
    assert (refused["error"]["code"], refused["error"]["data"]["reason"]) == (-32009, "heldElsewhere")


INPUT = [{"type": "text", "text": "hello"}]


def test_limits_say_when_the_disk_is_forced(lasting):
    async def limits():
        server = server_over(lasting(fsync="always"))
        client = Client(server)
        hello = {"protocolVersion": 1, "clientInfo": {"name": "t", "version": "1"}, "capabilities": {}}
        said = await client.ask("initialize", **hello)
        await client.close()
        await server.close()
        return said["limits"]["fsync"]

    assert asyncio.run(limits()) == "always"


def test_every_store_records_the_same_conversation(lasting):
    asyncio.run(converse(lasting()))
    in_memory = [read(line).type for line in asyncio.run(recorded())]

    assert [read(line).type for line in lasting().lines(THREAD)] == in_memory
    assert len(in_memory) == EVENTS
