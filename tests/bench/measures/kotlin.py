"""Kotlin: values that come as text and go as text through their types, against the library's own untyped tree."""

import json
import os
import subprocess
from collections.abc import Iterator

from measures.rows import Row

from bindings.kotlin_builds import package
from bindings.test_vectors import EXAMPLES, VALID
from turnwire_codegen.cases.kotlin_toolchain import kotlin
from turnwire_codegen.cases.trial import ToolchainError

VALUES = 1_000
# The compiler of the JVM takes its time; before it is done the types are ten times as slow.
ROUNDS = 1500
SHARE = 0.2


def rows() -> Iterator[Row]:
    what = f"Kotlin: {VALUES:,} values read and written, against a tree without types"
    try:
        tools = kotlin()
    except ToolchainError as error:
        yield Row(what, f"not measured: {error}")
        return
    target = package() / "target"
    command = tools.command(f"{target / 'classes'}{os.pathsep}{target / 'test-classes'}", "turnwire.RoundTripKt")
    done = subprocess.run(
        [*command, "rate", str(ROUNDS)], input=values(), capture_output=True, encoding="utf-8", check=True
    )
    found = json.loads(done.stdout)
    share = found["ours"] / found["untyped"]
    yield Row(what, f"{share:.2f} ({found['ours']:,}/s)", f"≥ {SHARE}", share >= SHARE)


def values() -> str:
    """A line for each value."""
    lines = []
    for path in (*EXAMPLES, *VALID):
        found = json.loads(path.read_text())
        value = found["value"] if "vectors" in path.parts else found
        lines.append(json.dumps({"type": path.parent.name, "value": value}))
    return "".join(f"{line}\n" for line in lines[:VALUES])
