"""The open files of a state directory: few at a time, each read by anybody and written by its holder.

A descriptor is a lock and there are not many of them, so a thread that rests is let go for one that is asked for.
Its writer finds out by the numbers of its events whether another process wrote meanwhile.
"""

from collections.abc import Callable
from pathlib import Path

from msgspec import UNSET

from turnwire.store.base import ThreadDamaged, ThreadHeld
from turnwire.store.files import Files
from turnwire.store.locks import open_locked
from turnwire.store.threadfile import ThreadFile

__all__ = ["SUFFIX", "Shelf"]

SUFFIX = ".jsonl"
# A process has 1,024 descriptors by default; this leaves most of them to the host.
_OPEN = 256
# Of each event of an open file its place is known, which takes 16 bytes: of so many, where files are only read.
_EVENTS = 1_000_000


class Shelf:
    """Files by name. `leave` hears of every file of this process's own before it is closed."""

    def __init__(
        self, files: Files, directory: Path, tell: Callable[[str], None], leave: Callable[[str, ThreadFile], None]
    ) -> None:
        self._files = files
        self._directory = directory
        self._tell = tell
        self._leave = leave
        # The least recently used first.
        self._open: dict[str, ThreadFile] = {}
        self._held: set[str] = set()

    def path(self, name: str) -> Path:
        """Where the record of a thread is."""
        return self._directory / (name + SUFFIX)

    def held(self, name: str) -> ThreadFile | None:
        """The file, if this process is the one that may write it."""
        return self._open[name] if name in self._held else None

    def reading(self, name: str) -> ThreadFile | None:
        """The file, proved as far as it is written now; None where there is none, or no event in it.

        Raises:
            ThreadDamaged: an event is bad.
        """
        file = self._open.get(name)
        if name in self._held:
            return file
        if file is not None and file.is_replaced():
            self.close(name)
            file = None
        if file is None:
            try:
                descriptor = self._files.open_to_read(self.path(name))
            except FileNotFoundError:
                return None
            file = self._put(name, descriptor)
        else:
            self._open[name] = self._open.pop(name)
        try:
            file.prove()
        except ThreadDamaged:
            self.close(name)
            raise
        return file if file.count else None

    def claim(self, name: str, *, create: bool) -> ThreadFile:
        """The file, locked, proved and mended; empty where it did not exist and may be created.

        Raises:
            FileNotFoundError: it does not exist.
            ThreadHeld: another process has it.
            ThreadDamaged: an event is bad.
        """
        if name in self._held:
            self._open[name] = self._open.pop(name)
            return self._open[name]
        descriptor = open_locked(self._files, self.path(name), create=create)
        if descriptor is None:
            raise ThreadHeld(f"{self.path(name)} is written by another process")
        self.close(name)
        file = self._put(name, descriptor)
        try:
            file.mend(self._tell)
        except (ThreadDamaged, OSError):
            self.close(name)
            raise
        self._held.add(name)
        return file

    def close(self, name: str) -> None:
        """Lets go of the file and its lock; nothing happens where it is not open."""
        file = self._open.pop(name, None)
        if file is None:
            return
        if name in self._held:
            self._held.discard(name)
            self._leave(name, file)
        file.close()

    def close_all(self) -> None:
        """Lets go of every file."""
        for name in list(self._open):
            self.close(name)

    def _put(self, name: str, descriptor: int) -> ThreadFile:
        if len(self._open) >= _OPEN:
            resting = next((found for found, file in self._open.items() if not _is_busy(file)), None)
            if resting is not None:
                self.close(resting)
        read = {found: file.count for found, file in self._open.items() if found not in self._held}
        known = sum(read.values())
        for found, count in read.items():
            if known < _EVENTS:
                break
            self.close(found)
            known -= count
        file = self._open[name] = ThreadFile(self._files, self.path(name), descriptor)
        return file


def _is_busy(file: ThreadFile) -> bool:
    return file.header is not None and file.header.active_turn is not UNSET
