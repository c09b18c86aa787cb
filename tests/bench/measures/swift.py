"""Swift: values that come as text and go as text through their types, against the same types in Foundation's coders."""

import json
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from measures.rows import Row

from bindings.swift_builds import package
from bindings.test_vectors import EXAMPLES, VALID
from turnwire_codegen.cases.swift_toolchain import swift
from turnwire_codegen.cases.trial import ToolchainError

VALUES = 1_000
ROUNDS = 50
TIMES = 5.0


def rows() -> Iterator[Row]:
    what = f"Swift: {VALUES:,} values read and written, against Foundation's coders of the same types"
    try:
        tools = swift()
    except ToolchainError as error:
        yield Row(what, f"not measured: {error}")
        return
    built = package(tools, "-c", "release", "--product", "roundtrip")
    done = tools.run([str(built.programs / "roundtrip"), "rate", str(ROUNDS)], Path.cwd(), values())
    found = json.loads(done.stdout)
    times = found["ours"] / found["foundation"]
    yield Row(what, f"{times:.1f} times as fast ({found['ours']:,}/s)", f"≥ {TIMES:.0f} times", times >= TIMES)


def values() -> str:
    """A line for each value."""
    lines = []
    for path in (*EXAMPLES, *VALID):
        found = json.loads(path.read_text())
        value = found["value"] if "vectors" in path.parts else found
        lines.append(json.dumps({"type": path.parent.name, "value": value}))
    # There are fewer than that; some come twice.
    return "".join(f"{line}\n" for line in islice(cycle(lines), VALUES))
