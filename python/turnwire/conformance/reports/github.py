"""The report as commands of a GitHub workflow: an annotation per finding, and what it came to as plain words.

GitHub shows ten annotations of a kind in a step, so the rest is counted.
"""

from collections.abc import Sequence

from turnwire.conformance.model import Outcome, Verdict
from turnwire.conformance.reports.document import Run, repro
from turnwire.conformance.reports.text import ENDINGS, summary_line

__all__ = ["render_github"]

SHOWN = 10
KINDS = {
    "error": (Verdict.FAIL, Verdict.XPASS, Verdict.ERROR),
    "warning": (Verdict.WARN, Verdict.FLAKY),
    "notice": (Verdict.NOT_VERIFIED,),
}


def render_github(run: Run) -> str:
    """The commands, and after them the count and the judgement, ended by a line feed."""
    lines = [line for kind, verdicts in KINDS.items() for line in _commands(run, kind, verdicts)]
    lines += [f"::error title=expectations::{_data(complaint)}" for complaint in run.complaints[:SHOWN]]
    # A name that a server gives itself must not begin a command.
    return "\n".join([*lines, f"turnwire: {_data(summary_line(run))}", ENDINGS[run.exit_code]]) + "\n"


def _commands(run: Run, kind: str, verdicts: Sequence[Verdict]) -> list[str]:
    found = [outcome for outcome in run.outcomes if outcome.verdict in verdicts]
    shown = [
        f"::{kind} {_where(run)}title={_property(_title(outcome))}::{_data(_told(run, outcome))}"
        for outcome in found[:SHOWN]
    ]
    left = len(found) - len(shown)
    return [*shown, f"turnwire: {left} more of the kind {kind}"] if left else shown


def _where(run: Run) -> str:
    return f"file={_property(run.recording)}," if run.recording else ""


def _title(outcome: Outcome) -> str:
    return f"{outcome.check.id} ({outcome.check.level.value.upper()}, {outcome.check.clause})"


def _told(run: Run, outcome: Outcome) -> str:
    last = outcome.last
    told = [outcome.check.summary, outcome.note or last.note]
    if last.expected:
        told += [f"expected: {last.expected}", f"actual: {last.actual}", f"again: {repro(run, outcome)}"]
    return "\n".join(line for line in told if line)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
