"""What people do with a record: the history that it tells stays, and so do the bytes."""

import asyncio
from functools import cache

import msgspec
import pytest

from store.conversation import THREAD, converse, recorded
from store.records import event, first, header
from turnwire.store.base import StoredEvent, ThreadDamaged, ThreadHeld
from turnwire.store.chain import PRUNED, check, link, read, verify
from turnwire.store.history import History
from turnwire.store.opening import STORES
from turnwire.store.pruning import cut_before
from turnwire.store.pruning import prune as prune_lines
from turnwire.store.rollout import Migrated, Pruned, export, migrate, prune, show
from turnwire.store.rollout import verify as verify_records
from turnwire.wire import RecordEvent, ThreadRewoundParams

NOW = 2_000_000_000_000


@cache
def lines():
    return asyncio.run(recorded())


def told_by(stored):
    """Everything that a client can be shown of a thread."""
    history = History.load(map(read, stored))
    return {
        "header": history.header,
        "turns": list(history.turns.items()),
        "items": list(history.items.items()),
        "places": {key: history.place(key) for key in [*history.turns, *history.items]},
        "held": history.held,
        "context": history.context,
        "queue": (history.queue, history.queue_held),
        "paused": history.paused_turn(),
        "saved": [history.saved(turn) for turn in history.turns if history.turns[turn].status == "paused"],
        "waiting": history.waiting,
    }


def kept(opener, stored=None):
    """A store that holds the conversation and another thread."""
    store = opener()
    stored = lines() if stored is None else stored
    store.adopt(History.load(map(read, stored)).header, stored)
    store.create(header("t2"), first("t2"))
    store.append(header("t2", 2), event(2))
    store.close()
    return opener.directory


def test_a_record_is_taken_over_in_its_own_bytes(lasting):
    kept(lasting)
    store = lasting()

    assert list(store.lines(THREAD)) == lines()
    assert store.header(THREAD) == History.load(map(read, lines())).header
    assert store.head(THREAD) == verify(lines()).head


def test_a_server_goes_on_with_it(lasting):
    asyncio.run(converse(lasting(), rest=["text and so on"]))
    (whole,) = [found for found in verify_records(lasting.directory) if found.thread_id == THREAD]

    assert (whole.fault, whole.events) == (None, len(lines()) + 8)


def test_every_record_is_verified(lasting):
    found = list(verify_records(kept(lasting)))

    assert [(one.thread_id, one.events, one.head, one.fault) for one in found] == [
        ("t2", 2, lasting().head("t2"), None),
        (THREAD, len(lines()), verify(lines()).head, None),
    ]
    assert [one.thread_id for one in verify_records(lasting.directory, "t2")] == ["t2"]


def test_events_are_shown(lasting):
    directory = kept(lasting)

    assert list(show(directory, THREAD)) == [read(line) for line in lines()]
    assert [found.seq for found in show(directory, THREAD, after=3, limit=2)] == [4, 5]


def test_stored_bytes_are_exported(lasting):
    assert list(export(kept(lasting), THREAD)) == lines()


def test_a_history_is_exported(lasting):
    (text,) = export(kept(lasting), THREAD, "history")
    whole = msgspec.json.decode(text)

    assert whole["thread"]["id"] == THREAD
    assert [turn["status"] for turn in whole["turns"]][-2:] == ["paused", "completed"]
    assert "Hello there, this is a sentence." in [item.get("text") for item in whole["items"]]


@pytest.mark.parametrize("before", range(1, 100, 2))
def test_pruning_changes_nothing_that_can_be_shown(before):
    cut = cut_before(lines(), before)
    if cut is None:
        assert before <= 11
        return
    pruned = prune_lines(lines(), cut, now=NOW)
    after = [pruned, *lines()[cut.lines :]]

    assert verify(after).fault is None
    assert verify(after).head == verify(lines()).head
    assert told_by(after) == told_by(lines())
    assert cut.head.seq < before


