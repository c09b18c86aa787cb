"""One file a thread below a state directory: lines that people can read, and that nobody writes twice.

    threads/<name>.jsonl   the events of a thread     index.jsonl   the headers of all threads, a cache

A thread is opened when it is asked for. A damaged one is set aside by name and hurts no other (REC-4).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from turnwire import wire
from turnwire.store.base import Head, HeadMoved, StoredEvent, ThreadDamaged, ThreadHeld, ThreadTaken
from turnwire.store.catalogue import Catalogue
from turnwire.store.chain import GENESIS, BadEvent, Link, follow, link, read
from turnwire.store.files import FSYNC, RECORD, Files, forces, prepare
from turnwire.store.names import name_of
from turnwire.store.notes import Notes
from turnwire.store.threadfile import ThreadFile

__all__ = ["JsonlStore"]

_INDEX = "index.jsonl"

_log = logging.getLogger(__name__)


class JsonlStore:
    """See `Store`. What is cut, damaged or missing is told to `tell`, a sentence each."""

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        fsync: str = "terminal",
        tell: Callable[[str], None] = _log.warning,
        files: Files | None = None,
    ) -> None:
        """Opens a state directory, or begins one.

        Raises:
            OSError: the directory cannot be used.
            ValueError: there is no such policy as `fsync`.
        """
        if fsync not in FSYNC:
            raise ValueError(f"fsync is one of {', '.join(FSYNC)}, not {fsync!r}")
        self.fsync: str | None = fsync
        self._policy = fsync
        self._files = files or Files()
        state = Path(directory)
        prepare(state, "jsonl")
        self._directory = state / RECORD["jsonl"]
        self._files.make_directory(self._directory)
        self._notes = Notes(self._files, state)
        self._threads = Catalogue(self._files, self._directory, state / _INDEX, tell)

    def create(self, header: wire.Thread, event: StoredEvent) -> Head:
        name = name_of(header.id)
        if self._threads.header(name) is not None:
            raise ThreadTaken(header.id)
        try:
            file = self._threads.claimed(name, create=True)
        except (ThreadHeld, ThreadDamaged):
            raise ThreadTaken(header.id) from None
        # A file without events is what a crash left of a thread that never began, and is not in the way.
        if file.count:
            self._threads.let_go(name)
            raise ThreadTaken(header.id)
        self._add(name, file, header, [link(GENESIS, event)], force=forces(self._policy, event.type))
        if forces(self._policy, event.type):
            self._files.sync_directory(self._directory)
        self._threads.note(name, file)
        return file.head

    def append(self, header: wire.Thread, event: StoredEvent) -> Head:
        name = name_of(header.id)
        file = self._claimed(header.id)
        if event.seq <= file.head.seq:
            raise HeadMoved(f"{header.id} has event {file.head.seq}, and {event.seq} was to be added")
        self._add(name, file, header, [link(file.head, event)], force=forces(self._policy, event.type))
        if self._threads.noted(event.type):
            self._threads.note(name, file)
        return file.head

    def events(self, thread_id: str, after: int = 0, limit: int | None = None) -> Sequence[StoredEvent]:
        return [read(line) for line in self.lines(thread_id, after, limit)]

    def lines(self, thread_id: str, after: int = 0, limit: int | None = None) -> Sequence[bytes]:
        file = self._threads.reading(name_of(thread_id))
        return [] if file is None else file.lines(after, limit)

    def head(self, thread_id: str) -> Head | None:
        file = self._threads.reading(name_of(thread_id))
        return None if file is None else file.head

    def header(self, thread_id: str) -> wire.Thread | None:
        return self._threads.header(name_of(thread_id))

    def started_with(self, key: str) -> Sequence[str]:
        return [header.id for header in self._threads.started_with(key)]

    def headers(self) -> Iterable[wire.Thread]:
        return list(self._threads.headers())

    def notes(self) -> Sequence[bytes]:
        return self._notes.lines()

    def note(self, line: bytes) -> None:
        self._notes.add(line, force=self._policy != "never")

    def claim(self, thread_id: str) -> None:
        self._claimed(thread_id)

    def release(self, thread_id: str) -> None:
        self._threads.let_go(name_of(thread_id))

    def delete(self, thread_id: str) -> None:
        name = name_of(thread_id)
        try:
            file = self._claimed(thread_id)
        except KeyError:
            return
        self._files.remove(file.path)
        if self._policy != "never":
            self._files.sync_directory(self._directory)
        self._threads.let_go(name)
        self._threads.drop(name)

    def adopt(self, header: wire.Thread, lines: Sequence[bytes]) -> Head:
        name = name_of(header.id)
        file = self._threads.claimed(name, create=True)
        try:
            links = list(follow(file.head, lines))
        except BadEvent:
            self._threads.let_go(name)
            raise
        self._add(name, file, header, links, force=self._policy != "never")
        if self._policy != "never":
            self._files.sync_directory(self._directory)
        self._threads.note(name, file)
        return file.head

    def shorten(self, thread_id: str, pruned: bytes, count: int) -> None:
        name = name_of(thread_id)
        file = self._claimed(thread_id)
        kept = file.lines()[count:]
        # Nothing is replaced unless the whole is a good record.
        list(follow(GENESIS, [pruned, *kept]))
        fresh = file.path.with_suffix(".new")
        self._files.remove(fresh)
        descriptor = self._files.open_to_append(fresh, create=True)
        self._files.write(descriptor, b"".join(line + b"\n" for line in [pruned, *kept]))
        self._files.sync(descriptor)
        self._files.close(descriptor)
        self._files.replace(file.path, fresh)
        self._files.sync_directory(self._directory)
        self._threads.let_go(name)

    def close(self) -> None:
        self._threads.close()

    def _claimed(self, thread_id: str) -> ThreadFile:
        name = name_of(thread_id)
        try:
            file = self._threads.claimed(name)
        except FileNotFoundError:
            raise KeyError(thread_id) from None
        if not file.count:
            self._threads.let_go(name)
            raise KeyError(thread_id)
        return file

    def _add(self, name: str, file: ThreadFile, header: wire.Thread, links: Sequence[Link], *, force: bool) -> None:
        try:
            file.append(links, force=force)
        except (OSError, HeadMoved):
            # What the file holds is read again when the thread is next used.
            file.header = None
            self._threads.let_go(name)
            raise
        file.header = header
