"""The notes of a state directory in one file, a line each, which is written anew when most of it is idle.

Every process that serves the directory may add a line at any time: one write at the end of the file, under a lock that
all of them share. Whoever writes the file anew is alone with it for as long as it takes to give it its name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from turnwire.store.files import Files
from turnwire.store.locks import alone, is_at, open_locked, share
from turnwire.store.notes import Note, most, needed

__all__ = ["NoteFile"]

_NAME = "notes.jsonl"

_encode = msgspec.json.Encoder().encode


class NoteFile:
    """It is made with the first note. What was read of it is read once."""

    def __init__(self, files: Files, directory: Path) -> None:
        self.path = directory / _NAME
        self._files = files
        # What is read stays open, so that another file of the same name is told from it.
        self._descriptor = -1
        self._notes: list[Note] = []
        # How far it was read, and how many notes there may be before it is looked at which of them are idle.
        self._size = 0
        self._bound = most(0)

    def notes(self) -> Sequence[Note]:
        """All of them, oldest first.

        Raises:
            OSError: they cannot be read.
        """
        self._refresh()
        return list(self._notes)

    def lines(self) -> Sequence[bytes]:
        """Their lines, in the same order.

        Raises:
            OSError: they cannot be read.
        """
        return _read(self.path.read_bytes())[0] if self.path.exists() else []

    def add(self, *lines: bytes) -> None:
        """Adds some, which are in the kernel when this returns.

        Raises:
            OSError: they could not be written.
        """
        descriptor = share(self._files, self.path)
        try:
            # The line end comes first too: what a full disk left of another line must not swallow this one.
            self._files.write(descriptor, b"".join(b"\n" + line + b"\n" for line in lines))
        finally:
            self._files.close(descriptor)

    def add_note(self, note: Note) -> None:
        """Adds one, see `add`."""
        self.add(_encode(note))

    def is_long(self) -> bool:
        """Whether it is worth writing anew. If so, this says it once until it is twice as long.

        Raises:
            OSError: it cannot be read.
        """
        self._refresh()
        if len(self._notes) <= self._bound:
            return False
        self._bound = most(len(needed(self._notes)))
        is_long = len(self._notes) > self._bound
        if is_long:
            self._bound = 2 * len(self._notes)
        return is_long

    def shorten(self) -> None:
        """Writes it anew without what is idle, unless another process is about to, or adds to it meanwhile. It may be
        called from any thread: the disk is waited for.

        Raises:
            OSError: it could not be written, and is what it was.
        """
        fresh = self.path.with_suffix(".new")
        descriptor = open_locked(self._files, fresh, create=True)
        if descriptor is None:
            return
        try:
            before = self.path.read_bytes()
            lines, notes = _read(before)
            # A process that died may have left something there.
            self._files.cut(descriptor, 0)
            self._files.write(descriptor, b"".join(lines[place] + b"\n" for place in needed(notes)))
            self._files.sync(descriptor)
            is_done = self._give_name(fresh, len(before))
        except OSError:
            self._files.remove(fresh)
            raise
        finally:
            # Whoever waits to add something goes on, and does so there.
            self._files.close(descriptor)
        if is_done:
            self._files.sync_directory(self.path.parent)

    def close(self) -> None:
        """Lets go of the file."""
        if self._descriptor >= 0:
            self._files.close(self._descriptor)
            self._descriptor = -1

    def _give_name(self, fresh: Path, size: int) -> bool:
        """Whether `fresh` has taken the place of what had so many bytes when it was read, and has them still."""
        old = share(self._files, self.path)
        try:
            if not alone(old) or not is_at(old, self.path) or os.fstat(old).st_size != size:
                self._files.remove(fresh)
                return False
            self._files.replace(self.path, fresh)
            return True
        finally:
            self._files.close(old)

    def _refresh(self) -> None:
        """Takes in what was added since, by anybody."""
        if self._descriptor >= 0 and not is_at(self._descriptor, self.path):
            self._read_anew()
        if self._descriptor < 0:
            try:
                self._descriptor = self._files.open_to_read(self.path)
            except FileNotFoundError:
                return
        size = os.fstat(self._descriptor).st_size
        if size == self._size:
            return
        text = os.pread(self._descriptor, size - self._size, self._size)
        # What has no end yet is being written, or will never be whole.
        whole = text[: text.rfind(b"\n") + 1]
        self._notes += _read(whole)[1]
        self._size += len(whole)

    def _read_anew(self) -> None:
        self.close()
        self._notes.clear()
        self._size = 0
        self._bound = most(0)


def _read(text: bytes) -> tuple[list[bytes], list[Note]]:
    """The lines of a text that are notes, and the notes."""
    lines, notes = [], []
    for line in text.split(b"\n"):
        try:
            notes.append(_decoder().decode(line))
        except msgspec.ValidationError:
            # Another version says more.
            notes.append(Note())
        except msgspec.DecodeError:
            # What a full disk left of one, if it is not empty: nobody was told of it.
            continue
        lines.append(line)
    return lines, notes


@cache
def _decoder() -> msgspec.json.Decoder[Note]:
    # Made when there is something to read: it needs the types of approvals.
    return msgspec.json.Decoder(Note)
