"""Swift of protocols of other houses: all of it compiles without a warning, and judges values as their schema does."""

import json

import pytest

from bindings.foreign import DIALECTS, FOREIGN, RECORDINGS, as_recorded, recorded, schema_at
from bindings.swift_builds import BARE, MANIFEST, foreign, installed, roundtrip
from turnwire_codegen.cases.swift_toolchain import build

# A build takes minutes where nothing of it is in the cache and others compile as well.
pytestmark = pytest.mark.timeout(3000)


@pytest.mark.parametrize("name", [*sorted(DIALECTS), *FOREIGN])
def test_it_compiles(name, record_property):
    tools = installed()
    built = foreign(tools, name, schema_at(name))
    record_property("compile_cpu_seconds", round(built.seconds, 1))
    print(f"{name}: {built.seconds:.0f} s of the processor to compile")
    assert {} == built.faults
    told = [json.loads(line) for line in roundtrip(tools, built, [("no such definition", {})])]

    assert [{"pointer": "", "rule": "no definition of this name"}] == told


@pytest.mark.parametrize("name", RECORDINGS)
def test_values_come_back_as_they_came_or_are_refused(name):
    tools, (rows, expected) = installed(), recorded(name)
    built = foreign(tools, name, schema_at(name))

    assert expected == as_recorded(roundtrip(tools, built, rows))


def test_a_warning_is_a_fault():
    sources = {"Package.swift": MANIFEST, "Sources/Turnwire/Warned.swift": "func warned() { let unused = 1 }\n"}
    built = build(installed(), "warned", {**sources, "Sources/roundtrip/main.swift": ""}, *BARE)

    assert ["Sources/Turnwire/Warned.swift"] == [*built.faults]
    assert "'unused'" in built.faults["Sources/Turnwire/Warned.swift"]
