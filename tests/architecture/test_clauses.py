"""Prose and checks hold each other: each MUST and SHOULD has a check or a reason for none, and each check a clause."""

import re

import pytest

from architecture.tree import ROOT
from turnwire.conformance.registry import catalogue

CLAUSES_DIR = ROOT / "protocol" / "clauses"
HEADING = re.compile(r"^### ([A-Z]+-\d+) (MUST|SHOULD|MAY)$", re.MULTILINE)
EXCUSED = re.compile(r"^\| ([A-Z]+-\d+) \| (.+) \|$", re.MULTILINE)
NAMED = re.compile(r"`([a-z]+\.[a-z0-9-]+)`")


def clauses() -> dict[str, str]:
    """Every clause by id, with its level."""
    found = [pair for path in sorted(CLAUSES_DIR.glob("*.md")) for pair in HEADING.findall(path.read_text())]
    assert len(found) == len(dict(found)), "an id is used twice"
    return dict(found)


CLAUSES = clauses()
CHECKED = {check.clause for check in catalogue()}
# The clauses without a check of their own, each with the reason.
OUT_OF_SIGHT = dict(EXCUSED.findall((CLAUSES_DIR / "README.md").read_text()))
OBLIGED = [name for name, level in CLAUSES.items() if level != "MAY"]


@pytest.mark.parametrize("clause", OBLIGED)
def test_a_clause_has_a_check_or_a_reason_for_none(clause):
    assert clause in CHECKED or clause in OUT_OF_SIGHT


def test_a_reason_is_given_for_nothing_that_has_a_check():
    assert [] == sorted(set(OUT_OF_SIGHT) & CHECKED)
    assert set(OUT_OF_SIGHT) <= set(OBLIGED)


def test_a_reason_names_checks_that_there_are():
    named = {name for reason in OUT_OF_SIGHT.values() for name in NAMED.findall(reason)}

    assert named
    assert named <= {check.id for check in catalogue()}


@pytest.mark.parametrize("check", catalogue(), ids=lambda check: check.id)
def test_check_cites_a_clause_of_its_own_level(check):
    assert CLAUSES.get(check.clause, "no such clause") == check.level.upper()


def test_every_exception_is_still_needed():
    assert [name for name in OUT_OF_SIGHT if name not in OBLIGED or name in CHECKED] == []
