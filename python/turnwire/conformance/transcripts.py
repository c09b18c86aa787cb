"""What was said and heard, written down in the form that `check trace` reads: of a run one JSONL file a scenario."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from turnwire.conformance.redaction import Redaction
from turnwire.conformance.strict import dumps
from turnwire.conformance.trace import Trace

__all__ = ["entry", "write_transcripts"]


def entry(direction: str, at: float, raw: bytes, message: Any, redaction: Redaction | None) -> bytes:
    """The line of a recording for one that was sent: `c2s` or `s2c`, a time in seconds, and its text, of which a
    redaction leaves what it may; `message` is what was read of it, None where it is none."""
    kept = raw.decode("utf-8", "backslashreplace") if redaction is None else redaction.line(raw, message)
    return dumps({"dir": direction, "t": at, "raw": kept}) + b"\n"


def write_transcripts(directory: Path, traces: Sequence[Trace], redaction: Redaction | None) -> None:
    """Write direction, seconds since the start of its scenario, and the line as text, of each frame.

    Raises:
        OSError: the directory or a file in it cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    for number, trace in enumerate(traces):
        start = trace.frames[0].at if trace.frames else 0.0
        lines = (
            entry("c2s" if frame.sent else "s2c", round(frame.at - start, 4), frame.raw, frame.value, redaction)
            for frame in trace.frames
        )
        (directory / f"{number:03}-{trace.label}.jsonl").write_bytes(b"".join(lines))
