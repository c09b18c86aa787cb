"""Records as they lie on the disk, read without a lock and without a change, damaged ones too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from turnwire.store.base import Head
from turnwire.store.chain import PRUNED, BadEvent, read
from turnwire.store.database import Database
from turnwire.store.files import RECORD, Files, kind_of
from turnwire.store.index import Entry, read_entries
from turnwire.store.names import name_of
from turnwire.store.shelf import SUFFIX

__all__ = ["Lines", "Record", "find", "kind_in", "records"]


class Lines(Protocol):
    """The lines of a record, as often as they are asked for."""

    # Whether the last one, when they were last asked for, had no end: a crash tore it, or it was being written.
    torn: bool

    def __iter__(self) -> Iterator[bytes]: ...


class Record(NamedTuple):
    """One record: the id of its thread (the name of its file where its events do not say), where it lies, its lines,
    and where it ended as far as the store has noted."""

    thread_id: str
    where: str
    lines: Lines
    noted: Head | None


def records(directory: Path) -> Iterator[Record]:
    """All records of a state directory, by id.

    Raises:
        FileNotFoundError: there is none.
        OSError: it cannot be read.
    """
    return iter(sorted(_ALL[kind_in(directory)](directory, None), key=lambda record: (record.thread_id, record.where)))


def find(directory: Path, thread_id: str) -> Record | None:
    """The record of one thread; None where there is none.

    Raises:
        FileNotFoundError: there is no record of any thread.
        OSError: it cannot be read.
    """
    return next(_ALL[kind_in(directory)](directory, thread_id), None)


def kind_in(directory: Path) -> str:
    """The store whose record is in a directory.

    Raises:
        FileNotFoundError: there is none, or no directory.
    """
    kind = kind_of(directory)
    if kind is not None:
        return kind
    what = "holds no record" if directory.is_dir() else "is no directory"
    raise FileNotFoundError(f"{directory} {what}; name the state directory of a server")


class _FileLines:
    """See `Lines`: those of a file."""

    def __init__(self, path: Path) -> None:
        self.torn = False
        self._path = path

    def __iter__(self) -> Iterator[bytes]:
        with self._path.open("rb") as file:
            for line in file:
                self.torn = not line.endswith(b"\n")
                yield line.removesuffix(b"\n")


class _Rows:
    """See `Lines`: those of a thread in a database, where no row is ever torn."""

    def __init__(self, path: Path, number: int) -> None:
        self.torn = False
        self._path = path
        self._number = number

    def __iter__(self) -> Iterator[bytes]:
        with closing(Database(Files(), self._path)) as database:
            yield from database.lines(self._number, 0)


def _files(directory: Path, wanted: str | None) -> Iterator[Record]:
    entries = read_entries(directory / "index.jsonl")
    # Not by a pattern, which finds nothing where a directory cannot be read.
    paths = [path for path in (directory / RECORD["jsonl"]).iterdir() if path.suffix == SUFFIX]
    for path in paths:
        if wanted is not None and path.stem != name_of(wanted):
            continue
        lines, entry = _FileLines(path), entries.get(path.stem)
        noted = _noted(entry)
        # A file without events of which nothing was noted is what a crash left of a thread that never began.
        if path.stat().st_size or noted is not None:
            yield Record(wanted or _thread_of(lines) or _thread_in(entry) or path.stem, str(path), lines, noted)


def _rows(directory: Path, wanted: str | None) -> Iterator[Record]:
    path = directory / RECORD["sqlite"]
    with closing(Database(Files(), path)) as database:
        found = database.rows("SELECT number, id, seq, hash FROM threads WHERE ? IS NULL OR id = ?", wanted, wanted)
    for number, thread_id, seq, digest in found:
        yield Record(thread_id, f"{path}, thread {number}", _Rows(path, number), Head(seq, digest))


_ALL = {"jsonl": _files, "sqlite": _rows}


def _noted(entry: Entry | None) -> Head | None:
    return None if entry is None or entry.header is None else Head(entry.header.seq, entry.hash)


def _thread_in(entry: Entry | None) -> str | None:
    return None if entry is None or entry.header is None else entry.header.id


def _thread_of(lines: Iterable[bytes]) -> str | None:
    """The id that the first event gives, if it can be read."""
    try:
        first = read(next(iter(lines)))
        payload = msgspec.json.decode(first.payload)
        if first.type == PRUNED:
            payload = payload["summary"][0]["payload"]
        found = payload["thread"]["id"]
    except (BadEvent, LookupError, OSError, StopIteration, TypeError, msgspec.DecodeError):
        return None
    return found if isinstance(found, str) else None
