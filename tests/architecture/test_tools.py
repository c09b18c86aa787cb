"""The linters are tests, so that nobody has to remember them. mypy shares the cache that a person's own runs fill."""

import subprocess
import sys

import pytest

from architecture.tree import ROOT, environment

COMMANDS = {
    "ruff check": ("-m", "ruff", "check", "--no-cache", "."),
    "ruff format": ("-m", "ruff", "format", "--check", "--no-cache", "."),
    "mypy": ("-m", "mypy"),
}


@pytest.mark.timeout(600)  # mypy with a cold cache on a busy machine
@pytest.mark.parametrize("name", COMMANDS)
def test_tool_finds_nothing(name):
    done = subprocess.run(
        [sys.executable, *COMMANDS[name]], cwd=ROOT, capture_output=True, text=True, check=False, env=environment()
    )

    assert done.returncode == 0, done.stdout + done.stderr
