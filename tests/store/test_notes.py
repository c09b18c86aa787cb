"""What a store keeps of no single thread: notes in their order, from every process, and no more than are needed."""

import threading
from pathlib import Path

import pytest

from store.power import RecordingFiles, lay_out, losses
from store.processes import Child
from turnwire.store import notes as notes_module
from turnwire.store.files import Files
from turnwire.store.memory import MemoryStore
from turnwire.store.notefile import NoteFile
from turnwire.store.notes import Deletion, Gone, Note, needed, rules_of
from turnwire.store.opening import STORES, open_store
from turnwire.wire import ApprovalRule


def rule(name):
    one = ApprovalRule(id=name, kind="shell", scope_key="rm", effect="accept", scope="workspace", created_at=1)
    return Note(rule=one)


def removed(name):
    return Note(removed_rule=name)


def deleted(key):
    return Note(deletion=Deletion(key, "d", [Gone("t1", 1)]))


def names(store):
    return [one.id for one in rules_of(store.notes())]


def settle(store):
    if store.owes(""):
        store.force("")()


@pytest.fixture
def little(monkeypatch):
    """Few notes are many."""
    monkeypatch.setattr(notes_module, "_SLACK", 4)
    monkeypatch.setattr(notes_module, "_KEPT", 3)


def test_notes_are_kept_in_their_order(any_store):
    for note in (rule("one"), deleted("k"), removed("other")):
        any_store.note(note)

    assert list(any_store.notes()) == [rule("one"), deleted("k"), removed("other")]
    assert list(MemoryStore().notes()) == []


def test_notes_of_two_processes_are_one_list(lasting):
    one, two = lasting(), lasting()
    one.note(rule("1"))
    two.note(rule("2"))
    one.note(rule("3"))

    assert names(one) == names(two) == ["1", "2", "3"]
    assert (lasting.directory / "notes.jsonl").stat().st_mode & 0o777 == 0o600


def test_what_a_full_disk_left_swallows_nothing(tmp_path):
    notes = NoteFile(Files(), tmp_path)
    notes.add(b"{}")
    with (tmp_path / "notes.jsonl").open("ab") as file:
        file.write(b'\n{"removedRule":"to')
    before = list(notes.notes())
    notes.add_note(removed("next"))

    assert before == [Note()]
    assert notes.notes() == [Note(), removed("next")]


ROWS = [
    ([], []),
    ([rule("a"), rule("b")], [0, 1]),
    ([rule("a"), removed("a"), rule("b")], [1, 2]),
    ([removed("a"), rule("a")], [0]),
    ([deleted("k"), deleted("k")], [0, 1]),
    ([Note(), rule("a")], [0, 1]),
    ([deleted("k")] * 10_002, list(range(2, 10_002))),
    ([removed("a")] * 10_002, list(range(2, 10_002))),
    ([*[deleted("k")] * 10_002, rule("a")], list(range(2, 10_003))),
]


@pytest.mark.parametrize(("notes", "places"), ROWS)
def test_what_is_needed(notes, places):
    assert places == needed(notes)


def test_notes_do_not_grow_with_what_is_idle(any_store):
    any_store.note(rule("kept"))
    for number in range(1, 5_000):
        any_store.note(rule(f"r{number}") if number % 2 else removed(f"r{number - 1}"))
        settle(any_store)
    longest = len(any_store.notes())

    # Half of them are removals, which are needed, and the other half is idle.
    assert longest <= 1.5 * 2_501 + 1_000
    assert names(any_store) == ["kept", "r4999"]


@pytest.mark.parametrize("fsync", ["always", "never"])
def test_a_file_is_written_anew_when_most_of_it_is_idle(lasting, little, fsync):
    store = lasting(fsync=fsync)
    path = lasting.directory / "notes.jsonl"
    for number in range(9):
        store.note(rule(f"r{number}"))
        store.note(removed(f"r{number}"))
    before = path.stat().st_ino
    settle(store)
    kept = len(path.read_bytes().split())
    store.note(rule("last"))

    assert (path.stat().st_ino != before, kept) == (True, 3)
    assert names(store) == names(lasting()) == ["last"]
    assert not path.with_suffix(".new").exists()
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_another_version_wrote_is_kept(tmp_path, little):
    notes = NoteFile(Files(), tmp_path)
    notes.add(b'{"later":1}', b'{"rule":5}', b'{"removedRule":"to', b'{"rule":{"id":"x"}}')
    notes.shorten()

    assert notes.lines() == [b'{"later":1}', b'{"rule":5}', b'{"rule":{"id":"x"}}']


