"""Kotlin for the tests: the package of this repository as Maven builds it, once for a run, and what others generate."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from bindings.canonical import lines
from toolchains.needed import absent
from turnwire_codegen.cases.kotlin_toolchain import Build, Kotlin, builds, kotlin
from turnwire_codegen.cases.trial import ToolchainError, alone, cache
from turnwire_codegen.outputs import make

__all__ = ["ROOT", "SERVER", "answers", "foreign", "installed", "maven", "package", "roundtrip"]

ROOT = Path(__file__).parents[2]
SERVER = [sys.executable, "-m", "turnwire", "serve", "--agent", "scripted"]
FETCH = ROOT / "tests" / "toolchains" / "kotlin.sh"
STRICT = ("-Xexplicit-api=strict", "-Werror")


def installed() -> Kotlin:
    """The toolchain; where it cannot be had, that fails the run in CI and is told elsewhere."""
    with alone(cache() / "m2"):
        subprocess.run(["sh", str(FETCH)], check=False, timeout=600)
    try:
        return kotlin()
    except ToolchainError as error:
        absent(str(error))


def maven(project: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Maven, without the network, with a JVM that starts quickly."""
    environment = {
        **os.environ,
        "MAVEN_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx2g",
        "TURNWIRE_SERVER": json.dumps(SERVER),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(ROOT / "codegen")]),
    }
    command = ["mvn", "--offline", "--batch-mode", "--quiet", f"-Dmaven.repo.local={cache() / 'm2'}", *words]
    return subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False, timeout=900
    )


def package() -> Path:
    """A copy of `kotlin/` with its jar and the classes of its tests; kept by the digest of what it is made of."""
    sources = {str(path.relative_to(ROOT)): path.read_bytes() for path in _sources()}
    digest = hashlib.sha256(repr(sorted(sources.items())).encode()).hexdigest()[:32]
    project = cache() / "kotlin-package" / digest
    with alone(project.parent):
        if not (project / "built").exists():
            shutil.rmtree(project.parent, ignore_errors=True)
            shutil.copytree(ROOT / "kotlin", project, ignore=shutil.ignore_patterns("target"))
            done = maven(project, "-DskipTests", "package")
            assert 0 == done.returncode, done.stdout
            (project / "built").write_text(done.stdout)
    return project


def foreign(tools: Kotlin, schemas: Mapping[str, Path], scratch: Path) -> Mapping[str, Build]:
    """All that is generated for other schemas, each with the program that takes values through it."""
    return builds(tools, {name: _foreign(schema) for name, schema in schemas.items()}, scratch, STRICT)


def roundtrip(tools: Kotlin, project: Path, rows: list[tuple[str, object]]) -> list[str]:
    """What becomes of values, each of a named type."""
    classes = f"{project / 'target' / 'classes'}{os.pathsep}{project / 'target' / 'test-classes'}"
    return answers(tools, classes, rows)


def answers(tools: Kotlin, classes: object, rows: list[tuple[str, object]]) -> list[str]:
    """The same of a program that is somewhere else."""
    command = tools.command(classes, "turnwire.RoundTripKt")
    done = subprocess.run(command, input=lines(rows), capture_output=True, encoding="utf-8", check=False)
    assert (0, "") == (done.returncode, done.stderr)
    return done.stdout.split("\n")[:-1]


def _foreign(schema):
    made = make("generate-kotlin", schema, experimental=False)
    assert made.files is not None, [str(problem) for problem in made.problems]
    sources = {path: text.decode() for path, text in made.files.items() if path.endswith(".kt")}
    (package,) = {re.search(r"(?m)^package (.*)$", text)[1] for text in sources.values()}
    program = (ROOT / "kotlin/src/test/kotlin/turnwire/RoundTrip.kt").read_text()
    # What is generated stands in a package of its own, and must say of everything whether it is public.
    program = program.replace("turnwire.generated", package).replace("\nfun main", "\npublic fun main")
    return {**sources, "RoundTrip.kt": program}


def _sources():
    return [ROOT / "kotlin" / "pom.xml", *sorted((ROOT / "kotlin" / "src").rglob("*.kt"))]
