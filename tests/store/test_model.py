"""Whatever is done in whatever order, by one process or by two: every store shows what the one in memory shows."""

import random

import msgspec
import pytest

from store.records import event, first, header
from turnwire.store.base import HeadMoved, StoredEvent, StoreFault, ThreadTaken
from turnwire.store.memory import MemoryStore
from turnwire.wire import ThreadUpdatedParams

THREADS = ("a", "A", "a/b", "b")
TYPES = ("item/progress", "thread/noted", "approval/noted", "record/noted")
STEPS = 80


class Play:
    """Two stores over one directory, and the model of what they should show."""

    def __init__(self, opener, seed):
        self.chance = random.Random(seed)
        self.opener = opener
        self.model = MemoryStore()
        self.stores = [opener(), opener()]

    def step(self):
        """One random thing that a store is asked, and the model with it."""
        thread_id = self.chance.choice(THREADS)
        place = self.chance.randrange(2)
        act = self.chance.choice(
            [self.create, self.append, self.append, self.append, self.delete, self.stale, self.reopen]
        )
        # One process writes a thread: the other one lets go first, or was told that it is held.
        self.stores[1 - place].release(thread_id)
        act(place, thread_id)

    def create(self, place, thread_id):
        assert outcome(self.stores[place].create, header(thread_id), first(thread_id)) == outcome(
            self.model.create, header(thread_id), first(thread_id)
        )

    def append(self, place, thread_id):
        head = self.model.head(thread_id)
        seq = (head.seq if head else 0) + self.chance.choice([1, 1, 1, 5])
        before = self.model.header(thread_id) or header(thread_id)
        # A header changes by what its events tell, and by nothing else.
        title = self.chance.choice(["One", "Two", before.title, before.title])
        after = header(thread_id, seq, title=title)
        added = event(seq, self.chance.choice(TYPES), text="x" * self.chance.choice([0, 10, 5000]))
        if title != before.title:
            payload = msgspec.json.encode(ThreadUpdatedParams(thread=after, seq=seq))
            added = StoredEvent(seq, 1000 + seq, "thread/updated", payload)
        assert outcome(self.stores[place].append, after, added) == outcome(self.model.append, after, added)

    def stale(self, place, thread_id):
        head = self.model.head(thread_id)
        if head is not None:
            with pytest.raises(HeadMoved):
                self.stores[place].append(header(thread_id, head.seq), event(head.seq))

    def delete(self, place, thread_id):
        self.stores[place].delete(thread_id)
        self.model.delete(thread_id)

    def reopen(self, place, _thread_id):
        self.stores[place].close()
        self.stores[place] = self.opener()

    def compare(self):
        """Both stores show what the model shows; each is asked in another order."""
        for store in self.stores:
            for thread_id in self.chance.sample(THREADS, len(THREADS)):
                after = self.chance.choice([0, 0, 3])
                assert list(store.lines(thread_id, after)) == list(self.model.lines(thread_id, after))
                assert store.header(thread_id) == self.model.header(thread_id)
                assert store.head(thread_id) == self.model.head(thread_id)
            assert sorted(store.headers(), key=id_of) == sorted(self.model.headers(), key=id_of)


def outcome(act, *args):
    try:
        return act(*args)
    except (StoreFault, KeyError) as error:
        return type(error)


def id_of(thread):
    return thread.id


@pytest.mark.parametrize("seed", range(12))
def test_any_order_of_things_shows_the_same(lasting, seed):
    play = Play(lasting, seed)
    for _ in range(STEPS):
        play.step()
        if play.chance.random() < 0.4:
            play.compare()
    play.compare()

    assert lasting.told == []


def test_the_model_refuses_what_stores_refuse():
    model = MemoryStore()
    model.create(header(), first())

    assert outcome(model.create, header(), first()) is ThreadTaken
    assert outcome(model.append, header(), event(1)) is HeadMoved
    assert outcome(model.append, header("no", 2), event(2)) is KeyError
