"""`check`: the words reach the judge, its report reaches the reader, its verdict becomes the exit code."""

import json
import sys

import pytest

from cli.running import run
from cli.servers import python_server
from turnwire.cli.exits import Exit
from turnwire.conformance.registry import catalogue

SERVER = (sys.executable, "-m", "turnwire", "serve")
GREETING = "life.initialize-result"


def judge(*words: str, server: tuple[str, ...] = SERVER) -> tuple[int, str, str]:
    done = run("check", "server", *words, "--", *server)
    return done.code, done.out, done.err


@pytest.mark.parametrize("chosen", [(GREETING, "rpc.parse-error-code"), (f"{GREETING},rpc.parse-error-code",)])
def test_lawful_server_is_conformant_and_a_log_gets_no_progress(chosen):
    code, out, err = judge("--select", *chosen)

    assert (code, err) == (Exit.DONE, "")
    assert "2 checks, 2 pass" in out


@pytest.mark.parametrize("form", ["github", "json", "junit", "markdown", "sarif", "text"])
def test_report_goes_to_stdout_and_to_files(tmp_path, form):
    file = tmp_path / "deep" / "report"
    code, out, _ = judge("--select", GREETING, "--format", form, "--report", f"{form}={file}")

    assert code == Exit.DONE
    assert GREETING in out or "1 pass" in out
    # Durations and times of day differ from nothing: both come from one run.
    assert file.read_text() == out


def test_report_is_json_with_the_members_that_are_promised():
    report = json.loads(judge("--select", GREETING, "--format", "json")[1])

    assert {"schemaVersion", "tool", "protocol", "target", "checks", "summary"} <= report.keys()
    assert [(check["id"], check["verdict"]) for check in report["checks"]] == [(GREETING, "pass")]


def test_broken_server_is_a_finding():
    answers = "for line in lines:\n    if 'id' in json.loads(line): reply(line, {})"
    code, out, _ = judge("--select", GREETING, server=tuple(python_server(answers)))

    assert (code, GREETING in out) == (Exit.FINDINGS, True)


def test_known_failure_is_expected(tmp_path):
    answers = tuple(python_server("for line in lines:\n    if 'id' in json.loads(line): reply(line, {})"))
    _, out, _ = judge("--select", GREETING, "--propose", "must", server=answers)
    file = tmp_path / "expect.toml"
    file.write_text(out[out.index("[[") :].replace('reason = ""', 'reason = "known"'))

    assert judge("--select", GREETING, "--expect", str(file), server=answers)[0] == Exit.DONE
    # What is expected to fail and does not is a finding, too.
    assert judge("--select", GREETING, "--expect", str(file))[0] == Exit.FINDINGS


def test_what_nobody_could_verify_is_no_success():
    code, out, _ = judge("--select", "life.optout-not-requests", server=(*SERVER, "--agent", "echo"))

    assert (code, "not-verified" in out) == (Exit.UNVERIFIED, True)


def test_transcripts_can_be_kept_and_validated(tmp_path):
    code, _, _ = judge("--select", GREETING, "--transcripts", str(tmp_path))
    files = sorted(tmp_path.glob("*.jsonl"))
    found = json.loads(run("validate", "--format", "json", *map(str, files)).out)["findings"]
    frames = {
        (str(file), number): json.loads(line)
        for file in files
        for number, line in enumerate(file.read_text().splitlines(), 1)
    }

    assert (code, {frame["dir"] for frame in frames.values()}) == (Exit.DONE, {"c2s", "s2c"})
    # The judge asks for a method that nobody has, on purpose; what the server says is lawful.
    assert [place for place in found if frames[place["file"], place["line"]]["dir"] == "s2c"] == []


@pytest.mark.parametrize(
    ("words", "server", "code", "said"),
    [
        (["--select", "nope"], SERVER, Exit.USAGE, "no check is called 'nope'; `turnwire check list` prints them all"),
        (["--profile", "nope"], SERVER, Exit.USAGE, "no profile is called 'nope'; choose one of turnwire"),
        (["--expect", "absent.toml"], SERVER, Exit.USAGE, "absent.toml: "),
        (["--expect", "."], SERVER, Exit.USAGE, ".: "),
        (["--report", "json=/dev/null/x", "--select", GREETING], SERVER, Exit.USAGE, "/dev/null"),
        ([], ("./absent",), Exit.UNREACHED, "target not started: no such program: ./absent"),
        ([], (".",), Exit.UNREACHED, "target not started: . may not be executed"),
        ([], tuple(python_server("sys.exit(3)")), Exit.UNREACHED, "target not reached: no answer to initialize"),
        ([], tuple(python_server("print('hi')")), Exit.UNREACHED, "stdout said 'hi'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_goes_wrong_is_one_line(words, server, code, said):
    done = run("check", "server", "--timeout-scale", "0.2", *words, "--", *server)

    assert done.code == code
    assert said in done.line


def test_list_shows_every_check():
    table, rows = run("check", "list").out, json.loads(run("check", "list", "--json").out)

    assert [line.split()[0] for line in table.splitlines()] == [row["id"] for row in rows]
    assert len(rows) == len(catalogue())


@pytest.mark.parametrize("check", catalogue()[::20], ids=lambda check: check.id)
def test_explain_tells_clause_and_level(check):
    done = run("check", "explain", check.id)

    assert (done.code, check.clause in done.out, check.level.upper() in done.out) == (Exit.DONE, True, True)
