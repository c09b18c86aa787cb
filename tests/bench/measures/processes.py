"""Child processes and what they cost: CPU of the whole child, its largest memory."""

import os
import subprocess
import sys
from typing import NamedTuple

SERVE = (sys.executable, "-m", "turnwire", "serve")
INITIALIZE = (
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"bench"}}}\n'
)


class Cost(NamedTuple):
    """What one child used, and what it printed."""

    cpu_seconds: float
    peak_kb: int
    stdout: bytes


def environment() -> dict[str, str]:
    """The caller's, but that bytecode is cached as it is on any machine in use."""
    return {
        name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    }


def start(argv: tuple[str, ...]) -> "subprocess.Popen[bytes]":
    """A child with pipes; its stderr is dropped."""
    return subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, env=environment()
    )


def cost(argv: tuple[str, ...], stdin: bytes = b"") -> Cost:
    """Run a child to its end; its input is short.

    Raises:
        RuntimeError: it failed.
    """
    child = start(argv)
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(stdin)
    child.stdin.close()
    printed = child.stdout.read()
    child.stdout.close()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{' '.join(argv)} ended with {child.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, printed)
