"""Gates let everything through in its order, behind one round or several, however many of them it waits at."""

import asyncio
import random
import threading
import time

import pytest

from turnwire.server.gates import Gates

STEPS = 300


class Disk:
    """What a store owes, and how it is forced; `fault` is what comes of a thread's next round."""

    def __init__(self, seconds=lambda: 0.0):
        self.rounds = []
        self.begun = 0
        self.faults = {}
        self.free = threading.Event()
        self.free.set()
        self._owed = set()
        self._seconds = seconds

    def write(self, thread_id):
        self._owed.add(thread_id)

    def owes(self, thread_id):
        return thread_id in self._owed

    def force(self, thread_id):
        self._owed.discard(thread_id)

        def forcing():
            self.begun += 1
            self.free.wait(100)
            time.sleep(self._seconds())
            self.rounds.append(thread_id)
            if thread_id in self.faults:
                raise self.faults.pop(thread_id)

        return forcing


def record(gates, disk, thread_id, failed=lambda _error: None):
    disk.write(thread_id)
    gates.guard(disk, thread_id, failed)


async def opened(gates):
    """Returns when every gate is open; one that was held for another opens a step later."""
    while gates.is_busy:
        await gates.settled()
        await asyncio.sleep(0)


async def begun(disk, rounds):
    """Returns when so many rounds have begun, in threads of their own."""
    while disk.begun < rounds:  # noqa: ASYNC110 - a thread tells the loop nothing
        await asyncio.sleep(0)


@pytest.mark.parametrize("seed", range(6))
async def test_everything_passes_in_its_order(seed):
    chance = random.Random(seed)
    gates, disk = Gates(), Disk(lambda: chance.choice([0, 0, 0.001]))
    passed, sent = [], []
    for number in range(STEPS):
        threads = chance.sample("abcd", chance.choice([1, 1, 1, 2, 3]))
        if chance.random() < 0.4:
            record(gates, disk, chance.choice(threads))
        sent.append((number, threads))
        gates.pass_through(threads, lambda error, n=number: passed.append((n, error)))
        if chance.random() < 0.3:
            await asyncio.sleep(chance.choice([0, 0.001]))
    await opened(gates)
    place = {number: index for index, (number, _error) in enumerate(passed)}

    assert sorted(place) == list(range(STEPS))
    assert {error for _number, error in passed} == {None}
    for thread_id in "abcd":
        numbers = [number for number, threads in sent if thread_id in threads]
        assert [place[number] for number in numbers] == sorted(place[number] for number in numbers)
    assert not gates.is_busy


async def test_one_round_is_for_all_that_was_recorded_before_it():
    gates, disk = Gates(), Disk()
    for _ in range(20):
        record(gates, disk, "a")
    await opened(gates)
    disk.free.clear()
    record(gates, disk, "a")
    await begun(disk, 2)
    for _ in range(20):
        record(gates, disk, "a")
    disk.free.set()
    await opened(gates)

    assert disk.rounds == ["a"] * 3


async def test_nobody_behind_what_is_lost_is_told_of_anything():
    gates, disk = Gates(), Disk()
    lost, told = [], []
    disk.free.clear()
    disk.faults["a"] = fault = OSError(5, "Input/output error")
    record(gates, disk, "a", lost.append)
    record(gates, disk, "b", lost.append)
    await begun(disk, 2)
    for threads in ("a", "b", "ab"):
        gates.pass_through(threads, lambda error, t=threads: told.append((t, error)))
    # Another round would be due; what it is for comes after what is lost.
    record(gates, disk, "a", lost.append)
    gates.pass_through("a", lambda error: told.append(("later", error)))
    disk.free.set()
    with pytest.raises(OSError, match="Input/output"):
        await gates.passing("a")
    await gates.settled()

    assert lost == [fault]
    assert sorted(told, key=lambda one: one[0]) == [("a", fault), ("ab", fault), ("b", None), ("later", fault)]


async def test_what_does_not_wait_is_not_kept():
    gates, disk = Gates(), Disk()
    told = []
    disk.free.clear()
    record(gates, disk, "a")
    gates.pass_through("b", told.append)
    await gates.passing("b")

    assert (told, gates.is_open("a"), gates.is_open("b")) == ([None], False, True)
    disk.free.set()
    await gates.settled()
    assert gates.is_open("a")


async def test_only_what_was_recorded_since_is_waited_for():
    gates, disk = Gates(), Disk()
    disk.free.clear()
    record(gates, disk, "a")
    mark = gates.mark()
    record(gates, disk, "b")

    assert (gates.closed_since(0), gates.closed_since(mark), gates.closed_since(gates.mark())) == (
        ["a", "b"],
        ["b"],
        [],
    )
    disk.free.set()
    await gates.settled()
