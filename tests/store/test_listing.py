"""The list of threads that is kept in order is the list that sorting all of them would give, whoever changed them."""

import random
from contextlib import suppress

import msgspec
import pytest
from msgspec import UNSET

from store.records import event, first, header
from turnwire.server.listing import ThreadList
from turnwire.store.base import ThreadHeld, ThreadTaken
from turnwire.store.changes import Changes

STEPS = 400


def sorted_anew(store, *, archived):
    """As a list that keeps nothing would have it."""
    headers = [found for found in store.headers() if (found.archived_at is not UNSET) is archived]
    return sorted((found.updated_at, found.id) for found in headers)


def change(store, chance, clock):
    """Something that happens to some thread, unless another process holds it."""
    thread_id = f"t{chance.randrange(12)}"
    known = store.header(thread_id)
    seq = 1 if known is None else known.seq + 1
    told = chance.choice(["thread/noted", "item/progress"])
    now = msgspec.structs.replace(header(thread_id, seq), updated_at=clock)
    if chance.random() < 0.3:
        now = msgspec.structs.replace(now, archived_at=5)
        told = "thread/noted"
    with suppress(ThreadHeld, ThreadTaken):
        if known is None:
            store.create(now, first(thread_id))
        elif chance.random() < 0.1:
            store.delete(thread_id)
        else:
            store.append(now, event(seq, told))
        if chance.random() < 0.5:
            store.release(thread_id)


@pytest.mark.parametrize("seed", range(4))
def test_a_list_that_is_kept_is_a_list_that_is_made(any_store, seed):
    chance = random.Random(seed)
    listing = ThreadList(any_store)
    for clock in range(STEPS):
        change(any_store, chance, 5000 + clock // 3)
        if chance.random() < 0.5:
            listing.refresh()
            for archived in (False, True):
                assert list(listing.places(archived=archived)) == sorted_anew(any_store, archived=archived)
    assert len(listing.headers) > 3


@pytest.mark.parametrize("seed", range(3))
def test_what_another_process_changes_is_in_the_list(lasting, seed):
    chance = random.Random(seed)
    one, two = lasting(), lasting()
    listing = ThreadList(one)
    for clock in range(STEPS // 2):
        change(chance.choice([one, two]), chance, 5000 + clock)
        if chance.random() < 0.3:
            listing.refresh()
            for archived in (False, True):
                assert list(listing.places(archived=archived)) == sorted_anew(one, archived=archived)


def test_a_walk_sees_what_was_there_when_it_began(any_store):
    for number in range(30):
        any_store.create(msgspec.structs.replace(header(f"t{number}"), updated_at=2000 + number), first(f"t{number}"))
    listing = ThreadList(any_store)
    listing.refresh()
    moment = 1500
    for seq in range(2, 40):
        later = msgspec.structs.replace(header("t3", seq), updated_at=4000 + seq)
        any_store.append(later, msgspec.structs.replace(event(seq), at=1400 + 10 * seq))
    listing.refresh()

    assert listing.places(archived=False)[-1] == (4039, "t3")
    assert (1500, "t3") in listing.places_at(moment, archived=False)


def test_what_did_not_change_is_not_looked_at():
    changes = Changes()
    for number in range(1000):
        changes.touch(f"t{number}")
    moment = changes.moment
    changes.touch("t7")
    changes.touch("t8")
    changes.touch("t7")

    there = {f"t{number}": header(f"t{number}") for number in range(1000)}

    assert [name for name, _header in changes.told(moment, there.get)] == ["t7", "t8"]
    assert changes.told(changes.moment, there.get) == []
    assert len(changes.told(0, there.get)) == 1000
    assert changes.told(moment, {"t8": header("t8")}.get) == [("t7", None), ("t8", header("t8"))]
    # That it is gone is told once.
    assert changes.told(moment, {}.get) == [("t8", None)]
    assert changes.told(moment, {}.get) == []
