"""How the tests call the command line: in process where the process does not matter, as a program where it does."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from turnwire.cli import main

__all__ = ["ROOT", "TURNWIRE", "Done", "environment", "heed_interrupts", "program", "run"]

ROOT = Path(__file__).resolve().parents[2]
TURNWIRE = (sys.executable, "-m", "turnwire")


class Done(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """The one line on stderr; more or fewer than one is a fault of ours."""
        assert self.err.count("\n") == 1, self.err
        assert "Traceback" not in self.err
        return self.err.removesuffix("\n")


def run(*argv: str, stdin: bytes = b"") -> Done:
    """Carry out a command line in this process."""
    source = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    code = main(argv, source, out, err)
    return Done(code, out.getvalue(), err.getvalue())


def program(*argv: str, stdin: bytes = b"", **variables: str) -> Done:
    """Carry it out as a process of its own."""
    done = subprocess.run(
        [*TURNWIRE, *argv], input=stdin, capture_output=True, check=False, env=environment(**variables)
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def environment(**variables: str) -> dict[str, str]:
    """That of the tests, with our sources first and no color asked for."""
    sources = os.pathsep.join(str(ROOT / folder) for folder in ("python", "codegen"))
    return {**os.environ, "PYTHONPATH": sources, "NO_COLOR": "1", **variables}


def heed_interrupts() -> None:
    """For a child: a shell that runs the tests in the background has them, and so their children, ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
