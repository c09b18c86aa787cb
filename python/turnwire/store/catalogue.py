"""Which threads there are, and their headers: what the index says, where the files themselves do not say otherwise.

A file that is longer than the index knows was written by a process that died, or that still writes; its header is
read from its events. A damaged file is set aside by name until somebody changes it (REC-4).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from turnwire import wire
from turnwire.store.base import ThreadDamaged, ThreadUnusable
from turnwire.store.chain import PRUNED, read
from turnwire.store.files import Files
from turnwire.store.history import History
from turnwire.store.index import Entry, Index
from turnwire.store.names import name_of
from turnwire.store.shelf import SUFFIX, Shelf
from turnwire.store.threadfile import ThreadFile, last_hash

__all__ = ["Catalogue"]

# Events that may change a header otherwise than in `seq` and `updatedAt`.
_TELLING = ("thread/", "turn/", "approval/", "userInput/", PRUNED)


class Catalogue:
    """The threads of a state directory by name."""

    def __init__(self, files: Files, directory: Path, index: Path, tell: Callable[[str], None]) -> None:
        self._directory = directory
        self._tell = tell
        self._index = Index(files, index, tell)
        self._shelf = Shelf(files, directory, tell, self.note)
        # What another process brings later comes through the index; what came without it is looked for once.
        self._surveyed = False
        # Those that could not be read when they were last looked at.
        self._unusable: set[str] = set()

    def header(self, name: str) -> wire.Thread | None:
        """The header as the last event left it; None for a thread that is not there or set aside."""
        file = self._shelf.held(name)
        if file is not None:
            return file.header
        self._index.refresh()
        try:
            found = self._shelf.path(name).stat()
        except FileNotFoundError:
            return None
        return self._look(name, found)

    def headers(self) -> Iterable[wire.Thread]:
        """The headers of all threads that are not set aside."""
        self._index.refresh()
        if not self._surveyed:
            self._survey()
        for name in list(self._index.entries):
            header = self._known(name)
            if header is not None:
                yield header

    def changed(self, since: int) -> tuple[int, list[tuple[str, wire.Thread | None]]]:
        """The threads whose headers changed after a moment: see `Store`."""
        self._index.refresh()
        if not self._surveyed:
            self._survey()
        changes, ids = self._index.changes, self._index.ids
        told = [(name, header) for name, header in changes.told(since, self._known) if name in ids]
        return changes.moment, [(ids[name] if header else ids.pop(name), header) for name, header in told]

    def touch(self, name: str, header: wire.Thread) -> None:
        """The header of a held thread changed."""
        self._index.ids[name] = header.id
        self._index.changes.touch(name)

    def started_with(self, key: str) -> Iterable[wire.Thread]:
        """The headers of the threads that were started with this key."""
        self._index.refresh()
        if not self._surveyed:
            self._survey()
        headers = [self.header(name) for name in list(self._index.keys.get(key, ()))]
        return [header for header in headers if header is not None]

    def reading(self, name: str) -> ThreadFile | None:
        """The file to read from; None where there is none.

        Raises:
            ThreadDamaged: it is set aside, now or earlier.
        """
        if self._shelf.held(name) is None:
            self._demand_sound(name)
        try:
            return self._shelf.reading(name)
        except ThreadDamaged as damage:
            self._set_aside(name, damage)
            raise
        except OSError as error:
            raise self._unused(name, error) from error

    def claimed(self, name: str, *, create: bool = False) -> ThreadFile:
        """The file to write to, with its header where it has events.

        Raises:
            FileNotFoundError: it does not exist, and is not to be created.
            ThreadHeld: another process writes it.
            ThreadDamaged: it is set aside, now or earlier.
        """
        file = self._shelf.held(name)
        if file is not None:
            return self._shelf.claim(name, create=create)
        self._demand_sound(name)
        try:
            file = self._shelf.claim(name, create=create)
            file.header = self._project(name, file) if file.count else None
        except ThreadDamaged as damage:
            self._set_aside(name, damage)
            raise
        except (PermissionError, IsADirectoryError) as error:
            if create and not self._shelf.path(name).exists():
                raise
            raise self._unused(name, error) from error
        return file

    def let_go(self, name: str) -> None:
        """Closes the file, and lets others write it; nothing happens where it is not open."""
        self._shelf.close(name)

    def noted(self, type_: str) -> bool:
        """Whether an event of this type is to be followed by `note`."""
        return type_.startswith(_TELLING)

    def note(self, name: str, file: ThreadFile) -> None:
        """Writes the header of a held thread to the index, unless it is there."""
        known = self._index.entries.get(name)
        if file.header is not None and (known is None or known.hash != file.head.hash):
            self._index.put(_entry(name, file, file.header))

    def drop(self, name: str) -> None:
        """The thread was deleted."""
        self._index.put(Entry(name))

    def survey_again(self) -> None:
        """What came without a word in the index is looked for once more."""
        self._surveyed = False

    def close(self) -> None:
        """Lets go of everything."""
        self._shelf.close_all()
        self._index.close()

    def _known(self, name: str) -> wire.Thread | None:
        """The header, as far as it is known without a look at the file."""
        file = self._shelf.held(name)
        if file is not None:
            return file.header
        entry = self._index.entries.get(name)
        return None if entry is None or name in self._unusable else entry.header

    def _survey(self) -> None:
        found = set()
        with os.scandir(self._directory) as files:
            for file in files:
                if file.name.endswith(SUFFIX):
                    name = file.name.removesuffix(SUFFIX)
                    found.add(name)
                    if self._shelf.held(name) is None:
                        self._look(name, file.stat())
        for name in self._index.entries.keys() - found:
            self.drop(name)
        self._surveyed = True

    def _look(self, name: str, found: os.stat_result) -> wire.Thread | None:
        entry = self._index.entries.get(name)
        try:
            agrees = entry is not None and self._agrees(entry, found)
            file = None if agrees else self._shelf.reading(name)
            header = None if file is None else self._project(name, file)
        except ThreadDamaged as damage:
            self._set_aside(name, damage)
            return None
        except OSError as error:
            # REC-4: it hurts no other.
            if name not in self._unusable:
                self._unusable.add(name)
                self._tell(f"Left out: {self._unused(name, error)}")
            return None
        self._unusable.discard(name)
        if entry is not None and agrees:
            return entry.header
        if file is None or header is None:
            if entry is not None:
                self._tell(f"{self._shelf.path(name)} holds no event any more")
                self.drop(name)
            return None
        if entry is None or entry.hash != file.head.hash or entry.mtime != found.st_mtime_ns:
            self._index.put(_entry(name, file, header))
        return header

    def _agrees(self, entry: Entry, found: os.stat_result) -> bool:
        if entry.size != found.st_size:
            return False
        if entry.mtime == found.st_mtime_ns:
            return True
        if entry.fault is not None:
            return False
        # Copies and backups have other times; that the last event is the one we know is enough for a list.
        descriptor = os.open(self._shelf.path(entry.name), os.O_RDONLY)
        try:
            return last_hash(descriptor, entry.size) == entry.hash
        finally:
            os.close(descriptor)

    def _project(self, name: str, file: ThreadFile) -> wire.Thread:
        """The header that the events tell; only those that came since the index knew it, where they tell little."""
        entry = self._index.entries.get(name)
        if entry is not None and entry.header is not None:
            if file.size < entry.size:
                self._tell(f"{file.path} ends at event {file.head.seq}; event {entry.header.seq} was there once")
            end = file.end_at(entry.size)
            if end is not None and end.hash == entry.hash:
                events = [read(line) for line in file.lines(end.seq)]
                if not any(event.type.startswith(_TELLING) for event in events):
                    last = events[-1] if events else None
                    return replace(entry.header, seq=last.seq, updated_at=last.at) if last else entry.header
        try:
            header = History.load(read(line) for line in file.lines()).header
        except (msgspec.MsgspecError, LookupError, AttributeError) as error:
            # The bytes are those that were stored; whoever stored them knew things that this version does not.
            raise ThreadDamaged(f"{file.path}: its events tell of no thread: {error!r}") from error
        if name_of(header.id) != name:
            raise ThreadDamaged(f"{file.path} is the record of the thread {header.id}, which has another name")
        return header

    def _demand_sound(self, name: str) -> None:
        self._index.refresh()
        entry = self._index.entries.get(name)
        if entry is None or entry.fault is None:
            return
        try:
            found = self._shelf.path(name).stat()
        except FileNotFoundError:
            return
        if self._agrees(entry, found):
            raise ThreadDamaged(entry.fault)

    def _unused(self, name: str, error: OSError) -> ThreadUnusable:
        return ThreadUnusable(f"{self._shelf.path(name)}: {error.strerror}")

    def _set_aside(self, name: str, damage: ThreadDamaged) -> None:
        self._shelf.close(name)
        self._tell(f"Set aside as damaged: {damage}")
        try:
            found = self._shelf.path(name).stat()
        except FileNotFoundError:
            # Somebody took it away meanwhile.
            return
        self._index.put(Entry(name, size=found.st_size, mtime=found.st_mtime_ns, fault=str(damage)))


def _entry(name: str, file: ThreadFile, header: wire.Thread) -> Entry:
    mtime = os.fstat(file.descriptor).st_mtime_ns
    return Entry(name, size=file.size, mtime=mtime, hash=file.head.hash, key=file.key, header=header)
