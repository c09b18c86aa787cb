"""Chunks of a byte stream to lines, one JSON value a line.

Only `\\n` ends a line, so U+2028 is text; `\\r\\n` and blank lines are accepted. The size limit is kept while reading:
an over-long line is never held, it is skipped to its end and stands in the result as Overlong, once.
"""

__all__ = ["LineSplitter", "Overlong"]

# Enough to read the id of a response.
_HEAD = 1024


class Overlong(bytes):
    """Stands for a line that passed the limit: how it begins, behind a byte with which no JSON does."""

    __slots__ = ()

    @classmethod
    def of(cls, line: bytes | bytearray, limit: int) -> "Overlong":
        """The stand-in of a line, the same wherever the line was cut."""
        return cls(b"\0" + line[: min(_HEAD, limit)])

    @property
    def head(self) -> bytes:
        """How the line begins."""
        return self[1:]


class LineSplitter:
    """Joins what belongs to a line and cuts what does not; any split of a stream gives the same lines."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        # A bytearray grows by amortised appends: a long line in small chunks costs its length and no more.
        self._held = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that `chunk` completes, without their ends; empty ones are left out.

        The space around a value stays where it is, a `\r` too: JSON reads over it.
        """
        pieces = chunk.split(b"\n")
        rest = pieces.pop()
        lines: list[bytes] = []
        if pieces:
            if self._held or self._skipping:
                first = self._complete(pieces.pop(0))
                if first:
                    lines.append(first)
            if len(chunk) <= self._limit:
                lines += filter(None, pieces)
            else:
                lines += [line for piece in pieces if (line := self._bounded(piece))]
        if rest and not self._skipping:
            lines += self._hold(rest)
        return lines

    def finish(self) -> list[bytes]:
        """STDIO-9: "A last line without `\\n` before the end of input is processed." """
        last = self._complete(b"") if self._held else b""
        self._skipping = False
        return [last] if last else []

    def _complete(self, end: bytes) -> bytes:
        """The line whose last piece is `end`; empty when it is blank or was reported while it was skipped."""
        if self._skipping:
            self._skipping = False
            return b""
        self._held += end
        line = bytes(self._held)
        self._held.clear()
        return self._bounded(line)

    def _bounded(self, line: bytes) -> bytes:
        return Overlong.of(line, self._limit) if len(line.removesuffix(b"\r")) > self._limit else line

    def _hold(self, rest: bytes) -> list[bytes]:
        """Keep the beginning of a line for later; one that became too long is given, and skipped from here on."""
        self._held += rest
        # A `\r` in last place may belong to the line end, which does not count.
        if len(self._held) - rest.endswith(b"\r") <= self._limit:
            return []
        line = Overlong.of(self._held, self._limit)
        self._held.clear()
        self._skipping = True
        return [line]
