"""The program with two windows runs as it stands and prints what it promises."""

import subprocess
import sys

from architecture.tree import ROOT, environment


def test_two_windows_are_asked_and_both_hear_the_first_answer(tmp_path):
    program = [sys.executable, str(ROOT / "examples" / "two_windows.py")]
    ended = subprocess.run(
        program, cwd=tmp_path, env=environment(), text=True, capture_output=True, timeout=60, check=False
    )

    assert ended.stderr == ""
    # Which window is told first is nobody's promise.
    assert sorted(ended.stdout.splitlines()) == [
        "both windows saw: completed, Done., completed, Done.",
        "left hears: accept",
        "left is asked: Call deploy",
        "right hears: accept",
        "right is asked: Call deploy",
    ]
