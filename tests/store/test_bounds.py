"""What is held of threads that nobody uses has a bound, or is no more than a header."""

import pytest

from store.records import chain_of, event, first, header
from store.test_faults import descriptors
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
