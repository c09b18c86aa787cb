"""A byte that is changed anywhere is found and named, and hurts no other thread."""

import errno
import os
import random
import sqlite3
from contextlib import closing

import pytest

from store.records import event, first, header
from turnwire.store.base import Head, StoredEvent, ThreadDamaged, ThreadTaken, ThreadUnusable
from turnwire.store.chain import GENESIS, link
from turnwire.store.chain import verify as verify_lines
from turnwire.store.files import Files
from turnwire.store.index import read_entries
from turnwire.store.opening import open_store
from turnwire.store.rollout import show, verify

# Positions to change a byte at, spread over the whole record.
FLIPS = 500
EVENTS = 40


def filled(store):
    """Two threads with events of several lengths."""
    for thread_id in ("t1", "t2"):
        store.create(header(thread_id), first(thread_id))
        for seq in range(2, EVENTS + 1):
            store.append(header(thread_id, seq), event(seq, text="some text " * (seq % 7)))
    lines = [bytes(line) for line in store.lines("t1")]
    store.close()
    return lines


def places(lines, whole):
    """Random positions, each with the number of the line that holds it (its line end included)."""
    chance = random.Random(1)
    ends = []
    for line in lines:
        ends.append((ends[-1] if ends else 0) + len(line) + (1 if whole else 0))
    for _ in range(FLIPS):
        position = chance.randrange(ends[-1])
        yield position, next(number for number, end in enumerate(ends, 1) if position < end), 1 << chance.randrange(8)


def record_of(directory, lines):
    """The file that holds t1, and where in it each of its lines begins."""
    if (directory / "threads").exists():
        (path,) = (directory / "threads").glob("t1-*.jsonl")
    else:
        path = directory / "record.sqlite"
    data = path.read_bytes()
    starts = []
    for line in lines:
        assert data.count(line) == 1, "the stored bytes lie in the file as they are"
        starts.append(data.index(line))
    return path, data, starts


def test_a_changed_byte_is_named_and_hurts_no_other(lasting):
    lines = filled(lasting())
    path, data, starts = record_of(lasting.directory, lines)
    for position, line, bit in places(lines, whole=lasting.kind == "jsonl"):
        before = sum(len(one) + (1 if lasting.kind == "jsonl" else 0) for one in lines[: line - 1])
        changed = bytearray(data)
        changed[starts[line - 1] + position - before] ^= bit
        path.write_bytes(changed)
        checked = {found.thread_id: found for found in verify(lasting.directory)}
        damaged = next(found for thread_id, found in checked.items() if thread_id != "t2")

        assert checked["t2"].fault is None
        assert damaged.fault.startswith(f"line {line}, ")
        assert damaged.events == line - 1
        assert damaged.where.startswith(str(path))


@pytest.mark.parametrize("line", [1, 17, EVENTS])
def test_a_damaged_thread_is_set_aside_and_the_others_serve(lasting, line):
    lines = filled(lasting())
    path, data, starts = record_of(lasting.directory, lines)
    changed = bytearray(data)
    changed[starts[line - 1] + 130] ^= 1
    path.write_bytes(changed)
    store = lasting()

    with pytest.raises(ThreadDamaged, match=f"line {line}, "):
        store.events("t1")
    assert [sentence for sentence in lasting.told if "t1" in sentence and f"line {line}, " in sentence]
    assert store.header("t1") is None
    assert [found.id for found in store.headers()] == ["t2"]
    for use in (store.claim, store.events, store.head):
        with pytest.raises(ThreadDamaged, match=f"line {line}, "):
            use("t1")
    with pytest.raises(ThreadDamaged):
        store.append(header(seq=EVENTS + 1), event(EVENTS + 1))
    with pytest.raises(ThreadTaken):
        store.create(header(), first())
    store.append(header("t2", EVENTS + 1), event(EVENTS + 1))
    assert len(store.events("t2")) == EVENTS + 1


def test_a_damaged_thread_stays_set_aside_until_it_is_mended(lasting):
    lines = filled(lasting())
    path, data, starts = record_of(lasting.directory, lines)
    path.write_bytes(data[: starts[5]] + b"?" + data[starts[5] + 1 :])
    store = lasting()
    with pytest.raises(ThreadDamaged):
        store.claim("t1")
    store.close()
    again = lasting()
    assert [found.id for found in again.headers()] == ["t2"]
    with pytest.raises(ThreadDamaged):
        again.claim("t1")
    again.close()
    mended = path.read_bytes()
    place = mended.index(b"?" + lines[5][1:])
    path.write_bytes(mended[:place] + lines[5][:1] + mended[place + 1 :])
    good = lasting()

    assert sorted(found.id for found in good.headers()) == ["t1", "t2"]
    assert list(good.lines("t1")) == lines


