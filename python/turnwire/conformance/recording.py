"""`check trace`: a recorded conversation judged by the passive rules, line by line, in constant memory."""

from collections.abc import Iterable
from typing import Any, TextIO

from turnwire.conformance.baseline import BaselineFault
from turnwire.conformance.checks.passive import RULES
from turnwire.conformance.frames import TraceFault, frames
from turnwire.conformance.judgement import USAGE, Options, concluded, contract, told
from turnwire.conformance.model import Attempt, Check, Level, Outcome, Verdict
from turnwire.conformance.passive import Conversation, Folded, Payloads
from turnwire.conformance.profiles import Profile, ProfileFault
from turnwire.conformance.registry import UnknownCheck, select

__all__ = ["CheckTraceOptions", "run_check_trace"]

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


class CheckTraceOptions(Options, frozen=True, kw_only=True):
    """What `turnwire check trace` can be told beside."""

    file: str


def run_check_trace(options: CheckTraceOptions, lines: Iterable[bytes], stdout: TextIO, stderr: TextIO) -> int:
    """Judge one recording and report. Every fault of the caller is one line on stderr and exit code 2."""
    try:
        profile, expectations = contract(options)
        checks = _chosen(options)
        folded, server = _fold(profile, options.file, lines)
    except (BaselineFault, ProfileFault, TraceFault, UnknownCheck) as error:
        stderr.write(f"turnwire: {error}\n")
        return USAGE
    outcomes = [_outcome(check, profile, folded) for check in checks]
    run = concluded(options, profile, outcomes, expectations, argv=(), server=server, recording=options.file)
    return told(options, run, stdout, stderr)


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
