"""Swift for the tests: the package of this repository as it is built, and the server as Swift sees it."""

import json
import os
import sys
from pathlib import Path

import pytest

from turnwire_codegen.cases.swift_toolchain import Build, Swift, build, swift
from turnwire_codegen.cases.trial import ToolchainError

__all__ = ["ROOT", "installed", "package", "roundtrip", "server"]

ROOT = Path(__file__).parents[2]
# Debug information takes a third of the time, and nobody debugs here.
OPTIONS = ("--build-tests", "-Xswiftc", "-gnone")


def installed() -> Swift:
    """The compiler; where there is none, that fails the run in CI and is told elsewhere."""
    try:
        return swift()
    except ToolchainError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


def package(tools: Swift, *options: str) -> Build:
    """The package with its tests, built once for all processes of a run."""
    paths = [
        ROOT / "Package.swift",
        ROOT / "swift" / "Sources" / "Turnwire" / "Generated" / "manifest.json",
        *(ROOT / "swift").rglob("*.swift"),
        *(ROOT / "examples" / "swift").rglob("*.swift"),
    ]
    sources = {str(path.relative_to(ROOT)): path.read_text() for path in paths}
    name = "turnwire-release" if "release" in options else "turnwire"
    return build(tools, name, sources, *(options or OPTIONS))


def roundtrip(tools: Swift, built: Build, rows: list[tuple[str, object]]) -> list[str]:
    """What becomes of values, each of a named type."""
    text = "".join(json.dumps({"type": name, "value": value}) + "\n" for name, value in rows)
    done = tools.run([str(built.programs / "roundtrip")], ROOT, text)
    assert (0, "") == (done.returncode, done.stderr)
    return done.stdout.split("\n")[:-1]


def server(tools: Swift) -> list[str]:
    """The reference server as a program that was built can start it; a chroot has the machine's own below /host."""
    words = [sys.executable, "-m", "turnwire", "serve", "--agent", "scripted"]
    return ["chroot", "/host", "env", f"PYTHONPATH={ROOT / 'python'}", *words] if tools.chroot else words
