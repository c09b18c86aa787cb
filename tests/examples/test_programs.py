"""The programs in examples/ run as they stand and print what they promise."""

import subprocess
import sys

import pytest

from architecture.tree import ROOT, environment

EXAMPLES = ROOT / "examples"
OWN_AGENT = str(EXAMPLES / "own_agent.py")


def run(name, *arguments, cwd, stdin=""):
    """The finished program; it runs in `cwd`, and its stderr is part of what is compared."""
    return subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        input=stdin,
        cwd=cwd,
        env=environment(),
        text=True,
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("answer", "outcome", "said", "notes"),
    [
        ("accept", "completed", "Noted.", "Buy milk\n"),
        ("decline", "declined", "I let it be.", None),
        ("whatever", "declined", "I let it be.", None),
    ],
)
def test_own_agent_asks_the_person_of_the_own_client(tmp_path, answer, outcome, said, notes):
    ended = run("own_client.py", "Buy milk", sys.executable, OWN_AGENT, cwd=tmp_path, stdin=f"{answer}\n")
    file = tmp_path / "notes.txt"

    assert ended.stderr == ""
    assert ended.stdout == (
        "[userMessage completed]\n"
        "Write it down? append notes.txt\n"
        f"(accept, decline, cancel, defer) [approval {outcome}]\n"
        f"[fileChange {outcome}]\n"
        f"{said}\n"
        "[agentMessage completed]\n"
        "completed\n"
    )
    assert (file.read_text() if file.exists() else None) == notes


def test_cancel_ends_the_turn_and_writes_nothing(tmp_path):
    ended = run("own_client.py", "Buy milk", sys.executable, OWN_AGENT, cwd=tmp_path, stdin="cancel\n")

    assert ended.stdout.splitlines()[-1] == "interrupted"
    assert list(tmp_path.iterdir()) == []


def test_own_client_says_how_it_is_used(tmp_path):
    ended = run("own_client.py", cwd=tmp_path)

    assert (ended.returncode, ended.stderr) == (1, "usage: own_client.py TEXT COMMAND [ARGUMENT …]\n")


def test_two_windows_are_asked_and_both_hear_the_first_answer(tmp_path):
    ended = run("two_windows.py", cwd=tmp_path)

    assert ended.stderr == ""
    assert sorted(ended.stdout.splitlines()) == [
        "both windows saw: completed, Done., completed, Done.",
        "left hears: accept",
        "left is asked: Call deploy",
        "right hears: accept",
        "right is asked: Call deploy",
    ]
