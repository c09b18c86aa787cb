"""What a store does when the system refuses, when others write, and when there is more than fits."""

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from store.records import event, first, header, settle
from turnwire.store.base import HeadMoved, ThreadHeld
from turnwire.store.chain import link, verify
from turnwire.store.files import Files
from turnwire.store.locks import open_locked
from turnwire.store.notes import Note
from turnwire.store.opening import open_store
from turnwire.store.rollout import prune
from turnwire.wire import ActiveTurn

MANY = 600


class Failing(Files):
    """Files that fail while `fault` is set: at the named step, on files with this name in their path."""

    def __init__(self):
        self.fault = None
        self.only = "/threads/"
        self._paths = {}

    def open_to_append(self, path, *, create):
        descriptor = super().open_to_append(path, create=create)
        self._paths[descriptor] = str(path)
        return descriptor

    def open_to_read(self, path):
        descriptor = super().open_to_read(path)
        self._paths[descriptor] = str(path)
        return descriptor

    def write(self, descriptor, data):
        if self._fails("write", descriptor):
            os.write(descriptor, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        super().write(descriptor, data)

    def sync(self, descriptor):
        if self._fails("sync", descriptor):
            raise OSError(errno.EIO, "Input/output error")
        super().sync(descriptor)

    def cut(self, descriptor, size):
        if self.fault == "write and cut":
            raise OSError(errno.EIO, "Input/output error")
        super().cut(descriptor, size)

    def _fails(self, step, descriptor):
        return self.fault is not None and self.fault.startswith(step) and self.only in self._paths[descriptor]


@pytest.fixture
def failing(opener):
    files = Failing()
    store = opener(fsync="always", files=files)
    store.create(header(), first())
    return files, store


def test_nothing_of_what_could_not_be_written_is_left(opener, failing):
    files, store = failing
    (path,) = (opener.directory / "threads").iterdir()
    before = path.read_bytes()
    files.fault = "write"
    with pytest.raises(OSError, match="No space"):
        store.append(header(seq=2), event(2))

    assert path.read_bytes() == before
    assert opener.told == []


@pytest.mark.parametrize("fault", ["write", "write and cut"])
def test_what_could_not_be_written_is_not_there(failing, fault):
    files, store = failing
    files.fault = fault
    for _ in range(3):
        with pytest.raises(OSError, match=r"No space|Input/output"):
            store.append(header(seq=2), event(2))
    files.fault = None
    store.append(header(seq=2), event(2, text="well"))

    assert store.events("t1") == [first(), event(2, text="well")]
    assert verify(store.lines("t1")).fault is None


def test_what_could_not_be_forced_is_read_again(failing):
    files, store = failing
    files.fault = "sync"
    store.append(header(seq=2), event(2))
    with pytest.raises(OSError, match="Input/output"):
        settle(store)
    store.release("t1")
    files.fault = None

    # It may be there: the caller was told that it does not know.
    assert store.head("t1").seq == 2
    with pytest.raises(HeadMoved):
        store.append(header(seq=2), event(2))
    store.append(header(seq=3), event(3))
    assert verify(store.lines("t1")).fault is None


def test_a_thread_that_could_not_begin_can_begin_later(opener):
    files = Failing()
    store = opener(files=files)
    files.fault = "write"
    with pytest.raises(OSError, match="No space"):
        store.create(header(), first())
    assert list(store.headers()) == []
    files.fault = None
    store.create(header(), first())

    assert store.events("t1") == [first()]


def test_an_index_that_cannot_be_written_hurts_nobody(opener, failing):
    files, store = failing
    files.fault, files.only = "write", "index.jsonl"
    store.append(header(seq=2), event(2, "thread/noted"))
    store.create(header("t2"), first("t2"))
    files.fault = None
    store.append(header(seq=3), event(3, "thread/noted"))
    store.close()

    assert any("the next start will read more" in sentence for sentence in opener.told)
    assert sorted((found.id, found.seq) for found in opener().headers()) == [("t1", 3), ("t2", 1)]


def descriptors():
    return sum(1 for _ in Path("/dev/fd").iterdir())


def test_more_threads_than_descriptors(lasting):
    store = lasting(fsync="never")
    busy = msgspec.structs.replace(header("busy"), status="active", active_turn=ActiveTurn(id="u", status="running"))
    store.create(busy, first("busy"))
    before = descriptors()
    for number in range(MANY):
        store.create(header(f"t{number}"), first(f"t{number}"))
    held = descriptors() - before
    for number in range(MANY):
        store.append(header(f"t{number}", 2), event(2))
        store.events(f"t{number}")

    assert held <= 256
    assert len(list(store.headers())) == MANY + 1
    with pytest.raises(ThreadHeld):
        lasting().claim("busy")
    lasting().claim("t0")


def test_a_thread_that_was_let_go_may_be_written_by_another(lasting):
    one, two = lasting(), lasting()
    one.create(header(), first())
    with pytest.raises(ThreadHeld):
        two.append(header(seq=2), event(2))
    one.release("t1")
    two.append(header(seq=2, title="Two"), event(2, "thread/noted"))
    with pytest.raises(ThreadHeld):
        one.append(header(seq=3), event(3))
    assert one.header("t1") == header(seq=2, title="Two")
    assert [found.title for found in one.headers()] == ["Two"]
    two.release("t1")
    with pytest.raises(HeadMoved):
        one.append(header(seq=2), event(2))
    one.append(header(seq=3), event(3))

    assert [found.seq for found in two.events("t1")] == [1, 2, 3]


def test_what_another_begins_and_deletes_is_seen(lasting):
    one, two = lasting(), lasting()
    assert list(one.headers()) == []
    two.create(header(), first())
    two.create(header("t2"), first("t2"))
    assert sorted(found.id for found in one.headers()) == ["t1", "t2"]
    two.delete("t1")

    assert [found.id for found in one.headers()] == ["t2"]
    assert one.header("t1") is None


def test_who_writes_without_the_lock_is_noticed(opener):
    store = opener()
    head = store.create(header(), first())
    (path,) = (opener.directory / "threads").iterdir()
    with path.open("ab") as file:
        file.write(link(head, event(2)).line + b"\n")
    with pytest.raises(HeadMoved):
        store.append(header(seq=2), event(2, text="mine"))

    assert store.events("t1") == [first(), event(2)]


def test_who_writes_to_the_database_without_the_lock_is_noticed(opener):
    opener.kind = "sqlite"
    store = opener()
    head = store.create(header(), first())
    line, head = link(head, event(2))
    with closing(sqlite3.connect(opener.directory / "record.sqlite", isolation_level=None)) as database:
        database.execute("INSERT INTO events VALUES (1, 2, ?)", (line,))
        database.execute("UPDATE threads SET seq = 2, hash = ?", (head.hash,))
    with pytest.raises(HeadMoved):
        store.append(header(seq=2), event(2, text="mine"))

    assert store.events("t1") == [first(), event(2)]


def test_a_reader_sees_one_moment_of_a_database(opener):
    opener.kind = "sqlite"
    writer, reader = opener(), opener()
    writer.create(header(), first())
    lines = reader._database.lines

    def while_another_writes(number, seq):
        writer.append(header(seq=2), event(2))
        return lines(number, seq)

    reader._database.lines = while_another_writes

    assert reader.head("t1").seq == 1
    reader._database.lines = lines
    assert reader.head("t1").seq == 2
    assert opener.told == []


@pytest.mark.parametrize(
    ("policy", "type_", "owed"),
    [
        ("always", "item/progress", True),
        ("terminal", "item/progress", False),
        ("terminal", "turn/noted", False),
        ("terminal", "turn/completed", True),
        ("terminal", "thread/noted", True),
        ("terminal", "thread/status/changed", False),
        ("terminal", "approval/noted", True),
        ("terminal", "userInput/resolved", True),
        ("terminal", "record/held", True),
        ("never", "thread/noted", False),
    ],
)
def test_what_is_owed_is_what_the_policy_says(lasting, policy, type_, owed):
    files = Counting()
    store = lasting(fsync=policy, files=files)
    store.create(header(), first())
    settle(store)
    begun = files.syncs
    store.append(header(seq=2), event(2, type_))

    assert (store.owes("t1"), files.syncs) == (owed, begun)
    settle(store)
    assert (store.owes("t1"), files.syncs - begun) == (False, int(owed))


class Counting(Files):
    """Files that count how often one was forced."""

    def __init__(self):
        self.syncs = 0

    def sync(self, descriptor):
        self.syncs += 1
        super().sync(descriptor)


def test_what_is_owed_is_forced_at_once_for_all_of_a_thread(lasting):
    files = Counting()
    store = lasting(fsync="always", files=files)
    store.create(header(), first())
    for seq in range(2, 30):
        store.append(header(seq=seq), event(seq))
    store.note(Note())
    settle(store)
    settle(store)

    assert (files.syncs, store.owes("t1"), store.owes("")) == (1, False, True)


def test_what_was_taken_away_owes_only_its_name(opener):
    files = Counting()
    store = opener(fsync="always", files=files)
    store.create(header(), first())
    store.delete("t1")
    settle(store)

    assert files.syncs == 0


def test_a_database_waits_for_no_disk(opener):
    opener.kind = "sqlite"
    store = opener(fsync="always")

    # 1 is NORMAL: the file stays whole, and the last commits are forced by whoever must.
    assert store._database.rows("PRAGMA synchronous") == [(1,)]


class Hijacked(Files):
    """Files of which one is replaced just when it was opened."""

    def open_to_append(self, path, *, create):
        descriptor = super().open_to_append(path, create=create)
        if path.with_suffix(".other").exists():
            path.with_suffix(".other").replace(path)
        return descriptor


def test_a_lock_is_on_the_file_that_others_find(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"old")
    path.with_suffix(".other").write_bytes(b"new")
    descriptor = open_locked(Hijacked(), path, create=False)

    assert os.pread(descriptor, 3, 0) == b"new"
    assert open_locked(Files(), path, create=False) is None
    os.close(descriptor)


def test_a_record_that_was_exchanged_is_not_taken_for_the_old_one(opener):
    store = opener()
    store.create(header(), first())
    store.append(header(seq=2), event(2))
    store.close()
    (path,) = (opener.directory / "threads").iterdir()
    other = type(opener)("jsonl", opener.directory.with_name("other"))
    store = other()
    changed = msgspec.structs.replace(first(), payload=first().payload.replace(b"A thread", b"B thread"))
    store.create(header(title="B thread"), changed)
    store.append(header(seq=2, title="B thread"), event(2))
    store.close()
    exchanged = next((other.directory / "threads").iterdir()).read_bytes()
    assert len(exchanged) == path.stat().st_size
    path.write_bytes(exchanged)

    assert [found.title for found in opener().headers()] == ["B thread"]


def test_a_reader_follows_a_record_that_is_replaced(lasting):
    writer, reader = lasting(), lasting()
    writer.create(header(), first())
    for seq in range(2, 11):
        writer.append(header(seq=seq), event(seq))
    assert len(reader.events("t1")) == 10
    writer.release("t1")
    prune(lasting.directory, "t1", before=6, now=1)

    assert [found.seq for found in reader.events("t1")] == [5, 6, 7, 8, 9, 10]
    writer.append(header(seq=11), event(11))
    assert [found.seq for found in reader.events("t1", 8)] == [9, 10, 11]


@pytest.mark.parametrize("kinds", [("jsonl", "sqlite"), ("sqlite", "jsonl")])
def test_a_directory_of_another_store_is_refused(opener, kinds):
    opener.kind = kinds[0]
    opener()
    opener.kind = kinds[1]

    with pytest.raises(FileExistsError, match=f"holds a record of the store {kinds[0]}, not {kinds[1]}"):
        opener()


def test_a_store_has_a_name(tmp_path):
    with pytest.raises(ValueError, match="a store is one of jsonl, sqlite, not 'csv'"):
        open_store("csv", tmp_path)
