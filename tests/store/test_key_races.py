"""One key in two processes: the request is carried out once, and both hear what came of it (REC-5)."""

import asyncio
import os
import signal
from hashlib import sha256

import msgspec
import pytest

from store.conversation import Client
from store.deaths import die_at
from store.processes import Child
from store.test_kill import RACES
from turnwire.agents.base import Agent, text_of
from turnwire.server import DefaultHost, Server
from turnwire.store.opening import open_store
from turnwire.store.rollout import verify
from turnwire.wire import AgentSupport, Review

INPUT = [{"type": "text", "text": "Hi"}]
# What one process reports of a race: what it was told.
RAN, REPLAYED = 1, 2


class Able(Agent):
    """Can do all that a request with a key asks of an agent."""

    supports = AgentSupport(fork=True, rewind=True, steer=True, review=True)

    async def run(self, turn):
        with turn.message() as message:
            await message.write(text_of(turn.input))

    async def review(self, turn, target):
        return Review(findings=[])


def params_of(method, thread):
    """A request about a thread, which is its id and that of its first item."""
    thread_id, item_id = thread
    return {
        "thread/start": {"title": "Once"},
        "thread/fork": {"threadId": thread_id},
        "thread/rewind": {"threadId": thread_id, "itemId": item_id},
        "thread/delete": {"threadId": thread_id},
        "turn/start": {"threadId": thread_id, "input": INPUT},
        "turn/enqueue": {"threadId": thread_id, "input": INPUT},
        "review/start": {"threadId": thread_id, "target": {"type": "uncommittedChanges"}},
    }[method]


METHODS = (
    *("thread/start", "thread/fork", "thread/rewind", "thread/delete"),
    *("turn/start", "turn/enqueue", "review/start"),
)


async def opened(store):
    """A server, and a client of it that knows what there is."""
    server = Server(DefaultHost(Able()), store=store)
    client = Client(server)
    await client.begin()
    await client.ask("thread/list")
    return server, client


async def closed(server, client):
    await client.close()
    await server.close()


async def threads_in(store, count):
    """So many threads of one turn: the id of each, and of its first item."""
    server, client = await opened(store)
    threads = []
    for number in range(count):
        thread_id = f"t{number}"
        await client.ask("thread/start", threadId=thread_id)
        turn = (await client.ask("turn/start", threadId=thread_id, input=INPUT))["turn"]
        await client.ended(turn["id"], thread_id)
        items = (await client.ask("thread/items/list", threadId=thread_id))["data"]
        threads.append((thread_id, items[0]["id"]))
    await closed(server, client)
    return threads


def effects(store, key):
    """How often something was begun under a key, in any thread, or noted of what is gone."""
    begun = [event for header in store.headers() for event in store.events(header.id) if event.idempotency_key == key]
    gone = [note for note in store.notes() if note.deletion is not None and note.deletion.key == key]
    return len(begun) + len(gone)


def mark_of(result):
    """A number for what a request came to: whoever hears of it again gets the same."""
    first = {name: value for name, value in result.items() if name != "replayed"}
    return int.from_bytes(sha256(msgspec.json.encode(first, order="deterministic")).digest()[:7])


def racing(opener, method, threads, go):
    """A server that is asked to do the same as the other one at the same moment, race after race."""

    async def race(report):
        server, client = await opened(open_store(opener.kind, opener.directory, fsync="never"))
        report(0)
        for number in range(RACES):
            await asyncio.to_thread(os.read, go[0], 1)
            result = await client.ask(method, **params_of(method, threads[number]), idempotencyKey=f"race{number}")
            report(REPLAYED if result.get("replayed") else RAN)
            report(mark_of(result))
        await closed(server, client)

    def work(report):
        os.close(go[1])
        asyncio.run(race(report))

    return work


@pytest.mark.parametrize("method", METHODS)
def test_two_servers_carry_out_one_request_once(lasting, method):
    threads = asyncio.run(threads_in(lasting(), RACES))
    goes = os.pipe(), os.pipe()
    outcomes = []
    with (
        Child(racing(lasting, method, threads, goes[0])) as one,
        Child(racing(lasting, method, threads, goes[1])) as other,
    ):
        assert (one.report(), other.report()) == (0, 0)
        for _ in range(RACES):
            for go in goes:
                os.write(go[1], b"!")
            told = (one.report(), one.report()), (other.report(), other.report())
            outcomes.append((sorted(outcome for outcome, _ in told), len({mark for _, mark in told})))
        assert (one.wait(), other.wait()) == (0, 0)
    for go in goes:
        os.close(go[0])
        os.close(go[1])
    store = lasting()

    assert outcomes == [([RAN, REPLAYED], 1)] * RACES
    assert [effects(store, f"race{number}") for number in range(RACES)] == [1] * RACES
    assert {found.fault for found in verify(lasting.directory)} <= {None}


def dying(opener, step, moment, method, **params):
    """A server that dies at a step of what it is asked to do, and reports when it did not."""

    async def ask(report):
        _server, client = await opened(open_store(opener.kind, opener.directory, fsync="never"))
        die_at("step", step, moment)
        await client.ask(method, **params)
        report(1)

    return lambda report: asyncio.run(ask(report))


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("method", ["thread/start", "thread/fork", "thread/delete"])
def test_who_waits_for_one_that_dies_goes_on_from_what_it_left(lasting, method, moment):
    """Another process that was there all the time finds what the first one had stored, or does it itself."""
    steps = 60
    threads = asyncio.run(threads_in(lasting(), steps))

    async def outlive():
        server, client = await opened(lasting())
        for step in range(1, steps):
            key, thread = f"step{step}", threads[step]
            params = {**params_of(method, thread), "idempotencyKey": key}
            with Child(dying(lasting, step, moment, method, **params)) as child:
                survived = child.report()
                assert child.wait() in (0, -signal.SIGKILL)
            again = await client.ask(method, **params)
            assert effects(lasting(), key) == 1, (step, again)
            if method == "thread/delete":
                assert (await client.reply("thread/read", threadId=thread[0]))["error"]["code"] == -32004
            if survived:
                break
        await closed(server, client)
        return step

    # Both stores take more steps than two: to lock the key, to store, to let the key go.
    assert 3 < asyncio.run(outlive()) < steps - 1
