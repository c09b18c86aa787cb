"""Every language as one thing: a program that takes values through the bindings of the protocol, or of another schema.

A language that is not found on this machine is named in a warning; with CI set it fails the run.
"""

import json
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import pytest

from architecture.tree import environment
from bindings import kotlin_builds, swift_builds
from bindings.canonical import lines
from toolchains.needed import ESBUILD, demand_node
from turnwire_codegen.program.naming import public_names

__all__ = ["CHECKED", "GENERATED", "HERE", "ROOT", "found", "of_protocol", "python", "typescript", "typescript_modules"]

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
GENERATED = ROOT / "typescript" / "src" / "generated"
CHECKED = json.loads((ROOT / "protocol" / "bundle.json").read_text())["$defs"]


def found(makers):
    """The roundtrip program of each language that is found: from rows of type and value to a line for each."""
    programs = {}
    for name, make in makers.items():
        try:
            programs[name] = make()
        except pytest.skip.Exception as reason:
            warnings.warn(f"{name} is not found, and nothing of it is compared: {reason}", stacklevel=2)
    return programs


def of_protocol(scratch):
    """How the programs of the protocol's own bindings are made."""
    return {
        "Python": python,
        "TypeScript": partial(typescript, GENERATED, scratch / "typescript", CHECKED),
        "Swift": _swift,
        "Kotlin": _kotlin,
    }


def python(folder=None):
    """The program of a generated package; without a folder, of that of the protocol."""
    words = [sys.executable, str(HERE / "roundtrip.py"), *([] if folder is None else [str(folder)])]
    return partial(_lines, words)


def typescript(folder, compiled, names):
    """The program of the modules in `folder`, which are compiled to another one; `names` have validators."""
    return partial(_lines, ["node", str(HERE / "roundtrip.mjs"), str(typescript_modules(folder, compiled, names))])


def typescript_modules(folder, compiled, names):
    """What `roundtrip.mjs` runs on: the modules as JavaScript, and how the validator of each name is called."""
    demand_node("esbuild")
    sources = [str(path) for path in sorted(folder.glob("*.ts"))]
    subprocess.run([str(ESBUILD), *sources, f"--outdir={compiled}", "--log-level=error"], check=True)
    (compiled / "package.json").write_text('{"type": "module"}')
    (compiled / "checks.json").write_text(json.dumps(public_names(names)))
    return compiled


def _swift():
    tools = swift_builds.installed()
    built = swift_builds.package(tools)
    assert {} == built.faults
    return partial(swift_builds.roundtrip, tools, built)


def _kotlin():
    return partial(kotlin_builds.roundtrip, kotlin_builds.installed(), kotlin_builds.package())


def _lines(words, rows):
    done = subprocess.run(
        words, input=lines(rows), env=environment(), capture_output=True, encoding="utf-8", check=False, timeout=600
    )
    assert (0, "") == (done.returncode, done.stderr)
    return done.stdout.split("\n")[:-1]
