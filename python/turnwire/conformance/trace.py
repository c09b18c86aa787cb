"""The record of a conversation: every frame with its direction, as bytes first and as a value where it is one.

What was said is never interpreted twice: a frame is parsed when it is recorded and keeps its own fault.
"""

from typing import Any

import msgspec

from turnwire.conformance.strict import NotStrict, parse

__all__ = ["Frame", "Trace", "clip"]

# Wide enough for an error reply with data, short enough that six of them fit a terminal.
EXCERPT_WIDTH = 160


class Frame(msgspec.Struct, frozen=True):
    """One line on the wire. `aside` marks the judge's own housekeeping (handshakes, barriers)."""

    sent: bool
    at: float
    raw: bytes
    value: Any = None
    fault: str = ""
    aside: bool = False

    @property
    def is_object(self) -> bool:
        """Whether the line is one JSON object."""
        return isinstance(self.value, dict)

    @property
    def is_reply(self) -> bool:
        """An object without a method: whatever its other members, it can only be meant as a response."""
        return self.is_object and "method" not in self.value

    @property
    def method(self) -> str:
        """The method of a request or notification, else an empty string."""
        name = self.value.get("method") if self.is_object else None
        return name if isinstance(name, str) else ""

    @property
    def is_notification(self) -> bool:
        """A method and no id."""
        return bool(self.method) and "id" not in self.value

    @property
    def is_request(self) -> bool:
        """A method and an id."""
        return bool(self.method) and "id" in self.value

    @property
    def code(self) -> int | None:
        """The code of an error reply, None for anything else."""
        error = self.value.get("error") if self.is_reply else None
        code = error.get("code") if isinstance(error, dict) else None
        return code if type(code) is int else None

    @property
    def result(self) -> Any:
        """The result of a reply, None when there is none."""
        return self.value.get("result") if self.is_reply else None

    def __str__(self) -> str:
        return f"{'→' if self.sent else '←'} {clip(self.raw)}"


class Trace:
    """The frames of one process in the order in which they crossed the pipe."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.frames: list[Frame] = []
        # Whether something was written that no frame shows, such as a line in pieces; its reply has no cause here.
        self.lacks_frames = False
        # Rules that do not hold in this conversation, since its client did what lifts them.
        self.lifted: frozenset[str] = frozenset()

    def record(self, raw: bytes, *, sent: bool, at: float, aside: bool = False) -> Frame:
        """Keep one line; what is not strict JSON is kept too, with its fault."""
        value, fault = None, ""
        try:
            value = parse(raw)
        except NotStrict as reason:
            fault = str(reason)
        frame = Frame(sent, at, raw, value, fault, aside)
        self.frames.append(frame)
        return frame

    def excerpt(self, since: int, *, lines: int = 6) -> tuple[str, ...]:
        """The last lines of the conversation since a mark, without the judge's housekeeping."""
        frames = [frame for frame in self.frames[since:] if not frame.aside]
        return tuple(str(frame) for frame in frames[-lines:])


def clip(raw: bytes, width: int = EXCERPT_WIDTH) -> str:
    """Print a line safely: control characters escaped, its middle cut when it is long."""
    text = raw.decode("utf-8", "backslashreplace")
    shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text[: width + 1])
    return shown if len(shown) <= width else f"{shown[:width]}… ({len(raw)} bytes)"
