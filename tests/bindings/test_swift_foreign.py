"""Swift of protocols of other houses: what is generated compiles, and is a program that answers."""

import json

import pytest

from bindings.swift_builds import ROOT, installed, roundtrip
from turnwire_codegen.cases.swift_toolchain import build
from turnwire_codegen.outputs import make

pytestmark = pytest.mark.timeout(1500)

DIALECTS = sorted(path.parent.name for path in (ROOT / "protocol" / "dialects").glob("*/schema.json"))
PACKAGE = """// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "Dialect",
    targets: [
        .target(name: "Turnwire"),
        .executableTarget(name: "roundtrip", dependencies: ["Turnwire"]),
    ]
)
"""


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_compiles(name):
    tools = installed()
    made = make("generate-swift", ROOT / "protocol" / "dialects" / name / "schema.json", experimental=False)
    assert made.files is not None
    sources = {
        f"Sources/Turnwire/{path}": text.decode() for path, text in made.files.items() if path.endswith(".swift")
    }
    main = (ROOT / "swift" / "Sources" / "roundtrip" / "main.swift").read_text()
    built = build(
        tools,
        f"dialect-{name}",
        {**sources, "Package.swift": PACKAGE, "Sources/roundtrip/main.swift": main},
        *("-Xswiftc", "-gnone"),
    )
    assert {} == built.faults
    told = [json.loads(line) for line in roundtrip(tools, built, [("no such definition", {})])]

    assert [{"pointer": "", "rule": "no definition of this name"}] == told
