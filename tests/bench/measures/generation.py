"""Everything that is generated from the canonical schema, into an empty folder: CPU of the whole process tree."""

import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from measures.processes import environment
from measures.rows import Row

COMMANDS = ("generate-python", "generate-ts", "generate-json-schema")
ROUNDS = 5
SECONDS = 1.5


def rows() -> Iterator[Row]:
    seconds = statistics.median(once() for _ in range(ROUNDS))
    yield Row(
        "generating Python, TypeScript and JSON Schema: CPU", f"{seconds:.2f} s", f"≤ {SECONDS} s", seconds <= SECONDS
    )


def once() -> float:
    before = spent()
    for command in COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            argv = (sys.executable, "-m", "turnwire", command, "--out", folder)
            subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, env=environment())
    return spent() - before


def spent() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
