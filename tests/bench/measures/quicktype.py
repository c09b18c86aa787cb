"""What quicktype makes of the protocol, in Swift and Kotlin: how many messages it decodes, and how fast, beside ours.

It and the compiler plugin that its Kotlin needs come from npm and Maven Central, into the cache where peers are kept.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from measures.messages import BUNDLE, COUNT, TYPES, as_lines, messages
from measures.rows import Row

from interop.environment import Missing, cache, once, run
from turnwire_codegen.cases.kotlin_toolchain import Kotlin, builds
from turnwire_codegen.cases.swift_toolchain import Swift, build

__all__ = ["ROUNDS", "ROUNDS_OF_KOTLIN", "kotlin_rows", "outcome", "swift_rows"]

VERSION = "26.0.0"
PLUGIN = "org.jetbrains.kotlin:kotlin-serialization-compiler-plugin-embeddable"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
ROUNDS = 41
# The compiler of the JVM takes its time; before it is done the types are ten times as slow.
ROUNDS_OF_KOTLIN = 1500
PEERS = Path(__file__).parent.parent / "peers"
PACKAGE = """// swift-tools-version:5.9
import PackageDescription

let package = Package(name: "Peer", platforms: [.macOS(.v13)], targets: [.executableTarget(name: "Peer")])
"""
Run = Callable[[list[str], str], "subprocess.CompletedProcess[str]"]
Ours = Callable[[str], Mapping[str, int]]


def swift_rows(tools: Swift, ours: Ours) -> Iterator[Row]:
    """Our rate beside that of quicktype's Swift, on the messages that it decodes; `ours` takes their lines."""
    try:
        text = made("swift", "--no-initializers")
    except Missing as reason:
        yield Row("quicktype's Swift", f"not measured: {reason}")
        return
    sources = {"Package.swift": PACKAGE, "Sources/types.swift": text}
    sources["Sources/main.swift"] = (PEERS / "quicktype.swift").read_text(encoding="utf-8")
    built = build(tools, "quicktype", sources, "-c", "release")
    if built.faults:
        yield Row("quicktype's Swift", f"does not compile: {next(iter(built.faults.values()))}")
        return
    yield from compared(
        "Swift", lambda words, given: tools.run([str(built.programs / "Peer"), *words], PEERS, given), ours
    )


def kotlin_rows(tools: Kotlin, ours: Ours) -> Iterator[Row]:
    """The same of quicktype's Kotlin."""
    try:
        text, plugin = made("kotlin", "--framework", "kotlinx", "--package", "quick"), compiler_plugin(tools)
    except Missing as reason:
        yield Row("quicktype's Kotlin", f"not measured: {reason}")
        return
    with tempfile.TemporaryDirectory() as name:
        sources = {"Types.kt": text, "Main.kt": (PEERS / "quicktype.kt").read_text(encoding="utf-8")}
        built = builds(tools, {"quicktype": sources}, Path(name), ("-nowarn", f"-Xplugin={plugin}"))["quicktype"]
        if built.faults:
            yield Row("quicktype's Kotlin", f"does not compile: {next(iter(built.faults.values()))}")
            return
        main = tools.command(built.classes, "quick.MainKt")
        yield from compared("Kotlin", lambda words, given: _run([*main, *words], given), ours)


def compared(language: str, peer: Run, ours: Ours) -> Iterator[Row]:
    """How many messages come through, and the two rates on those that are decoded."""
    answers = peer([], as_lines(messages())).stdout.split("\n")[:-1]
    decoded, whole = outcome(answers)
    what = f"quicktype's {language}: of the {COUNT:,} messages, how many are decoded and how many come back equal"
    yield Row(what, f"{len(decoded)}, {whole}")
    if not decoded:
        return
    lines = as_lines(tuple(messages()[at] for at in decoded))
    rounds = ROUNDS if language == "Swift" else ROUNDS_OF_KOTLIN
    rate = json.loads(peer(["rate", str(rounds)], lines).stdout)["quicktype"]
    own = ours(lines)["ours"]
    yield Row(
        f"ours in {language} on those that it decodes, against it", f"{own / rate:.1f} times as fast ({rate:,}/s)"
    )


def outcome(answers: list[str]) -> tuple[list[int], int]:
    """Which of the messages are decoded, and how many of them come back equal.

    Raises:
        RuntimeError: there is not an answer to each.
    """
    if len(answers) != COUNT:
        raise RuntimeError(f"{len(answers)} answers to {COUNT} messages")
    decoded = [at for at, answer in enumerate(answers) if answer != "!"]
    return decoded, sum(json.loads(answers[at]) == messages()[at][1] for at in decoded)


def made(language: str, *words: str) -> str:
    """The module that quicktype makes of the types of the messages.

    Raises:
        Missing: it cannot be had.
    """
    home = cache() / f"quicktype-{VERSION}"
    with once(home) as fresh:
        if fresh:
            npm = ("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(home))
            run(*npm, f"quicktype@{VERSION}")
    bundle = json.loads(BUNDLE.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / f"{of}.json" for of in TYPES]
        for of, path in zip(TYPES, files, strict=True):
            path.write_text(json.dumps({"$ref": f"#/$defs/{of}", "$defs": bundle["$defs"]}), encoding="utf-8")
        out = Path(name) / "types"
        program = str(home / "node_modules" / ".bin" / "quicktype")
        run(program, "-s", "schema", "-l", language, *words, "-o", str(out), *map(str, files))
        return out.read_text(encoding="utf-8")


def compiler_plugin(tools: Kotlin) -> Path:
    """The plugin that makes serializers, of the compiler's own version.

    Raises:
        Missing: it cannot be had.
    """
    version = Path(tools.compiler.split(os.pathsep)[0]).parent.name
    home = cache() / f"kotlin-serialization-{version}"
    with once(home) as fresh:
        if fresh:
            repository = f"-Dmaven.repo.local={home / 'm2'}"
            run(
                "mvn",
                "--batch-mode",
                "--quiet",
                COPY,
                f"-Dartifact={PLUGIN}:{version}",
                f"-DoutputDirectory={home}",
                repository,
            )
    return next(home.glob("*.jar"))


def _run(words: list[str], given: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, input=given, capture_output=True, encoding="utf-8", check=True)
