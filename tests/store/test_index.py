"""The journal of headers stays short, whoever uses it beside us, and says the same before and after."""

import os

import pytest

from store.records import event, first, header
from store.test_faults import Failing
from turnwire.store import index as index_module
from turnwire.store.index import Entry, Index, read_entries
from turnwire.store.locks import alone, is_at, share

# A journal of one thread has so many lines at most: see `_SLACK`.
MOST = 2 * 1 + 1000


def fill(store, times):
    """Writes to the index as often as that."""
    if store.header("t1") is None:
        store.create(header(), first())
    seq = store.head("t1").seq
    for number in range(seq + 1, seq + times + 1):
        store.append(header(seq=number), event(number, "thread/noted"))


def lines_of(opener):
    return (opener.directory / "index.jsonl").read_bytes().count(b"\n")


def seqs(store):
    return [found.seq for found in store.headers()]


def test_it_grows_to_its_bound_and_is_written_anew_beyond(opener):
    store = opener()
    fill(store, MOST - 1)
    assert lines_of(opener) == MOST
    fill(store, 1)

    assert lines_of(opener) == 1
    assert seqs(store) == [MOST + 1]
    assert (opener.directory / "index.jsonl").stat().st_mode & 0o777 == 0o600
    fill(store, 5)
    assert lines_of(opener) == 6
    assert seqs(opener()) == [MOST + 6]


def test_it_stays_as_it_is_while_another_uses_it(opener):
    one, two = opener(), opener()
    fill(one, 10)
    assert seqs(two) == [11]
    fill(one, MOST)
    assert lines_of(opener) == MOST + 11
    two.close()
    # Looked at again when it is too long for the lines that it had when the other was there.
    often = 2 * (MOST + 1) + 1000
    fill(one, often - MOST - 11)
    assert lines_of(opener) == often
    fill(one, 1)

    assert lines_of(opener) == 1
    assert seqs(one) == seqs(opener()) == [often + 1]


def test_it_is_written_anew_by_the_next_that_opens_it(opener):
    one, two = opener(), opener()
    fill(one, 10)
    assert seqs(two) == [11]
    fill(one, MOST)
    one.close()
    two.close()

    assert seqs(opener()) == [MOST + 11]
    assert lines_of(opener) == 1


def test_who_opens_it_while_it_is_written_anew_reads_the_new_one(opener):
    one = opener()
    fill(one, MOST)
    assert lines_of(opener) == 1
    two = opener()
    assert seqs(two) == [MOST + 1]
    fill(one, 3)
    assert seqs(two) == [MOST + 4]
    two.create(header("t2"), first("t2"))

    assert sorted((found.id, found.seq) for found in one.headers()) == [("t1", MOST + 4), ("t2", 1)]


def test_a_disk_that_is_full_leaves_it_long(opener):
    files = Failing()
    store = opener(files=files)
    fill(store, MOST - 1)
    files.fault, files.only = "write", "index.new"
    fill(store, 1)
    files.fault = None

    assert [said for said in opener.told if "it stays as long as it is" in said] == opener.told != []
    assert lines_of(opener) == MOST + 1
    fill(store, 1)
    assert seqs(opener()) == [MOST + 2]


def test_a_lock_that_was_refused_leaves_the_shared_one(opener, tmp_path):
    files = Failing()
    one, two, three = (share(files, tmp_path / "shared") for _ in range(3))
    assert alone(one) is False
    os.close(two)
    os.close(three)
    fresh = share(files, tmp_path / "shared")

    # Had it lost its own lock by asking, the other were alone now.
    assert alone(fresh) is False
    os.close(one)
    assert alone(fresh) is True
    os.close(fresh)


def entry(name, seq=1):
    return Entry(name, size=seq, hash=f"{seq:064}", header=header(name, seq))


def test_what_another_wrote_anew_is_read_anew(tmp_path, monkeypatch):
    """As if another had been alone with it in the moment in which this one asked to be."""
    path = tmp_path / "index.jsonl"
    index = Index(Failing(), path, pytest.fail)
    for name in ("stays", "goes"):
        index.put(entry(name))
    moment = index.changes.moment
    other = Index(Failing(), tmp_path / "index.other", pytest.fail)
    for kept in (entry("stays", 2), entry("new")):
        other.put(kept)
    other.close()

    def refused(descriptor):
        (tmp_path / "index.other").replace(path)
        assert not is_at(descriptor, path)
        return False

    monkeypatch.setattr(index_module, "alone", refused)
    monkeypatch.setattr(index_module, "_SLACK", -3)
    index.put(entry("stays", 3))
    monkeypatch.undo()
    told = index.changes.told(moment, lambda name: index.entries[name].header if name in index.entries else None)

    assert {name: found.header.seq for name, found in index.entries.items()} == {"stays": 2, "new": 1}
    assert sorted((name, found and found.seq) for name, found in told) == [("goes", None), ("new", 1), ("stays", 2)]
    index.put(entry("later"))
    assert sorted(read_entries(path)) == ["later", "new", "stays"]
    index.close()


def test_keys_that_no_thread_has_are_forgotten(tmp_path):
    index = Index(Failing(), tmp_path / "index.jsonl", pytest.fail)
    for name in ("a", "b"):
        index.put(Entry(name, size=1, key="k", header=header(name)))
    assert index.keys == {"k": {"a": None, "b": None}}
    index.put(Entry("a"))
    assert index.keys == {"k": {"b": None}}
    index.put(Entry("b"))

    assert index.keys == {}
    index.close()
