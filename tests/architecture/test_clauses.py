"""Prose and checks hold each other: each MUST of the layers that we judge has a check, and each check a clause."""

import re

import pytest

from architecture.tree import ROOT
from turnwire.conformance.registry import catalogue

HEADING = re.compile(r"^### ([A-Z]+-\d+) (MUST|SHOULD|MAY)$", re.MULTILINE)
JUDGED = ("RPC", "STDIO", "LIFE")

# A MUST that no check of the server can see, each with the reason.
OUT_OF_SIGHT: dict[str, str] = {}


def clauses() -> dict[str, str]:
    """Every clause by id, with its level."""
    found = [
        pair
        for path in sorted((ROOT / "protocol" / "clauses").glob("*.md"))
        for pair in HEADING.findall(path.read_text())
    ]
    assert len(found) == len(dict(found)), "an id is used twice"
    return dict(found)


CLAUSES = clauses()
CHECKED = {check.clause for check in catalogue()}
OBLIGED = [name for name, level in CLAUSES.items() if level == "MUST" and name.partition("-")[0] in JUDGED]


@pytest.mark.parametrize("clause", OBLIGED)
def test_must_has_a_check(clause):
    assert clause in CHECKED or clause in OUT_OF_SIGHT


@pytest.mark.parametrize("check", catalogue(), ids=lambda check: check.id)
def test_check_cites_a_clause_of_its_own_level(check):
    assert CLAUSES.get(check.clause, "no such clause") == check.level.upper()


def test_every_exception_is_still_needed():
    assert [name for name in OUT_OF_SIGHT if name not in OBLIGED or name in CHECKED] == []
