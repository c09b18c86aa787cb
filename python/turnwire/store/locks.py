"""One process writes a thread (TURN-11): a lock of the operating system on a file, freed by the death of its holder.

The lock belongs to an open descriptor, so two stores of one process exclude each other too, and closing it is letting
go. Readers take no lock and are never kept waiting.
"""

import fcntl
import os
from pathlib import Path

from turnwire.store.files import Files

__all__ = ["alone", "open_locked", "share"]


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
        if _is_at(descriptor, path):
            return descriptor
        # Between opening and locking the file was replaced or removed: this lock guards a file that nobody finds.
        files.close(descriptor)


def share(files: Files, path: Path) -> int:
    """A descriptor for appending to a file that several use; waits while one of them has it `alone`."""
    while True:
        descriptor = files.open_to_append(path, create=True)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        if _is_at(descriptor, path):
            return descriptor
        files.close(descriptor)


def alone(descriptor: int) -> bool:
    """Makes a shared descriptor the only one that is used, if it is; the others wait until it is closed."""
    return _take(descriptor, fcntl.LOCK_EX)


def _take(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
