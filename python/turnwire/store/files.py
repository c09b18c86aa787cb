"""The few things that a store asks of the operating system, and the state directory (REC-7).

All writing goes through `Files`, so that a test can stand in its place, see every step and lose power at any.
"""

import errno
import fcntl
import os
from pathlib import Path

__all__ = ["FSYNC", "RECORD", "Files", "demand_access", "forces", "kind_of", "prepare"]

# The policies of `limits.fsync`.
FSYNC = ("always", "terminal", "never")
# What each store keeps its record in, below the state directory.
RECORD = {"jsonl": "threads", "sqlite": "record.sqlite"}
# "terminal": the ends of turns, approval events and thread events; questions to the person count as approvals, and a
# pause is an event of its thread. The status of a thread follows from what else is recorded, and needs no promise.
_TERMINAL = ("turn/completed", "approval/", "userInput/", "thread/", "record/held")
_FOLLOWS = "thread/status/changed"
_DIRECTORY_MODE = 0o700
_FILE_MODE = 0o600


def forces(policy: str, type_: str) -> bool:
    """Whether an event of this type is forced to the disk before anybody hears of it (REC-3)."""
    return policy == "always" or (policy == "terminal" and type_.startswith(_TERMINAL) and type_ != _FOLLOWS)


def prepare(directory: Path, kind: str) -> None:
    """Makes the state directory of a store, or closes an old one to everybody else.

    Raises:
        OSError: it cannot be made, or it holds the record of another store or things of somebody else.
    """
    directory.parent.mkdir(parents=True, exist_ok=True)
    Files().make_directory(directory)
    found = kind_of(directory)
    if found not in (None, kind):
        raise FileExistsError(f"{directory} holds a record of the store {found}, not {kind}; name another directory")
    if directory.stat().st_mode & 0o777 == _DIRECTORY_MODE:
        return
    if found is None and any(directory.iterdir()):
        # A slip such as `--state-dir ~` must not close a home to its services.
        raise FileExistsError(f"{directory} is no state directory and not empty; name a directory of its own")
    directory.chmod(_DIRECTORY_MODE)


def kind_of(directory: Path) -> str | None:
    """The store whose record is in this directory; None where there is none."""
    return next((kind for kind, name in RECORD.items() if (directory / name).exists()), None)


def demand_access(*places: Path) -> None:
    """Sees that this process may read and write what is there of these.

    Raises:
        PermissionError: it may not.
    """
    for place in places:
        if place.exists() and not os.access(place, os.R_OK | os.W_OK | (os.X_OK if place.is_dir() else 0)):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))


class Files:
    """The operating system's own files."""

    def open_to_read(self, path: Path) -> int:
        """A descriptor of a file that exists."""
        return os.open(path, os.O_RDONLY)

    def open_to_append(self, path: Path, *, create: bool) -> int:
        """A descriptor for reading anywhere and writing at the end."""
        return os.open(path, os.O_RDWR | os.O_APPEND | (os.O_CREAT if create else 0), _FILE_MODE)

    def close(self, descriptor: int) -> None:
        """Lets go of the file, and of the lock that was held through it."""
        os.close(descriptor)

    def write(self, descriptor: int, data: bytes) -> None:
        """Gives all of the data to the kernel; after an error the file may hold a part of it."""
        written = os.write(descriptor, data)
        while written < len(data):
            # The rest is refused with the reason: no space, a limit.
            written += os.write(descriptor, data[written:])

    def sync(self, descriptor: int) -> None:
        """Forces what was written to the disk."""
        # macOS: `fsync` leaves it in the cache of the drive.
        full = getattr(fcntl, "F_FULLFSYNC", None)
        if full is None:
            os.fsync(descriptor)
        else:
            fcntl.fcntl(descriptor, full)

    def sync_directory(self, path: Path) -> None:
        """Forces the names in a directory to the disk."""
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def cut(self, descriptor: int, size: int) -> None:
        """Drops what is beyond `size`."""
        os.ftruncate(descriptor, size)

    def replace(self, path: Path, by: Path) -> None:
        """Gives the file `by` the name `path`; whoever has the old file open keeps it."""
        by.replace(path)

    def remove(self, path: Path) -> None:
        """Takes a file away; nothing happens where there is none."""
        path.unlink(missing_ok=True)

    def make_directory(self, path: Path) -> None:
        """Makes a directory that only its owner enters, and makes it last; nothing happens where it is."""
        try:
            path.mkdir(_DIRECTORY_MODE)
        except FileExistsError:
            return
        self.sync_directory(path.parent)
