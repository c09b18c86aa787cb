"""After any step the power may fail. What is on the disk then is what the policy promises, and always a good record."""

import asyncio
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from store.conversation import THREAD, converse
from store.power import RecordingFiles, lay_out, losses
from store.records import chain_of, event, first, header, settle
from turnwire.server.gates import Gates
from turnwire.store.base import StoredEvent
from turnwire.store.chain import GENESIS, PRUNED, link, verify
from turnwire.store.files import forces
from turnwire.store.jsonl import JsonlStore
from turnwire.store.opening import STORES, open_store

POLICIES = ("always", "terminal", "never")


def live(kind, directory, policy, files=None):
    """Two threads, one of them deleted in the end; returns the steps, with what was promised between them."""
    files = files or RecordingFiles(directory)
    store = open_store(kind, directory, fsync=policy, files=files)
    types = ["item/a", "approval/noted", "item/b", "item/c", "thread/noted", "item/d"]
    for thread_id in ("t1", "t2"):
        store.create(header(thread_id), first(thread_id))
        settle(store, thread_id)
        files.tell((thread_id, 1, True))
    for seq, type_ in enumerate(types, 2):
        for thread_id in ("t1", "t2"):
            store.append(header(thread_id, seq), event(seq, type_, text=thread_id * 50))
            files.look()
            settle(store, thread_id)
            files.tell((thread_id, seq, forces("terminal", type_)))
    store.release("t1")
    store.append(header("t1", 20), event(20, "thread/noted"))
    settle(store)
    files.tell(("t1", 20, True))
    store.delete("t2")
    files.look()
    settle(store, "t2")
    files.tell(("t2", 0, True))
    steps = list(files.steps)
    store.close()
    return steps


def promised(steps, policy, *, power):
    """The last event of each thread that must be there; 0 for one that must be gone. `power` or only the process."""
    last = {}
    for step in steps:
        if step.what == "told":
            thread_id, seq, forced = step.promise
            if not power or policy == "always" or (policy == "terminal" and forced):
                last[thread_id] = seq
    return last


def is_going(steps):
    """Whether t2 is being deleted: from then on it may be there, as a whole, or not."""
    done = [step for step in steps if step.what == "told"]
    return any(step.promise[:2] == ("t1", 20) for step in done)


def break_everywhere(kind, steps, policy, place):
    """Loses power, or only the process, after each step, in some ways each time."""
    for count in range(len(steps) + 1):
        for number, (loss, files) in enumerate(losses(steps[:count], seed=count)):
            check(kind, files, place / f"{count}-{number}", steps[:count], policy, power=loss != "kill")


def check(kind, files, place, steps, policy, *, power):
    """Opens what is left and holds it against the promise and against what was stored."""
    lay_out(files, place)
    told = []
    store = open_store(kind, place, fsync="never", tell=told.append)
    listed = {found.id: found.seq for found in store.headers()}
    for thread_id in ("t1", "t2"):
        verdict = verify(store.lines(thread_id))
        least = promised(steps, policy, power=power).get(thread_id)
        assert verdict.fault is None
        assert listed.get(thread_id, 0) == verdict.head.seq
        if least == 0 or (thread_id == "t2" and verdict.head.seq == 0 and is_going(steps)):
            assert verdict.head.seq == 0
        else:
            assert verdict.head.seq >= (least or 0)
        assert set(store.lines(thread_id)) <= recorded(kind)
        if verdict.head.seq == 0:
            store.create(header(thread_id), first(thread_id))
        store.append(header(thread_id, 30), event(30))
        assert verify(store.lines(thread_id)).fault is None
    store.close()
    assert not [sentence for sentence in told if "damaged" in sentence]


@cache
def recorded(kind):
    """The bytes of all events of that life; they are the same whatever the policy, and whatever the store."""
    lines = set()
    with TemporaryDirectory() as place:

        class Keeping(RecordingFiles):
            def look(self):
                for thread_id in ("t1", "t2"):
                    lines.update(reader.lines(thread_id))

        reader = open_store(kind, Path(place) / "state", fsync="never")
        live(kind, Path(place) / "state", "never", Keeping(Path(place) / "state"))
        reader.close()
    return lines


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", STORES)
def test_after_any_step_what_is_left_is_what_was_promised(tmp_path, kind, policy):
    break_everywhere(kind, live(kind, tmp_path / "state", policy), policy, tmp_path)


