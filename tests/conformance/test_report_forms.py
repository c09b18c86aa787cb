"""The forms of a report that build servers read, each read back: SARIF, Markdown, the commands of GitHub."""

import json
import re

import pytest

from turnwire.conformance.model import Attempt, Outcome, Verdict
from turnwire.conformance.registry import catalogue
from turnwire.conformance.reports.document import Run
from turnwire.conformance.reports.github import SHOWN, render_github
from turnwire.conformance.reports.markdown import render_markdown
from turnwire.conformance.reports.sarif import render_sarif

CHECKS = {check.id: check for check in catalogue()}
BROKEN, SHOULD = "rpc.fractional-id", "stdio.blank-lines"  # a MUST and a SHOULD
# Whatever a server says, it must not end, or begin, anything in a report.
HOSTILE = "a\r\n::error::b\n## c | d `e` </details> <script> 100% ~~~ \u2028```\n| f |"
SARIF_LEVELS = {"fail": {"error", "warning", "note"}, "open": {"none"}, "informational": {"none"}}


def outcome(identifier, verdict, **members):
    return Outcome(CHECKS[identifier], verdict, (Attempt(verdict, 1, **members),))


def run_of(*outcomes, **members):
    about = {"argv": ("./my server", "--token", "hunter2"), "profile": "turnwire", "protocol": "1.0"}
    about |= {"schema_digest": "0" * 64, "server": {"name": HOSTILE}, "complaints": (), "exit_code": 1}
    return Run(outcomes=outcomes, **{**about, **members})


EVERY = [
    outcome(BROKEN, verdict, expected="a", actual=HOSTILE, excerpt=(HOSTILE, "← b"), note=HOSTILE)
    for verdict in Verdict
]


def sarif(*outcomes, **members):
    (log,) = json.loads(render_sarif(run_of(*outcomes, **members)))["runs"]
    return log


def test_sarif_is_of_its_version():
    log = json.loads(render_sarif(run_of()))

    assert ("2.1.0", "https://json.schemastore.org/sarif-2.1.0.json") == (log["version"], log["$schema"])
    assert [] == log["runs"][0]["results"]


def test_sarif_has_a_rule_a_check_and_a_result_a_finding():
    log = sarif(outcome(SHOULD, Verdict.PASS), outcome(BROKEN, Verdict.FAIL, expected="a", actual="b"))

    rules = log["tool"]["driver"]["rules"]
    assert [(SHOULD, "warning"), (BROKEN, "error")] == [(r["id"], r["defaultConfiguration"]["level"]) for r in rules]
    assert CHECKS[BROKEN].says == rules[1]["fullDescription"]["text"]
    (result,) = log["results"]
    assert (BROKEN, 1, "fail", "error") == tuple(result[name] for name in ("ruleId", "ruleIndex", "kind", "level"))
    assert "Expected: a\nActual: b\nAgain: turnwire check server --select" in result["message"]["text"]
    assert "hunter2" not in json.dumps(log)
    (place,) = result["locations"]
    assert "./my%20server" == place["physicalLocation"]["artifactLocation"]["uri"]


def test_sarif_gives_a_level_to_what_failed_only():
    results = sarif(*EVERY)["results"]

    assert {"fail", "open", "informational"} == {result["kind"] for result in results}
    assert [] == [result for result in results if result["level"] not in SARIF_LEVELS[result["kind"]]]
    assert ["external"] == [one["kind"] for result in results for one in result.get("suppressions", ())]


@pytest.mark.parametrize("identifier", [BROKEN, SHOULD])
def test_a_help_uri_is_absolute_or_not_there(identifier):
    (rule,) = sarif(outcome(identifier, Verdict.PASS))["tool"]["driver"]["rules"]

    assert rule.get("helpUri", "https://").startswith("https://")
    assert rule["properties"]["url"] == CHECKS[identifier].url


