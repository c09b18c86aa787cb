"""The format of a recording: a frame a line, read one at a time.

A line is `{"dir": "c2s" | "s2c", "msg": …}` or `{"dir": …, "raw": "…"}`, which other recorders write as
`{"dir": …, "msg": {"$raw": "…"}}`; one with `"dir": "meta"` is a note of who recorded it.
`check server --transcripts` and `tap --out` write recordings; `check trace` and `replay` read them.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from turnwire.conformance.strict import NotStrict, parse

__all__ = ["Line", "TraceFault", "frames"]


class TraceFault(ValueError):  # noqa: N818 - says what the file is
    """A line is no frame of a recording; the message says which and why."""


class Line(NamedTuple):
    """One frame of the file; a raw line that is no JSON has no message, which is a breach in itself."""

    number: int
    sent: bool
    message: Any
    raw: bytes


def frames(file: str, lines: Iterable[bytes]) -> Iterator[Line]:
    """The frames of the file, each read once.

    Raises:
        TraceFault: a line is none.
    """
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            # Several times as fast as the strict reader, which is asked where this one refuses.
            value = msgspec.json.decode(text)
        except msgspec.DecodeError:
            value = _strictly(file, number, text)
        if not isinstance(value, dict) or value.get("dir") not in ("c2s", "s2c", "meta"):
            raise TraceFault(f'{file}:{number}: a frame has `dir`, which is "c2s" or "s2c"; "meta" is a note')
        if value["dir"] == "meta":
            continue
        yield _frame(file, number, value)


def _strictly(file: str, number: int, text: bytes) -> Any:
    try:
        return parse(text)
    except NotStrict as reason:
        raise TraceFault(f"{file}:{number}: the line is {reason}") from None


def _frame(file: str, number: int, value: dict[str, Any]) -> Line:
    sent = value["dir"] == "c2s"
    message, raw = value.get("msg"), value.get("raw")
    if isinstance(message, dict) and message.keys() == {"$raw"}:
        raw = message["$raw"]
    elif "msg" in value:
        return Line(number, sent, message, msgspec.json.encode(message))
    if not isinstance(raw, str):
        raise TraceFault(f"{file}:{number}: a frame has `msg`, a message, or `raw`, a line as a string")
    line = raw.encode("utf-8", "surrogatepass")
    try:
        return Line(number, sent, parse(line), line)
    except NotStrict:
        return Line(number, sent, None, line)
