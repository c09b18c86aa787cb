"""Round trips: the same thousand messages from text to types to text in every language, each beside a peer of its own.

Rates are of release builds, and of the fastest tenth of many rounds in which the peers take turns: it was compiled,
and left alone by what else the machine does.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import msgspec
from measures.messages import COUNT, TYPES, as_lines, messages
from measures.models import union_of_methods
from measures.quicktype import ROUNDS, ROUNDS_OF_KOTLIN, kotlin_rows, swift_rows
from measures.rows import Row

from bindings import kotlin_builds, swift_builds
from bindings.languages import CHECKED, GENERATED, HERE, typescript_modules
from turnwire import wire
from turnwire.generated.decoding import decoder
from turnwire_codegen.cases.kotlin_toolchain import Kotlin, kotlin
from turnwire_codegen.cases.swift_toolchain import Swift, swift
from turnwire_codegen.cases.trial import ToolchainError

TIMES_PYDANTIC, TIMES_FOUNDATION, SHARE_OF_TREE = 3, 5, 0.2
Rates = Mapping[str, int]
Way = Callable[[], object]


def rows() -> Iterator[Row]:
    size = sum(len(json.dumps(value)) for _, value in messages()) // COUNT
    yield Row(f"round trips of {COUNT:,} messages of the protocol, no two alike: bytes each", f"{size}")
    yield from _of_python(python_rates())
    yield from _of_typescript()
    yield from _of_swift()
    yield from _of_kotlin()


def _of_python(found: Rates) -> Iterator[Row]:
    times = found["ours"] / found["pydantic"]
    what = "the same in Python, against pydantic's union of the same methods"
    told = f"{times:.1f} times as fast ({found['ours']:,}/s)"
    yield Row(what, told, f"≥ {TIMES_PYDANTIC} times", times >= TIMES_PYDANTIC)
    yield Row("the same in Python, against msgspec without types", f"{found['ours'] / found['untyped']:.2f}")


def python_rates() -> Rates:
    """Messages a second through our types, those of pydantic, and none."""
    given = [(name, json.dumps(value).encode()) for name, value in messages()]
    peer = union_of_methods(sorted({value["method"] for _, value in messages()}))
    readers = {name: decoder(getattr(wire, name)) for name in TYPES}
    write = msgspec.json.Encoder().encode

    def ours() -> None:
        for name, text in given:
            write(readers[name](text))

    def pydantic() -> None:
        for _, text in given:
            peer.dump_json(peer.validate_json(text), exclude_unset=True)

    def untyped() -> None:
        for _, text in given:
            write(msgspec.json.decode(text))

    return alternating({"ours": ours, "pydantic": pydantic, "untyped": untyped})


def alternating(ways: Mapping[str, Way]) -> Rates:
    """Messages a second of CPU by each way."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            began = time.process_time()
            way()
            seconds[name].append(time.process_time() - began)
    return {name: int(COUNT / sorted(spent)[ROUNDS // 10]) for name, spent in seconds.items()}


def _of_typescript() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = typescript_modules(GENERATED, Path(name), CHECKED)
        words = ["node", str(HERE / "roundtrip.mjs"), str(folder), "rate", "300"]
        found = told(subprocess.run(words, input=as_lines(messages()), capture_output=True, text=True, check=True))
    share = found["ours"] / found["untyped"]
    what = "the same in TypeScript, validated, against JSON.parse and JSON.stringify alone"
    yield Row(what, f"{share:.2f} ({found['ours']:,}/s)")


def _of_swift() -> Iterator[Row]:
    what = "the same in Swift (-c release), against Foundation's coders of the same types"
    try:
        tools = swift()
    except ToolchainError as error:
        yield Row(what, f"not measured: {error}")
        return
    ours = partial(swift_rates, tools)
    found = ours(as_lines(messages()))
    times = found["ours"] / found["foundation"]
    told = f"{times:.1f} times as fast ({found['ours']:,}/s)"
    yield Row(what, told, f"≥ {TIMES_FOUNDATION} times", times >= TIMES_FOUNDATION)
    yield Row("the same in Swift, against JSONSerialization", f"{found['ours'] / found['untyped']:.2f}")
    yield from swift_rows(tools, ours)


def swift_rates(tools: Swift, lines: str) -> Rates:
    built = swift_builds.package(tools, "-c", "release", "--product", "roundtrip")
    return told(tools.run([str(built.programs / "roundtrip"), "rate", str(ROUNDS)], Path.cwd(), lines))


def _of_kotlin() -> Iterator[Row]:
    what = "the same in Kotlin (JVM, warm), against the untyped tree of kotlinx.serialization"
    try:
        tools = kotlin()
    except ToolchainError as error:
        yield Row(what, f"not measured: {error}")
        return
    ours = partial(kotlin_rates, tools)
    found = ours(as_lines(messages()))
    share = found["ours"] / found["untyped"]
    yield Row(what, f"{share:.2f} ({found['ours']:,}/s)", f"≥ {SHARE_OF_TREE}", share >= SHARE_OF_TREE)
    yield from kotlin_rows(tools, ours)


def kotlin_rates(tools: Kotlin, lines: str) -> Rates:
    target = kotlin_builds.package() / "target"
    command = tools.command(f"{target / 'classes'}{os.pathsep}{target / 'test-classes'}", "turnwire.RoundTripKt")
    words = [*command, "rate", str(ROUNDS_OF_KOTLIN)]
    return told(subprocess.run(words, input=lines, capture_output=True, encoding="utf-8", check=False))


def told(done: "subprocess.CompletedProcess[str]") -> Rates:
    """What a program said of its rates.

    Raises:
        RuntimeError: it failed.
    """
    if done.returncode:
        raise RuntimeError(f"{done.args[0]} failed: {done.stderr.strip()[-500:]}")
    found: Rates = json.loads(done.stdout)
    return found
