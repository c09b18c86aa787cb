"""A server that is killed, at random and at each point that matters: what was announced is there, and all can go on.

`pytest tests/store/test_crash.py --crashes 200` is the whole of it, for each store; a smaller number is a part of it.
"""

import asyncio
import os
import random
import shutil
import signal
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import msgspec
import pytest

from store.conversation import Client, server_over
from store.deaths import MOMENTS, POINTS, count_calls, die_at
from store.processes import Child, lasting_directory
from store.witness import Witness
from turnwire.store.chain import PRUNED, read
from turnwire.store.files import Files
from turnwire.store.opening import STORES, open_store
from turnwire.store.rollout import export, migrate, prune, verify
from turnwire.transports.stdio import StdioTransport

THREADS = ("one", "two")
SCRIPTS = (
    "text Hello there, this is a sentence.\nusage 3 4",
    'tool look {"at":1}\nplan one; two\nnotice look',
    "approve build\ntext built",
    "approve drop\ntext went on",
    "text a\nfail it is over",
)
# How a process ends: at any moment, at a point of a server, or at a step of a tool.
WAYS = ("random", "append", "announce", "random", "force", "step", "prune", "migrate")


def pytest_generate_tests(metafunc):
    if "crash" in metafunc.fixturenames:
        metafunc.parametrize("crash", range(metafunc.config.getoption("crashes")))


@pytest.mark.parametrize("kind", STORES)
def test_a_crash_takes_nothing_that_was_told(tmp_path, kind, crash):
    way = WAYS[crash % len(WAYS)]
    chance = random.Random(crash)
    if way == "prune":
        crash_while_pruning(tmp_path / "state", kind, chance)
    elif way == "migrate":
        crash_while_migrating(tmp_path, kind, chance)
    else:
        crash_a_server(tmp_path / "state", kind, way, chance)


def crash_a_server(directory, kind, way, chance):
    witness = talk(
        directory, kind, killer(kind, way, chance), after=chance.uniform(0, 0.15) if way == "random" else None
    )
    check(witness.announced(), directory, kind)


def check(announced, directory, kind):
    """All that was announced is there, every chain is whole, and every turn has one end, when another server came."""
    asyncio.run(look(directory, kind))
    store = open_store(kind, directory, fsync="never")
    stored = {thread_id: {event.seq: event for event in store.events(thread_id)} for thread_id in THREADS}
    store.close()

    for (thread_id, seq), (method, params) in announced.items():
        event = stored[thread_id][seq]
        assert (method, params) == (event.type, msgspec.json.decode(event.payload))
    assert [checked.fault for checked in verify(directory)] == [None] * len([one for one in stored.values() if one])
    for events in stored.values():
        kinds = Counter(event.type for event in events.values())
        ends = Counter(_turn_of(event) for event in events.values() if event.type == "turn/completed")
        assert set(ends.values()) <= {1}
        assert kinds["turn/started"] == kinds["turn/completed"] == len(ends)


def killer(kind, way, chance):
    """What a child does to itself before it serves; nothing where it is killed from outside."""
    if way == "random":
        return None
    number = chance.randint(1, calls_of(kind, way))
    moment = chance.choice(MOMENTS)
    return lambda: die_at(way, number, moment)


def talk(directory, kind, prepare, *, after):
    """Talks with a server in a child until it is dead; the client that did. `after` so many seconds it is killed."""
    to_server, to_client = os.pipe(), os.pipe()

    def work(_report):
        os.close(to_server[1])
        os.close(to_client[0])
        trust_the_kernel()
        if prepare is not None:
            prepare()
        store = open_store(kind, directory, tell=lambda _sentence: None)
        asyncio.run(server_over(store).serve_last(StdioTransport(to_server[0], to_client[1])))

    with Child(work) as child:
        os.close(to_server[0])
        os.close(to_client[1])
        witness = Witness(to_client[0], to_server[1])
        drive(witness, after=after)
        child.kill()
        # What it wrote before its death is told.
        witness.listen(lambda _message: False)
        witness.close()
    return witness


def trust_the_kernel():
    """A kill takes nothing from the kernel, and the disk of a machine that runs tests is slow."""
    Files.sync = lambda _self, _descriptor: None
    Files.sync_directory = lambda _self, _path: None


def drive(witness, *, after):
    """Everything at once: two threads, with turns that wait for each other; `after` so many seconds it is enough."""
    witness.ask("initialize", protocolVersion=1, clientInfo={"name": "crash", "version": "1"}, capabilities=ABLE)
    for thread_id in THREADS:
        witness.ask("thread/start", threadId=thread_id)
    for script in SCRIPTS:
        for thread_id in THREADS:
            witness.ask("turn/enqueue", threadId=thread_id, input=[{"type": "text", "text": script}])
    witness.listen(lambda message: message.get("id") == 1)
    done = lambda _message: _ends(witness) == len(SCRIPTS) * len(THREADS)  # noqa: E731 - it is said twice
    if after is not None:
        witness.listen(done, seconds=after)
    elif witness.listen(done):
        # It has not reached the point yet; the rest of its life is the end.
        witness.ask("shutdown")
        witness.listen(lambda message: message.get("id") == witness._ids)


