"""A disk that takes its time keeps nobody waiting who does not wait for it, and nobody is told of what it may lose."""

import asyncio
import threading

import pytest

from store.conversation import THREAD, Client, server_over, steps
from turnwire.server.gates import Gates

OTHER = "other"
TALK = [{"type": "text", "text": "text Hello"}]


class SlowDisk:
    """A store over a disk that is as slow, or as broken, as a test wants it to be for one thread."""

    def __init__(self, store):
        self.rounds = 0
        self.fault = None
        self.tried = threading.Event()
        self.free = threading.Event()
        self.free.set()
        self._store = store

    def __getattr__(self, name):
        return getattr(self._store, name)

    def force(self, thread_id):
        forcing = self._store.force(thread_id)

        def slowly():
            if thread_id == THREAD:
                assert self.free.wait(100), "the test has forgotten its disk"
                self.rounds += 1
                if self.fault is not None:
                    self.tried.set()
                    raise self.fault
            forcing()

        return slowly


async def two_threads(disk):
    """A client that is subscribed to both threads."""
    server = server_over(disk)
    client = Client(server)
    await client.begin()
    for thread_id in (THREAD, OTHER):
        await client.ask("thread/start", threadId=thread_id)
    return server, client


async def end(disk, server, *clients):
    disk.free.set()
    for client in clients:
        await client.close()
    await server.close()


def told(client, thread_id=THREAD):
    """The numbers of what was announced of a thread, in the order in which it came."""
    return [
        heard["params"]["seq"]
        for heard in client.heard
        if heard.get("params", {}).get("seq") and _thread_of(heard["params"]) == thread_id
    ]


def _thread_of(params):
    return params.get("threadId") or params["thread"]["id"]


async def others_are_served(disk):
    server, client = await two_threads(disk)
    disk.free.clear()
    turn = (await client.ask("turn/start", threadId=THREAD, input=TALK))["turn"]
    # Another thread, on the same connection, works from its start to its end meanwhile.
    other = (await client.ask("turn/start", threadId=OTHER, input=TALK))["turn"]
    await client.ended_in(OTHER, other["id"])
    await client.ask("ping")
    stored = len(disk.events(THREAD))
    early = told(client)
    reading = asyncio.ensure_future(client.ask("thread/read", threadId=THREAD))
    await steps()
    waits = not reading.done()
    disk.free.set()
    await client.ended_in(THREAD, turn["id"])
    await reading
    seqs = told(client)
    await end(disk, server, client)
    return stored, early, waits, seqs


def test_other_threads_are_served_meanwhile(lasting):
    stored, early, waits, seqs = asyncio.run(others_are_served(SlowDisk(lasting(fsync="terminal"))))

    # The end of the turn is stored, and nobody has heard of it.
    assert (stored > early[-1], waits) == (True, True)
    assert seqs == list(range(1, stored + 1))


@pytest.mark.parametrize(("policy", "rounds"), [("never", 0), ("terminal", 1)])
def test_a_turn_is_forced_as_often_as_is_promised(lasting, policy, rounds):
    async def one_turn(disk):
        server, client = await two_threads(disk)
        before = disk.rounds
        await client.turn("text Hello there")
        took = disk.rounds - before
        await end(disk, server, client)
        return took

    assert asyncio.run(one_turn(SlowDisk(lasting(fsync=policy)))) == rounds


async def approve_slowly(disk):
    server, client = await two_threads(disk)
    started = (await client.ask("turn/start", threadId=THREAD, input=[{"type": "text", "text": "approve build"}]))[
        "turn"
    ]
    asked = await client.until(lambda message: message.get("method") == "approval/request")
    disk.free.clear()
    client._decide(asked, "accept")
    await steps()
    kinds = [event.type for event in disk.events(THREAD)]
    ran = sum(b'"toolCall"' in event.payload for event in disk.events(THREAD))
    disk.free.set()
    ended = await client.ended_in(THREAD, started["id"])
    ran_then = sum(b'"toolCall"' in event.payload for event in disk.events(THREAD))
    await end(disk, server, client)
    return kinds, ran, ran_then, ended["status"]


