"""One judgement in three forms, and the exit code that goes with it."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from turnwire.conformance.model import Level
from turnwire.conformance.reports import document
from turnwire.schemas import check_schema, faults

FAILING = "stdio.blank-lines"  # a SHOULD
BROKEN = "rpc.fractional-id"  # a MUST


@pytest.fixture
def baseline(tmp_path):
    def write(text):
        path = tmp_path / "expect.toml"
        path.write_text(text)
        return path

    return write


def test_the_document_says_what_was_judged_and_by_what(judge, fixture_argv):
    report = judge(fixture_argv(), select=("rpc.nan-literal",)).report

    assert 1 == report["schemaVersion"]
    assert "turnwire check server" == report["tool"]["name"]
    assert {"profile": "turnwire", "version": "1.0"} == {key: report["protocol"][key] for key in ("profile", "version")}
    assert {"name": "fixture", "version": "1.0"} == report["target"]["server"]
    assert {"verdicts": {"pass": 1}, "exitCode": 0} == {key: report["summary"][key] for key in ("verdicts", "exitCode")}
    (row,) = report["checks"]
    assert {"id", "level", "verdict", "clause", "says", "url", "summary", "durationMs"} == set(row)


@pytest.mark.parametrize(
    ("arguments", "options", "exit_code"),
    [
        ((), {"select": ("rpc.*",)}, 0),
        (("--mutant", "scalar-dies"), {"select": ("rpc.invalid-request-scalar", "rpc.nan-literal")}, 1),
        (("--mutant", "eof-exit-code"), {"select": ("stdio.eof-exits",), "retries": 1}, 1),
        (("--variant", "refusing"), {"select": ("rpc.nan-literal",)}, 4),
    ],
)
def test_the_document_has_the_form_that_is_promised(arguments, options, exit_code, judge, fixture_argv):
    schema = json.loads((Path(document.__file__).parent / "report.schema.json").read_text(encoding="utf-8"))

    judged = judge(fixture_argv(*arguments), **options)

    check_schema(schema)
    assert exit_code == judged.exit_code
    assert [] == faults(schema, judged.report)


def test_two_runs_give_equal_documents_but_for_durations(judge, fixture_argv):
    argv = fixture_argv("--mutant", "fraction-as-id")
    reports = [judge(argv, select=("rpc.*",), skip=("rpc.pipelining",)).report for _ in range(2)]
    for report in reports:
        del report["summary"]["declaredWaitsMs"]
        for row in report["checks"]:
            del row["durationMs"]

    assert reports[0] == reports[1]


def test_secrets_of_the_command_line_are_not_shown(judge, fixture_argv):
    argv = ("env", "A=1", *fixture_argv(), "--api-key", "hunter2", "--auth-token=hunter2")

    judged = judge(argv, select=(BROKEN,))

    assert "hunter2" not in judged.stdout
    assert ["--api-key", "•••", "--auth-token=•••"] == judged.report["target"]["argv"][-3:]


def test_a_failure_is_told_with_clause_expectation_wire_and_command(judge, fixture_argv):
    text = judge(fixture_argv("--mutant", "fraction-as-id"), select=(BROKEN,), format="text").stdout

    for part in (
        f"FAIL  {BROKEN}  (MUST, RPC-3)",
        "clause    An id of any other kind",
        "expected  one error -32600 with id null to an id that is 1.5",
        'actual    {"jsonrpc":"2.0","id":1.5,"result"',
        'wire      → {"jsonrpc":"2.0","id":1.5,"method":"ping"}',
        '← {"jsonrpc":"2.0","id":1.5,"result"',
        f"again     turnwire check server --select {BROKEN} -- ",
        "Not conformant.",
    ):
        assert part in text
    assert "barrier" not in text


def test_an_ended_server_is_told_with_its_stderr(judge, fixture_argv):
    text = judge(fixture_argv("--mutant", "scalar-dies"), select=("rpc.invalid-request-scalar",), format="text").stdout

    assert "actual    it ended with exit code 1" in text
    assert "stderr    Traceback (most recent call last): something uncaught" in text


def test_color_is_only_where_it_was_asked_for(judge, fixture_argv):
    argv = fixture_argv("--mutant", "fraction-as-id")

    assert "\033[31mFAIL\033[0m" in judge(argv, select=(BROKEN,), format="text", color=True).stdout
    assert "\033" not in judge(argv, select=(BROKEN,), format="text").stdout


def test_junit_turns_nothing_green_that_is_not(judge, fixture_argv):
    chosen = (BROKEN, "rpc.closed-params", "rpc.nan-literal", FAILING)
    root = ET.fromstring(judge(fixture_argv("--mutant", "fraction-as-id"), select=chosen, format="junit").stdout)
    cases = {case.get("name"): case for case in root.iter("testcase")}

    assert set(chosen) == set(cases)
    assert "must" == cases[BROKEN].find("failure").get("type")
    assert cases["rpc.closed-params"].find("skipped").get("message").startswith("skip: ")
    assert cases["rpc.nan-literal"].find("failure") is None
    assert {"tests": "3", "failures": "1", "errors": "0", "skipped": "1"} == {
        name: root.find("testsuite[@name='turnwire.rpc']").get(name)
        for name in ("tests", "failures", "errors", "skipped")
    }


@pytest.mark.parametrize(
    ("mutant", "options", "exit_code"),
    [
        ("", {"select": (BROKEN,)}, 0),
        ("fraction-as-id", {"select": (BROKEN,)}, 1),
        ("fraction-as-id", {"select": (FAILING,)}, 0),
        ("blank-line-refused", {"select": (FAILING,)}, 0),
        ("blank-line-refused", {"select": (FAILING,), "strict": True}, 1),
        ("blank-line-refused", {"select": (FAILING,), "fail_on": Level.SHOULD}, 1),
        ("", {"select": ("rpc.no-such",)}, 2),
        ("", {"select": (FAILING,), "level": Level.MUST}, 2),
        ("", {"profile": "no-such"}, 2),
        ("capability-not-served", {"select": ("stdio.large-output",)}, 4),
        ("capability-not-served", {"select": ("stdio.large-output", "life.capability-served")}, 1),
    ],
)
def test_exit_codes(mutant, options, exit_code, judge, fixture_argv):
    judged = judge(fixture_argv(*(["--mutant", mutant] if mutant else [])), **options)

    assert exit_code == judged.exit_code
    assert (exit_code == 2) == judged.stderr.startswith("turnwire: ")


@pytest.mark.parametrize(
    ("text", "exit_code", "said"),
    [
        (f'[[expect]]\nid = "{BROKEN}"\nreason = "known"\n', 0, "Expected failures (1)"),
        ('[[expect]]\nid = "rpc.nan-literal"\nreason = "known"\n', 1, "Expected to fail, and pass (1)"),
        (f'[[expect]]\nid = "{BROKEN}"\nreason = "known"\nexpires = 2020-01-01\n', 1, "expired on 2020-01-01"),
        (f'[[expect]]\nid = "{BROKEN}"\nreason = "k"\n[[expect]]\nid = "a.b"\nreason = "k"\n', 1, "a.b: no check"),
    ],
)
def test_expectations_change_the_exit_code(text, exit_code, said, baseline, judge, fixture_argv):  # noqa: PLR0917 - fixtures are asked for by name
    judged = judge(
        fixture_argv("--mutant", "fraction-as-id"),
        select=(BROKEN, "rpc.nan-literal"),
        format="text",
        expect=baseline(text),
    )

    assert exit_code == judged.exit_code, judged.stdout
    assert said in judged.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [("[[expect]]\nid = 1\n", "Expected `str`"), ("[[expect]", "expect.toml"), ('[[expect]]\nid = "a"\n', "`reason`")],
)
def test_an_expectation_file_that_is_not_well_formed(text, said, baseline, judge, fixture_argv):
    judged = judge(fixture_argv(), expect=baseline(text))

    assert 2 == judged.exit_code
    assert said in judged.stderr
    assert 1 == judged.stderr.count("\n")


def test_reports_and_transcripts_are_written_where_they_were_asked_for(tmp_path, judge, fixture_argv):
    files = {kind: tmp_path / "out" / f"report.{kind}" for kind in ("json", "junit", "text")}

    judge(fixture_argv(), select=(BROKEN,), reports=tuple(files.items()), transcripts=tmp_path / "said")

    assert BROKEN == json.loads(files["json"].read_text())["checks"][0]["id"]
    assert "testsuites" == ET.fromstring(files["junit"].read_text()).tag
    assert "Conformant" in files["text"].read_text()
    (transcript,) = sorted((tmp_path / "said").iterdir())
    lines = [json.loads(line) for line in transcript.read_text().splitlines()]
    assert {"dir", "t", "raw"} == set(lines[0])
    assert "c2s" == lines[0]["dir"]
    assert '"method":"initialize"' in lines[0]["raw"]


def test_a_report_that_cannot_be_written_is_the_callers_fault(tmp_path, judge, fixture_argv):
    blocked = tmp_path / "file"
    blocked.touch()

    judged = judge(fixture_argv(), select=(BROKEN,), reports=(("json", blocked / "report.json"),))

    assert 2 == judged.exit_code
    assert "could not be written there" in judged.stderr
