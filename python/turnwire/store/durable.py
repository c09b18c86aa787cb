"""What every store does that survives its process: its directory, its policy, its notes, and what it owes the disk.

Writing gives bytes to the kernel and returns. What the policy promises beyond that is owed until it is forced, which
may be done in another thread; nobody is told of an event before (REC-3).
"""

from __future__ import annotations

import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path

from turnwire import wire
from turnwire.store.base import Forcing, Head, HeadMoved, StoredEvent, ThreadHeld
from turnwire.store.chain import Link, link, read
from turnwire.store.files import FSYNC, Files, demand_access, forces, prepare
from turnwire.store.locks import Leases
from turnwire.store.notefile import NoteFile
from turnwire.store.notes import Note

__all__ = ["Durable", "Tell"]

# Where what is reserved is locked, a file each.
_KEYS = "keys"

Tell = Callable[[str], None]
"""Hears what was cut, damaged or missing, a sentence each."""

_log = logging.getLogger(__name__)


class Durable(ABC):
    """The part of `Store` that does not depend on where the events are; the rest is for the kinds of store."""

    # The kind, by which `kind_of` knows a directory.
    KIND = ""

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        fsync: str = "terminal",
        tell: Tell = _log.warning,
        files: Files | None = None,
    ) -> None:
        """Opens a state directory, or begins one.

        Raises:
            OSError: the directory or what is in it cannot be used.
            ValueError: there is no such policy as `fsync`.
        """
        if fsync not in FSYNC:
            raise ValueError(f"fsync is one of {', '.join(FSYNC)}, not {fsync!r}")
        self.fsync: str | None = fsync
        self._tell = tell
        self._files = files or Files()
        self._state = Path(directory)
        prepare(self._state, self.KIND)
        self._notes = NoteFile(self._files, self._state)
        demand_access(self._notes.path)
        self._reserved = Leases(self._files, self._state / _KEYS)
        # By thread, or "" for the notes: the files and directories that were changed since they were last forced.
        self._owed: dict[str, dict[Path, None]] = {}
        # Whether the notes are to be written anew with what is owed of them.
        self._shortens = False

    @abstractmethod
    def lines(self, thread_id: str, after: int = 0, limit: int | None = None) -> Sequence[bytes]:
        """See `Store`."""

    def events(self, thread_id: str, after: int = 0, limit: int | None = None) -> Sequence[StoredEvent]:
        return [read(line) for line in self.lines(thread_id, after, limit)]

    def notes(self) -> Sequence[Note]:
        return self._notes.notes()

    def note(self, note: Note) -> None:
        self._notes.add_note(note)
        # The file may have been made just now, or have been written anew by another process.
        self._owe("", self._notes.path, self._state)
        if self._notes.is_long():
            # Beside the loop, whatever the policy.
            self._owed.setdefault("", {})
            self._shortens = True

    def note_lines(self) -> Sequence[bytes]:
        return self._notes.lines()

    def take_notes(self, lines: Sequence[bytes]) -> None:
        own = set(self._notes.lines())
        fresh = [line for line in lines if line not in own]
        if fresh:
            self._notes.add(*fresh)
            self._owe("", self._notes.path, self._state)

    def owes(self, thread_id: str) -> bool:
        return thread_id in self._owed

    def force(self, thread_id: str) -> Forcing:
        forcing = _Round(self._files, self._owed.pop(thread_id, {}))
        if thread_id or not self._shortens:
            return forcing
        self._shortens = False
        return lambda: self._shorten_notes(forcing)

    def reserve(self, name: str) -> bool:
        self._files.make_directory(self._state / _KEYS)
        try:
            descriptor = self._reserved.take(name, rests=_never)
        except ThreadHeld:
            return False
        if os.fstat(descriptor).st_size:
            # Who made the file and wrote to it did not live to take it away.
            self._survey()
        else:
            self._files.write(descriptor, b"\n")
        return True

    def free(self, name: str) -> None:
        self._reserved.drop(name)

    def close(self) -> None:
        self._reserved.drop_all()
        self._notes.close()

    def _shorten_notes(self, forcing: Forcing) -> None:
        forcing()
        try:
            self._notes.shorten()
        except OSError as error:
            # What was noted is on the disk all the same.
            self._tell(f"{self._notes.path}: {error.strerror}; it stays as long as it is")

    @abstractmethod
    def _survey(self) -> None:
        """Finds what a process that died may have stored and told nobody of."""

    def _owe(self, thread_id: str, *places: Path) -> None:
        """The policy promises that what was just changed in these files and directories is forced."""
        if self.fsync != "never":
            self._owed.setdefault(thread_id, {}).update(dict.fromkeys(places))

    def _owe_for(self, event: StoredEvent, thread_id: str, *places: Path) -> None:
        assert self.fsync is not None, "a durable store has a policy"
        if forces(self.fsync, event.type):
            self._owe(thread_id, *places)

    @staticmethod
    def _next(head: Head, header: wire.Thread, event: StoredEvent) -> Link:
        """The event in its place behind `head`.

        Raises:
            HeadMoved: it has no place there.
        """
        if event.seq <= head.seq:
            raise HeadMoved(f"{header.id} has event {head.seq}, and {event.seq} was to be added")
        return link(head, event)


def _never(_name: str) -> bool:
    """What is reserved is being done."""
    return False


class _Round:
    """See `Forcing`. Files are opened now, so that what is forced is what was written; directories have no twins."""

    def __init__(self, files: Files, places: dict[Path, None]) -> None:
        self._files = files
        self._directories = [place for place in places if place.is_dir()]
        self._descriptors = []
        for place in places:
            # A file that was taken away since owes nothing any more; its directory does.
            if place not in self._directories and place.exists():
                self._descriptors.append(files.open_to_read(place))

    def __call__(self) -> None:
        try:
            for descriptor in self._descriptors:
                self._files.sync(descriptor)
            for directory in self._directories:
                self._files.sync_directory(directory)
        finally:
            for descriptor in self._descriptors:
                self._files.close(descriptor)
