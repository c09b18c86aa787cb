"""A process that is killed loses nothing that it was told was stored, and leaves nothing that stands in the way."""

import os
import random
import signal
import time

import pytest

from store.processes import Child
from store.records import event, first, header, settle
from turnwire.store.base import ThreadHeld, ThreadTaken
from turnwire.store.chain import verify
from turnwire.store.files import Files
from turnwire.store.opening import open_store

RACES = 50


def pytest_generate_tests(metafunc):
    if "kill" in metafunc.fixturenames:
        metafunc.parametrize("kill", range(metafunc.config.getoption("crashes")))


def writer(opener, text=""):
    """Begins a thread and adds to it for as long as it lives; reports each event that the store has taken."""

    def work(report):
        store = open_store(opener.kind, opener.directory, fsync="never")
        store.create(header(), first())
        report(1)
        for seq in range(2, 100_000):
            store.append(header(seq=seq), event(seq, "thread/noted" if seq % 50 == 0 else "item/progress", text=text))
            report(seq)

    return work


def test_what_was_stored_survives_a_kill(lasting, kill):
    chance = random.Random(kill)
    with Child(writer(lasting, text="x" * chance.choice([0, 100, 100_000]))) as child:
        child.report()
        time.sleep(chance.uniform(0, 0.02))
        child.kill()
        stored = max(child.reports(), default=1)
    store = lasting()
    verdict = verify(store.lines("t1"))

    assert verdict.fault is None
    assert stored <= verdict.head.seq <= stored + 1
    assert store.header("t1").seq == verdict.head.seq
    store.append(header(seq=verdict.head.seq + 1), event(verdict.head.seq + 1))
    assert verify(store.lines("t1")).events == verdict.events + 1


class Deadly(Files):
    """Files of a process that is killed at its `step`-th step: `before` it, in the `middle` of it, or `after` it."""

    def __init__(self, step=0, moment=""):
        self.steps = 0
        self._step = step
        self._moment = moment

    def _do(self, act, half=None):
        self.steps += 1
        moment = self._moment if self.steps == self._step else ""
        if moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        if moment == "middle":
            if half is not None:
                half()
            os.kill(os.getpid(), signal.SIGKILL)
        result = act()
        if moment == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    def open_to_append(self, path, *, create):
        return self._do(lambda: super(Deadly, self).open_to_append(path, create=create))

    def write(self, descriptor, data):
        self._do(
            lambda: super(Deadly, self).write(descriptor, data),
            lambda: os.write(descriptor, data[: len(data) // 2]),
        )

    def sync(self, descriptor):
        self._do(lambda: super(Deadly, self).sync(descriptor))

    def cut(self, descriptor, size):
        self._do(lambda: super(Deadly, self).cut(descriptor, size))

    def remove(self, path):
        self._do(lambda: super(Deadly, self).remove(path))


def life(directory, files, report):
    """A short life of a store: two threads, one of them deleted; reports each event of t1, and 100 for the deletion."""
    store = open_store("jsonl", directory, files=files, fsync="terminal")
    store.create(header(), first())
    settle(store)
    report(1)
    store.create(header("t2"), first("t2"))
    settle(store, "t2")
    for seq in range(2, 6):
        store.append(header(seq=seq), event(seq, "thread/noted" if seq == 4 else "item/progress"))
        settle(store)
        report(seq)
    store.delete("t2")
    settle(store, "t2")
    report(100)
    store.release("t1")
    store.append(header(seq=6), event(6))
    report(6)
    store.close()


def steps_of_a_life(tmp_path):
    files = Deadly()
    life(tmp_path, files, lambda _number: None)
    return files.steps


def test_there_are_steps_to_die_at(tmp_path):
    assert steps_of_a_life(tmp_path / "state") == STEPS


# As many as the life above takes; the test before this line says when it takes more.
STEPS = 21


@pytest.mark.parametrize("moment", ["before", "middle", "after"])
@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_death_at_any_step_loses_nothing(opener, step, moment):
    with Child(lambda report: life(opener.directory, Deadly(step, moment), report)) as child:
        reported = child.reports()
        assert child.wait() == -signal.SIGKILL
    store = opener()
    stored = max((seq for seq in reported if seq < 100), default=0)
    verdict = verify(store.lines("t1"))
    listed = {found.id: found.seq for found in store.headers()}

    assert verdict.fault is None
    assert stored <= verdict.head.seq <= stored + 1
    assert listed.get("t1", 0) == verdict.head.seq
    if 100 in reported:
        assert "t2" not in listed
    if "t1" not in listed:
        store.create(header(), first())
    store.append(header(seq=10), event(10))
    assert store.head("t1").seq == 10


def racer(opener, go, act):
    """Waits until it may run, tries, reports whether it won, and holds what it has until it is killed."""

    def work(report):
        store = open_store(opener.kind, opener.directory, fsync="never")
        os.read(go, 1)
        try:
            act(store)
        except (ThreadHeld, ThreadTaken):
            report(0)
        else:
            report(1)
        signal.pause()

    return work


def winners(opener, act, runners=2):
    """How many of the processes that run at once were let through."""
    go, start = os.pipe()
    children = [Child(racer(opener, go, act)) for _ in range(runners)]
    os.write(start, b"!" * runners)
    won = [child.report() for child in children]
    for child in children:
        child.kill()
        child.__exit__()
    os.close(go)
    os.close(start)
    return sum(won)


def test_of_two_processes_one_begins_a_thread(lasting):
    for race in range(RACES):
        assert winners(lasting, lambda store, race=race: store.create(header(f"t{race}"), first(f"t{race}"))) == 1


def test_of_two_processes_one_writes_a_thread(lasting):
    store = lasting()
    store.create(header(), first())
    store.release("t1")
    for race in range(RACES):
        seq = race + 2
        assert winners(lasting, lambda store, seq=seq: store.append(header(seq=seq), event(seq))) == 1
    assert verify(store.lines("t1")).events == RACES + 1


def test_others_read_while_one_writes(lasting):
    with Child(writer(lasting)) as child:
        child.report()
        store = lasting()
        with pytest.raises(ThreadHeld):
            store.claim("t1")
        with pytest.raises(ThreadTaken):
            store.create(header(), first())
        for _ in range(20):
            seen = child.report()
            assert seen <= store.head("t1").seq
            assert store.header("t1").seq >= seen
            assert verify(store.lines("t1")).fault is None
        assert [found.id for found in store.headers()] == ["t1"]
    store.claim("t1")
    store.append(header(seq=200_000), event(200_000))


def test_death_frees_what_was_held(lasting):
    with Child(writer(lasting)) as child:
        child.report()
    store = lasting()
    store.claim("t1")

    assert store.head("t1").seq >= 1
