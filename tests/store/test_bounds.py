"""What is held of threads that nobody uses has a bound, or is no more than a header."""

import asyncio
import gc
import tracemalloc
from collections import Counter

import pytest

from store.conversation import THREAD, Client, server_over
from store.records import chain_of, event, first, header
from store.test_faults import descriptors
from turnwire.server.engine import engine_of
from turnwire.server.thread import LiveThread
from turnwire.store import shelf, sqlite


@pytest.mark.parametrize(("events", "left"), [(11, 2), (12, 1)])
def test_of_files_that_are_only_read_so_many_events_are_known(opener, monkeypatch, events, left):
    """At the bound the oldest goes when the next is opened; what is written stays, however long."""
    writer, reader = opener(), opener()
    for thread_id, count in (("held", 40), ("a", 6), ("b", events - 6), ("c", 1)):
        writer.adopt(header(thread_id, count), list(chain_of(count, thread_id)))
        writer.release(thread_id)
    monkeypatch.setattr(shelf, "_EVENTS", 12)
    reader.claim("held")
    for thread_id in ("a", "b"):
        reader.events(thread_id)
    before = descriptors()
    reader.events("c")

    assert descriptors() - before == 1 - (2 - left)
    assert [len(reader.events(thread_id)) for thread_id in ("held", "a", "b", "c")] == [40, 6, events - 6, 1]


@pytest.mark.parametrize("opener", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("threads", "proved"), [(3, 0), (4, 1)])
def test_of_so_many_threads_the_ends_are_known(opener, monkeypatch, threads, proved):
    """Beyond the bound the least lately used is proved again; what is held is not forgotten."""
    store = opener()
    for number in range(4):
        store.create(header(f"t{number}"), first(f"t{number}"))
        store.release(f"t{number}")
    monkeypatch.setattr(sqlite, "_KNOWN", 3)
    store = opener()
    store.claim("t0")
    seen = []
    monkeypatch.setattr(store, "_prove", lambda place, prove=store._prove: (seen.append(place.number), prove(place)))
    for number in range(1, threads):
        store.events(f"t{number}")
    seen.clear()
    store.events("t1")
    store.append(header("t0", 2), event(2))

    assert len(seen) == proved


# The bytes that a thread may leave, by what becomes of it when its turn is over; and what a store keeps of one.
BYTES = {"let go": 2500, "deleted": 1200}
KEPT = {"jsonl": ("Entry",), "sqlite": ("Head", "_Place")}
# What a deletion with a key leaves, of which a store needs so many (see `test_what_is_needed`).
NOTED = ("Note", "Deletion", "Gone")


@pytest.mark.parametrize("fate", BYTES)
async def test_a_thread_that_nobody_uses_leaves_its_header_at_most(lasting, fate):
    """A note where it was deleted under a key. A loaded thread is ten times as much."""
    threads = 150
    server = server_over(lasting())
    client = Client(server)
    await client.begin()
    for number in range(50):
        await use(client, f"early{number}", fate)
    before = ours()
    tracemalloc.start()
    for number in range(threads):
        await use(client, f"t{number}", fate)
    after = ours()
    held = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, "*/turnwire/*")])
    tracemalloc.stop()
    grown = sum(found.size for found in held.traces)

    left = {kind: count for kind, count in (after - before).items() if count > 5}
    assert left == dict.fromkeys(KEPT[lasting.kind] if fate == "let go" else NOTED, threads)
    assert grown / threads < BYTES[fate]
    await client.close()
    await server.close()


async def use(client, thread_id, fate):
    """A thread with an approval, a tool and keys, from its start to its fate."""
    keys = ({"threadId": thread_id, "idempotencyKey": f"{thread_id}-{number}"} for number in range(3))
    await client.ask("thread/start", **next(keys), title="A thread", cwd="/home/somebody/project")
    client.decisions.append("accept")
    script = [{"type": "text", "text": 'text Hello\napprove build\ntool look {"at":1}'}]
    turn = (await client.ask("turn/start", **next(keys), input=script))["turn"]
    await client.ended_in(thread_id, turn["id"])
    await client.ask("thread/unsubscribe", threadId=thread_id)
    if fate == "deleted":
        await client.ask("thread/delete", **next(keys))
    client.heard.clear()
    client.requests.clear()


