"""The record of one thread in one file: a line an event, proved when first read and never read whole again.

Whoever holds the file's lock appends; anybody reads beside it. A line without its end is not there yet for a reader,
and torn for the holder, who cuts it.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import UNSET

from turnwire import wire
from turnwire.store.base import Head, HeadMoved, ThreadDamaged
from turnwire.store.chain import GENESIS, BadEvent, Fault, Link, check, read
from turnwire.store.files import Files
from turnwire.store.locks import is_at

__all__ = ["ThreadFile", "last_hash"]

# What a line ends with: the digits of its hash, `"}`, the line end.
_HASH = 64
_END = _HASH + 3
# How much is read at once while a record is proved.
_CHUNK = 4 * 1024 * 1024


class ThreadFile:
    """An open file. `head`, `size` and `count` are those of the part that is proved; `descriptor` says who holds it."""

    def __init__(self, files: Files, path: Path, descriptor: int) -> None:
        self.path = path
        self.descriptor = descriptor
        self.head = GENESIS
        self.size = 0
        # The header as the last event left it, for the process that holds the thread; None for a reader.
        self.header: wire.Thread | None = None
        # The idempotency key of the first event: that of the request which started the thread.
        self.key: str | None = None
        self._files = files
        # Of each event its number and where it begins: a page in the middle is one read.
        self._seqs = array("Q")
        self._starts = array("Q")
        # Why nothing may be appended any more: what the disk holds is not known.
        self._broken: str | None = None

    @property
    def count(self) -> int:
        """How many events there are."""
        return len(self._seqs)

    def prove(self) -> bytes:
        """Checks what is new since the last time; returns what is beyond the last whole line.

        Raises:
            ThreadDamaged: an event is bad; those before it stay readable.
        """
        rest = b""
        while chunk := os.pread(self.descriptor, _CHUNK, self.size + len(rest)):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._take(line)
        return rest

    def mend(self, tell: Callable[[str], None]) -> None:
        """For the holder: proves the record and cuts a torn tail, which it tells.

        Raises:
            ThreadDamaged: an event is bad.
        """
        rest = self.prove()
        if not rest:
            return
        if self._is_event(rest):
            # Torn exactly before its line end: the event is whole, and its bytes stay.
            self._files.write(self.descriptor, b"\n")
            self._take(rest)
            return
        if self._is_event(rest[:-1]):
            raise self._damaged(BadEvent("its line end is another byte", self.head.seq + 1))
        self._files.cut(self.descriptor, self.size)
        tell(f"{self.path}: a torn tail of {len(rest)} bytes after event {self.head.seq} was cut")

    def append(self, links: Sequence[Link]) -> None:
        """Writes events to the kernel (REC-3).

        Raises:
            HeadMoved: the file is not as this process left it; somebody wrote without the lock.
            OSError: it could not be written, and nothing of it is left.
        """
        if self._broken is not None:
            raise OSError(f"{self.path}: nothing more is written since {self._broken}")
        if os.fstat(self.descriptor).st_size != self.size:
            raise HeadMoved(f"{self.path} has {os.fstat(self.descriptor).st_size} bytes, {self.size} are known")
        try:
            self._files.write(self.descriptor, b"".join(link.line + b"\n" for link in links))
        except OSError as error:
            self._take_back(error)
            raise
        for link in links:
            self._accept(link.line, link.head)

    def lines(self, after: int = 0, limit: int | None = None) -> list[bytes]:
        """The stored bytes of the events beyond `after`, in one read."""
        first = bisect_right(self._seqs, after)
        last = self.count if limit is None else min(first + limit, self.count)
        if first >= last:
            return []
        start = self._starts[first]
        end = self._starts[last] if last < self.count else self.size
        data = os.pread(self.descriptor, end - start, start)
        return data[:-1].split(b"\n")

    def end_at(self, size: int) -> Head | None:
        """Where the record ended when it had so many bytes; None where it never had."""
        if size == self.size:
            return self.head
        place = bisect_left(self._starts, size)
        if not 0 < place < self.count or self._starts[place] != size:
            return None
        return Head(self._seqs[place - 1], last_hash(self.descriptor, size))

    def is_replaced(self) -> bool:
        """Whether the name leads to another file by now, or to none."""
        return not is_at(self.descriptor, self.path)

    def close(self) -> None:
        """Lets go of the file and of its lock."""
        self._files.close(self.descriptor)

    def _take(self, line: bytes) -> None:
        try:
            head = check(self.head, line)
        except BadEvent as bad:
            raise self._damaged(bad) from None
        self._accept(line, head)

    def _accept(self, line: bytes, head: Head) -> None:
        if not self._seqs:
            key = read(line).idempotency_key
            self.key = None if key is UNSET else key
        self._seqs.append(head.seq)
        self._starts.append(self.size)
        self.size += len(line) + 1
        self.head = head

    def _is_event(self, line: bytes) -> bool:
        try:
            check(self.head, line)
        except BadEvent:
            return False
        return True

    def _damaged(self, bad: BadEvent) -> ThreadDamaged:
        return ThreadDamaged(f"{self.path}: {Fault(self.count + 1, bad.seq, self.head.seq, str(bad))}")

    def _take_back(self, error: OSError) -> None:
        """A part of an event may be in the file; without it the record is as it was."""
        try:
            self._files.cut(self.descriptor, self.size)
        except OSError:
            self._broken = str(error)


def last_hash(descriptor: int, size: int) -> str:
    """The hash that the event before byte `size` states, unchecked; not one where no event ends there."""
    return os.pread(descriptor, _HASH, max(0, size - _END)).decode("latin-1")
