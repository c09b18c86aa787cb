"""The durable record: what must not grow with it, in CPU time, so that a slow disk is no slow program.

Two things are compared by short blocks in turn; the tenth percentile of each counts, since on a machine that does other
things too most blocks are interrupted.
"""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from tempfile import TemporaryDirectory

from measures.record_makers import EVENTS, ITEMS, THREADS, full_of_items, full_of_threads, grown, orphaned
from measures.rows import Row

from store.conversation import THREAD, Client, server_over
from store.records import event, header
from turnwire.store.base import Store
from turnwire.store.memory import MemoryStore
from turnwire.store.opening import DurableStore, open_store

BLOCKS = 41
APPENDS = 50
PAGES = 5
TURNS = 4
# A turn of 20 deltas, 8 code points each.
SCRIPT = "text " + "12345678" * 20
TEXT = "x" * 200
ORPHANS = 5

Act = Callable[[], Awaitable[object]]


def rows() -> Iterator[Row]:
    """JSONL and SQLite; nothing is forced to the disk but in the last row."""
    for kind in ("jsonl", "sqlite"):
        with TemporaryDirectory() as place:
            yield appending(kind, Path(place) / "long")
            yield from asyncio.run(paging(kind, Path(place)))
            yield asyncio.run(starting(kind, Path(place) / "many"))
            yield asyncio.run(turning(kind, Path(place)))
            yield asyncio.run(forcing(kind, Path(place)))


def appending(kind: str, place: Path) -> Row:
    with closing(open_store(kind, place, fsync="never")) as store:
        grown(store)
        seqs = {"long": EVENTS, "short": 1}

        async def append(thread_id: str) -> None:
            for _ in range(APPENDS):
                seqs[thread_id] += 1
                store.append(header(thread_id, seqs[thread_id]), event(seqs[thread_id], text=TEXT))

        long, short = asyncio.run(costs(lambda: append("long"), lambda: append("short")))
    what = f"{kind}: append to a thread of {EVENTS:,} events, against an empty one"
    return ratio(what, long / APPENDS, short / APPENDS, at_most=1.2)


async def paging(kind: str, place: Path) -> Iterator[Row]:
    """What a client waits for, its own part included."""
    few, many = place / "few", place / "many"
    full_of_threads(kind, few, 100)
    full_of_threads(kind, many, THREADS)
    with closing(open_store(kind, few, fsync="never")) as small, closing(open_store(kind, many, fsync="never")) as big:
        full_of_items(small, 1000)
        full_of_items(big, ITEMS)
        async with connected(big) as one, connected(small) as other:
            long, short = await costs(lambda: first_pages(one), lambda: first_pages(other))
            listed = ratio(
                f"{kind}: first page of {THREADS:,} threads, against that of 100", long / PAGES, short / PAGES, 2
            )
            at_long, at_short = await middle(one, ITEMS), await middle(other, 1000)
            long, short = await costs(lambda: pages(one, at_long), lambda: pages(other, at_short))
        what = f"{kind}: 100 items in the middle of {ITEMS:,}, against 1,000"
        return iter([listed, ratio(what, long / PAGES, short / PAGES, 2)])


async def first_pages(client: Client) -> None:
    for _ in range(PAGES):
        found = await client.ask("thread/list", limit=50)
        assert len(found["data"]) == 50, "a page that is short is no page"
        client.heard.clear()


