"""A request with a key runs once, whoever dies in between (REC-5)."""

import asyncio

import pytest

from store.conversation import THREAD, Client, server_over
from store.processes import Child
from store.test_server_death import Mortal
from turnwire.store.chain import read
from turnwire.store.opening import open_store

INPUT = [{"type": "text", "text": "text Once\nnotice Done"}]


async def ask(store, *requests, subscribed=False):
    """The answers to requests, over one connection of a new server; turns come to their end."""
    server = server_over(store)
    client = Client(server)
    await client.begin()
    if subscribed:
        await client.ask("thread/resume", threadId=THREAD)
    answers = []
    for method, params in requests:
        number = 1000 + len(answers)
        client._send({"id": number, "method": method, "params": params})
        answers.append(await client.until(lambda message, number=number: message.get("id") == number))
        turn = answers[-1].get("result", {}).get("turn")
        if turn is not None and "replayed" not in answers[-1]["result"]:
            await client.ended(turn["id"])
    await client.close()
    await server.close()
    return answers


def started(**params):
    return ("thread/start", {"title": "Keyed", "idempotencyKey": "start", **params})


def turned(**params):
    return ("turn/start", {"threadId": THREAD, "input": INPUT, "idempotencyKey": "turn", **params})


def test_a_thread_is_started_once(lasting):
    (first,) = asyncio.run(ask(lasting(), started()))
    again, other, fresh, listed = asyncio.run(
        ask(lasting(), started(), started(title="Other"), started(idempotencyKey="new"), ("thread/list", {}))
    )

    assert again["result"]["replayed"] is True
    assert again["result"]["thread"] == first["result"]["thread"]
    assert (other["error"]["code"], other["error"]["data"]["reason"]) == (-32009, "idempotencyKey")
    assert fresh["result"]["thread"]["id"] != first["result"]["thread"]["id"]
    assert len(listed["result"]["data"]) == 2


def test_a_turn_is_started_once(lasting):
    _thread, first = asyncio.run(ask(lasting(), started(threadId=THREAD), turned()))
    again, other, turns = asyncio.run(
        ask(lasting(), turned(), turned(input=[{"type": "text", "text": "Other"}]), turns_of())
    )

    assert again["result"] == {**first["result"], "replayed": True}
    assert (other["error"]["code"], other["error"]["data"]["reason"]) == (-32009, "idempotencyKey")
    assert [turn["id"] for turn in turns["result"]["data"]] == [first["result"]["turn"]["id"]]


def turns_of():
    return ("thread/turns/list", {"threadId": THREAD})


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("appends", range(1, 13))
def test_death_in_between_runs_nothing_twice(lasting, appends, moment):
    def work(_report):
        store = open_store(lasting.kind, lasting.directory, fsync="never")
        asyncio.run(ask(Mortal(store, appends, moment), started(threadId=THREAD), turned()))

    with Child(work) as child:
        child.wait()
    began, turned_, turns, items = asyncio.run(
        ask(
            lasting(),
            started(threadId=THREAD),
            turned(),
            turns_of(),
            ("thread/items/list", {"threadId": THREAD}),
        )
    )
    stored = [read(line) for line in lasting().lines(THREAD)]

    assert began["result"]["thread"]["id"] == THREAD
    assert began["result"]["replayed"] is True
    assert [turn["id"] for turn in turns["result"]["data"]] == [turned_["result"]["turn"]["id"]]
    assert [item["type"] for item in items["result"]["data"]].count("userMessage") <= 1
    assert [event.type for event in stored if event.idempotency_key == "turn"] == ["turn/started"]


def ended_after(message, turn_id):
    """Whether it tells of the end of the turn that waited behind another one."""
    return message.get("method") == "turn/completed" and message["params"]["turn"]["id"] != turn_id


def enqueued(**params):
    return ("turn/enqueue", {"threadId": THREAD, "input": INPUT, "idempotencyKey": "queue", **params})


