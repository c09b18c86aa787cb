"""What is not needed is not imported: `--help` and `serve` begin within 1.6 times the cost of asyncio and msgspec."""

import os
import statistics
import subprocess
import sys

import pytest

from cli.running import TURNWIRE, environment, program

FLOOR = (sys.executable, "-c", "import asyncio, msgspec")
COMMANDS = {"help": ("--help",), "version": ("--version",), "serve": ("serve",)}
PAIRS = 7
BAR = 1.6

# Each of them costs more than the rest of a start.
HEAVY = ("jsonschema", "jinja2", "websockets", "turnwire.conformance", "turnwire.client", "turnwire_codegen", "pathlib")


def cpu_seconds(argv: tuple[str, ...]) -> float:
    """Processor time of one run with nothing on stdin, children of the child included."""
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment())
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)

    assert process.returncode == 0
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("name", COMMANDS)
def test_start_is_cheap(name):
    argv = (*TURNWIRE, *COMMANDS[name])
    cpu_seconds(argv)  # writes the bytecode, which a person pays once
    # Pairs that alternate, so that whatever else the machine does weighs on both.
    ratios = [cpu_seconds(argv) / cpu_seconds(FLOOR) for _ in range(PAIRS)]

    assert statistics.median(ratios) <= BAR, ratios


@pytest.mark.parametrize("name", COMMANDS)
def test_start_imports_nothing_heavy(name):
    done = program(*COMMANDS[name], PYTHONPROFILEIMPORTTIME="1")
    imported = {line.rpartition("|")[2].strip() for line in done.err.splitlines() if line.startswith("import time:")}

    assert "turnwire.cli" in imported
    assert sorted(imported & set(HEAVY)) == []
