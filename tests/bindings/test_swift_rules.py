"""Swift's validators against the reference reading of the rules: verdict, pointer and rule, on every schema we have."""

import json
import random

import pytest

from bindings.swift_builds import ROOT, installed, package, roundtrip
from bindings.test_vectors import EXAMPLES, INVALID, VALID
from codegen.rules.gather import plans_of, trials
from codegen.rules.mutants import mutants
from turnwire_codegen.cases.swift_toolchain import build
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.swift import support_files
from turnwire_codegen.emit.swift.validators import emit_validators
from turnwire_codegen.interpret import check

pytestmark = pytest.mark.timeout(1500)

HEADER = Header(title="a schema", version="", digest="none", command="pytest")
MESSAGES = 20_000
PACKAGE = """// swift-tools-version:5.9
import PackageDescription

let package = Package(name: "Rules", targets: [.executableTarget(name: "Rules")])
"""
# A line `SCHEMA<tab>JSON` in; a line `null`, or `["POINTER","RULE"]`, out.
MAIN = """
func told(_ text: Substring, _ check: JSONValidator) -> String {{
    do {{
        guard let fault = try check(JSONValue(parsing: text.utf8)) else {{ return "null" }}
        return String(decoding: [fault.pointer, fault.rule].jsonBytes, as: UTF8.self)
    }} catch {{
        return "\\(error)"
    }}
}}

func validator(_ name: Substring) -> JSONValidator {{
    switch name {{
{rows}
    default: fatalError("no such schema")
    }}
}}

while let line = readLine() {{
    let parts = line.split(separator: "\\t", maxSplits: 1)
    print(told(parts[1], validator(parts[0])))
}}
"""


def said(fault):
    return None if fault is None else [fault.pointer, fault.rule]


def sources(given):
    files = {f"Sources/{path}": content.decode() for path, content in support_files(HEADER).items()}
    for number, trial in enumerate(given):
        made = emit_validators(plans_of(trial.schema), {"root": "#"}, HEADER, home=f"Trial{number}")
        text = "".join(content.decode() for content in made.values())
        files[f"Sources/Trial{number}.swift"] = f"enum Trial{number}: JSONChecking {{}}\n{text}"
    rows = "\n".join(f'    case "{number}": return Trial{number}.checkRoot' for number in range(len(given)))
    return {**files, "Package.swift": PACKAGE, "Sources/main.swift": MAIN.format(rows=rows)}


def test_every_schema_is_judged_as_by_the_interpreter():
    tools, given = installed(), trials()
    built = build(tools, "rules", sources(given), "-Xswiftc", "-gnone")
    rows = [(number, value) for number, trial in enumerate(given) for value in trial.values]
    text = "".join(f"{number}\t{json.dumps(value)}\n" for number, value in rows)
    done = tools.run([str(built.programs / "Rules")], ROOT, text)
    told = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    plans = [plans_of(trial.schema) for trial in given]
    disagreements = [
        (given[number].name, value, expected, answer)
        for (number, value), answer in zip(rows, told, strict=True)
        if (expected := said(check(plans[number], value))) != answer
    ]

    assert {} == built.faults
    assert 4_000 < len(rows)
    assert [] == disagreements


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
    tools = installed()
    told = [json.loads(line) for line in roundtrip(tools, package(tools), rows)]
    disagreements = []
    for (name, value), answer in zip(rows, told, strict=True):
        fault = check(plans, value, f"#/$defs/{name}")
        expected = {"value"} if fault is None else {"pointer": fault.pointer, "rule": fault.rule}
        if expected != (answer if fault else {*answer}):
            disagreements.append((name, value, expected, answer))

    assert MESSAGES == len(rows)
    assert [] == disagreements