@pytest.mark.parametrize("kind", STORES)
def test_policies_force_as_often_as_they_say(tmp_path, kind):
    forced = {policy: sum(step.what == "sync" for step in live(kind, tmp_path / policy, policy)) for policy in POLICIES}
    # The end of t2 is the end of a file, or a row less in one.
    ends = {"jsonl": 0, "sqlite": 1}[kind]

    assert forced == {"always": 15 + ends, "terminal": 7 + ends, "never": 0}


def announced_by_a_server(kind, directory, policy):
    """The steps of a whole conversation, with what its client heard between them."""
    files = RecordingFiles(directory)
    store = open_store(kind, directory, fsync=policy, files=files)

    def heard(message):
        params = message.get("params", {})
        if "seq" in params and "method" in message:
            files.tell((params["seq"], message["method"]))

    asyncio.run(converse(Overheard(store), heard=heard))
    return files.steps


class Overheard:
    """A store that is not closed with its server: what SQLite does then is no part of the promise."""

    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        return getattr(self._store, name)

    def close(self):
        pass


def check_announced(kind, steps, policy, place):
    """Loses power after each announcement; how many were looked at."""
    looked = 0
    last = 0
    for count, step in enumerate(steps, 1):
        if step.what != "told":
            continue
        seq, type_ = step.promise
        last = seq if forces(policy, type_) else last
        looked += 1
        _loss, left = losses(steps[:count], seed=count)[1]
        lay_out(left, place / f"{count}")
        store = open_store(kind, place / f"{count}", fsync="never", tell=lambda _sentence: None)
        stored = store.head(THREAD)
        assert (0 if stored is None else stored.seq) >= last
        store.close()
    return looked


@pytest.mark.parametrize("policy", ["always", "terminal"])
@pytest.mark.parametrize("kind", STORES)
def test_what_a_client_heard_outlives_the_power(tmp_path, kind, policy):
    steps = announced_by_a_server(kind, tmp_path / "state", policy)

    assert check_announced(kind, steps, policy, tmp_path) > 50


def test_a_server_that_does_not_wait_is_found_out(tmp_path, monkeypatch):
    monkeypatch.setattr(Gates, "guard", lambda *_args: None)
    steps = announced_by_a_server("jsonl", tmp_path / "state", "terminal")

    with pytest.raises(AssertionError):
        check_announced("jsonl", steps, "terminal", tmp_path)


def test_pruning_is_done_or_not_begun(tmp_path):
    before = list(chain_of(20))
    pruned = link(GENESIS, StoredEvent(12, 1012, PRUNED, PAYLOAD % verify(before[:12]).head.hash.encode())).line
    files = RecordingFiles(tmp_path / "state")
    store = JsonlStore(tmp_path / "state", files=files)
    store.adopt(header("t1", 20), before)
    settle(store)
    begun = len(files.steps)
    store.shorten("t1", pruned, 12)
    for count in range(begun, len(files.steps) + 1):
        for number, (_loss, left) in enumerate(losses(files.steps[:count], seed=count)):
            place = tmp_path / f"{count}-{number}"
            lay_out(left, place)
            stored = list(JsonlStore(place).lines("t1"))

            assert stored in (before, [pruned, *before[12:]])
    assert stored == [pruned, *before[12:]]


PAYLOAD = b'{"seq":12,"hash":"%b","events":12,"prunedAt":1,"summary":[]}'


class Lazy(RecordingFiles):
    """Files that say they force, and do not."""

    def sync(self, descriptor):
        pass


class Hasty(RecordingFiles):
    """Files whose names are never forced."""

    def sync_directory(self, path):
        pass


@pytest.mark.parametrize("liar", [Lazy, Hasty])
@pytest.mark.parametrize("kind", STORES)
def test_a_lie_is_found_out(tmp_path, kind, liar):
    steps = live(kind, tmp_path / "state", "always", liar(tmp_path / "state"))

    with pytest.raises(AssertionError):
        break_everywhere(kind, steps, "always", tmp_path)


class Early(RecordingFiles):
    """Files that say to have told before anything was forced."""

    def tell(self, promise):
        last = next((step for step in reversed(self.steps) if step.what in ("sync", "sync names")), None)
        super().tell(promise)
        if last is not None:
            self.steps.remove(last)
            self.steps.append(last)


@pytest.mark.parametrize("kind", STORES)
def test_telling_before_forcing_is_found_out(tmp_path, kind):
    steps = live(kind, tmp_path / "state", "always", Early(tmp_path / "state"))

    with pytest.raises(AssertionError):
        break_everywhere(kind, steps, "always", tmp_path)