async def middle(client: Client, items: int) -> str:
    """Where the first half of the items ends."""
    cursor = None
    for _ in range(items // 2 // 500):
        params = {} if cursor is None else {"cursor": cursor}
        cursor = (await client.ask("thread/items/list", threadId=THREAD, limit=500, **params))["nextCursor"]
        client.heard.clear()
    assert cursor is not None, "there is a middle"
    return str(cursor)


async def pages(client: Client, cursor: str) -> None:
    for _ in range(PAGES):
        found = await client.ask("thread/items/list", threadId=THREAD, limit=100, cursor=cursor)
        assert len(found["data"]) == 100, "a page that is short is no page"
        client.heard.clear()


async def starting(kind: str, place: Path) -> Row:
    """A server over many threads, some of which another left in the middle of a turn."""
    orphaned(kind, place, ORPHANS)
    began = time.process_time()
    with closing(open_store(kind, place, fsync="terminal")) as store:
        async with connected(store) as client:
            found = await client.ask("thread/list", limit=50)
            took = time.process_time() - began
            assert found["totalMatched"] == THREADS, "a list that is short is no list"
            left = sum(thread.status == "active" for thread in store.headers())
            assert left == 0, "what was left open is ended"
    what = f"{kind}: start with {THREADS:,} threads, recovery of {ORPHANS}, first list"
    return Row(what, f"{took:.2f} s", "≤ 1 s", took <= 1)


async def turning(kind: str, place: Path) -> Row:
    with closing(open_store(kind, place / "talk", fsync="never")) as store:
        async with talking(store) as durable, talking(MemoryStore()) as in_memory:
            slow, fast = await costs(lambda: turns(durable), lambda: turns(in_memory))
    share = fast / slow
    # An SQLite transaction an event costs what it costs; the promise is that of the files.
    bound = 0.4 if kind == "jsonl" else None
    return Row(
        f"{kind}: turns of 20 deltas, as many as in memory",
        f"{share:.2f} ({slow / TURNS:,.0f} µs, {fast / TURNS:,.0f} µs)",
        "" if bound is None else f"≥ {bound}",
        None if bound is None else share >= bound,
    )


async def forcing(kind: str, place: Path) -> Row:
    """What each policy costs: of time, since it is the disk's, and how often the disk is asked."""
    said = []
    for policy in ("never", "terminal", "always"):
        counting = Counting(open_store(kind, place / policy, fsync=policy))
        async with talking(counting) as client:
            counting.rounds = 0
            began = time.perf_counter()
            for _ in range(5 * TURNS):
                await client.turn(SCRIPT)
            took = (time.perf_counter() - began) / (5 * TURNS) * 1e3
            said.append(f"{policy} {took:.1f} ms, {counting.rounds / (5 * TURNS):.0f} times")
        counting.close()
    return Row(f"{kind}: a turn by the policy that forces it to the disk, and how often it does", "; ".join(said))


class Counting:
    """A store that counts how often the disk is waited for."""

    def __init__(self, store: DurableStore) -> None:
        self.rounds = 0
        self._store = store

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def force(self, thread_id: str) -> Callable[[], None]:
        self.rounds += 1
        return self._store.force(thread_id)


async def turns(client: Client) -> None:
    for _ in range(TURNS):
        await client.turn(SCRIPT)
        client.heard.clear()


@asynccontextmanager
async def talking(store: Store) -> AsyncIterator[Client]:
    async with connected(store) as client:
        await client.ask("thread/start", threadId=THREAD)
        yield client


@asynccontextmanager
async def connected(store: Store) -> AsyncIterator[Client]:
    """A connection that is closed: one that is only forgotten is collected while its task waits, and asyncio tells."""
    client = Client(server_over(store))
    await client.begin()
    yield client
    await client.close()


async def costs(one: Act, other: Act) -> tuple[float, float]:
    """Microseconds of CPU time for each of two things, which take turns."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(BLOCKS):
        for act, times in zip((one, other), taken, strict=True):
            began = time.process_time()
            await act()
            times.append((time.process_time() - began) * 1e6)
    first, second = (statistics.quantiles(times, n=10)[0] for times in taken)
    return first, second


def ratio(what: str, long: float, short: float, at_most: float) -> Row:
    share = long / short
    return Row(what, f"{share:.2f} ({long:,.0f} µs, {short:,.0f} µs)", f"≤ {at_most}", share <= at_most)
