"""Known failures, each for itself, with a reason and an end date.

An expectation excuses one check and nothing else. One that is out of date in any sense (expired, of an unknown check,
of a check that passes) fails the run, because a stale list hides the next regression.
"""

import datetime as dt
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from turnwire.conformance.model import Level, Outcome, Verdict
from turnwire.conformance.registry import catalogue

__all__ = ["BaselineFault", "Expectation", "apply_baseline", "proposed", "read_baseline"]

UNMET = (Verdict.FAIL, Verdict.WARN)


class BaselineFault(ValueError):  # noqa: N818 - says whose fault
    """The file cannot be used as it is; the message names file, entry and remedy."""


class Expectation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One known failure."""

    id: str
    reason: str
    verdict: Literal["fail", "flaky"] = "fail"
    transport: str = "stdio"
    issue: str = ""
    expires: dt.date | None = None


def read_baseline(path: Path) -> list[Expectation]:
    """Read a TOML file of `[[expect]]` tables.

    Raises:
        BaselineFault: it cannot be read, or an entry is not well formed.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return msgspec.convert(table.get("expect", []), list[Expectation])
    except OSError as error:
        raise BaselineFault(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise BaselineFault(f"{path}: {error}") from None


def apply_baseline(
    outcomes: Sequence[Outcome], expectations: Sequence[Expectation], today: dt.date
) -> tuple[list[Outcome], list[str]]:
    """The outcomes with excused ones as xfail and stale ones as xpass, and what is wrong with the list itself."""
    complaints = _complaints(expectations, today)
    lawful = {entry.id: entry for entry in expectations if entry.expires is None or entry.expires >= today}
    return [_excused(outcome, lawful.get(outcome.check.id)) for outcome in outcomes], complaints


def proposed(outcomes: Sequence[Outcome], *, with_musts: bool) -> str:
    """Entries for what fails now, to be read and pasted; MUSTs only when that is asked for by name."""
    wanted = [
        outcome
        for outcome in outcomes
        if outcome.verdict in UNMET and (with_musts or outcome.check.level is not Level.MUST)
    ]
    return "".join(f'[[expect]]\nid = "{outcome.check.id}"\nreason = ""  # say why\n\n' for outcome in wanted)


def _complaints(expectations: Sequence[Expectation], today: dt.date) -> list[str]:
    known = {check.id for check in catalogue()}
    found = []
    for entry in expectations:
        if entry.id not in known:
            found.append(f"{entry.id}: no check has this id; `turnwire check list` prints them all")
        elif entry.expires is not None and entry.expires < today:
            found.append(f"{entry.id}: the expectation expired on {entry.expires}; mend the server or renew the entry")
    return found


def _excused(outcome: Outcome, entry: Expectation | None) -> Outcome:
    if entry is None:
        return outcome
    expected = UNMET if entry.verdict == "fail" else (Verdict.FLAKY,)
    if outcome.verdict in expected:
        return msgspec.structs.replace(outcome, verdict=Verdict.XFAIL, note=f"expected: {entry.reason}")
    if outcome.verdict in (Verdict.PASS, Verdict.NON_STRICT):
        note = "expected to fail, and passes: take the entry out of the expectations"
        return msgspec.structs.replace(outcome, verdict=Verdict.XPASS, note=note)
    return outcome