ABLE = {"approvals": True}


def _ends(witness):
    return sum(message.get("method") == "turn/completed" for message in witness.heard)


def _turn_of(event):
    return msgspec.json.decode(event.payload)["turn"]["id"]


async def look(directory, kind):
    """Another server goes on with every thread that there is."""
    store = open_store(kind, directory, fsync="never", tell=lambda _sentence: None)
    server = server_over(store)
    client = Client(server)
    await client.begin()
    for found in (await client.ask("thread/list"))["data"]:
        seen = (await client.ask("thread/resume", threadId=found["id"]))["thread"]
        assert seen["status"] in ("idle", "paused")
        assert "activeTurn" not in seen
        items = (await client.ask("thread/items/list", threadId=found["id"], limit=500))["data"]
        assert "inProgress" not in {item["status"] for item in items}
        if seen["status"] == "paused":
            await client.ask("turn/interrupt", threadId=found["id"])
        text = [{"type": "text", "text": "text here we are"}]
        turn = (await client.ask("turn/start", threadId=found["id"], input=text))["turn"]
        assert (await client.ended_in(found["id"], turn["id"]))["status"] == "completed"
    await client.close()
    await server.close()


@cache
def calls_of(kind, way):
    """How often a server reaches a point in the whole talk; a child counts, since it is the child that is changed."""
    directory = Path(mkdtemp())

    def work(report):
        trust_the_kernel()
        calls = count_calls(way)
        to_server, to_client = os.pipe(), os.pipe()
        store = open_store(kind, directory / "state", tell=lambda _sentence: None)

        async def both():
            server = asyncio.create_task(server_over(store).serve_last(StdioTransport(to_server[0], to_client[1])))
            witness = Witness(to_client[0], to_server[1])
            await asyncio.to_thread(drive, witness, after=None)
            report(calls())
            server.cancel()

        asyncio.run(both())

    with Child(work) as child:
        count = child.report()
    shutil.rmtree(directory)
    assert count, "a talk reaches every point"
    return count


@cache
def spoken(kind):
    """A directory in which everything was said, to be copied."""
    directory = lasting_directory() / "state"
    talk(directory, kind, None, after=None)
    return directory


def crash_while_pruning(directory, kind, chance):
    shutil.copytree(spoken(kind), directory)
    before = list(export(directory, "one", "events"))
    history = list(export(directory, "one", "history"))
    act = lambda: prune(directory, "one", before=read(before[-1]).seq, now=1)  # noqa: E731 - it is done twice
    die_in(kind, "prune", act, chance)
    left = list(export(directory, "one", "events"))

    assert [checked.fault for checked in verify(directory)] == [None, None]
    assert left == before or (read(left[0]).type == PRUNED and before[-len(left) + 1 :] == left[1:])
    assert list(export(directory, "one", "history")) == history
    act()
    assert read(next(export(directory, "one", "events"))).type == PRUNED
    assert list(export(directory, "one", "history")) == history


def crash_while_migrating(place, kind, chance):
    source, target = place / "state", place / "target"
    shutil.copytree(spoken(kind), source)
    other = next(name for name in STORES if name != kind)
    die_in(kind, "migrate", lambda: list(migrate(source, target, other)), chance)
    assert [checked.fault for checked in verify(source)] == [None, None]
    if any(target.glob("*")):
        assert {checked.fault for checked in verify(target)} <= {None}

    assert [moved.fault for moved in migrate(source, target, other)] == [None, None]
    for thread_id in THREADS:
        assert list(export(target, thread_id, "events")) == list(export(source, thread_id, "events"))


def die_in(kind, way, act, chance):
    """Lets a child do it and die at one of its steps."""
    number, moment = chance.randint(1, steps_of(kind, way)), chance.choice(MOMENTS)

    def work(_report):
        trust_the_kernel()
        die_at("step", number, moment)
        act()

    with Child(work) as child:
        assert child.wait() == -signal.SIGKILL


@cache
def steps_of(kind, way):
    """How many steps a tool takes, of a child that lives."""
    place = Path(mkdtemp())
    shutil.copytree(spoken(kind), place / "state")
    last = read(list(export(place / "state", "one", "events"))[-1]).seq
    other = next(name for name in STORES if name != kind)

    def work(report):
        trust_the_kernel()
        calls = count_calls("step")
        if way == "prune":
            prune(place / "state", "one", before=last, now=1)
        else:
            list(migrate(place / "state", place / "target", other))
        report(calls())

    with Child(work) as child:
        count = child.report()
    shutil.rmtree(place)
    assert count, "a tool takes steps"
    return count


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("kind", STORES)
def test_every_point_is_reached(kind, point):
    assert calls_of(kind, point) > len(THREADS)


def test_what_was_told_and_is_not_there_is_found_out(tmp_path):
    """The proof: a disk that has lost the last events, as a store that keeps them to itself would."""
    witness = talk(tmp_path / "state", "jsonl", lambda: die_at("append", 90, "before"), after=None)
    for path in (tmp_path / "state" / "threads").iterdir():
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))

    with pytest.raises((AssertionError, KeyError)):
        check(witness.announced(), tmp_path / "state", "jsonl")