def ours():
    """How many objects of this package there are, by the name of their type."""
    gc.collect()
    return Counter(type(one).__name__ for one in gc.get_objects() if type(one).__module__.startswith("turnwire."))


def asked_for(key):
    """Requests that load a thread, each with what is asked of the server before; `key` makes them repeatable."""
    text = [{"type": "text", "text": "text Hi"}]
    target = {"type": "uncommittedChanges"}
    return {
        "start": ("thread/start", {"threadId": "t2", **key}),
        "start again": ("thread/start", {"threadId": THREAD, "idempotencyKey": "first"}),
        "fork": ("thread/fork", {"threadId": THREAD, "newThreadId": "t2", **key}),
        "resume": ("thread/resume", {"threadId": THREAD}),
        "turn": ("turn/start", {"threadId": THREAD, "input": text, **key}),
        "enqueue": ("turn/enqueue", {"threadId": THREAD, "input": text, **key}),
        "review": ("review/start", {"threadId": THREAD, "target": target, **key}),
        "rewind": ("thread/rewind", {"threadId": THREAD, "itemId": "no", **key}),
        "steer": ("turn/steer", {"threadId": THREAD, "expectedTurnId": "no", "input": text, **key}),
        "compact": ("thread/compact", {"threadId": THREAD}),
        "delete": ("thread/delete", {"threadId": "no", **key}),
    }


@pytest.mark.parametrize("key", [{}, {"idempotencyKey": "k"}], ids=["plain", "keyed"])
@pytest.mark.parametrize("request_", asked_for({}))
async def test_what_a_connection_that_has_gone_asked_for_is_not_kept_loaded(any_store, request_, key):
    server = server_over(any_store)
    client = Client(server)
    await client.begin()
    await client.ask("thread/start", threadId=THREAD, idempotencyKey="first")
    await client.close()
    gone = Client(server)
    await gone.begin()
    method, params = asked_for(key)[request_]
    gone._send({"id": 9, "method": method, "params": params})
    await gone.close()
    engine = engine_of(server._state)
    await asyncio.gather(*(thread.run.done for thread in engine.threads.running()))
    await asyncio.sleep(0)

    assert [thread.id for thread in engine.threads.all_loaded()] == []
    await server.close()


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "not kept"])
async def test_keys_are_known_by_the_record_alone(any_store, monkeypatch, kept):
    """Nothing is held of a request that was carried out; where what came of it could not be recorded, its first event
    tells."""
    server = server_over(any_store)
    client = Client(server)
    await client.begin()
    record = LiveThread.record

    def failing(thread, type_, params, **rest):
        if type_ == "record/key" and not kept:
            raise OSError("No space left on device")
        record(thread, type_, params, **rest)

    monkeypatch.setattr(LiveThread, "record", failing)
    asked = [
        ("thread/start", {"threadId": THREAD}),
        ("turn/enqueue", {"threadId": THREAD, "input": [{"type": "text", "text": "text Hi"}]}),
        ("thread/fork", {"threadId": THREAD, "newThreadId": "t2"}),
    ]
    first = [await client.ask(method, **params, idempotencyKey="k") for method, params in asked]
    assert engine_of(server._state).keys._running == {}
    again = [await client.ask(method, **params, idempotencyKey="k") for method, params in asked]

    assert [found["replayed"] for found in again] == [True] * 3
    assert [ids_in(found) for found in again] == [ids_in(found) for found in first]
    assert sorted(thread.id for thread in any_store.headers()) == ["t2", THREAD]
    await client.close()
    await server.close()


def ids_in(result):
    return result.get("turnId") or result["thread"]["id"]