def rewound(to):
    """The conversation, taken back to its item number `to`."""
    history = History.load(map(read, lines()))
    item = list(history.items)[to]
    removed = [turn for turn in history.turns if history.place(turn) > history.place(item)]
    params = ThreadRewoundParams(thread_id=THREAD, item_id=item, removed_turn_ids=removed, seq=98)
    added = StoredEvent(98, read(lines()[-1]).at + 1, "thread/rewound", msgspec.json.encode(params))
    return [*lines(), link(verify(lines()).head, added).line]


@pytest.mark.parametrize("to", [0, 3, 12, 20])
@pytest.mark.parametrize("before", [40, 98, 99])
def test_pruning_keeps_what_was_taken_back_away(to, before):
    stored = rewound(to)
    cut = cut_before(stored, before)

    assert told_by([prune_lines(stored, cut, now=NOW), *stored[cut.lines :]]) == told_by(stored)
    assert len(told_by(stored)["items"]) == to + 1


@pytest.mark.parametrize("first_cut", [11, 30, 60, 90])
def test_what_was_pruned_can_be_pruned_again(first_cut):
    cut = cut_before(lines(), first_cut) or cut_before(lines(), 20)
    once = [prune_lines(lines(), cut, now=NOW), *lines()[cut.lines :]]
    cut = cut_before(once, 1000)
    twice = [prune_lines(once, cut, now=NOW), *once[cut.lines :]]

    assert told_by(twice) == told_by(lines())
    assert len(twice) == 1
    assert msgspec.json.decode(read(twice[0]).payload)["events"] == len(lines())


def test_a_pruned_event_is_smaller_than_what_it_stands_for():
    cut = cut_before(lines(), 1000)

    assert len(prune_lines(lines(), cut, now=NOW)) < 0.6 * sum(map(len, lines()))


def test_a_prefix_is_pruned_in_its_place(lasting):
    directory = kept(lasting)
    before = told_by(lines())
    outcome = prune(directory, THREAD, before=60, now=NOW)
    store = lasting()
    stored = list(store.lines(THREAD))

    assert outcome == Pruned(54, 54)
    assert stored[1:] == lines()[54:]
    assert read(stored[0]).type == PRUNED
    assert read(stored[0]).seq == 54
    assert msgspec.json.decode(stored[0], type=RecordEvent).payload["hash"] == verify(lines()[:54]).head.hash
    assert told_by(stored) == before
    assert store.header(THREAD) == before["header"]
    assert [found.fault for found in verify_records(directory)] == [None, None]
    store.append(msgspec.structs.replace(store.header(THREAD), seq=98), event(98))
    assert verify(store.lines(THREAD)).fault is None


def test_everything_between_turns_can_go(lasting):
    directory = kept(lasting)

    assert prune(directory, THREAD, before=10_000, now=NOW) == Pruned(97, 97)
    store = lasting()
    assert told_by(store.lines(THREAD)) == told_by(lines())
    assert store.head(THREAD) == verify(lines()).head


def test_where_nothing_can_go_nothing_does(lasting):
    directory = kept(lasting)

    assert prune(directory, THREAD, before=8, now=NOW) == Pruned(0, 0)
    assert list(lasting().lines(THREAD)) == lines()


def test_a_thread_that_is_written_is_not_pruned(lasting):
    directory = kept(lasting)
    store = lasting()
    store.claim(THREAD)

    with pytest.raises(ThreadHeld):
        prune(directory, THREAD, before=60, now=NOW)


@pytest.mark.parametrize("to", STORES)
def test_migration_keeps_bytes_and_hashes(lasting, tmp_path, to):
    source, target = kept(lasting), tmp_path / "other"
    outcome = list(migrate(source, target, to))

    assert outcome == [Migrated("t2", 0, 2, None), Migrated(THREAD, 0, 97, None)]
    assert list(export(target, THREAD)) == lines()
    assert [one[:1] + one[2:] for one in verify_records(target)] == [
        one[:1] + one[2:] for one in verify_records(source)
    ]
    assert list(migrate(source, target, to)) == [Migrated("t2", 2, 0, None), Migrated(THREAD, 97, 0, None)]


