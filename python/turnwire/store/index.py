"""The headers of all threads in one file, so that a list of 10,000 threads opens one file and not 10,000.

It is a journal and a cache: a line for each time that a header says something new, the last one of a thread counts,
and every line is believed only as far as the thread's own file agrees. Without it everything is read again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec

from turnwire import wire
from turnwire.store.changes import Changes
from turnwire.store.files import Files
from turnwire.store.locks import alone, share

__all__ = ["Entry", "Index", "read_entries"]

# A journal of more lines than twice the threads, and so many, is written anew when nobody else uses it.
_SLACK = 1000


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of the file `name`: its size, when it was written, the hash it ends with, and the header then.

    An entry without a header says why there is none: the record is damaged, or the thread is gone (no fault).
    """

    name: str
    size: int = 0
    mtime: int = 0
    hash: str = ""
    # What the thread was started with.
    key: str | None = None
    header: wire.Thread | None = None
    fault: str | None = None


_encode = msgspec.json.Encoder().encode


class Index:
    """`entries` by name, as this process and all others that use the directory wrote them."""

    def __init__(self, files: Files, path: Path, tell: Callable[[str], None]) -> None:
        self.entries: dict[str, Entry] = {}
        # The names by the keys that their threads were started with.
        self.keys: dict[str, dict[str, None]] = {}
        self.changes = Changes()
        # The ids of the threads of which something was known, by name; what went away has one still.
        self.ids: dict[str, str] = {}
        self._files = files
        self._path = path
        self._tell = tell
        self._lines = 0
        # How far the journal was read.
        self._read = 0
        # Whether the last line was not written to its end, and is to be ended before the next.
        self._ragged = False
        self._descriptor = -1

    def refresh(self) -> None:
        """Takes in what was written since, by anybody."""
        if self._descriptor < 0:
            self._open()
        size = os.fstat(self._descriptor).st_size
        if size == self._read:
            return
        *lines, rest = os.pread(self._descriptor, size - self._read, self._read).split(b"\n")
        self._read = size - len(rest)
        for line in lines:
            self._take(line)

    def put(self, entry: Entry) -> None:
        """Writes an entry down. That this fails is told and hurts nobody: the thread's own file is read again."""
        if self._descriptor < 0:
            self._open()
        line = _encode(entry) + b"\n"
        try:
            self._files.write(self._descriptor, b"\n" + line if self._ragged else line)
            self._ragged = False
        except OSError as error:
            self._ragged = True
            self._tell(f"{self._path}: {error.strerror}; the next start will read more")
        self.refresh()
        self._accept(entry)

    def close(self) -> None:
        """Lets go of the file."""
        if self._descriptor >= 0:
            self._files.close(self._descriptor)
            self._descriptor = -1

    def _open(self) -> None:
        self._descriptor = share(self._files, self._path)
        self.refresh()
        # A line that was torn by a crash is ended, so that it spoils no other.
        self._ragged = os.fstat(self._descriptor).st_size > self._read
        if self._lines > 2 * len(self.entries) + _SLACK and alone(self._descriptor):
            self._write_anew()

    def _write_anew(self) -> None:
        fresh = self._path.with_suffix(".new")
        self._files.remove(fresh)
        descriptor = self._files.open_to_append(fresh, create=True)
        self._files.write(descriptor, b"".join(_encode(entry) + b"\n" for entry in self.entries.values()))
        self._files.close(descriptor)
        self._files.replace(self._path, fresh)
        self._files.close(self._descriptor)
        self.entries.clear()
        self.keys.clear()
        self._lines = self._read = 0
        self._descriptor = share(self._files, self._path)
        self.refresh()

    def _take(self, line: bytes) -> None:
        self._lines += 1
        try:
            entry = _decoder().decode(line)
        except msgspec.DecodeError as error:
            if line.strip():
                self._tell(f"A line of {self._path} cannot be read and is left out: {error}")
            return
        self._accept(entry)

    def _accept(self, entry: Entry) -> None:
        self.changes.touch(entry.name)
        if entry.header is not None:
            self.ids[entry.name] = entry.header.id
        before = self.entries.pop(entry.name, None)
        if before is not None and before.key is not None:
            self.keys[before.key].pop(entry.name)
        if entry.header is not None or entry.fault is not None:
            self.entries[entry.name] = entry
        if entry.key is not None:
            self.keys.setdefault(entry.key, {})[entry.name] = None


def read_entries(path: Path) -> dict[str, Entry]:
    """The entries of a journal, without using it; none where there is no journal."""
    entries: dict[str, Entry] = {}
    if not path.exists():
        return entries
    for line in path.read_bytes().split(b"\n")[:-1]:
        try:
            entry = _decoder().decode(line)
        except msgspec.DecodeError:
            # A cache: whoever uses it tells of lines that cannot be read.
            continue
        entries[entry.name] = entry
    return entries


@cache
def _decoder() -> msgspec.json.Decoder[Entry]:
    # Made when there is something to read: it needs the types of threads.
    return msgspec.json.Decoder(Entry)