def test_nothing_runs_on_an_answer_that_may_be_lost(lasting):
    kinds, ran, ran_then, status = asyncio.run(approve_slowly(SlowDisk(lasting(fsync="terminal"))))

    assert (kinds[-1], ran) == ("approval/resolved", 0)
    assert (ran_then, status) == (2, "completed")


async def break_down(disk):
    server, client = await two_threads(disk)
    before = told(client)
    disk.fault = OSError(5, "Input/output error")
    refused = await client.reply("thread/update", threadId=THREAD, title="Lost")
    heard = told(client)
    other = (await client.ask("turn/start", threadId=OTHER, input=TALK))["turn"]
    await client.ended_in(OTHER, other["id"])
    disk.fault = None
    seen = (await client.ask("thread/resume", threadId=THREAD))["thread"]
    ended = await client.turn("text here again")
    await end(disk, server, client)
    return refused["error"]["code"], heard == before, seen["status"], ended["status"]


def test_what_the_disk_refuses_is_told_to_nobody(lasting):
    assert asyncio.run(break_down(SlowDisk(lasting(fsync="terminal")))) == (-32603, True, "idle", "completed")


async def break_down_in_a_turn(disk):
    server, client = await two_threads(disk)
    disk.fault = OSError(5, "Input/output error")
    turn = (await client.ask("turn/start", threadId=THREAD, input=TALK))["turn"]
    await asyncio.to_thread(disk.tried.wait, 100)
    await steps()
    disk.fault = None
    ends = [heard for heard in client.heard if heard.get("method") == "turn/completed"]
    turns = (await client.ask("thread/turns/list", threadId=THREAD))["data"]
    ended = await client.turn("text here again")
    await end(disk, server, client)
    return ends, [found["status"] for found in turns if found["id"] == turn["id"]], ended["status"]


def test_a_turn_whose_end_may_be_lost_has_not_ended_for_anybody(lasting):
    ends, statuses, again = asyncio.run(break_down_in_a_turn(SlowDisk(lasting(fsync="terminal"))))

    assert (ends, again) == ([], "completed")
    # It is in the file for whoever reads it again.
    assert statuses == ["completed"]


async def ask_too_much(disk, requests):
    server = server_over(disk, requests=requests)
    client = Client(server)
    await client.begin()
    for thread_id in (THREAD, OTHER):
        await client.ask("thread/start", threadId=thread_id)
    disk.free.clear()
    waiting = [
        asyncio.ensure_future(client.reply("thread/update", threadId=THREAD, title=f"Title {number}"))
        for number in range(requests + 2)
    ]
    await steps()
    refused = [task.result()["error"]["code"] for task in waiting if task.done()]
    disk.free.set()
    done = ["result" in await task for task in waiting]
    title = (await client.ask("thread/read", threadId=THREAD))["thread"]["title"]
    await end(disk, server, client)
    return refused, done, title


@pytest.mark.parametrize("requests", [1, 5])
def test_what_waits_for_the_disk_is_bounded(lasting, requests):
    refused, done, title = asyncio.run(ask_too_much(SlowDisk(lasting(fsync="terminal")), requests))

    # LIM-3: at the bound a request is accepted, beyond it refused before anything of it is done.
    assert (refused, done) == ([-32001] * 2, [True] * requests + [False] * 2)
    assert title == f"Title {requests - 1}"


async def hear_the_last_word(disk):
    server, client = await two_threads(disk)
    disk.free.clear()
    await client.ask("turn/start", threadId=THREAD, input=TALK)
    await steps()
    closing = asyncio.ensure_future(server.close())
    await steps()
    early = closing.done()
    disk.free.set()
    await closing
    ends = [heard["params"]["turn"]["status"] for heard in client.heard if heard.get("method") == "turn/completed"]
    await client.close()
    return early, ends


def test_a_server_that_stops_waits_for_its_disk(lasting):
    assert asyncio.run(hear_the_last_word(SlowDisk(lasting(fsync="terminal")))) == (False, ["completed"])


def test_without_gates_it_is_told_too_early(opener, monkeypatch):
    monkeypatch.setattr(Gates, "guard", lambda *_args: None)
    stored, early, waits, _seqs = asyncio.run(others_are_served(SlowDisk(opener(fsync="terminal"))))

    assert (stored > early[-1], waits) == (False, False)
