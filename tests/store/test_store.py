"""What every store promises, to the letter of `Store`."""

import msgspec
import pytest

from store.records import chain_of, event, first, header, said
from turnwire.store.base import Head, HeadMoved, ThreadTaken
from turnwire.store.chain import BadEvent, verify


def started(store, thread_id="t1", events=1):
    """A thread of so many events."""
    store.create(header(thread_id), first(thread_id))
    for seq in range(2, events + 1):
        store.append(header(thread_id, seq), event(seq))


def test_events_are_read_as_they_were_added(any_store):
    started(any_store, events=4)

    assert any_store.events("t1") == [first(), event(2), event(3), event(4)]


@pytest.mark.parametrize(
    ("after", "limit", "seqs"),
    [
        (0, None, [1, 2, 3, 4, 5]),
        (2, None, [3, 4, 5]),
        (2, 2, [3, 4]),
        (5, None, []),
        (9, 3, []),
        (0, 0, []),
        (4, 9, [5]),
    ],
)
def test_a_part_is_read(any_store, after, limit, seqs):
    started(any_store, events=5)

    assert [found.seq for found in any_store.events("t1", after, limit)] == seqs
    assert [msgspec.json.decode(line)["seq"] for line in any_store.lines("t1", after, limit)] == seqs


def test_numbers_may_have_gaps(any_store):
    started(any_store)
    any_store.append(header(seq=10), event(10))

    assert [found.seq for found in any_store.events("t1", 5)] == [10]


def test_lines_are_a_chain_that_ends_at_the_head(any_store):
    started(any_store, events=6)
    verdict = verify(any_store.lines("t1"))

    assert (verdict.events, verdict.fault) == (6, None)
    assert any_store.head("t1") == verdict.head


def test_appending_returns_the_head(any_store):
    head = any_store.create(header(), first())
    assert head == any_store.head("t1")

    head = any_store.append(header(seq=2), event(2))
    assert head == any_store.head("t1")
    assert head.seq == 2


def test_header_is_that_of_the_last_event(any_store):
    started(any_store, events=3)
    any_store.append(header(seq=4, title="Another"), event(4))

    assert any_store.header("t1") == header(seq=4, title="Another")
    assert list(any_store.headers()) == [header(seq=4, title="Another")]


def test_threads_do_not_mix(any_store):
    for thread_id in ("a", "A", "a/b", "a:b", "x" * 160):
        started(any_store, thread_id)
        any_store.append(header(thread_id, 2), event(2, text=thread_id))

    assert sorted(found.id for found in any_store.headers()) == sorted(["a", "A", "a/b", "a:b", "x" * 160])
    assert any_store.events("a/b", 1) == [event(2, text="a/b")]


def test_a_taken_id_is_refused_and_nothing_is_stored(any_store):
    started(any_store, events=3)

    with pytest.raises(ThreadTaken):
        any_store.create(header(title="Another"), first())
    assert any_store.header("t1") == header(seq=3)
    assert len(any_store.events("t1")) == 3


@pytest.mark.parametrize("seq", [1, 2, 3])
def test_an_event_that_is_not_beyond_the_last_is_refused(any_store, seq):
    started(any_store, events=3)

    with pytest.raises(HeadMoved):
        any_store.append(header(seq=seq), event(seq))
    assert len(any_store.events("t1")) == 3
    any_store.append(header(seq=4), event(4))
    assert any_store.head("t1").seq == 4


def test_what_is_not_there_reads_as_nothing(any_store):
    assert any_store.header("t1") is None
    assert any_store.head("t1") is None
    assert list(any_store.events("t1")) == []
    assert list(any_store.lines("t1")) == []
    assert list(any_store.headers()) == []


def test_what_is_not_there_cannot_be_written(any_store):
    with pytest.raises(KeyError):
        any_store.append(header(seq=2), event(2))
    with pytest.raises(KeyError):
        any_store.claim("t1")
    any_store.release("t1")
    any_store.delete("t1")


def test_a_deleted_thread_is_unknown_and_its_id_is_free(any_store):
    started(any_store, events=3)
    started(any_store, "t2")
    any_store.delete("t1")

    assert any_store.header("t1") is None
    assert list(any_store.events("t1")) == []
    assert [found.id for found in any_store.headers()] == ["t2"]
    any_store.create(header(title="Another"), first())
    assert any_store.header("t1") == header(title="Another")
    assert any_store.events("t1") == [first()]


def test_a_released_thread_goes_on_when_it_is_used(any_store):
    started(any_store, events=2)
    any_store.release("t1")
    any_store.release("t1")
    any_store.append(header(seq=3), event(3))

    assert len(any_store.events("t1")) == 3


