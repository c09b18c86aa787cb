"""Swift's validators against the reference reading of the rules: verdict, pointer and rule, on every schema we have."""

import json

import pytest

from bindings.agreement import differing_schemas, schema_rows
from bindings.swift_builds import ROOT, installed
from codegen.rules.gather import plans_of, trials
from turnwire_codegen.cases.swift_toolchain import build
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.swift import support_files
from turnwire_codegen.emit.swift.validators import emit_validators

pytestmark = pytest.mark.timeout(1500)

HEADER = Header(title="a schema", version="", digest="none", command="pytest")
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
    rows = schema_rows(given)
    text = "".join(f"{number}\t{json.dumps(value)}\n" for number, value in rows)
    done = tools.run([str(built.programs / "Rules")], ROOT, text)
    told = [json.loads(line) for line in done.stdout.split("\n")[:-1]]

    assert {} == built.faults
    assert 4_000 < len(rows)
    assert [] == differing_schemas(rows, told)
