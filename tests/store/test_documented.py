"""The record as rec.md describes it, read with nothing but hashlib, json and sqlite3."""

import asyncio
import hashlib
import json
import sqlite3
from contextlib import closing

import pytest

from store.conversation import THREAD, converse
from turnwire.store.notes import Note
from turnwire.store.rollout import prune

ORDER = ["seq", "prev", "at", "type", "trace", "idempotencyKey", "payload", "hash"]


def documented_lines(directory, thread_id):
    """The events of a thread, found by what the description says of the directory."""
    if (directory / "record.sqlite").exists():
        with closing(sqlite3.connect(directory / "record.sqlite")) as database:
            query = "SELECT line FROM events JOIN threads ON thread = number WHERE id = ? ORDER BY events.seq"
            return [line for (line,) in database.execute(query, (thread_id,))]
    name = hashlib.sha256(thread_id.encode()).hexdigest()[:32]
    (path,) = (directory / "threads").glob(f"*{name}.jsonl")
    *lines, rest = path.read_bytes().split(b"\n")
    assert rest == b""
    return lines


def follow(lines):
    """Reads the chain as it is described; the events."""
    prev, seq = "0" * 64, 0
    for line in lines:
        event = json.loads(line)
        before, _, after = line.rpartition(b'"hash"')
        assert [name for name in ORDER if name in event] == list(event)
        assert after == b':"%b"}' % hashlib.sha256(before).hexdigest().encode()
        assert (event["prev"], event["seq"] > seq) == (prev, True)
        pruned = event["type"] == "record/pruned"
        prev, seq = (event["payload"] if pruned else event)["hash"], event["seq"]
        yield event


@pytest.mark.parametrize("before", [0, 40])
def test_a_record_is_as_it_is_described(lasting, before):
    asyncio.run(converse(lasting()))
    if before:
        prune(lasting.directory, THREAD, before=before, now=1)
    events = list(follow(documented_lines(lasting.directory, THREAD)))

    assert [event["type"] == "record/pruned" for event in events] == [bool(before), *([False] * (len(events) - 1))]
    assert events[-1]["type"] == "thread/status/changed"


def test_both_stores_hold_bytes_of_the_same_form(lasting):
    asyncio.run(converse(lasting()))
    lines = documented_lines(lasting.directory, THREAD)

    assert lines == list(lasting().lines(THREAD))
    assert not [line for line in lines if b"\n" in line]


def test_the_index_may_be_deleted(opener):
    asyncio.run(converse(opener()))
    (opener.directory / "index.jsonl").unlink()

    assert [found.id for found in opener().headers()] == [THREAD]


def test_nobody_else_may_look(lasting):
    asyncio.run(converse(lasting(fsync="never")))
    store = lasting()
    store.note(Note())
    store.claim(THREAD)
    paths = [lasting.directory, *lasting.directory.rglob("*")]
    modes = {path.relative_to(lasting.directory): path.stat().st_mode & 0o777 for path in paths}

    assert modes == {path: 0o700 if (lasting.directory / path).is_dir() else 0o600 for path in modes}
    assert len(modes) >= 5
