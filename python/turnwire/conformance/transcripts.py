"""What a run has said and heard, written down: one JSONL file a scenario, in the form that `check trace` reads."""

from collections.abc import Sequence
from pathlib import Path

from turnwire.conformance.redaction import Redaction
from turnwire.conformance.strict import dumps
from turnwire.conformance.trace import Trace

__all__ = ["write_transcripts"]


def write_transcripts(directory: Path, traces: Sequence[Trace], redaction: Redaction | None) -> None:
    """Write direction, seconds since the start of its scenario, and the line as text, of each frame.

    Raises:
        OSError: the directory or a file in it cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    for number, trace in enumerate(traces):
        start = trace.frames[0].at if trace.frames else 0.0
        lines = [
            dumps(
                {
                    "dir": "c2s" if frame.sent else "s2c",
                    "t": round(frame.at - start, 4),
                    "raw": redaction.line(frame.raw, frame.value) if redaction else _text(frame.raw),
                }
            )
            for frame in trace.frames
        ]
        (directory / f"{number:03}-{trace.label}.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")
