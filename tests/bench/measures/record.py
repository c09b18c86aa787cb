"""The durable record: what grows with it and what must not, in CPU time, so that a slow disk is no slow program."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from measures.rows import Row

from store.conversation import THREAD, Client, server_over
from store.records import event, first, header
from turnwire.store.base import Store
from turnwire.store.chain import link
from turnwire.store.memory import MemoryStore
from turnwire.store.opening import DurableStore, open_store

EVENTS = 100_000
THREADS = 10_000
TURNS = 100
# A turn of 20 deltas, 8 code points each.
SCRIPT = "text " + "12345678" * 20
TEXT = "x" * 200


def rows() -> Iterator[Row]:
    """JSONL and SQLite, without forcing anything to the disk: that is the disk's time."""
    for kind in ("jsonl", "sqlite"):
        with TemporaryDirectory() as place:
            yield from one_store(kind, Path(place))


def one_store(kind: str, place: Path) -> Iterator[Row]:
    store = open_store(kind, place / "long", fsync="never")
    grown(store)
    short, long = appending(store, "short", 2), appending(store, "long", EVENTS + 1)
    yield Row(
        f"{kind}: append to a thread of {EVENTS:,} events, to an empty one",
        f"{long:.0f} µs, {short:.0f} µs",
        "≤ 2 times",
        long <= 2 * short,
    )
    page = cpu(lambda _turn: store.events("long", EVENTS // 2, 100), 50)
    yield Row(f"{kind}: 100 events in the middle of {EVENTS:,}", f"{page:.0f} µs", "≤ 2,000 µs", page <= 2000)
    store.close()
    durable = open_store(kind, place / "talk", fsync="never")
    turn, in_memory = asyncio.run(turns(durable)), asyncio.run(turns(MemoryStore()))
    yield Row(
        f"{kind}: a turn of 20 deltas, in memory",
        f"{turn:.0f} µs, {in_memory:.0f} µs",
        "≤ 3 times",
        turn <= 3 * in_memory,
    )
    listed = first_list(kind, place / "many")
    yield Row(f"{kind}: start and first list of {THREADS:,} threads", f"{listed:.2f} s", "≤ 1 s", listed <= 1)


def cpu(act: Callable[[int], object], times: int) -> float:
    """Microseconds of CPU time for one call."""
    began = time.process_time()
    for turn in range(times):
        act(turn)
    return (time.process_time() - began) / times * 1e6


def appending(store: Store, thread_id: str, seq: int) -> float:
    return cpu(lambda turn: store.append(header(thread_id, seq + turn), event(seq + turn, text=TEXT)), 2000)


def grown(store: DurableStore) -> None:
    """A thread of many events beside one that has just begun."""
    store.create(header("short"), first("short"))
    head = store.create(header("long"), first("long"))
    lines = []
    for seq in range(2, EVENTS + 1):
        line, head = link(head, event(seq, text=TEXT))
        lines.append(line)
    store.adopt(header("long", EVENTS), lines)


async def turns(store: Store) -> float:
    """Microseconds of CPU time for one turn of a server over this store, its client included."""
    server = server_over(store)
    client = Client(server)
    await client.begin()
    await client.ask("thread/start", threadId=THREAD)
    began = time.process_time()
    for _ in range(TURNS):
        await client.turn(SCRIPT)
        client.heard.clear()
    took = (time.process_time() - began) / TURNS * 1e6
    await client.close()
    await server.close()
    return took


def first_list(kind: str, directory: Path) -> float:
    """Seconds of CPU time to open a directory of many threads and list them."""
    store = open_store(kind, directory, fsync="never")
    for number in range(THREADS):
        store.create(header(f"t{number}"), first(f"t{number}"))
        store.append(header(f"t{number}", 2), event(2, "thread/noted", text=TEXT))
        store.release(f"t{number}")
    store.close()
    began = time.process_time()
    store = open_store(kind, directory)
    found = len(list(store.headers()))
    took = time.process_time() - began
    store.close()
    assert found == THREADS, "a list that is short is no list"
    return took
