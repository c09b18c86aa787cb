"""A run in the form that was asked for, and the exit code that goes with it: the same for a server and a recording."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TextIO

from turnwire.conformance.model import Level, Outcome, Verdict
from turnwire.conformance.reports.document import Run, document
from turnwire.conformance.reports.github import render_github
from turnwire.conformance.reports.junit import render_junit
from turnwire.conformance.reports.markdown import render_markdown
from turnwire.conformance.reports.sarif import render_sarif
from turnwire.conformance.reports.text import render_text

__all__ = ["Form", "exit_code", "report"]

Form = Literal["text", "json", "junit", "sarif", "markdown", "github"]
DONE, FINDINGS, USAGE, NOT_VERIFIED, OUR_FAULT = 0, 1, 2, 4, 5


def exit_code(outcomes: Sequence[Outcome], complaints: Sequence[str], *, fail_on: Level, strict: bool) -> int:
    """Our own fault outranks a finding, and a finding outranks what was not verified."""
    verdicts = {outcome.verdict for outcome in outcomes}
    failing = {Verdict.FAIL, Verdict.XPASS}
    if fail_on is not Level.MUST or strict:
        failing.add(Verdict.WARN)
    if strict:
        failing.add(Verdict.FLAKY)
    if Verdict.ERROR in verdicts:
        return OUR_FAULT
    if verdicts & failing or complaints:
        return FINDINGS
    unverified = [o for o in outcomes if o.verdict is Verdict.NOT_VERIFIED and o.check.level is Level.MUST]
    return NOT_VERIFIED if unverified else DONE


def report(
    run: Run, form: str, files: Sequence[tuple[str, Path]], stdout: TextIO, *, color: bool, after: str = ""
) -> None:
    """Write the run to stdout, followed by `after`, and to each file.

    Raises:
        OSError: a file cannot be written; its name is in the error.
    """
    stdout.write(_rendered(form, run, color=color) + after)
    for kind, path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_rendered(kind, run, color=False), encoding="utf-8")


def _rendered(kind: str, run: Run, *, color: bool) -> str:
    match kind:
        case "json":
            return json.dumps(document(run), indent=2, ensure_ascii=False) + "\n"
        case "junit":
            return render_junit(run)
        case "sarif":
            return render_sarif(run)
        case "markdown":
            return render_markdown(run)
        case "github":
            return render_github(run)
        case _:
            return render_text(run, color=color)
