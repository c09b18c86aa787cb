"""Kotlin's validators against the reference reading of the rules, on every schema we have and a random walk."""

import json
import random
import subprocess

import pytest

from bindings.kotlin_builds import ROOT, installed, package, roundtrip
from bindings.test_vectors import EXAMPLES, INVALID, VALID
from codegen.rules.gather import plans_of, trials
from codegen.rules.mutants import mutants
from turnwire_codegen.cases.kotlin_toolchain import build
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.kotlin import support_files
from turnwire_codegen.emit.kotlin.validators import emit_validators
from turnwire_codegen.interpret import check

pytestmark = pytest.mark.timeout(1500)

HEADER = Header(title="a schema", version="", digest="none", command="pytest")
MESSAGES = 20_000
# A line `SCHEMA<tab>JSON` in; a line `null`, or `["POINTER","RULE"]`, out.
MAIN = """package trials

import kotlinx.serialization.json.*

fun main() {{
    for (line in System.`in`.bufferedReader(Charsets.UTF_8).lineSequence()) {{
        val (name, text) = line.split("\\t", limit = 2)
        val fault = validator(name).check(parseJson(text))
        val told = fault?.let {{ JsonArray(listOf(it.pointer, it.rule).map(::JsonPrimitive)) }} ?: JsonNull
        System.out.write((canonicalJson(told) + "\\n").toByteArray())
    }}
    System.out.flush()
}}

private fun validator(name: String): Validator = when (name) {{
{rows}
    else -> error("no such schema")
}}
"""


def said(fault):
    return None if fault is None else [fault.pointer, fault.rule]


def sources(given):
    files = {path: content.decode() for path, content in support_files(HEADER, "trials").items()}
    for number, trial in enumerate(given):
        made = emit_validators(plans_of(trial.schema), {"root": "#"}, HEADER, f"trials.t{number}")
        for path, content in made.items():
            head = f"package trials.t{number}\n"
            files[f"t{number}/{path}"] = content.decode().replace(head, f"{head}\nimport trials.*\n", 1)
    rows = "\n".join(f'    "{number}" -> trials.t{number}.Validators["root"]!!' for number in range(len(given)))
    return {**files, "Main.kt": MAIN.format(rows=rows)}


def test_every_schema_is_judged_as_by_the_interpreter(tmp_path):
    tools, given = installed(), trials()
    built = build(tools, sources(given), tmp_path)
    rows = [(number, value) for number, trial in enumerate(given) for value in trial.values]
    text = "".join(f"{number}\t{json.dumps(value)}\n" for number, value in rows)
    command = tools.command(built.classes, "trials.MainKt")
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=False)
    told = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    plans = [plans_of(trial.schema) for trial in given]

    assert {} == built.faults
    assert (0, "") == (done.returncode, done.stderr)
    assert 4_000 < len(rows)
    assert [] == [
        (given[number].name, value, expected, answer)
        for (number, value), answer in zip(rows, told, strict=True)
        if (expected := said(check(plans[number], value))) != answer
    ]


def test_a_random_walk_through_the_protocol():
    bundle = json.loads((ROOT / "protocol" / "bundle.json").read_text())
    plans, rng = plans_of(bundle, "bundle.json"), random.Random(20_000)
    seeds: dict[str, list[object]] = {}
    for path in (*EXAMPLES, *VALID, *INVALID):
        found = json.loads(path.read_text())
        seeds.setdefault(path.parent.name, []).append(found["value"] if "vectors" in path.parts else found)
    known = [name for name in sorted(seeds) if f"#/$defs/{name}" in plans.named]
    each = MESSAGES // len(known) + 1
    rows = [
        (name, value)
        for name in known
        for value in (*seeds[name], *mutants(rng, bundle["$defs"][name], seeds[name], each))
    ][:MESSAGES]
    told = [json.loads(line) for line in roundtrip(installed(), package(), rows)]
    disagreements = []
    for (name, value), answer in zip(rows, told, strict=True):
        fault = check(plans, value, f"#/$defs/{name}")
        expected = {"value"} if fault is None else {"pointer": fault.pointer, "rule": fault.rule}
        if expected != (answer if fault else {*answer}):
            disagreements.append((name, value, expected, answer))

    assert MESSAGES == len(rows)
    assert [] == disagreements
