"""One byte of 100,000 events is changed, anywhere: its event is named, and the thread beside it is served.

`pytest tests/store/test_long_damage.py --flips 500` is the whole of it, for each store; a smaller number is a part.
"""

import asyncio
import random
from contextlib import contextmanager
from functools import cache

import pytest

from store.conversation import Client, server_over
from store.processes import lasting_directory
from store.records import event, first, header
from turnwire.store.chain import link
from turnwire.store.opening import STORES, open_store
from turnwire.store.rollout import verify

EVENTS = 100_000
INPUT = [{"type": "text", "text": "text here I am"}]


def pytest_generate_tests(metafunc):
    if "flip" in metafunc.fixturenames:
        metafunc.parametrize("flip", range(metafunc.config.getoption("flips")))


@cache
def written(kind):
    """A directory with a long thread and a short one, and the lines of the long one."""
    directory = lasting_directory() / "state"
    store = open_store(kind, directory, fsync="never")
    lines = []
    head = store.create(header("long"), first("long"))
    for seq in range(2, EVENTS + 1):
        line, head = link(head, event(seq, text="some text " * (seq % 7)))
        lines.append(line)
    store.adopt(header("long", EVENTS), lines)
    lines.insert(0, next(iter(store.lines("long", 0, 1))))
    store.create(header("beside"), first("beside"))
    store.close()
    (path,) = (directory / "threads").glob("long-*") if kind == "jsonl" else [directory / "record.sqlite"]
    return directory, path, lines


@contextmanager
def changed(path, position, bit):
    """The file with one bit that is not as it was."""
    with path.open("r+b") as file:
        file.seek(position)
        (byte,) = file.read(1)
        file.seek(position)
        file.write(bytes([byte ^ bit]))
        file.flush()
        yield
        file.seek(position)
        file.write(bytes([byte]))


@cache
def content(path):
    return path.read_bytes()


@pytest.mark.parametrize("kind", STORES)
def test_a_changed_byte_is_named_and_the_others_are_served(kind, flip):
    directory, path, lines = written(kind)
    chance = random.Random(flip)
    number = chance.randrange(EVENTS)
    # The line end is a byte of the record too, where there is one.
    within = chance.randrange(len(lines[number]) + (kind == "jsonl"))
    with changed(path, content(path).index(lines[number]) + within, 1 << chance.randrange(8)):
        checked = {found.thread_id: found for found in verify(directory)}
        beside = checked.pop("beside")
        (damaged,) = checked.values()
        served = asyncio.run(serve(directory, kind)) if flip % 5 == 0 else SERVED
    if flip % 5 == 0:
        # What was added to a database may have moved rows to other pages, and left their old bytes behind.
        path.write_bytes(content(path))

    assert (beside.fault, damaged.events) == (None, number)
    assert damaged.fault.startswith(f"line {number + 1}, ")
    assert served == SERVED


# What a client gets: the list, an answer for the damaged thread, the end of a turn in the one beside it.
SERVED = (["beside"], -32603, "completed")


async def serve(directory, kind):
    told = []
    store = open_store(kind, directory, fsync="never", tell=told.append)
    before = store.head("beside")
    server = server_over(store)
    client = Client(server)
    await client.begin()
    refused = await client.reply("thread/resume", threadId="long")
    await client.ask("thread/resume", threadId="beside")
    turn = (await client.ask("turn/start", threadId="beside", input=INPUT))["turn"]
    ended = await client.ended_in("beside", turn["id"])
    found = [thread["id"] for thread in (await client.ask("thread/list"))["data"]]
    await client.close()
    await server.close()
    assert before is not None
    assert [sentence for sentence in told if "Set aside as damaged" in sentence]
    return found, refused["error"]["code"], ended["status"]
