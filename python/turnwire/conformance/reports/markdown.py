"""The report as Markdown for a summary page: what it came to, each failure in full, and lists of the rest.

What a server said is shown as code that nothing in it can end, so a report of a hostile server is a report still.
"""

import re
from collections import Counter
from collections.abc import Sequence

from turnwire.conformance.model import Outcome, Verdict
from turnwire.conformance.reports.document import Run, repro
from turnwire.conformance.reports.text import ENDINGS, IN_A_LINE, IN_FULL, summary_line

__all__ = ["render_markdown"]

# What begins a construct within a line of prose, and what would end the line.
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")
BREAKS = re.compile(r"[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
LONGEST_CELL = 400


def render_markdown(run: Run) -> str:
    """The whole page, ended by a line feed."""
    counts = Counter(outcome.verdict for outcome in run.outcomes)
    table = ["| verdict | checks |", "|---|---|"]
    table += [f"| {verdict.value} | {counts[verdict]} |" for verdict in Verdict if counts[verdict]]
    blocks = [f"## {ENDINGS[run.exit_code]}", _prose(summary_line(run)), "\n".join(table)]
    blocks += [_full(run, outcome) for verdict in IN_FULL for outcome in _with(run, verdict)]
    blocks += [_listed(heading, _with(run, verdict)) for verdict, heading in IN_A_LINE.items() if _with(run, verdict)]
    if run.complaints:
        blocks.append(
            "\n".join(["### Faults of the expectations", "", *(f"- {_prose(one)}" for one in run.complaints)])
        )
    return "\n\n".join(blocks) + "\n"


def _full(run: Run, outcome: Outcome) -> str:
    check, last = outcome.check, outcome.last
    lines = [
        f"### {outcome.verdict.value.upper()} `{check.id}` ({check.level.value.upper()}, {check.clause})",
        "",
        f"> {check.says}",
    ]
    facts = {"Expected": last.expected, "Actual": last.actual, "Note": outcome.note or last.note}
    for name, text in facts.items():
        if text:
            lines += ["", f"**{name}:** {_prose(text)}"]
    if last.excerpt:
        lines += ["", _code(last.excerpt)]
    if last.expected:
        lines += ["", _code([repro(run, outcome)])]
    return "\n".join(lines)


def _listed(heading: str, outcomes: Sequence[Outcome]) -> str:
    """A table that is folded away: most of it is of no concern to most readers."""
    rows = [f"| `{outcome.check.id}` | {_prose(_why(outcome))} |" for outcome in outcomes]
    title = f"<details><summary>{heading} ({len(outcomes)})</summary>"
    return "\n".join([title, "", "| check | why |", "|---|---|", *rows, "", "</details>"])


def _why(outcome: Outcome) -> str:
    return (outcome.note or outcome.last.note or outcome.last.actual)[:LONGEST_CELL]


def _prose(text: str) -> str:
    return SPECIAL.sub(r"\\\1", BREAKS.sub(" ", text))


def _code(lines: Sequence[str]) -> str:
    """A block whose fence is longer than any within."""
    inner = [BREAKS.sub(" ", line) for line in lines]
    longest = max((len(ticks) for line in inner for ticks in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *inner, fence])


def _with(run: Run, verdict: Verdict) -> list[Outcome]:
    return [outcome for outcome in run.outcomes if outcome.verdict is verdict]
