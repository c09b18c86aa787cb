"""`check trace`: a recorded conversation judged by the passive rules, line by line, in constant memory."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

import msgspec

from turnwire.conformance.checks.passive import RULES
from turnwire.conformance.frames import TraceFault, frames
from turnwire.conformance.model import Attempt, Check, Level, Outcome, Verdict
from turnwire.conformance.passive import Conversation, Folded, Payloads
from turnwire.conformance.profiles import Profile, ProfileFault, load_profile
from turnwire.conformance.registry import UnknownCheck, select
from turnwire.conformance.reports.document import Run
from turnwire.conformance.reports.rendering import Form, exit_code, report
from turnwire.conformance.strict import dumps

__all__ = ["CheckTraceOptions", "run_check_trace"]

USAGE = 2
# The others are judged live by traffic of their own; what a recording shows of them is judged in it.
CHECKS = (
    "rpc.schema-valid-out",
    "rpc.method-not-found",
    "rpc.invalid-params-type",
    "idem.same-key",
    "idem.other-params",
    *RULES,
)
UNMET = {Level.MUST: Verdict.FAIL, Level.SHOULD: Verdict.WARN, Level.MAY: Verdict.NON_STRICT}


class CheckTraceOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What `turnwire check trace` can be told."""

    file: str
    profile: str = "turnwire"
    select: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    strict: bool = False
    fail_on: Level = Level.MUST
    format: Form = "text"
    reports: tuple[tuple[str, Path], ...] = ()
    color: bool = False


def run_check_trace(options: CheckTraceOptions, lines: Iterable[bytes], stdout: TextIO, stderr: TextIO) -> int:
    """Judge one recording and report. Every fault of the caller is one line on stderr and exit code 2."""
    try:
        profile = load_profile(options.profile)
        checks = _chosen(options)
        folded, server = _fold(profile, options.file, lines)
    except (ProfileFault, TraceFault, UnknownCheck) as error:
        stderr.write(f"turnwire: {error}\n")
        return USAGE
    outcomes = [_outcome(check, profile, folded) for check in checks]
    run = Run(
        argv=(),
        profile=profile.name,
        protocol=profile.protocol,
        schema_digest=hashlib.sha256(dumps(profile.bundle)).hexdigest(),
        server=server,
        outcomes=tuple(outcomes),
        complaints=(),
        exit_code=exit_code(outcomes, (), fail_on=options.fail_on, strict=options.strict),
        flags=() if options.profile == "turnwire" else ("--profile", options.profile),
        recording=options.file,
    )
    try:
        report(run, options.format, options.reports, stdout, color=options.color)
    except OSError as error:
        if error.filename is None:
            raise
        stderr.write(f"turnwire: {error.filename}: {error.strerror}; the report could not be written there\n")
        return USAGE
    return run.exit_code


def _chosen(options: CheckTraceOptions) -> list[Check]:
    chosen = [check for check in select(options.select, options.skip) if check.id in CHECKS]
    if not chosen:
        raise UnknownCheck("nothing is selected that a recording can show; name one of " + ", ".join(CHECKS))
    return chosen


def _fold(profile: Profile, file: str, lines: Iterable[bytes]) -> tuple[Folded, dict[str, Any]]:
    talk, folded = Conversation(Payloads(profile)), Folded()
    is_empty = True
    for line in frames(file, lines):
        is_empty = False
        folded.hear(talk, line.message, line.raw, sent=line.sent, mark=f"{line.number}: ")
    if is_empty:
        raise TraceFault(f"{file}: holds no message")
    folded.finish(talk)
    return folded, talk.server


def _outcome(check: Check, profile: Profile, folded: Folded) -> Outcome:
    """Severity is the clause's keyword. What the recording does not show is no part of the verdict, and never green."""
    if reason := profile.excluded.get(check.id, ""):
        return Outcome(check, Verdict.SKIP, note=reason)
    if found := folded.first.get(check.id):
        more = folded.more.get(check.id, 0)
        breach, verdict = found.breach, UNMET[check.level]
        attempt = Attempt(
            verdict, 0, note=f"and {more} more like it" if more else "",
            expected=breach.expected, actual=breach.actual, excerpt=found.excerpt,
        )  # fmt: skip
        return Outcome(check, verdict, (attempt,), attempt.note)
    if check.id in folded.judged:
        return Outcome(check, Verdict.PASS, (Attempt(Verdict.PASS, 0),))
    return Outcome(check, Verdict.SKIP, note="the recording shows nothing that this rule is about")
