"""The programs of `examples/` do what they say, as their readers would run them."""

import json
import re
import subprocess
import sys

import pytest

from cli.running import ROOT, environment, run
from turnwire.cli.exits import Exit

EXAMPLES = ROOT / "examples"
AGENT = (sys.executable, str(EXAMPLES / "custom_agent.py"))


@pytest.mark.parametrize(
    ("text", "typed", "said"),
    [
        ("text Hello", "", ["Hello", "[completed]"]),
        ("approve deploy\ntext done", "y\n", ["Call deploy? [y/N] done", "[completed]"]),
        ("approve deploy\ntext not done", "\n", ["Call deploy? [y/N] not done", "[completed]"]),
        ("fail no", "", ["", "[failed]"]),
    ],
)
def test_chat_runs_a_turn(text, typed, said):
    argv = [sys.executable, str(EXAMPLES / "chat.py"), text]
    done = subprocess.run(argv, input=typed, capture_output=True, text=True, check=False, env=environment())

    assert (done.stdout.splitlines(), done.stderr) == (said, "")
    assert done.returncode == (0 if said[-1] == "[completed]" else 1)


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        (
            "--approve",
            [
                "I run the tests for x.",
                "approval Run the tests: accept (answered)",
                'tool run_tests {"only":"x"} → {"passed":12,"failed":0}',
                "All 12 pass.",
                "completed",
            ],
        ),
        (
            "--decline",
            [
                "I run the tests for x.",
                "approval Run the tests: decline (answered)",
                'tool run_tests {"only":"x"}: declined',
                "completed",
            ],
        ),
    ],
)
def test_custom_agent_answers(flag, said):
    done = run("debug", "send-message", "x", flag, "--", *AGENT)

    assert (done.code, done.out.splitlines()) == (Exit.DONE, said)


def test_the_least_agent_answers():
    done = run("call", "thread/start", '{"agent": "agent"}', "--", *AGENT)

    assert (done.code, json.loads(done.out)["thread"]["agent"]) == (Exit.DONE, "agent")


def test_custom_agent_keeps_the_lifecycle():
    done = run("check", "server", "--select", "life.*", "--tier", "1", "--", *AGENT)

    assert done.code == Exit.DONE, done.out


def test_commands_of_the_workflow_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (EXAMPLES / "check_in_ci.yml").read_text()
    commands = [line.split() for line in re.findall(r"- run: turnwire (.+)", text)]
    generate, check = commands
    at = check.index("--")
    # The judge has tests of its own; here it is the words that count.
    quick = [*check[:at], "--select", "life.initialize-result", "--", sys.executable, "-m", *check[at + 1 :]]

    assert run(*generate).code == Exit.FINDINGS
    assert run(*(word for word in generate if word != "--check")).code == Exit.DONE
    assert run(*generate).code == Exit.DONE
    assert run(*quick).code == Exit.DONE
    assert (tmp_path / "turnwire.xml").is_file()


@pytest.mark.parametrize("name", ["chat.py", "custom_agent.py"])
def test_example_is_typed(name):
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(EXAMPLES / name)],
        cwd=ROOT, capture_output=True, text=True, check=False, env=environment(),
    )  # fmt: skip

    assert done.returncode == 0, done.stdout
