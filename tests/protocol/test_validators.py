"""What the generator makes of the schema blames as jsonschema does: verdict, pointer and rule, case by case.

Nothing is shared between the two: the cases were judged by the oracle, which knows neither plans nor printed code.
"""

import importlib
import json

import pytest

from protocol.cases import collect
from protocol.families import PROTOCOL, bundle, derived
from protocol.node import compiler, node
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.python.validators import emit_validators as python_validators
from turnwire_codegen.emit.typescript.validators import emit_validators as typescript_validators
from turnwire_codegen.emit.typescript.validators import exported_names
from turnwire_codegen.interpret import check
from turnwire_codegen.lower import lower

CASES, _ = collect(PROTOCOL)
PLACES = {case.type: f"#/$defs/{case.type}" for case in CASES}
HEADER = Header(title="Tests", version="1", digest="0", command="pytest")


@pytest.fixture(scope="module")
def plans():
    # The family files say in which order members are judged; the bundle, sorted to the byte, has lost it.
    everything = {"$defs": bundle()["$defs"] | derived(), "anyOf": [{"$ref": place} for place in PLACES.values()]}
    found, problems = lower(everything, file="bundle.json")

    assert problems == []
    return found


def test_plans_blame_as_the_oracle_does(plans):
    said = {str(case): check(plans, case.value, PLACES[case.type]) for case in CASES}

    assert told(said) == expected()


def test_printed_python_blames_as_the_oracle_does(plans, tmp_path, monkeypatch):
    package = tmp_path / "printed_for_the_protocol"
    package.mkdir()
    (package / "__init__.py").touch()
    for path, content in python_validators(plans, PLACES, HEADER).items():
        (package / path).write_bytes(content)
    monkeypatch.syspath_prepend(tmp_path)
    validators = importlib.import_module(f"{package.name}.validators").VALIDATORS

    assert told({str(case): validators[case.type](case.value) for case in CASES}) == expected()


def test_printed_typescript_blames_as_the_oracle_does(plans, tmp_path):
    for path, content in typescript_validators(plans, PLACES, HEADER).items():
        (tmp_path / path).write_bytes(content)
    batch = tmp_path / "batch.mjs"
    batch.write_text(BATCH)
    names = exported_names(PLACES)

    assert compiler(tmp_path / "validators.ts") == ""
    said = json.loads(node(batch, json.dumps([[str(case), names[case.type], case.value] for case in CASES])))
    assert {case: fault and (fault["pointer"], fault["rule"]) for case, fault in said.items()} == expected()


# Reads [case, function, value] and answers with the fault of each case.
BATCH = """
import { readFileSync } from "node:fs";
import * as validators from "./validators.js";
const given = JSON.parse(readFileSync(0, "utf8"));
const faults = given.map(([name, check, value]) => [name, validators[check](value) ?? null]);
process.stdout.write(JSON.stringify(Object.fromEntries(faults)));
"""


def expected():
    return {str(case): case.fault and tuple(case.fault) for case in CASES}


def told(faults):
    """Faults as pairs, whatever carries them."""
    pairs = {
        case: fault if isinstance(fault, tuple | None) else (fault.pointer, fault.rule)
        for case, fault in faults.items()
    }
    return {case: fault and tuple(fault) for case, fault in pairs.items()}