@pytest.mark.parametrize("appends", range(1, 24, 2))
def test_death_enqueues_nothing_twice(opener, appends):
    slow = {"threadId": THREAD, "input": [{"type": "text", "text": "slow 3 10"}]}

    async def fill(store):
        server = server_over(store)
        client = Client(server)
        await client.begin()
        await client.ask("thread/start", threadId=THREAD, idempotencyKey="start", title="Keyed")
        turn = (await client.ask("turn/start", **slow))["turn"]
        await client.ask(*enqueued()[:1], **enqueued()[1])
        await client.until(lambda message: ended_after(message, turn["id"]))

    def work(_report):
        asyncio.run(fill(Mortal(open_store("jsonl", opener.directory, fsync="never"), appends, "after")))

    with Child(work) as child:
        child.wait()
    _began, queued, listed, turns = asyncio.run(
        ask(opener(), started(threadId=THREAD), enqueued(), ("turn/queue/list", {"threadId": THREAD}), turns_of())
    )
    waiting = [entry for entry in listed["result"]["entries"] if entry["input"] == INPUT]
    begun = [turn for turn in turns["result"]["data"] if turn["input"] == INPUT]

    assert "result" in queued
    assert len(waiting) + len(begun) == 1


def test_a_key_dies_with_its_thread(lasting):
    (first,) = asyncio.run(ask(lasting(), started()))
    _gone, again = asyncio.run(
        ask(lasting(), ("thread/delete", {"threadId": first["result"]["thread"]["id"]}), started())
    )

    assert "replayed" not in again["result"]


def forked(**params):
    return ("thread/fork", {"threadId": THREAD, "idempotencyKey": "fork", **params})


def test_a_thread_is_forked_once(lasting):
    *_done, first = asyncio.run(ask(lasting(), started(threadId=THREAD), turned(), forked()))
    again, other, listed = asyncio.run(ask(lasting(), forked(), forked(newThreadId="other"), ("thread/list", {})))

    assert again["result"] == {**first["result"], "replayed": True}
    assert other["error"]["data"]["reason"] == "idempotencyKey"
    assert len(listed["result"]["data"]) == 2


def test_a_thread_is_rewound_once(lasting):
    _thread, first, listed = asyncio.run(
        ask(lasting(), started(threadId=THREAD), turned(), ("thread/items/list", {"threadId": THREAD}))
    )
    rewound = {"threadId": THREAD, "itemId": listed["result"]["data"][0]["id"], "idempotencyKey": "rewind"}
    once, _later = asyncio.run(
        ask(lasting(), ("thread/rewind", rewound), turned(idempotencyKey="later"), subscribed=True)
    )
    again, turns = asyncio.run(ask(lasting(), ("thread/rewind", rewound), turns_of()))

    assert again["result"] == {**once["result"], "replayed": True}
    assert len(turns["result"]["data"]) == 2
    assert turns["result"]["data"][0]["id"] == first["result"]["turn"]["id"]


def test_the_same_key_starts_and_forks(lasting):
    same = {"idempotencyKey": "start"}
    begun, _turn, copy = asyncio.run(ask(lasting(), started(threadId=THREAD), turned(), forked(**same)))
    again, copied = asyncio.run(ask(lasting(), started(threadId=THREAD), forked(**same)))

    assert again["result"]["thread"]["id"] == begun["result"]["thread"]["id"]
    assert copied["result"]["thread"]["id"] == copy["result"]["thread"]["id"] != THREAD


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_copy_is_whole_or_not_there(lasting, moment):
    asyncio.run(ask(lasting(), started(threadId=THREAD), turned()))

    def work(_report):
        store = open_store(lasting.kind, lasting.directory, fsync="never")
        asyncio.run(ask(Mortal(store, 1, moment, "adopt"), forked()))

    with Child(work) as child:
        child.wait()
    copy, listed = asyncio.run(ask(lasting(), forked(), ("thread/list", {})))
    turns, items = asyncio.run(
        ask(lasting(), *((what, {"threadId": copy["result"]["thread"]["id"]}) for what in LISTS))
    )

    assert copy["result"].get("replayed", False) is (moment == "after")
    assert len(listed["result"]["data"]) == 2
    assert [turn["status"] for turn in turns["result"]["data"]] == ["completed"]
    assert len(items["result"]["data"]) == 3


LISTS = ("thread/turns/list", "thread/items/list")
