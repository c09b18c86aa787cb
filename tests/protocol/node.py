"""Node and the TypeScript compiler; where they are missing it is told, and where everything must be there it fails."""

import subprocess
from pathlib import Path

from protocol.families import PROTOCOL
from toolchains.needed import TSC, demand_node

__all__ = ["TYPESCRIPT", "compiler", "node"]

TYPESCRIPT = PROTOCOL.parent / "typescript"
_SETTINGS = ("--strict", "--exactOptionalPropertyTypes", "--target", "ES2022", "--module", "NodeNext")


def compiler(program: Path, *words: str) -> str:
    """Compile a program of ES modules in its own folder; what the compiler says, empty when it finds nothing."""
    (program.parent / "package.json").write_text('{"type": "module"}')
    done = _run(str(TSC), *_SETTINGS, *words, str(program), cwd=program.parent)
    assert done.stdout or done.returncode == 0, done.stderr
    return done.stdout


def node(script: Path, given: str) -> str:
    """What a script writes when it is given this to read."""
    done = _run(str(script), cwd=script.parent, given=given)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _run(*words: str, cwd: Path, given: str = "") -> "subprocess.CompletedProcess[str]":
    demand_node("typescript")
    return subprocess.run(["node", *words], cwd=cwd, input=given, capture_output=True, text=True, check=False)
