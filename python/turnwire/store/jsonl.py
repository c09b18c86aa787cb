"""One file a thread below a state directory: lines that people can read, and that nobody writes twice.

    threads/<name>.jsonl   the events of a thread     index.jsonl   the headers of all threads, a cache

A thread is opened when it is asked for. A damaged one is set aside by name and hurts no other (REC-4).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from turnwire import wire
from turnwire.store.base import Head, HeadMoved, StoredEvent, ThreadDamaged, ThreadHeld, ThreadTaken
from turnwire.store.catalogue import Catalogue
from turnwire.store.chain import GENESIS, BadEvent, Link, follow, link
from turnwire.store.durable import Durable
from turnwire.store.files import RECORD, demand_access
from turnwire.store.names import name_of
from turnwire.store.threadfile import ThreadFile

__all__ = ["JsonlStore"]

_INDEX = "index.jsonl"


class JsonlStore(Durable):
    """See `Store`, and `Durable` for what it is made with."""

    KIND = "jsonl"

    def __init__(self, directory: str | os.PathLike[str], **options: Any) -> None:
        super().__init__(directory, **options)
        self._directory = self._state / RECORD[self.KIND]
        self._files.make_directory(self._directory)
        # Without these nothing can be said of any thread.
        demand_access(self._directory, self._state / _INDEX)
        self._threads = Catalogue(self._files, self._directory, self._state / _INDEX, self._tell)

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
        self._add(name, file, header, [link(GENESIS, event)])
        self._owe_for(event, header.id, file.path, self._directory)
        self._threads.note(name, file)
        return file.head

    def append(self, header: wire.Thread, event: StoredEvent) -> Head:
        name = name_of(header.id)
        file = self._claimed(header.id)
        self._add(name, file, header, [self._next(file.head, header, event)])
        self._owe_for(event, header.id, file.path)
        if self._threads.noted(event.type):
            self._threads.note(name, file)
        return file.head

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

    def changed(self, since: int) -> tuple[int, Sequence[tuple[str, wire.Thread | None]]]:
        return self._threads.changed(since)

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
        self._owe(thread_id, self._directory)
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
        self._add(name, file, header, links)
        self._owe(header.id, file.path, self._directory)
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
        super().close()
        self._threads.close()

    def _survey(self) -> None:
        # A thread is told of in the index when its file is written, and its process may have died between the two.
        self._threads.survey_again()

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

    def _add(self, name: str, file: ThreadFile, header: wire.Thread, links: Sequence[Link]) -> None:
        try:
            file.append(links)
        except (OSError, HeadMoved):
            # What the file holds is read again when the thread is next used.
            file.header = None
            self._threads.let_go(name)
            raise
        file.header = header
        self._threads.touch(name, header)
