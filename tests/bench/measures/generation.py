"""What it takes to generate: all from the canonical schema, and codex's bundle to all languages beside Python alone."""

import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from measures.processes import cost, environment
from measures.rows import Row

from interop.environment import Missing
from interop.schemas import codex_folder

COMMANDS = ("generate-python", "generate-ts", "generate-json-schema")
LANGUAGES = ("python", "ts", "swift", "kotlin")
BUNDLE = "codex_app_server_protocol.v2.schemas.json"
ROUNDS = 5
SECONDS = 1.5
TIMES_PYTHON = 6


def rows() -> Iterator[Row]:
    seconds = statistics.median(once() for _ in range(ROUNDS))
    yield Row(
        "generating Python, TypeScript and JSON Schema: CPU", f"{seconds:.2f} s", f"≤ {SECONDS} s", seconds <= SECONDS
    )
    try:
        yield all_against_python(codex_folder() / BUNDLE)
    except Missing as reason:
        yield Row("codex's bundle to all four languages", f"not measured: {reason}")


def once() -> float:
    """CPU of the whole process tree, into an empty folder."""
    before = spent()
    for command in COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            argv = (sys.executable, "-m", "turnwire", command, "--out", folder)
            subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, env=environment())
    return spent() - before


def spent() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def all_against_python(schema: Path) -> Row:
    """The languages take turns, a command each; what is compared is what one round took."""
    found = [[_cpu(language, schema) for language in LANGUAGES] for _ in range(ROUNDS)]
    times = statistics.median(sum(seconds) / seconds[0] for seconds in found)
    whole = statistics.median(sum(seconds) for seconds in found)
    size = f"codex's bundle ({schema.stat().st_size // 1000:,} KB)"
    return Row(
        f"{size} to all four languages: CPU against that of Python alone",
        f"{times:.1f} times ({whole:.1f} s)",
        f"≤ {TIMES_PYTHON} times",
        times <= TIMES_PYTHON,
    )


def _cpu(language: str, schema: Path) -> float:
    with tempfile.TemporaryDirectory() as folder:
        command = (sys.executable, "-m", "turnwire", f"generate-{language}")
        return cost((*command, "--schema", str(schema), "--out", folder)).cpu_seconds
