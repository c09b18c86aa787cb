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
from turnwire.store.locks import alone, is_at, share, share_again

__all__ = ["Entry", "Index", "read_entries"]

# A journal of more lines than twice the threads, and so many, is written anew when nobody else uses it: a server that
# lives long writes more of them than it has threads.
_SLACK = 1000
# How much of it is read at once.
_CHUNK = 4 * 1024 * 1024


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
        # How many there were when somebody else used it, so that nobody looks again at each line.
        self._shared_lines = 0
        # How far the journal was read.
        self._read = 0
        # Whether the last line was not written to its end, and is to be ended before the next.
        self._ragged = False
        self._descriptor = -1

    def refresh(self) -> None:
        """Takes in what was written since, by anybody."""
        if self._descriptor < 0:
            self._open()
        if os.fstat(self._descriptor).st_size == self._read:
            return
        rest = b""
        while chunk := os.pread(self._descriptor, _CHUNK, self._read + len(rest)):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._read += len(line) + 1
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
        self._keep_short()

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
        self._keep_short()

    def _keep_short(self) -> None:
        if self._lines <= 2 * max(len(self.entries), self._shared_lines) + _SLACK:
            return
        if alone(self._descriptor):
            # Somebody may have written until there was nobody else.
            self.refresh()
            self._write_anew()
            return
        self._shared_lines = self._lines
        if not is_at(self._descriptor, self._path):
            self._read_anew()

    def _write_anew(self) -> None:
        fresh = self._path.with_suffix(".new")
        content = b"".join(_encode(entry) + b"\n" for entry in self.entries.values())
        self._files.remove(fresh)
        # Whoever opens the file from now on shares it with this process.
        descriptor = share(self._files, fresh)
        try:
            self._files.write(descriptor, content)
            self._files.replace(self._path, fresh)
        except OSError as error:
            self._files.close(descriptor)
            share_again(self._descriptor)
            self._shared_lines = self._lines
            self._tell(f"{self._path}: {error.strerror}; it stays as long as it is")
            return
        self._files.close(self._descriptor)
        self._descriptor = descriptor
        self._lines, self._read, self._shared_lines, self._ragged = len(self.entries), len(content), 0, False

    def _read_anew(self) -> None:
        """Another process wrote the journal anew in a moment in which it was alone with it."""
        self._files.close(self._descriptor)
        before, self.entries = self.entries, {}
        self.keys.clear()
        self._lines = self._read = self._shared_lines = 0
        self._descriptor = share(self._files, self._path)
        self.refresh()
        for name in before.keys() - self.entries.keys():
            self.changes.touch(name)

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
            named = self.keys[before.key]
            del named[entry.name]
            if not named:
                del self.keys[before.key]
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