class Closed(Files):
    """Files of which one is of somebody else, until it is `open`."""

    def __init__(self, path):
        self.path = path
        self.open = False

    def open_to_read(self, path):
        self._demand(path)
        return super().open_to_read(path)

    def open_to_append(self, path, *, create):
        self._demand(path)
        return super().open_to_append(path, create=create)

    def _demand(self, path):
        if path == self.path and not self.open:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))


@pytest.mark.parametrize("known", [True, False], ids=["in the index", "without an index"])
def test_a_thread_that_cannot_be_read_is_left_out_and_the_others_serve(opener, known):
    path, data, _starts = jsonl(opener)
    if not known:
        (opener.directory / "index.jsonl").unlink()
    # An append that nothing was noted of, so that the file is to be read.
    added = link(Head(EVENTS, verify_lines(data.splitlines()).head.hash), event(EVENTS + 1)).line
    path.write_bytes(data + added + b"\n")
    files = Closed(path)
    store = opener(files=files)

    for _ in range(2):
        assert [found.id for found in store.headers()] == ["t2"]
        assert store.header("t1") is None
    assert [sentence for sentence in opener.told if "Left out" in sentence] == [f"Left out: {path}: Permission denied"]
    for use in (store.claim, store.events, store.head):
        with pytest.raises(ThreadUnusable, match="Permission denied"):
            use("t1")
    with pytest.raises(ThreadTaken):
        store.create(header(), first())
    store.append(header("t2", EVENTS + 1), event(EVENTS + 1))
    files.open = True
    assert store.header("t1").seq == EVENTS + 1
    store.append(header("t1", EVENTS + 2), event(EVENTS + 2))
    assert sorted(found.id for found in store.headers()) == ["t1", "t2"]


def test_a_directory_where_a_file_was_hurts_no_other(opener):
    path, _data, _starts = jsonl(opener)
    path.unlink()
    path.mkdir()
    store = opener()

    assert [found.id for found in store.headers()] == ["t2"]
    with pytest.raises(ThreadUnusable, match="Is a directory"):
        store.events("t1")
    assert [found.fault for found in verify(opener.directory)] == ["it cannot be read: Is a directory", None]


def test_a_file_that_was_emptied_is_named(opener):
    path, _data, _starts = jsonl(opener)
    path.write_bytes(b"")
    checked = {found.thread_id: found.fault for found in verify(opener.directory)}

    assert checked == {"t1": f"it ends at event 0, and event {EVENTS} was stored", "t2": None}
    with pytest.raises(ThreadDamaged, match=f"it ends at event 0, and event {EVENTS} was stored"):
        list(show(opener.directory, "t1"))


@pytest.mark.parametrize("name", ["threads", "index.jsonl", "notes.jsonl"])
def test_a_directory_of_which_a_part_is_closed_is_not_served(opener, monkeypatch, name):
    filled(opener())
    place = opener.directory / name
    if not place.exists():
        place.touch()
    monkeypatch.setattr(os, "access", lambda path, _mode: path != place)

    with pytest.raises(PermissionError) as refused:
        opener()
    assert refused.value.filename == str(place)


def test_a_database_of_something_else_is_left_as_it_is(tmp_path):
    tmp_path.chmod(0o700)
    path = tmp_path / "record.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE birds (name)")
    before = path.read_bytes()

    for use in (lambda: open_store("sqlite", tmp_path), lambda: list(verify(tmp_path))):
        with pytest.raises(OSError, match="is a database of something else; name another directory"):
            use()
    assert path.read_bytes() == before


def jsonl(opener):
    lines = filled(opener())
    return record_of(opener.directory, lines)


def test_a_torn_tail_is_cut_and_said_so(opener):
    path, data, _starts = jsonl(opener)
    path.write_bytes(data + b'{"seq":41,"prev":"0')
    store = opener()
    store.append(header(seq=41), event(41))

    assert f"{path}: a torn tail of 19 bytes after event 40 was cut" in opener.told
    assert len(store.events("t1")) == 41