@pytest.mark.parametrize("to", STORES)
def test_migration_goes_on_where_it_stopped(lasting, tmp_path, to):
    opener = type(lasting)(to, tmp_path / "other")
    kept(opener, lines()[:40])
    source = kept(lasting)

    assert list(migrate(source, opener.directory, to))[1] == Migrated(THREAD, 40, 57, None)
    assert list(export(opener.directory, THREAD)) == lines()


def test_a_dry_run_makes_nothing(lasting, tmp_path):
    source, target = kept(lasting), tmp_path / "other"

    assert list(migrate(source, target, "sqlite", dry_run=True))[1] == Migrated(THREAD, 0, 97, None)
    assert not target.exists()


def test_migration_does_not_mix_two_records(lasting, tmp_path):
    opener = type(lasting)("jsonl", tmp_path / "other")
    store = opener()
    store.create(header(THREAD), first(THREAD))
    store.close()

    assert list(migrate(kept(lasting), opener.directory, "jsonl")) == [
        Migrated("t2", 0, 2, None),
        Migrated(THREAD, 0, 0, "the target holds other events of it"),
    ]


def test_migration_leaves_out_what_is_held_or_damaged(opener, tmp_path):
    source = kept(opener)
    (path,) = (source / "threads").glob("talk-*.jsonl")
    path.write_bytes(path.read_bytes().replace(b"Hello", b"hello"))
    store = opener()
    store.claim("t2")
    held, damaged = migrate(source, tmp_path / "other", "sqlite")

    assert "is written by another process" in held.fault
    assert "line 3, event 3: its bytes are not those that its hash was made of" in damaged.fault


@pytest.mark.parametrize(
    "use",
    [
        lambda directory: list(verify_records(directory)),
        lambda directory: show(directory, THREAD),
        lambda directory: export(directory, THREAD),
        lambda directory: prune(directory, THREAD, before=1, now=NOW),
        lambda directory: list(migrate(directory, directory / "other", "jsonl")),
    ],
)
def test_a_directory_without_a_record_is_named(tmp_path, use):
    with pytest.raises(FileNotFoundError, match="holds no record; name the state directory of a server"):
        use(tmp_path)


@pytest.mark.parametrize(
    "use",
    [
        lambda directory: list(verify_records(directory, "no")),
        lambda directory: show(directory, "no"),
        lambda directory: export(directory, "no"),
        lambda directory: prune(directory, "no", before=1, now=NOW),
    ],
)
def test_a_thread_that_is_not_there_is_named(lasting, use):
    with pytest.raises(KeyError, match="no"):
        use(kept(lasting))


def test_an_unknown_form_is_refused(lasting):
    with pytest.raises(ValueError, match="a form is one of events, history, not 'html'"):
        export(kept(lasting), THREAD, "html")


def test_what_is_shown_is_proved(opener):
    directory = kept(opener)
    (path,) = (directory / "threads").glob("talk-*.jsonl")
    path.write_bytes(path.read_bytes().replace(b"Hello", b"hello"))
    events = show(directory, THREAD)

    assert [next(events).seq, next(events).seq] == [1, 2]
    with pytest.raises(ThreadDamaged, match="line 3, event 3"):
        next(events)


def test_a_line_that_does_not_follow_is_not_adopted(lasting):
    directory = kept(lasting, lines()[:10])
    store = lasting()

    with pytest.raises(ValueError, match="its `prev` is not the hash of the event before"):
        store.adopt(store.header(THREAD), lines()[11:])
    assert check(store.head(THREAD), lines()[10]).seq == 11
    assert list(store.lines(THREAD)) == lines()[:10]
    assert directory.exists()
