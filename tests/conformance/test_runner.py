"""What the runner makes of what it sees: blocking, isolation, flakiness, and faults of our own."""

import contextlib
import itertools
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from turnwire.conformance import registry
from turnwire.conformance.model import NotExercised, Unmet
from turnwire.conformance.profiles import load_profile


@pytest.fixture
def replace_check(monkeypatch):
    """Put another function behind a row for one test."""
    registry.function_of("rpc.nan-literal")

    def replace(identifier, function):
        monkeypatch.setitem(registry._functions, identifier, function)

    return replace


def test_one_cause_is_one_red(judge, fixture_argv):
    judged = judge(
        fixture_argv("--mutant", "parse-error-dies"),
        select=("rpc.parse-error-*", "rpc.nan-literal"),
        timeout_scale=0.2,
    )

    assert {
        "rpc.parse-error-recovers": "fail",
        "rpc.parse-error-code": "not-verified",
        "rpc.parse-error-null-id": "not-verified",
        "rpc.nan-literal": "pass",
    } == judged.verdicts
    assert "blocked by rpc.parse-error-recovers" == judged.row("rpc.parse-error-code")["note"]
    assert 1 == judged.exit_code


def test_without_a_session_nothing_that_needs_one_is_green(judge, fixture_argv):
    judged = judge(fixture_argv("--variant", "refusing"), select=("rpc.nan-literal", "life.initialize-result"))

    assert {"rpc.nan-literal": "not-verified", "life.initialize-result": "fail"} == judged.verdicts
    assert "blocked by life.initialize-result" == judged.row("rpc.nan-literal")["note"]


def test_a_crash_fails_its_own_check_only(judge, fixture_argv):
    chosen = ("rpc.invalid-request-scalar", "rpc.method-not-found", "rpc.params-omitted")

    judged = judge(fixture_argv("--mutant", "scalar-dies"), select=chosen)

    assert dict(zip(chosen, ("fail", "pass", "pass"), strict=True)) == judged.verdicts


@pytest.mark.parametrize(
    ("identifier", "outcomes", "verdict", "attempts", "strict_exit"),
    [
        ("rpc.pipelining", [True, False], "flaky", 2, 1),
        ("rpc.pipelining", [True, True, False], "flaky", 3, 1),
        ("rpc.pipelining", [True, True, True], "fail", 3, 1),
        ("rpc.pipelining", [False], "pass", 1, 0),
        ("rpc.nan-literal", [True, False], "fail", 1, 1),
    ],
)
def test_only_what_hangs_on_time_is_tried_again(  # noqa: PLR0917 - a row and its fixtures
    identifier, outcomes, verdict, attempts, strict_exit, judge, fixture_argv, replace_check
):
    fails = iter(outcomes)
    seen = []

    def function(subject):
        seen.append(subject.probe.process.pid)
        if next(fails):
            raise Unmet("luck", "none")

    replace_check(identifier, function)

    judged = judge(fixture_argv(), select=(identifier,), retries=2, strict=True)

    assert {identifier: verdict} == judged.verdicts
    assert attempts == len(seen) == len(set(seen)), "each attempt has a process of its own"
    assert strict_exit == judged.exit_code


def test_flaky_is_no_finding_unless_it_is_asked_for(judge, fixture_argv, replace_check):
    fails = itertools.cycle([True, False])

    def function(subject):
        if next(fails):
            raise Unmet("luck", "none")

    replace_check("rpc.pipelining", function)

    assert 0 == judge(fixture_argv(), select=("rpc.pipelining",), retries=2).exit_code


def test_a_fault_of_ours_is_called_one(judge, fixture_argv, replace_check):
    def function(subject):
        raise ZeroDivisionError("ours")

    replace_check("rpc.nan-literal", function)

    judged = judge(fixture_argv("--mutant", "fraction-as-id"), select=("rpc.nan-literal", "rpc.fractional-id"))

    assert {"rpc.nan-literal": "error", "rpc.fractional-id": "fail"} == judged.verdicts
    assert "ZeroDivisionError: ours" in judged.row("rpc.nan-literal")["note"]
    assert 5 == judged.exit_code