def test_a_torn_tail_is_named(opener):
    path, data, _starts = jsonl(opener)
    path.write_bytes(data + b'{"seq":41,"prev":"0')
    (found,) = verify(opener.directory, "t1")

    assert found.fault == (
        "line 41, after event 40: does not end with the member `hash`; it is torn, and is cut when the thread is next"
        " written"
    )


def test_a_torn_tail_is_nothing_yet_for_a_reader(opener):
    path, data, _starts = jsonl(opener)
    path.write_bytes(data + b'{"seq":41,"prev":"0')
    store = opener()

    assert len(store.events("t1")) == 40
    assert store.header("t1").seq == 40
    assert path.read_bytes() == data + b'{"seq":41,"prev":"0'


def test_a_last_line_end_that_was_changed_is_no_torn_tail(opener):
    path, data, _starts = jsonl(opener)
    path.write_bytes(data[:-1] + b"!")

    with pytest.raises(ThreadDamaged, match="line 40, event 40: its line end is another byte"):
        opener().claim("t1")
    assert path.read_bytes() == data[:-1] + b"!"


def test_an_event_that_lacks_only_its_line_end_is_kept(opener):
    path, data, _starts = jsonl(opener)
    path.write_bytes(data[:-1])
    store = opener()
    store.claim("t1")

    assert path.read_bytes() == data
    assert opener.told == []


def test_events_that_are_missing_at_the_end_are_missed(lasting):
    lines = filled(lasting())
    path, data, starts = record_of(lasting.directory, lines)
    if lasting.kind == "sqlite":
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute("DELETE FROM events WHERE thread = 1 AND seq > 38")
    else:
        path.write_bytes(data[: starts[38]])
    checked = {found.thread_id: found for found in verify(lasting.directory)}

    assert checked["t1"].fault == "it ends at event 38, and event 40 was stored"
    assert checked["t2"].fault is None
    store = lasting()
    if lasting.kind == "sqlite":
        with pytest.raises(ThreadDamaged, match="ends at event 38, and event 40 was stored"):
            store.events("t1")
    else:
        # After a power loss that is lawful where the policy did not force them, so it is said and gone on with.
        assert store.header("t1").seq == 38
        assert lasting.told == [f"{path} ends at event 38; event 40 was there once"]


def test_a_record_under_another_name_is_no_thread(opener):
    path, _data, _starts = jsonl(opener)
    path.rename(path.with_name("t9-00000000000000000000000000000000.jsonl"))
    store = opener()

    assert [found.id for found in store.headers()] == ["t2"]
    assert any("is the record of the thread t1, which has another name" in sentence for sentence in opener.told)


@pytest.mark.parametrize(
    "stored",
    [
        event(1),
        StoredEvent(1, 1000, "thread/started", b'{"thread":{}}'),
        StoredEvent(1, 1000, "turn/completed", b'{"no":"turn"}'),
    ],
)
def test_a_record_that_tells_of_no_thread_is_set_aside(opener, stored):
    path, _data, _starts = jsonl(opener)
    path.write_bytes(link(GENESIS, stored).line + b"\n")
    store = opener()
    for _ in range(2):
        with pytest.raises(ThreadDamaged, match="its events tell of no thread"):
            store.claim("t1")

    assert [found.id for found in store.headers()] == ["t2"]
    with pytest.raises(ThreadTaken):
        store.create(header(), first())


@pytest.mark.parametrize("content", [b"", b"no index\n", b'{"name":"t1-', b"\x00" * 100, b"{}\n[]\n"])
def test_an_index_that_cannot_be_read_is_read_anew(opener, content):
    jsonl(opener)
    (opener.directory / "index.jsonl").write_bytes(content)
    store = opener()

    assert sorted((found.id, found.seq) for found in store.headers()) == [("t1", 40), ("t2", 40)]
    store.close()
    written = read_entries(opener.directory / "index.jsonl")
    assert sorted(entry.header.id for entry in written.values()) == ["t1", "t2"]


def test_a_database_of_another_form_is_refused(tmp_path):
    opener_ = tmp_path / "state"
    opener_.mkdir(mode=0o700)
    (opener_ / "record.sqlite").write_bytes(b"no database, whatever its name says" * 100)

    with pytest.raises(OSError, match="file is not a database"):
        list(verify(opener_))
