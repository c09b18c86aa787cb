"""What a store keeps of no single thread, such as saved rules: lines that are added, and never changed.

Every process that serves the directory may add one at any time: a line is one write at the end of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from turnwire.store.files import Files

__all__ = ["Notes"]

_NAME = "notes.jsonl"


class Notes:
    """The notes of one state directory; their file is made with the first of them."""

    def __init__(self, files: Files, directory: Path) -> None:
        self.path = directory / _NAME
        self._files = files

    def lines(self) -> Sequence[bytes]:
        """All of them, oldest first; what a full disk left of one is among them, as it is.

        Raises:
            OSError: they cannot be read.
        """
        try:
            return [line for line in self.path.read_bytes().split(b"\n") if line]
        except FileNotFoundError:
            return []

    def add(self, line: bytes) -> bool:
        """Adds one, which is in the kernel when this returns; whether it was the first.

        Raises:
            OSError: it could not be written.
        """
        begins = not self.path.exists()
        descriptor = self._files.open_to_append(self.path, create=True)
        try:
            # The line end comes first too: what a full disk left of another line must not swallow this one.
            self._files.write(descriptor, b"\n" + line + b"\n")
        finally:
            self._files.close(descriptor)
        return begins
