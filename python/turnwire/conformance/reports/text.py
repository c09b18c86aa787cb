"""The report for people: what failed and why first, what was not put to the test next, the count last."""

import textwrap
from collections import Counter
from collections.abc import Sequence

from turnwire.conformance.model import Outcome, Verdict
from turnwire.conformance.reports.document import Run, repro

__all__ = ["ENDINGS", "IN_A_LINE", "IN_FULL", "render_text", "summary_line"]

WIDTH = 118
LABEL = 10
STDERR_SHOWN = 6
COLORS = {Verdict.FAIL: "31", Verdict.XPASS: "31", Verdict.ERROR: "31", Verdict.WARN: "33", Verdict.FLAKY: "33"}
# Verdicts that are shown in full, in this order, and those that get a line each under a heading.
IN_FULL = (Verdict.FAIL, Verdict.WARN, Verdict.FLAKY, Verdict.ERROR)
IN_A_LINE = {
    Verdict.XPASS: "Expected to fail, and pass",
    Verdict.NOT_VERIFIED: "Not verified",
    Verdict.NON_STRICT: "Lawful but unusual",
    Verdict.XFAIL: "Expected failures",
    Verdict.SKIP: "Not applicable",
}
ENDINGS = {
    0: "Conformant in everything that was checked.",
    1: "Not conformant.",
    4: "Not conformant as far as can be told: required checks were not verified.",
    5: "The checker itself failed; this is no judgement. Please report it.",
}


def render_text(run: Run, *, color: bool) -> str:
    """The whole report, ended by a line feed."""
    blocks = [_full(run, outcome, color=color) for verdict in IN_FULL for outcome in _with(run, verdict)]
    blocks += [_listed(heading, _with(run, verdict)) for verdict, heading in IN_A_LINE.items() if _with(run, verdict)]
    if run.complaints:
        blocks.append("\n".join(["Faults of the expectations:", *(f"  {line}" for line in run.complaints)]))
    return "\n\n".join([*blocks, summary_line(run), ENDINGS[run.exit_code]]) + "\n"


def summary_line(run: Run) -> str:
    """Who was judged, by what, and how often it came out how."""
    name = " ".join(str(part) for part in (run.server.get("name"), run.server.get("version")) if part) or "server"
    counts = Counter(outcome.verdict for outcome in run.outcomes)
    counted = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    number = f"{len(run.outcomes)} check" + ("s" if len(run.outcomes) != 1 else "")
    waited = f"; {run.waited_ms / 1000:.1f} s were waits by the clock" if run.waited_ms else ""
    return f"{name} by the contract {run.profile} {run.protocol}: {number}, {counted or 'none'}{waited}"


def _full(run: Run, outcome: Outcome, *, color: bool) -> str:
    check, last = outcome.check, outcome.last
    verdict = outcome.verdict.value.upper()
    if color and outcome.verdict in COLORS:
        verdict = f"\033[{COLORS[outcome.verdict]}m{verdict}\033[0m"
    lines = [f"{verdict}  {check.id}  ({check.level.value.upper()}, {check.clause})"]
    lines += _row("clause", check.says)
    lines += _row("expected", last.expected)
    lines += _row("actual", last.actual)
    lines += _row("note", outcome.note or last.note)
    lines += _lines("wire", last.excerpt)
    lines += _lines("stderr", last.stderr[-STDERR_SHOWN:])
    if len(outcome.attempts) > 1:
        lines += _row("attempts", ", ".join(attempt.verdict.value for attempt in outcome.attempts))
    if last.expected:
        lines += _lines("again", [repro(run, outcome)])
    return "\n".join(lines)


def _row(label: str, text: str) -> list[str]:
    if not text:
        return []
    wrapped = [piece for line in text.splitlines() for piece in textwrap.wrap(line, WIDTH - LABEL - 2) or [""]]
    return _lines(label, wrapped)


def _lines(label: str, lines: Sequence[str]) -> list[str]:
    return [f"  {label if index == 0 else '':<{LABEL}}{line}" for index, line in enumerate(lines)]


def _listed(heading: str, outcomes: Sequence[Outcome]) -> str:
    rows = [f"  {outcome.check.id}: {outcome.note or outcome.last.note or outcome.last.actual}" for outcome in outcomes]
    return "\n".join([f"{heading} ({len(outcomes)}):", *rows])


def _with(run: Run, verdict: Verdict) -> list[Outcome]:
    return [outcome for outcome in run.outcomes if outcome.verdict is verdict]
