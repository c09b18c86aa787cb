"""A history that is read again and again, without loading its thread, is always the one that the record tells."""

import asyncio

import pytest

from store.conversation import THREAD, Client, converse, server_over
from turnwire.server.hub import Hub
from turnwire.server.threads import Threads
from turnwire.store.chain import read
from turnwire.store.history import History
from turnwire.store.rollout import prune


def told(history):
    """What lists show of it."""
    items = [(place, history.item(item_id)) for place, item_id in history.item_places]
    return history.header, [(place, history.turns[turn_id]) for place, turn_id in history.turn_places], items


async def talk_on(store, *scripts):
    server = server_over(store)
    client = Client(server)
    await client.begin()
    await client.ask("thread/resume", threadId=THREAD)
    for script in scripts:
        await client.turn(script)
    await client.close()
    await server.close()


async def start_anew(store):
    server = server_over(store)
    client = Client(server)
    await client.begin()
    await client.ask("thread/delete", threadId=THREAD)
    await client.ask("thread/start", threadId=THREAD, title="Another")
    for number in range(30):
        await client.turn(f"text {number}")
    await client.close()
    await server.close()


@pytest.mark.parametrize(
    "change",
    [
        lambda _lasting: None,
        lambda lasting: asyncio.run(talk_on(lasting(), "text more", "tool look\nfail now")),
        lambda lasting: prune(lasting.directory, THREAD, before=30, now=1),
        lambda lasting: prune(lasting.directory, THREAD, before=1000, now=1),
        lambda lasting: asyncio.run(start_anew(lasting())),
    ],
    ids=["nothing", "more", "pruned", "pruned to its end", "another thread"],
)
def test_what_was_read_before_is_gone_on_with(lasting, change):
    asyncio.run(converse(lasting()))
    threads = Threads(lasting(), Hub())
    first = threads.history(THREAD)
    change(lasting)
    again = threads.history(THREAD)
    anew = History.load(map(read, lasting().lines(THREAD)))

    assert told(again) == told(anew)
    assert len(first.item_places) > 5


def test_few_are_kept(lasting):
    store = lasting()
    asyncio.run(converse(store))
    threads = Threads(lasting(), Hub())
    before = threads.history(THREAD)

    assert threads.history(THREAD) is before
    assert len(threads._read) == 1


def test_a_rewind_takes_places_back(any_store):
    async def rewind():
        server = server_over(any_store)
        client = Client(server)
        await client.begin()
        await client.ask("thread/start", threadId=THREAD)
        for number in range(3):
            await client.turn(f"text {number}")
        items = (await client.ask("thread/items/list", threadId=THREAD))["data"]
        await client.ask("thread/rewind", threadId=THREAD, itemId=items[1]["id"])
        await client.turn("text again")
        left = (await client.ask("thread/items/list", threadId=THREAD))["data"]
        turns = (await client.ask("thread/turns/list", threadId=THREAD))["data"]
        history = History.load(map(read, any_store.lines(THREAD)))
        await client.close()
        return items, left, turns, history

    items, left, turns, history = asyncio.run(rewind())

    assert [item["id"] for item in left][:2] == [item["id"] for item in items][:2]
    assert [item_id for _place, item_id in history.item_places] == [item["id"] for item in left]
    assert [turn_id for _place, turn_id in history.turn_places] == [turn["id"] for turn in turns]
