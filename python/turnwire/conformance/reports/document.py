"""The report as one JSON document, versioned, from which every other form can be told.

Its form is report.schema.json beside this module. Two runs against one server give equal documents but for durations,
process ids and ports.
"""

import re
import shlex
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from turnwire._version import __version__
from turnwire.conformance.model import Attempt, Level, Outcome, Verdict
from turnwire.conformance.websocket.address import Address

__all__ = ["SCHEMA_VERSION", "Run", "document", "repro"]

SCHEMA_VERSION = 1
SECRET = re.compile(r"(?i)(token|secret|password|api-?key|authorization)")
PLACEHOLDER = "•••"


class Run(msgspec.Struct, frozen=True):
    """What was judged, by what, and how it came out."""

    argv: tuple[str, ...]
    profile: str
    protocol: str
    schema_digest: str
    server: dict[str, Any]
    outcomes: tuple[Outcome, ...]
    complaints: tuple[str, ...]
    exit_code: int
    flags: tuple[str, ...] = ()
    address: Address | None = None  # where it listens, if it does
    recording: str = ""  # the file that was judged instead of a server
    waited_ms: int = 0  # what was let pass by the clock, however fast the server is


def document(run: Run) -> dict[str, Any]:
    """The report as plain JSON values."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "tool": {"name": f"turnwire check {'trace' if run.recording else 'server'}", "version": __version__},
        "protocol": {"profile": run.profile, "version": run.protocol, "schemaDigest": run.schema_digest},
        "target": _target(run),
        "checks": [_check(run, outcome) for outcome in run.outcomes],
        "summary": {
            "verdicts": dict(sorted(Counter(outcome.verdict.value for outcome in run.outcomes).items())),
            "mustFailed": [o.check.id for o in run.outcomes if o.verdict is Verdict.FAIL],
            "mustNotVerified": [
                o.check.id for o in run.outcomes if o.verdict is Verdict.NOT_VERIFIED and o.check.level is Level.MUST
            ],
            "expectationFaults": list(run.complaints),
            "declaredWaitsMs": run.waited_ms,
            "exitCode": run.exit_code,
        },
    }


def repro(run: Run, outcome: Outcome) -> str:
    """The command that runs this check alone."""
    selected = ["--select", outcome.check.id, *run.flags]
    if run.recording:
        # Without `--` a name after `--select` would be one more id to select.
        return shlex.join(["turnwire", "check", "trace", run.recording, *selected])
    where = ["--ws", run.address.pattern, *run.address.words] if run.address else []
    started = ["--", *_redacted(run.argv)] if run.argv or not where else []
    return shlex.join(["turnwire", "check", "server", *selected, *where, *started])


def _target(run: Run) -> dict[str, Any]:
    if run.recording:
        return {"recording": run.recording, "server": run.server}
    if run.address:
        command = {"argv": _redacted(run.argv)} if run.argv else {}
        return {"transport": "ws", "url": run.address.pattern, **command, "server": run.server}
    return {"transport": "stdio", "argv": _redacted(run.argv), "server": run.server}


def _redacted(argv: Sequence[str]) -> list[str]:
    """The command line without what looks like a secret: the value of a flag that is named after one."""
    shown = []
    hide_next = False
    for argument in argv:
        flag, equals, _ = argument.partition("=")
        if hide_next and not argument.startswith("-"):
            shown.append(PLACEHOLDER)
        elif equals and flag.startswith("-") and SECRET.search(flag):
            shown.append(f"{flag}={PLACEHOLDER}")
        else:
            shown.append(argument)
        hide_next = not equals and argument.startswith("-") and bool(SECRET.search(argument))
    return shown


def _check(run: Run, outcome: Outcome) -> dict[str, Any]:
    check, last = outcome.check, outcome.last
    row: dict[str, Any] = {
        "id": check.id,
        "level": check.level.value,
        "verdict": outcome.verdict.value,
        "clause": check.clause,
        "says": check.says,
        "url": check.url,
        "summary": check.summary,
        "durationMs": sum(attempt.duration_ms for attempt in outcome.attempts),
    }
    found = {
        "note": outcome.note or last.note,
        "expected": last.expected,
        "actual": last.actual,
        "excerpt": list(last.excerpt),
        "stderr": list(last.stderr),
    }
    row |= {name: value for name, value in found.items() if value}
    if len(outcome.attempts) > 1:
        row["attempts"] = [_attempt(attempt) for attempt in outcome.attempts]
    if last.expected:
        row["repro"] = repro(run, outcome)
    return row


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {"verdict": attempt.verdict.value, "durationMs": attempt.duration_ms}
