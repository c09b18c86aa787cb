"""What people do with a record: verify, show, prune, migrate and export it. The command line only prints.

Nothing here changes the bytes of an event (REC-2). What changes a record holds its thread like any writer.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from turnwire.store.archive import Record, find, kind_in, records
from turnwire.store.base import Head, StoredEvent, StoreFault, ThreadDamaged, ThreadHeld
from turnwire.store.chain import GENESIS, BadEvent, Fault, check, read
from turnwire.store.chain import verify as verify_lines
from turnwire.store.durable import Tell
from turnwire.store.files import kind_of
from turnwire.store.history import History
from turnwire.store.opening import DurableStore, open_store
from turnwire.store.pruning import cut_before
from turnwire.store.pruning import prune as prune_lines

__all__ = ["Checked", "Migrated", "Pruned", "export", "migrate", "prune", "show", "verify"]


_log = logging.getLogger(__name__)


class Checked(NamedTuple):
    """What verification says of one thread; `fault` names the first bad event."""

    thread_id: str
    where: str
    events: int
    head: Head
    fault: str | None


class Pruned(NamedTuple):
    """How many events were replaced, and the number of the last of them; 0 where nothing could go."""

    events: int
    seq: int


class Migrated(NamedTuple):
    """How many events of a thread were there already, how many were copied, or why none were."""

    thread_id: str
    kept: int
    copied: int
    fault: str | None


def verify(directory: Path, thread_id: str | None = None) -> Iterator[Checked]:
    """Checks every record of a state directory, or that of one thread.

    Raises:
        FileNotFoundError: there is no record.
        KeyError: there is no such thread.
        OSError: it cannot be read.
    """
    for record in records(directory) if thread_id is None else [_wanted(directory, thread_id)]:
        yield _checked(record)


def show(directory: Path, thread_id: str, *, after: int = 0, limit: int | None = None) -> Iterator[StoredEvent]:
    """The events of a thread beyond `after`, each proved, to the first that is bad.

    Raises:
        FileNotFoundError: there is no record.
        KeyError: there is no such thread.
        ThreadDamaged: an event is bad; those before it were given.
    """
    events = (read(line) for line in _proved(_wanted(directory, thread_id)))
    return islice((event for event in events if event.seq > after), limit)


def export(directory: Path, thread_id: str, form: str = "events") -> Iterator[bytes]:
    """A thread as lines: its `events` as they are stored, or its `history` as one object of thread, turns and items.

    Raises:
        FileNotFoundError: there is no record.
        KeyError: there is no such thread.
        ThreadDamaged: an event is bad.
        ValueError: there is no such form.
    """
    if form not in _FORMS:
        raise ValueError(f"a form is one of {', '.join(_FORMS)}, not {form!r}")
    lines = _proved(_wanted(directory, thread_id))
    return lines if form == "events" else iter([_history_of(lines)])


_FORMS = ("events", "history")


def prune(directory: Path, thread_id: str, *, before: int, now: int, tell: Tell = _log.warning) -> Pruned:
    """Replaces the events before `before` by one that tells the same history, as far as no turn is cut.

    Raises:
        FileNotFoundError: there is no record.
        KeyError: there is no such thread.
        ThreadHeld: a server writes it.
        ThreadDamaged: an event is bad.
    """
    with closing(_store(directory, tell)) as store:
        store.claim(thread_id)
        lines = store.lines(thread_id)
        cut = cut_before(lines, before)
        if cut is None:
            return Pruned(0, 0)
        store.shorten(thread_id, prune_lines(lines, cut, now=now), cut.lines)
        return Pruned(cut.lines, cut.head.seq)


def migrate(
    source: Path, target: Path, kind: str, *, dry_run: bool = False, tell: Tell = _log.warning
) -> Iterator[Migrated]:
    """Copies all threads to another state directory, in their own bytes. It goes on where it was stopped earlier.

    A thread that is damaged, or of which the target holds other events, is left out, and said so.

    Raises:
        FileNotFoundError: the source holds no record.
        FileExistsError: the target is the source, a directory of another store, or of something else.
        OSError: one of them cannot be read or written.
    """
    if target.exists() and target.samefile(source):
        raise FileExistsError(f"{target} is the directory to copy from; name another one to copy to")
    there = {record.thread_id: record for record in records(target)} if kind_of(target) is not None else {}
    if dry_run:
        for record in records(source):
            yield _foreseen(record, there.get(record.thread_id))
        return
    with closing(_store(source, tell)) as giver, closing(open_store(kind, target, tell=tell)) as taker:
        for record in records(source):
            yield _copy(record.thread_id, there.get(record.thread_id), giver, taker)
        # What is kept of no single thread goes along, once.
        taker.take_notes(giver.note_lines())
        taker.force("")()


def _foreseen(record: Record, there: Record | None) -> Migrated:
    try:
        lines = list(record.lines)
    except OSError as error:
        return Migrated(record.thread_id, 0, 0, f"{record.where}: {error.strerror}")
    return _compared(record.thread_id, lines, there)


def _copy(thread_id: str, there: Record | None, giver: DurableStore, taker: DurableStore) -> Migrated:
    try:
        # Held while it is copied, so that nobody adds to it meanwhile; and what a crash tore is cut.
        giver.claim(thread_id)
        lines = giver.lines(thread_id)
        outcome = _compared(thread_id, lines, there)
        if outcome.fault is None and outcome.copied:
            taker.adopt(History.load(map(read, lines)).header, lines[outcome.kept :])
            taker.force(thread_id)()
    except (KeyError, ThreadHeld, ThreadDamaged) as error:
        # A file whose events do not even say whose it is has no id to claim it by.
        return Migrated(thread_id, 0, 0, str(error) if isinstance(error, StoreFault) else "it is damaged; verify it")
    finally:
        giver.release(thread_id)
        taker.release(thread_id)
    return outcome


def _compared(thread_id: str, lines: Sequence[bytes], there: Record | None) -> Migrated:
    fault = verify_lines(lines).fault
    if fault is not None:
        return Migrated(thread_id, 0, 0, f"damaged: {fault}")
    kept = [] if there is None else list(there.lines)
    if kept != lines[: len(kept)]:
        return Migrated(thread_id, 0, 0, "the target holds other events of it")
    return Migrated(thread_id, len(kept), len(lines) - len(kept), None)


def _checked(record: Record) -> Checked:
    try:
        verdict = verify_lines(record.lines)
    except OSError as error:
        # What cannot be read is not as it was stored; the others may be.
        return Checked(record.thread_id, record.where, 0, GENESIS, f"it cannot be read: {error.strerror or error}")
    if record.lines.torn:
        # A server may have been writing it; then it is whole by now.
        verdict = verify_lines(record.lines)
    fault = None if verdict.fault is None else str(verdict.fault)
    if fault is not None and record.lines.torn:
        fault += "; it is torn, and is cut when the thread is next written"
    if fault is None:
        fault = _shortfall(record, verdict.head)
    return Checked(record.thread_id, record.where, verdict.events, verdict.head, fault)


def _shortfall(record: Record, head: Head) -> str | None:
    """What is missing of a record that is good as far as it goes."""
    if record.noted is None or record.noted.seq <= head.seq:
        return None
    return f"it ends at event {head.seq}, and event {record.noted.seq} was stored"


def _wanted(directory: Path, thread_id: str) -> Record:
    record = find(directory, thread_id)
    if record is None:
        raise KeyError(thread_id)
    return record


def _store(directory: Path, tell: Tell) -> DurableStore:
    return open_store(kind_in(directory), directory, tell=tell)


def _proved(record: Record) -> Iterator[bytes]:
    head = GENESIS
    for count, line in enumerate(record.lines, 1):
        try:
            head = check(head, line)
        except BadEvent as bad:
            raise ThreadDamaged(f"{record.where}: {Fault(count, bad.seq, head.seq, str(bad))}") from None
        yield line
    missing = _shortfall(record, head)
    if missing is not None:
        raise ThreadDamaged(f"{record.where}: {missing}")


def _history_of(lines: Iterator[bytes]) -> bytes:
    history = History.load(map(read, lines))
    whole = {
        "thread": history.header,
        "turns": list(history.turns.values()),
        "items": [history.item(item_id) for item_id in history.items],
    }
    return msgspec.json.encode(whole)
