"""The catalogue is the clauses', word for word; its rows and functions are one to one."""

import json
import re
import sys
from pathlib import Path

import pytest

from turnwire.conformance.api import explain_check, list_checks
from turnwire.conformance.registry import UnknownCheck, catalogue, function_of, select

CLAUSES = Path(__file__).resolve().parents[2] / "protocol" / "clauses"
HEADING = re.compile(r"^### ([A-Z]+-\d+) (MUST|SHOULD|MAY)\n(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)


def clauses():
    return {
        name: (level.lower(), " ".join(text.split()))
        for path in CLAUSES.glob("*.md")
        for name, level, text in HEADING.findall(path.read_text(encoding="utf-8"))
    }


@pytest.mark.parametrize("check", catalogue(), ids=lambda check: check.id)
def test_a_row_says_what_its_clause_says(check):
    assert clauses()[check.clause] == (check.level.value, check.says)


@pytest.mark.parametrize("check", catalogue(), ids=lambda check: check.id)
def test_a_row_is_whole(check):
    assert re.fullmatch(
        r"(rpc|stdio|life|thread|turn|item|appr|page|script|usage|input|queue|idem|host|trace|review|replay|rec|load|fuzz"
        r"|ws)\.[a-z0-9-]+",
        check.id,
    )
    assert function_of(check.id).__doc__
    assert check.summary.endswith(".")
    assert set(check.requires) <= {row.id for row in catalogue()}
    assert check.url.startswith("https://") or check.url == anchor(check)


def anchor(check):
    """Where the clause stands in the repository, as its heading is linked."""
    (path,) = [path for path in CLAUSES.glob("*.md") if f"### {check.clause} " in path.read_text(encoding="utf-8")]
    return f"protocol/clauses/{path.name}#{check.clause.lower()}-{check.level.value}"


def test_ids_and_functions_are_one_to_one():
    ids = [check.id for check in catalogue()]
    for identifier in ids:
        function_of(identifier)

    assert len(ids) == len(set(ids))
    assert set(ids) == set(sys.modules["turnwire.conformance.registry"]._functions)


@pytest.mark.parametrize(
    ("patterns", "skip", "count"),
    [
        (["rpc.method-not-found"], [], 1),
        (["rpc.*"], ["rpc.*"], 0),
        ([], [], len(catalogue())),
        (["stdio.*", "stdio.crlf"], ["stdio.crlf"], sum(row.layer == "stdio" for row in catalogue()) - 1),
    ],
)
def test_selection(patterns, skip, count):
    assert count == len(select(patterns, skip))


def test_a_pattern_that_names_nothing_is_an_error():
    with pytest.raises(UnknownCheck, match=r"no check is called 'rpc\.no-such'"):
        select(["rpc.no-such"])


def test_the_list_names_every_check_with_level_and_clause():
    lines = list_checks().splitlines()

    assert [check.id for check in catalogue()] == [line.split()[0] for line in lines]
    assert [check.id for check in catalogue()] == [row["id"] for row in json.loads(list_checks(as_json=True))]


def test_the_list_marks_what_a_contract_rules_out():
    marked = [line.split()[0] for line in list_checks("vv-agent-v4").splitlines() if "[not with vv-agent-v4]" in line]

    assert "stdio.oversized-line" in marked


def test_a_check_is_explained_by_its_clause():
    text = explain_check("rpc.id-echo-string")

    assert text.startswith("rpc.id-echo-string\n")
    assert "RPC-2: A request id is a string of 0 to 512 code points" in " ".join(text.split())
    assert "text-ids-as-integers" in text


@pytest.mark.parametrize("name", ["rpc.no-such", "rpc.*"])
def test_only_a_name_is_explained(name):
    with pytest.raises(UnknownCheck):
        explain_check(name)
