"""The words of the command line: every command has its help, every mistake one line that says what to do."""

import os
import re
import shlex
import subprocess

import pytest

from cli.running import TURNWIRE, environment, program, run
from turnwire.cli import COMMANDS, EXTRAS, main
from turnwire.cli.exits import Exit

NAMES = [command.name for command in COMMANDS]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "no command given; `turnwire --help` lists the commands"),
        (["srve"], "no such command: srve (did you mean serve?); `turnwire --help` lists the commands"),
        (["vaildate"], "no such command: vaildate (did you mean validate?); `turnwire --help` lists the commands"),
        (["xyzzy"], "no such command: xyzzy; `turnwire --help` lists the commands"),
        (["--nope"], "no such option: --nope; `turnwire --help` lists the commands"),
        (["check"], "`turnwire check` wants one of: server | trace | init | list | explain"),
        (
            ["check", "sever"],
            "`turnwire check` wants one of: server | trace | init | list | explain; 'sever' is none of them",
        ),
        (["debug"], "`turnwire debug` wants one of: send-message"),
        (["version", "--nope"], "unrecognized arguments: --nope; see `turnwire version --help`"),
        (["version", "--js"], "unrecognized arguments: --js; see `turnwire version --help`"),
        (["validate"], "the following arguments are required: FILE; see `turnwire validate --help`"),
        (["serve", "--limit", "x"], "argument --limit: 'x' is not NAME=VALUE; see `turnwire serve --help`"),
        (["call"], "the following arguments are required: METHOD; see `turnwire call --help`"),
        (
            ["debug", "send-message"],
            "the following arguments are required: TEXT; see `turnwire debug send-message --help`",
        ),
        (["check", "explain", "nope"], "no check is called 'nope'; `turnwire check list` prints them all"),
        (
            ["check", "server"],
            "no server given; its command stands behind `--`: turnwire check server -- my-server --stdio",
        ),
        (
            ["check", "server", "--jobs", "0", "--", "x"],
            "argument --jobs: '0' is no whole number above 0; see `turnwire check server --help`",
        ),
        (
            ["check", "server", "--timeout-scale", "inf", "--", "x"],
            "argument --timeout-scale: 'inf' is no number above 0; see `turnwire check server --help`",
        ),
        (
            ["check", "server", "--report", "pdf=x", "--", "x"],
            (
                "argument --report: 'pdf=x' is not KIND=FILE (github, json, junit, markdown, sarif, text); "
                "see `turnwire check server --help`"
            ),
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_words_are_one_line(argv, said):
    done = run(*argv)

    assert (done.code, done.line, done.out) == (Exit.USAGE, f"turnwire: {said}", "")


@pytest.mark.parametrize("name", NAMES)
def test_help_has_an_example_and_the_exit_codes(name):
    done = run(*name.split(), "--help")

    assert (done.code, done.err) == (Exit.DONE, "")
    text, _, codes = done.out.partition("exit codes:")
    # The generator cannot meet what the other codes are for.
    possible = (0, 1, 2) if name.startswith("generate") else map(int, Exit)

    assert f"turnwire {name}" in text.partition("example:")[2]
    assert all(re.search(rf"\b{code}\b", codes) for code in possible)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "check server"])
def test_example_of_the_help_works_when_pasted(tmp_path, name):
    """But for `check server`: its example is what the test of the wheel runs."""
    program = tmp_path / "turnwire"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(TURNWIRE)} "$@"\n')
    program.chmod(0o755)
    # The generator says "example: …" on one line, and the others on a line of its own.
    example = run(*name.split(), "--help").out.partition("example:")[2].strip().splitlines()[0]
    env = environment(PATH=f"{tmp_path}:{os.environ['PATH']}")
    done = subprocess.run(["bash", "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False, env=env)

    assert done.returncode == Exit.DONE, done.stderr
    assert done.stdout or name == "validate"


def test_help_lists_every_command_with_its_summary():
    done = run("--help")

    assert [line.split("  ")[1] for line in done.out.splitlines() if re.match(r"  [a-z]+[\w -]*  +\S", line)][
        : len(NAMES)
    ] == NAMES
    assert all(command.summary in done.out for command in COMMANDS)


@pytest.mark.parametrize("group", ["check", "debug"])
def test_help_of_a_group_lists_its_commands_only(group):
    done = run(group, "--help")

    assert [name for name in NAMES if f"  {name}  " in done.out] == [name for name in NAMES if name.split()[0] == group]


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version_is_one_word(flag):
    assert re.fullmatch(r"turnwire \d+\.\d+\.\d+\n", run(flag).out)


class BrokenError(Exception):
    """A fault that nobody foresaw."""


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        (
            BrokenError("two\nlines"),
            Exit.FAULT,
            "a fault of turnwire itself: BrokenError: two lines; run",
        ),
        (BrokenPipeError(), Exit.DONE, ""),
        (KeyboardInterrupt(), Exit.INTERRUPTED, ""),
        *[
            (
                ModuleNotFoundError(name=f"{package}.part"),
                Exit.USAGE,
                f"the package {package} is not installed; run: pip install 'turnwire[{extra}]'",
            )
            for package, extra in EXTRAS.items()
        ],
        (ModuleNotFoundError("No module named 'nope'", name="nope"), Exit.FAULT, "a fault of turnwire itself"),
    ],
    ids=lambda value: repr(value) if isinstance(value, BaseException) else "",
)
def test_no_fault_leaves_as_a_traceback(monkeypatch, fault, code, said):
    def fail(*_argv):
        raise fault

    monkeypatch.setattr("turnwire.cli.overview.run", fail)
    done = run("--help")

    assert (done.code, "Traceback" in done.err) == (code, False)
    assert done.err.startswith(f"turnwire: {said}" if said else "")
    assert done.err.count("\n") == bool(said)


def test_debug_shows_the_traceback(monkeypatch):
    def fail(*_argv):
        raise BrokenError("why")

    monkeypatch.setattr("turnwire.cli.overview.run", fail)

    assert "Traceback (most recent call last)" in run("--debug", "--help").err


def test_debug_behind_the_dashes_belongs_to_the_server():
    assert "no server given" not in run("check", "server", "--", "./not-there", "--debug").err


def test_python_dash_m_is_the_program():
    done = program("--nope")

    assert (done.code, done.line) == (
        Exit.USAGE,
        "turnwire: no such option: --nope; `turnwire --help` lists the commands",
    )


def test_main_takes_any_streams(capsys):
    assert main.__annotations__["return"] is int
    assert run("--version").out
    assert capsys.readouterr() == ("", "")
