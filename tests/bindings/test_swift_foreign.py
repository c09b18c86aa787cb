"""Swift of protocols of other houses: all of it compiles without a warning, and judges values as their schema does."""

import json

import pytest

from bindings.canonical import canonical
from bindings.swift_builds import BARE, MANIFEST, ROOT, foreign, installed, roundtrip
from interop.environment import require
from interop.schemas import SCHEMAS
from turnwire_codegen.cases.swift_toolchain import build

# A build takes minutes where nothing of it is in the cache and others compile as well.
pytestmark = pytest.mark.timeout(3000)

DIALECTS = {f"dialect-{path.parent.name}": path for path in (ROOT / "protocol" / "dialects").glob("*/schema.json")}
# Codex's whole bundle is its v2 bundle and little more, which takes another two minutes.
FOREIGN = sorted(SCHEMAS.keys() - {"codex-bundle"})
RECORDINGS = sorted((ROOT / "tests" / "interop" / "recordings").glob("*.jsonl"))


@pytest.mark.parametrize("name", [*sorted(DIALECTS), *FOREIGN])
def test_it_compiles(name, record_property):
    tools = installed()
    built = foreign(tools, name, DIALECTS[name] if name in DIALECTS else require(SCHEMAS[name]))
    record_property("compile_cpu_seconds", round(built.seconds, 1))
    print(f"{name}: {built.seconds:.0f} s of the processor to compile")
    assert {} == built.faults
    told = [json.loads(line) for line in roundtrip(tools, built, [("no such definition", {})])]

    assert [{"pointer": "", "rule": "no definition of this name"}] == told


@pytest.mark.parametrize("path", RECORDINGS, ids=[path.stem for path in RECORDINGS])
def test_values_come_back_as_they_came_or_are_refused(path):
    tools = installed()
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    built = foreign(tools, path.stem, require(SCHEMAS[path.stem]))
    lines = roundtrip(tools, built, [(row["type"], row["value"]) for row in rows])
    expected = [canonical({"value": row["value"]}) if row["valid"] else "refused" for row in rows]

    assert {True, False} == {row["valid"] for row in rows}
    assert expected == [line if "value" in json.loads(line) else "refused" for line in lines]


def test_a_warning_is_a_fault():
    sources = {"Package.swift": MANIFEST, "Sources/Turnwire/Warned.swift": "func warned() { let unused = 1 }\n"}
    built = build(installed(), "warned", {**sources, "Sources/roundtrip/main.swift": ""}, *BARE)

    assert ["Sources/Turnwire/Warned.swift"] == [*built.faults]
    assert "'unused'" in built.faults["Sources/Turnwire/Warned.swift"]
