"""One process writes a thread (TURN-11): a lock of the operating system on a file, freed by the death of its holder.

The lock belongs to an open descriptor, so two stores of one process exclude each other too, and closing it is letting
go. Readers take no lock and are never kept waiting.
"""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

from turnwire.store.base import ThreadHeld
from turnwire.store.files import Files
from turnwire.store.names import name_of

__all__ = ["Leases", "alone", "is_at", "open_locked", "share", "share_again"]


# A process has 1,024 descriptors by default; this leaves most of them to the host.
_HELD = 256


class Leases:
    """What only one process does at a time, a lock file each: writing a thread whose record has no file of its own."""

    def __init__(self, files: Files, directory: Path) -> None:
        self._files = files
        self._directory = directory
        # The least recently used first.
        self._held: dict[str, int] = {}

    def __contains__(self, thread_id: str) -> bool:
        return thread_id in self._held

    def take(self, thread_id: str, *, rests: Callable[[str], bool]) -> int:
        """Holds a thread; where too many are held, the oldest that `rests` is let go. Returns the descriptor of the
        lock file, which whoever died holding it may have left.

        Raises:
            ThreadHeld: another process writes it.
        """
        if thread_id in self._held:
            self._held[thread_id] = self._held.pop(thread_id)
            return self._held[thread_id]
        descriptor = open_locked(self._files, self._path(thread_id), create=True)
        if descriptor is None:
            raise ThreadHeld(f"{thread_id} is written by another process")
        self._held[thread_id] = descriptor
        if len(self._held) > _HELD:
            resting = next((held for held in self._held if held != thread_id and rests(held)), None)
            if resting is not None:
                self.drop(resting)
        return descriptor

    def drop(self, thread_id: str) -> None:
        """Lets others write it; nothing happens where it is not held."""
        descriptor = self._held.pop(thread_id, None)
        if descriptor is not None:
            # Removed by its holder, so that nobody locks a file that others do not find.
            self._files.remove(self._path(thread_id))
            self._files.close(descriptor)

    def drop_all(self) -> None:
        """Lets others write every thread."""
        for thread_id in list(self._held):
            self.drop(thread_id)

    def _path(self, thread_id: str) -> Path:
        return self._directory / f"{name_of(thread_id)}.lock"


def open_locked(files: Files, path: Path, *, create: bool) -> int | None:
    """A descriptor for appending that nobody else has locked; None where another holds the lock.

    Raises:
        FileNotFoundError: there is no such file, and it is not to be created.
    """
    while True:
        descriptor = files.open_to_append(path, create=create)
        if not _take(descriptor, fcntl.LOCK_EX):
            files.close(descriptor)
            return None
        if is_at(descriptor, path):
            return descriptor
        # Between opening and locking the file was replaced or removed: this lock guards a file that nobody finds.
        files.close(descriptor)


def share(files: Files, path: Path) -> int:
    """A descriptor for appending to a file that several use; waits while one of them has it `alone`."""
    while True:
        descriptor = files.open_to_append(path, create=True)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        if is_at(descriptor, path):
            return descriptor
        files.close(descriptor)


def alone(descriptor: int) -> bool:
    """Makes a shared descriptor the only one that is used, if it is; the others wait until it is closed or shared.
    If not, it is shared as before; but another may have been alone in between, and have put another file in its place
    (see `is_at`)."""
    if _take(descriptor, fcntl.LOCK_EX):
        return True
    # Who asks for another lock and does not get it has none any more.
    share_again(descriptor)
    return False


def share_again(descriptor: int) -> None:
    """Ends being `alone`."""
    fcntl.flock(descriptor, fcntl.LOCK_SH)


def is_at(descriptor: int, path: Path) -> bool:
    """Whether the path leads to this file, and not to another by now, or to none."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _take(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
