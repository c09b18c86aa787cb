"""Two servers in two processes on one state directory: no turn runs twice, and no record is mixed up (TURN-11)."""

import asyncio
import os
from collections import Counter

import msgspec
import pytest

from store.conversation import Client, server_over
from store.processes import Child
from store.test_kill import RACES
from turnwire.store.opening import open_store
from turnwire.store.rollout import verify

THREADS = 4
# What one process reports of a race: what it was told.
REFUSED, RAN, REPLAYED = 0, 1, 2
HELD_ELSEWHERE = -32009


def racing(opener, go):
    """A server that tries to run a turn in the same thread at the same moment as the other one, race after race."""

    def work(report):
        os.close(go[1])
        asyncio.run(race_on(open_store(opener.kind, opener.directory, fsync="never"), go[0], report))

    return work


async def race_on(store, go, report):
    server = server_over(store)
    client = Client(server)
    await client.begin()
    await client.ask("thread/list")
    report(REFUSED)
    for race in range(RACES):
        await asyncio.to_thread(os.read, go, 1)
        # Every other race has one key for both.
        key = {"idempotencyKey": f"race{race}"} if race % 2 else {}
        script = f'tool race{race} {{"by":{os.getpid()}}}\ntext done'
        text = [{"type": "text", "text": script if not key else f"tool race{race}\ntext done"}]
        reply = await client.reply("turn/start", threadId=f"t{race % THREADS}", input=text, **key)
        report(await what_came(client, reply))
    await client.close()
    await server.close()


async def what_came(client, reply):
    if "error" in reply:
        assert reply["error"]["code"] == HELD_ELSEWHERE, reply
        return REFUSED
    turn = reply["result"]["turn"]
    async with asyncio.timeout(100):
        # Whoever subscribed would keep the thread from the other process, so nobody is told.
        while (await client.ask("thread/read", threadId=turn["threadId"]))["thread"]["status"] != "idle":  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    return REPLAYED if reply["result"].get("replayed") else RAN


def test_two_servers_never_run_a_turn_twice(lasting):
    store = lasting()
    server = server_over(store)
    asyncio.run(begin(server))
    goes = os.pipe(), os.pipe()
    outcomes = []
    with Child(racing(lasting, goes[0])) as one, Child(racing(lasting, goes[1])) as other:
        assert (one.report(), other.report()) == (REFUSED, REFUSED)
        for _ in range(RACES):
            for go in goes:
                os.write(go[1], b"!")
            outcomes.append((one.report(), other.report()))
        assert (one.wait(), other.wait()) == (0, 0)
    for go in goes:
        os.close(go[0])
        os.close(go[1])
    ran, turns = what_ran(lasting())

    assert [found.fault for found in verify(lasting.directory)] == [None] * THREADS
    for race, outcome in enumerate(outcomes):
        started = outcome.count(RAN)
        assert 1 <= started <= (1 if race % 2 else 2), (race, outcome)
        # Each turn ran its tool once, and no more turns than were answered for.
        assert (turns[f"race{race}"], ran[f"race{race}"]) == (started, started)


async def begin(server):
    client = Client(server)
    await client.begin()
    for number in range(THREADS):
        await client.ask("thread/start", threadId=f"t{number}")
    await client.close()
    await server.close()


def what_ran(store):
    """How often each tool was started, and how many turns were to."""
    ran, turns = Counter(), Counter()
    for number in range(THREADS):
        events = store.events(f"t{number}")
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        kinds = Counter(event.type for event in events)
        assert kinds["turn/started"] == kinds["turn/completed"]
        assert alternating([event.type for event in events])
        for event in events:
            params = msgspec.json.decode(event.payload)
            if event.type == "item/started" and params["item"]["type"] == "toolCall":
                ran[params["item"]["toolName"]] += 1
            if event.type == "turn/started":
                turns[params["turn"]["input"][0]["text"].split()[1]] += 1
    return ran, turns


def alternating(types):
    """Whether a turn ends before the next one starts: what two processes recorded is not mixed up."""
    ends = [type_ for type_ in types if type_ in ("turn/started", "turn/completed")]
    return ends == ["turn/started", "turn/completed"] * (len(ends) // 2)


@pytest.mark.parametrize(
    ("types", "whole"),
    [(["turn/started", "turn/completed"], True), (["turn/started", "turn/started", "turn/completed"] * 2, False)],
)
def test_what_is_mixed_up_is_seen(types, whole):
    assert alternating(types) is whole
