"""Kotlin's validators against the reference reading of the rules, on every schema we have."""

import json
import subprocess

import pytest

from bindings.agreement import differing_schemas, schema_rows
from bindings.kotlin_builds import installed
from codegen.rules.gather import plans_of, trials
from turnwire_codegen.cases.kotlin_toolchain import build
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.kotlin import support_files
from turnwire_codegen.emit.kotlin.validators import emit_validators

pytestmark = pytest.mark.timeout(1500)

HEADER = Header(title="a schema", version="", digest="none", command="pytest")
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
    rows = schema_rows(given)
    text = "".join(f"{number}\t{json.dumps(value)}\n" for number, value in rows)
    command = tools.command(built.classes, "trials.MainKt")
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=False)
    told = [json.loads(line) for line in done.stdout.split("\n")[:-1]]

    assert {} == built.faults
    assert (0, "") == (done.returncode, done.stderr)
    assert 4_000 < len(rows)
    assert [] == differing_schemas(rows, told)