def test_one_that_is_read_is_told_from_the_next(tmp_path, little):
    """Also where the system gives the new file the number of an old one."""
    reader, writer = NoteFile(Files(), tmp_path), NoteFile(Files(), tmp_path)
    for round_ in range(6):
        writer.add_note(rule(f"r{round_}"))
        assert names(reader) == [f"r{round_}"]
        writer.add_note(removed(f"r{round_}"))
        writer.shorten()
        writer.shorten()

    assert names(reader) == []


class Full(Files):
    """A disk that is full for one file."""

    def write(self, descriptor, data):
        if b"Rule" in data and not data.startswith(b"\n"):
            raise OSError(28, "No space left on device")
        super().write(descriptor, data)


def test_where_it_cannot_be_written_it_stays(lasting, little):
    store = lasting(fsync="always", files=Full())
    for number in range(9):
        store.note(rule(f"r{number}"))
        store.note(removed(f"r{number}"))
    settle(store)
    store.note(rule("last"))
    settle(store)

    assert names(store) == ["last"]
    assert lasting.told == [
        f"{lasting.directory}/notes.jsonl: No space left on device; it stays as long as it is",
    ]
    assert not (lasting.directory / "notes.new").exists()


def live(kind, directory, policy, files=None):
    """Rules come and go until the file is written anew twice; the steps, with what was promised between them."""
    files = files or RecordingFiles(directory)
    store = open_store(kind, directory, fsync=policy, files=files)
    store.note(rule("kept"))
    settle(store)
    holding = ["kept"]
    files.tell(("kept",))
    for number in range(24):
        if number % 3:
            name = holding.pop()
            store.note(removed(name))
        else:
            name = [f"r{number}", f"s{number}"]
            holding += name
            for one in name:
                store.note(rule(one))
        settle(store)
        files.tell(tuple(holding))
    steps = list(files.steps)
    store.close()
    return steps


def check_all(kind, steps, place, *, power):
    for count in range(len(steps) + 1):
        check(kind, steps, count, place, power=power)


def check(kind, steps, count, place, *, power):
    """What a disk holds after so many steps is what was promised last, or what was to be promised next."""
    promises = [step.promise for step in steps if step.what == "told"]
    told = sum(step.what == "told" for step in steps[:count])
    for number, (loss, left) in enumerate(losses(steps[:count], seed=count)):
        if loss != "kill" and not power:
            continue
        lay_out(left, place / f"{count}-{number}")
        found = names(open_store(kind, place / f"{count}-{number}", fsync="never"))
        before = set(promises[told - 1] if told else ())
        after = set(promises[told] if told < len(promises) else before)
        assert before & after <= set(found) <= before | after


@pytest.mark.parametrize("policy", ["always", "terminal", "never"])
@pytest.mark.parametrize("kind", STORES)
def test_after_any_step_the_rules_are_what_was_promised(tmp_path, little, kind, policy):
    steps = live(kind, tmp_path / "state", policy)
    check_all(kind, steps, tmp_path, power=policy != "never")

    assert sum(step.what == "replace" for step in steps) >= 2


class Hasty(RecordingFiles):
    """Files that are not forced before they get a name."""

    def sync(self, descriptor):
        if not Path(f"/proc/self/fd/{descriptor}").readlink().name.endswith(".new"):
            super().sync(descriptor)


class Nameless(RecordingFiles):
    """Files whose names are never forced."""

    def sync_directory(self, path):
        pass


@pytest.mark.parametrize("liar", [Hasty, Nameless])
def test_a_file_that_is_named_before_it_is_safe_is_found_out(tmp_path, little, liar):
    steps = live("jsonl", tmp_path / "state", "always", liar(tmp_path / "state"))

    with pytest.raises(AssertionError):
        check_all("jsonl", steps, tmp_path, power=True)


def test_processes_that_add_and_shorten_lose_nothing(lasting, little):
    def work(mark):
        def run(_report):
            store = lasting()
            for number in range(300):
                store.note(rule(f"{mark}{number}"))
                if number % 10:
                    store.note(removed(f"{mark}{number}"))
                settle(store)

        return run

    lasting()
    with Child(work("a")) as one, Child(work("b")) as two:
        codes = [one.wait(), two.wait()]

    assert codes == [0, 0]
    assert sorted(names(lasting())) == sorted(f"{mark}{number}" for mark in "ab" for number in range(0, 300, 10))


def test_threads_that_add_and_shorten_lose_nothing(tmp_path, little):
    """A round is forced in another thread than the one that goes on adding."""
    notes = NoteFile(Files(), tmp_path)
    notes.add_note(rule("first"))
    is_over = threading.Event()

    def shorten():
        while not is_over.is_set():
            notes.shorten()

    thread = threading.Thread(target=shorten)
    thread.start()
    for number in range(300):
        notes.add_note(rule(f"r{number}"))
        notes.add_note(removed(f"r{number}"))
        assert names(notes) == ["first"]
    is_over.set()
    thread.join()

    assert names(NoteFile(Files(), tmp_path)) == ["first"]