def test_a_large_event_is_kept_whole(any_store):
    started(any_store)
    any_store.append(header(seq=2), event(2, text="\u2028\n\U0001f600" * 500_000))

    assert any_store.events("t1", 1) == [event(2, text="\u2028\n\U0001f600" * 500_000)]


def test_everything_is_there_again_after_closing(lasting):
    store = lasting()
    started(store, events=3)
    started(store, "t2")
    before = (store.head("t1"), store.lines("t1"), sorted(found.id for found in store.headers()))
    store.append(header("t2", 2), said(2, "t2"))
    store.close()
    again = lasting()

    assert (again.head("t1"), again.lines("t1"), sorted(found.id for found in again.headers())) == before
    assert again.header("t2") == header("t2", 2)
    assert lasting.told == []


def test_the_same_is_stored_by_every_store(lasting, tmp_path):
    stores = [lasting(), lasting.__class__("memory", tmp_path)()]
    for store in stores:
        started(store, events=5)

    assert list(stores[0].lines("t1")) == list(stores[1].lines("t1"))


def test_only_the_owner_reads_what_is_stored(lasting):
    store = lasting()
    started(store, events=2)
    modes = {path.stat().st_mode & 0o777 for path in lasting.directory.rglob("*") if path.is_file()}
    directories = {
        path.stat().st_mode & 0o777 for path in [lasting.directory, *lasting.directory.rglob("*")] if path.is_dir()
    }

    assert (modes, directories) == ({0o600}, {0o700})


def test_a_directory_of_somebody_else_is_left_alone(lasting):
    lasting.directory.mkdir(mode=0o755)
    (lasting.directory / "letter.txt").write_text("dear")

    with pytest.raises(FileExistsError, match="is no state directory and not empty"):
        lasting()
    assert lasting.directory.stat().st_mode & 0o777 == 0o755


def test_an_open_directory_is_closed_to_others(lasting):
    lasting.directory.mkdir(mode=0o755)
    lasting()

    assert lasting.directory.stat().st_mode & 0o777 == 0o700


def test_an_unknown_policy_is_refused(lasting):
    with pytest.raises(ValueError, match="fsync is one of always, terminal, never, not 'sometimes'"):
        lasting(fsync="sometimes")


def test_head_is_a_number_and_a_hash(any_store):
    started(any_store)

    assert any_store.head("t1") == Head(1, msgspec.json.decode(any_store.lines("t1")[0])["hash"])


KEYED = msgspec.structs.replace(first(), idempotency_key="k")


def test_a_thread_is_found_by_the_key_that_it_was_started_with(any_store):
    started(any_store, "t2")
    any_store.create(header(), KEYED)
    any_store.append(header(seq=2), msgspec.structs.replace(event(2), idempotency_key="later"))

    assert any_store.started_with("k") == ["t1"]
    assert any_store.started_with("later") == []
    any_store.delete("t1")
    assert any_store.started_with("k") == []


def test_one_key_may_have_started_several_threads(any_store):
    for thread_id in ("t1", "t2", "t3"):
        any_store.create(header(thread_id), msgspec.structs.replace(first(thread_id), idempotency_key="k"))
    any_store.delete("t2")

    assert any_store.started_with("k") == ["t1", "t3"]


def test_lines_are_adopted_all_or_none(any_store):
    lines = list(chain_of(6))
    assert any_store.adopt(header(seq=4), lines[:4]) == verify(lines[:4]).head
    with pytest.raises(BadEvent):
        any_store.adopt(header(seq=6), [lines[4], lines[4]])
    with pytest.raises(BadEvent):
        any_store.adopt(header("t2"), lines[1:])
    any_store.adopt(header(seq=6), lines[4:])

    assert list(any_store.lines("t1")) == lines
    assert any_store.header("t1") == header(seq=6)
    assert any_store.header("t2") is None


def test_the_key_of_a_thread_survives(lasting):
    store = lasting()
    store.create(header(), KEYED)
    store.append(header(seq=2), event(2, "thread/noted"))
    store.close()
    (lasting.directory / "index.jsonl").unlink(missing_ok=True)

    for _ in range(2):
        again = lasting()
        assert again.started_with("k") == ["t1"]
        again.close()


def test_a_key_goes_where_its_thread_goes(lasting, tmp_path):
    store = lasting()
    store.create(header(), KEYED)
    store.append(header(seq=2), event(2))
    other = type(lasting)("sqlite", tmp_path / "other")
    other().adopt(store.header("t1"), store.lines("t1"))

    assert other().started_with("k") == ["t1"]
    assert other().head("t1") == store.head("t1")