def test_sarif_says_when_the_checker_broke():
    log = sarif(outcome(BROKEN, Verdict.ERROR, note="it broke"), exit_code=5, complaints=("a.b: no check",))

    (invocation,) = log["invocations"]
    assert (False, 5) == (invocation["executionSuccessful"], invocation["exitCode"])
    assert ["it broke"] == [note["message"]["text"] for note in invocation["toolExecutionNotifications"]]
    assert ["a.b: no check"] == [note["message"]["text"] for note in invocation["toolConfigurationNotifications"]]


def test_a_finding_has_one_fingerprint_however_it_is_told():
    one, other, another = (
        sarif(outcome(identifier, Verdict.FAIL, expected="a", actual=actual))["results"][0]["partialFingerprints"]
        for identifier, actual in ((BROKEN, "b"), (BROKEN, "c"), (SHOULD, "b"))
    )

    assert one == other
    assert one != another


def test_markdown_has_a_section_a_finding_and_a_table_of_verdicts():
    page = render_markdown(run_of(*EVERY))

    assert page.startswith("## Not conformant.\n")
    headings = [line for line in page.splitlines() if line.startswith("### ")]
    told = [f"### {verdict} `{BROKEN}` (MUST, RPC-3)" for verdict in ("FAIL", "WARN", "FLAKY", "ERROR")]
    assert told == headings
    assert all(f"| {verdict.value} | 1 |" in page for verdict in Verdict if verdict is not Verdict.PASS)


def test_nothing_that_a_server_says_ends_a_part_of_the_page():
    page = render_markdown(run_of(*EVERY))

    assert page.count("<details>") == page.count("\n</details>") == 5
    outside = re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", page)
    assert "<script>" not in re.sub(r"\\.", "", outside)
    rows = [line for line in outside.split("\n") if line.startswith("|")]
    assert {3} == {re.sub(r"\\.", "", row).count("|") for row in rows}


def test_a_cell_is_cut_before_it_is_escaped():
    page = render_markdown(run_of(outcome(BROKEN, Verdict.SKIP, note="|" * 1000)))

    (row,) = [line for line in page.split("\n") if line.startswith(f"| `{BROKEN}`")]
    assert 3 == re.sub(r"\\.", "", row).count("|")


def test_github_has_a_command_a_finding_each_on_one_line():
    lines = render_github(run_of(*EVERY)).split("\n")

    commands = [line for line in lines if line.startswith("::")]
    assert ["error"] * 3 + ["warning"] * 2 + ["notice"] == [line[2:].partition(" ")[0] for line in commands]
    assert all(line.startswith(("::", "turnwire: ", "Not conformant.")) for line in lines if line)
    assert f"::error title={BROKEN} (MUST%2C RPC-3)::" in commands[0]
    assert "100%25" in commands[0]
    assert "a%0D%0A::error::b%0A" in commands[0]


def test_github_shows_so_many_of_a_kind_and_counts_the_rest():
    lines = render_github(run_of(*[EVERY[1]] * (SHOWN + 3))).splitlines()

    assert SHOWN == sum(line.startswith("::error ") for line in lines)
    assert "turnwire: 3 more of the kind error" in lines


def test_a_recording_is_where_its_findings_are():
    failed = outcome(BROKEN, Verdict.FAIL, expected="a", actual="b")
    run = run_of(failed, recording="a,b:c.jsonl", argv=())

    assert "::error file=a%2Cb%3Ac.jsonl,title=" in render_github(run)
    (result,) = sarif(failed, recording="a b.jsonl", argv=())["results"]
    assert "a%20b.jsonl" == result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]


@pytest.mark.parametrize("kind", ["sarif", "markdown", "github"])
def test_a_form_is_written_where_it_is_asked_for(kind, tmp_path, judge, fixture_argv):
    file = tmp_path / f"report.{kind}"

    judged = judge(
        fixture_argv("--mutant", "fraction-as-id"), select=(BROKEN,), format=kind, reports=((kind, file),)
    )  # fmt: skip

    assert 1 == judged.exit_code
    assert judged.stdout == file.read_text(encoding="utf-8")
    assert BROKEN in judged.stdout