def test_what_was_not_exercised_is_never_green(judge, fixture_argv, replace_check):
    def function(subject):
        raise NotExercised("no occasion")

    replace_check("rpc.nan-literal", function)

    judged = judge(fixture_argv(), select=("rpc.nan-literal",))

    assert {"rpc.nan-literal": "not-verified"} == judged.verdicts
    assert ["rpc.nan-literal"] == judged.report["summary"]["mustNotVerified"]
    assert 4 == judged.exit_code


def test_our_own_lines_are_valid(judge, fixture_argv, tmp_path):
    """The judge never asks more of a server than it keeps itself: its ordinary requests fit the schema."""
    profile = load_profile("turnwire")
    schemas = profile.schemas()
    judge(fixture_argv(), select=("rpc.error-shape",), transcripts=tmp_path)
    asked = [
        json.loads(json.loads(line)["raw"])
        for path in tmp_path.glob("*tour.jsonl")
        for line in path.read_text(encoding="utf-8").split("\n")
        if '"c2s"' in line and '\\"method\\"' in line
    ]
    faults = {
        str(fault)
        for message in asked
        if profile.params_type(message["method"])
        for fault in schemas.faults(profile.params_type(message["method"]), message.get("params", {}))
    }

    assert {"/threadId: 7 is not of type 'string'"} == faults
    assert len(asked) > 10


@pytest.mark.parametrize("seed", [3, 4, 8])
def test_no_server_can_make_the_judge_fail(seed, judge, fixture_argv):
    *python, fixture = fixture_argv()[:4]

    judged = judge([*python, f"{fixture}/hostile.py", str(seed)], timeout_scale=0.03, jobs=2)

    assert {} == {row["id"]: row["note"] for row in judged.report["checks"] if row["verdict"] == "error"}
    assert 1 == judged.exit_code


ONCE = """
import os, runpy, sys
if os.path.exists(sys.argv[1]):
    sys.exit("the address is in use")
open(sys.argv[1], "w").close()
sys.path.insert(0, sys.argv[2])
sys.argv[1:] = []
runpy.run_path(sys.path[0], run_name="__main__")
"""


def test_a_server_that_starts_only_once_is_not_verified(judge, fixture_argv, tmp_path):
    *python, fixture = fixture_argv()[:4]
    chosen = ("rpc.nan-literal", "stdio.eof-exits", "rpc.method-not-found-before-init")

    judged = judge([*python, "-c", ONCE, str(tmp_path / "started"), fixture], select=chosen)

    assert {"rpc.nan-literal": "pass", "stdio.eof-exits": "not-verified"}.items() <= judged.verdicts.items()
    assert "it ended with exit code 1" in judged.row("stdio.eof-exits")["note"]
    assert "fail" == judged.verdicts["rpc.method-not-found-before-init"]


INTERRUPTED = """
import signal
import sys
from turnwire.conformance.api import CheckServerOptions, run_check_server
# A shell that runs the tests in the background has them ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
options = CheckServerOptions(argv=tuple(sys.argv[2:]), jobs=int(sys.argv[1]))
sys.exit(run_check_server(options, sys.stdout, sys.stderr))
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_ends_the_run_and_every_server(jobs, fixture_argv, tmp_path):
    marker = tmp_path / "marker"
    argv = ("env", f"CHECKED_BY={marker}", *fixture_argv("--variant", "slow"))
    judge = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(jobs), *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    lines = [judge.stderr.readline() for _ in range(3)]
    assert all(line.startswith(("pass", "skip")) for line in lines), lines
    assert started_with(marker)

    judge.send_signal(signal.SIGINT)
    stdout, stderr = judge.communicate(timeout=60)

    assert (130, "") == (judge.returncode, stdout)
    assert stderr.endswith("turnwire: interrupted\n")
    assert "Traceback" not in stderr
    assert [] == started_with(marker)


def started_with(marker):
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"CHECKED_BY={marker}".encode() in (entry / "environ").read_bytes():
                found.append(entry.name)
    return found
