"""Kotlin: all cases are one build, a package each; a value is accepted by validator and type, and comes back equal."""

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from turnwire_codegen.cases.folder import Case, Outcome
from turnwire_codegen.cases.kotlin_toolchain import Kotlin, build, kotlin
from turnwire_codegen.cases.trial import Answer, ToolchainError, files_of, weighed
from turnwire_codegen.emit.kotlin import SUPPORT
from turnwire_codegen.emit.kotlin.validators import emit_validators
from turnwire_codegen.load.foreign.front import load_foreign

__all__ = ["left_to_validators", "run_kotlin"]

# What every package carries is compiled once, in a package above those of the cases.
_SHARED = "turnwire.cases"
_PACKAGE = re.compile(r"^package .*$", re.MULTILINE)
_ATTEMPT = """package {package}

import kotlinx.serialization.json.JsonElement
import {shared}.*

internal fun attempt(json: JsonElement, validated: Boolean): JsonElement {{
    val fault = if (validated) Validators["root"]?.check(json) else null
    check(fault == null) {{ "validator: ${{fault?.rule}} at ${{fault?.pointer}}" }}
    return {root}
}}

private fun <T> through(codec: JsonCodec<T>, json: JsonElement): JsonElement = codec.write(codec.read(json))
"""
# A line `{"case": NAME, "value": JSON, "validated": BOOLEAN}` in, a line `{"refused": TEXT}` or `{"value": JSON}` out.
_MAIN = """package {shared}

import kotlinx.serialization.json.*

fun main() {{
    for (line in System.`in`.bufferedReader(Charsets.UTF_8).lineSequence()) {{
        val answer = try {{
            val row = parseJson(line) as JsonObject
            val (case, validated) = listOf("case", "validated").map {{ (row.getValue(it) as JsonPrimitive).content }}
            "value" to attempt(case, row.getValue("value"), validated.toBoolean())
        }} catch (refused: Exception) {{
            "refused" to JsonPrimitive(refused.message ?: refused.toString())
        }}
        System.out.write((canonicalJson(JsonObject(mapOf(answer))) + "\\n").toByteArray(Charsets.UTF_8))
    }}
    System.out.flush()
}}

private fun attempt(case: String, json: JsonElement, validated: Boolean): JsonElement = when (case) {{
{branches}
    else -> throw IllegalArgumentException(case)
}}
"""


def run_kotlin(cases: tuple[Case, ...], scratch: Path) -> Mapping[str, Outcome]:
    """The outcome of every case; `scratch` is an empty folder. Raises ToolchainError."""
    tools, outcomes = kotlin(), dict[str, Outcome]()
    named, classes = _built(tools, cases, scratch, outcomes)
    answers = _answers(tools, classes, named, validated=True) if named else {}
    return outcomes | {case.name: weighed(case, answers[name]) for name, case in named.items()}


def left_to_validators(cases: tuple[Case, ...], scratch: Path) -> Mapping[str, list[Any]]:
    """The invalid values of each case that types alone accept, where there are any. Raises ToolchainError."""
    tools = kotlin()
    named, classes = _built(tools, cases, scratch, {})
    answers = _answers(tools, classes, named, validated=False)
    left = {
        case.name: [
            value
            for value, answer in zip(case.invalid, answers[name][len(case.valid) :], strict=True)
            if not answer.refused
        ]
        for name, case in named.items()
    }
    return {name: values for name, values in left.items() if values}


def _built(
    tools: Kotlin, cases: tuple[Case, ...], scratch: Path, outcomes: dict[str, Outcome]
) -> tuple[Mapping[str, Case], Path]:
    """The cases that build, by package, and the classes of all; the others get an outcome."""
    made: dict[str, Mapping[str, bytes]] = {}
    named = {f"case{number}": case for number, case in enumerate(cases)}
    for name, case in named.items():
        files = files_of(case, "generate-kotlin", emit_validators)
        if isinstance(files, Outcome):
            outcomes[case.name] = files
        else:
            made[name] = files
    while made:
        built = build(tools, _sources(made, named), scratch)
        broken = {name: fault for path, fault in built.faults.items() if (name := path.partition("/")[0]) in made}
        if built.faults and not broken:
            raise ToolchainError(f"the Kotlin compiler says: {next(iter(built.faults.values()))}")
        if not broken:
            return {name: named[name] for name in made}, built.classes
        for name, fault in broken.items():
            outcomes[named[name].name] = Outcome("does-not-build", fault)
            del made[name]
    return {}, scratch


def _sources(made: Mapping[str, Mapping[str, bytes]], named: Mapping[str, Case]) -> Mapping[str, str]:
    """Every file of the build by its path."""
    sources: dict[str, str] = {}
    for name, files in made.items():
        package = f"{_SHARED}.{name}"
        for path, content in files.items():
            if path in SUPPORT:
                sources[path] = _PACKAGE.sub(f"package {_SHARED}", content.decode(), count=1)
            elif path.endswith(".kt"):
                head = f"package {package}\n\nimport {_SHARED}.*"
                sources[f"{name}/{path}"] = _PACKAGE.sub(head, content.decode(), count=1)
        sources[f"{name}/Attempt.kt"] = _ATTEMPT.format(package=package, shared=_SHARED, root=_root(named[name]))
    branches = "\n".join(f'    "{name}" -> {_SHARED}.{name}.attempt(json, validated)' for name in made)
    return {**sources, "Main.kt": _MAIN.format(shared=_SHARED, branches=branches)}


def _root(case: Case) -> str:
    """What comes back: through the type of the root, or where it has none the value itself."""
    loaded, _, _ = load_foreign(case.path / "schema.json")
    if loaded is None or loaded.root is None:
        return "json"
    return f"through(Types[{json.dumps(loaded.root)}]!!, json)"


def _answers(tools: Kotlin, classes: Path, cases: Mapping[str, Case], *, validated: bool) -> Mapping[str, list[Answer]]:
    rows = [(name, value) for name, case in cases.items() for value in (*case.valid, *case.invalid)]
    lines = [json.dumps({"case": name, "value": value, "validated": validated}) for name, value in rows]
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(  # noqa: S603 -- the words are ours; no shell reads them
        tools.command(classes, f"{_SHARED}.MainKt"), input=text, capture_output=True, encoding="utf-8", check=False
    )
    lines = done.stdout.split("\n")[:-1]
    if done.returncode or len(lines) != len(rows):
        raise ToolchainError(f"java failed: {done.stderr.strip()[:200]}")
    answers: dict[str, list[Answer]] = {name: [] for name in cases}
    for (name, _), answer in zip(rows, map(_answer, lines), strict=True):
        answers[name].append(answer)
    return answers


def _answer(line: str) -> Answer:
    row: dict[str, Any] = json.loads(line)
    return Answer(refused=row.get("refused", ""), back=row.get("value"))
