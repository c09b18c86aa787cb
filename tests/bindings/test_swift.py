"""Swift: the package's own tests, whole conversations, the example, the page; and nothing is hidden."""

import json
import shlex

import pytest

from bindings.swift_builds import ROOT, installed, older_mode, package, server, turnwire
from codegen.rules.gather import CASES
from codegen.rules.test_types_alone import first_of, told_of
from turnwire_codegen.cases.folder import read_cases
from turnwire_codegen.cases.swift import tried
from turnwire_codegen.cases.trial import weighed

pytestmark = pytest.mark.timeout(1500)


# So many of the first 94 cases may be left to the validators.
MOST = 10


@pytest.fixture(scope="module")
def tools():
    return installed()


@pytest.fixture(scope="module")
def built(tools):
    made = package(tools)
    assert {} == made.faults
    return made


def test_it_compiles_in_the_older_language_mode_too(tools):
    assert {} == older_mode(tools).faults


def test_its_own_tests_pass(tools, built):
    program = next(built.programs.glob("*.xctest"))
    variables = {"TURNWIRE_SERVER": json.dumps(server(tools))}
    done = tools.run(["env", *(f"{key}={value}" for key, value in variables.items()), str(program)], ROOT)

    assert 0 == done.returncode, done.stdout + done.stderr
    assert ", with 0 failures" in done.stdout + done.stderr
    assert "skipped" not in done.stdout


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("y\n", ["toolCall", "[completed]"]), ("n\n", ["[completed]"])],
)
def test_the_example_runs(tools, built, answer, expected):
    script = 'approve deploy {"to": "staging"}\ntext Done'
    done = tools.run([str(built.programs / "chat"), script, *server(tools)], ROOT, answer)

    assert 0 == done.returncode, done.stderr
    assert "? [y/N] Done\n" in done.stdout
    assert expected[-1] == done.stdout.splitlines()[-1]


def test_the_page_of_the_package_runs(tools, built, tmp_path):
    command = tmp_path / "turnwire"
    command.write_text(f'#!/bin/sh\nexec {shlex.join(turnwire(tools))} "$@"\n')
    command.chmod(0o755)
    done = tools.run(["env", f"PATH={tmp_path}:/usr/bin:/bin:/usr/sbin:/sbin", str(built.programs / "readme")], ROOT)

    assert (0, "") == (done.returncode, done.stderr)
    assert "Hellocompleted\n/threadId\n" == done.stdout


def test_every_case_is_right(tools, tmp_path):
    problems = []
    cases = read_cases(CASES, problems)
    outcomes, answers = tried(cases, tmp_path)
    weighed_cases = {case.name: weighed(case, answers[case.name]) for case in cases if case.name in answers}
    wrong = {name: found for name, found in {**outcomes, **weighed_cases}.items() if found.verdict != "ok"}

    assert ([], {}) == (problems, wrong)


def test_what_is_held_by_validators_alone_is_told(tools, tmp_path):
    """The page lists each such case, with a kind that the report tells of it too."""
    cases = read_cases(CASES, [])
    _, answers = tried(cases, tmp_path)
    left = {
        case.name: [
            value
            for value, answer in zip((*case.valid, *case.invalid), answers.get(case.name, ()), strict=False)
            if answer.refused.startswith("validator")
        ]
        for case in cases
    }
    reasons, told, _ = told_of("Swift", "generate-swift", cases, left)

    assert set(reasons) == {kind for kind, _ in told.values()}
    assert len(first_of(told)) <= MOST
