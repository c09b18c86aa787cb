"""The report as SARIF 2.1.0: a rule per check that was chosen, a result per check that did not pass.

SARIF knows errors, warnings and notes of what failed, and beside them what is open or only informational; those have no
level. Who is judged has no source file, so what is located is the recording, or the program that was started.
"""

import hashlib
import json
from typing import Any
from urllib.parse import quote

from turnwire._version import __version__
from turnwire.conformance.model import Check, Level, Outcome, Verdict
from turnwire.conformance.reports.document import Run, repro

__all__ = ["render_sarif"]

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Level.MUST: "error", Level.SHOULD: "warning", Level.MAY: "note"}
# Kind and level of what is told; what passes, or does not apply, is no result.
RESULTS = {
    Verdict.FAIL: ("fail", "error"),
    Verdict.XPASS: ("fail", "error"),
    Verdict.XFAIL: ("fail", "error"),
    Verdict.WARN: ("fail", "warning"),
    Verdict.FLAKY: ("fail", "warning"),
    Verdict.NOT_VERIFIED: ("open", "none"),
    Verdict.NON_STRICT: ("informational", "none"),
}


def render_sarif(run: Run) -> str:
    """The whole log, with one run in it."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(run)]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _run(run: Run) -> dict[str, Any]:
    rules = [_rule(outcome.check) for outcome in run.outcomes]
    told = [(index, outcome) for index, outcome in enumerate(run.outcomes) if outcome.verdict in RESULTS]
    return {
        "tool": {"driver": {"name": "turnwire", "version": __version__, "rules": rules}},
        "invocations": [_invocation(run)],
        "columnKind": "unicodeCodePoints",
        "results": [_result(run, index, outcome) for index, outcome in told],
    }


def _rule(check: Check) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": check.id,
        "shortDescription": {"text": check.summary},
        "fullDescription": {"text": check.says},
        "defaultConfiguration": {"level": LEVELS[check.level]},
        "properties": {"clause": check.clause, "url": check.url, "tags": [check.layer, check.level.value]},
    }
    # A helpUri is absolute; the clauses that come with the sources are not.
    return {**rule, "helpUri": check.url} if check.url.startswith("https://") else rule


def _invocation(run: Run) -> dict[str, Any]:
    """Whether the checker itself held: a finding is a success, a check that broke is none."""
    broken = [outcome for outcome in run.outcomes if outcome.verdict is Verdict.ERROR]
    notes = [
        {"level": "error", "message": {"text": outcome.last.note or "the check broke"}, "descriptor": _named(outcome)}
        for outcome in broken
    ]
    faults = [{"level": "error", "message": {"text": complaint}} for complaint in run.complaints]
    invocation: dict[str, Any] = {"executionSuccessful": not broken, "exitCode": run.exit_code}
    if notes:
        invocation["toolExecutionNotifications"] = notes
    return {**invocation, "toolConfigurationNotifications": faults} if faults else invocation


def _named(outcome: Outcome) -> dict[str, str]:
    return {"id": outcome.check.id}


def _result(run: Run, index: int, outcome: Outcome) -> dict[str, Any]:
    kind, level = RESULTS[outcome.verdict]
    about = {
        "ruleId": outcome.check.id,
        "ruleIndex": index,
        "kind": kind,
        "level": level,
        "message": {"text": _message(run, outcome)},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _place(run)}}}],
        "partialFingerprints": {"turnwireCheck/v1": _fingerprint(run, outcome)},
    }
    if outcome.verdict is Verdict.XFAIL:
        about["suppressions"] = [{"kind": "external", "justification": outcome.note}]
    return about


def _message(run: Run, outcome: Outcome) -> str:
    last = outcome.last
    told = [outcome.check.summary, outcome.note or last.note]
    if last.expected:
        told += [f"Expected: {last.expected}", f"Actual: {last.actual}", f"Again: {repro(run, outcome)}"]
    return "\n".join(line for line in told if line)


def _place(run: Run) -> str:
    """A relative reference: that a name has a colon makes it no URI."""
    started = run.argv[0] if run.argv else "server"
    return quote(run.recording or started, safe="/")


def _fingerprint(run: Run, outcome: Outcome) -> str:
    """The same for one check of one server, however often it is run."""
    about = f"{outcome.check.id}\n{run.profile}\n{run.server.get('name', '')}"
    return hashlib.sha256(about.encode()).hexdigest()[:32]
