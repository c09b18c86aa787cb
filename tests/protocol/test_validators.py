"""The validators that are shipped blame as jsonschema does: verdict, pointer and rule, case by case.

Nothing is shared between the two: the cases were judged by the oracle, which knows neither plans nor printed code.
"""

import json

import pytest

from protocol.cases import collect
from protocol.families import PROTOCOL, bundle
from protocol.node import TYPESCRIPT, compiler, node
from turnwire.generated.validators import VALIDATORS
from turnwire_codegen.interpret import check
from turnwire_codegen.lower import lower

CASES, _ = collect(PROTOCOL)
EXPECTED = {str(case): case.fault and tuple(case.fault) for case in CASES}
# Reads [case, function, value] and answers with the fault of each case.
BATCH = """
import { readFileSync } from "node:fs";
import * as validators from "./validators.js";
const given = JSON.parse(readFileSync(0, "utf8"));
const faults = given.map(([name, check, value]) => [name, validators[check](value) ?? null]);
process.stdout.write(JSON.stringify(Object.fromEntries(faults)));
"""


def test_plans_of_the_bundle():
    places = {case.type: f"#/$defs/{case.type}" for case in CASES}
    plans, problems = lower(bundle(), file="bundle.json", roots=places.values())
    said = {str(case): check(plans, case.value, places[case.type]) for case in CASES}

    assert problems == []
    assert {case: fault and (fault.pointer, fault.rule) for case, fault in said.items()} == EXPECTED


@pytest.mark.parametrize("case", CASES, ids=str)
def test_python(case):
    fault = VALIDATORS[case.type](case.value)

    assert (fault and tuple(fault)) == EXPECTED[str(case)]


def test_typescript(tmp_path):
    batch = tmp_path / "batch.mjs"
    batch.write_text(BATCH)
    for name in ("validators.ts", "checking.ts"):
        (tmp_path / name).write_text((TYPESCRIPT / "src" / "generated" / name).read_text(encoding="utf-8"))
    given = [[str(case), f"check{case.type}", case.value] for case in CASES]

    assert compiler(tmp_path / "validators.ts") == ""
    said = json.loads(node(batch, json.dumps(given)))
    assert {case: fault and (fault["pointer"], fault["rule"]) for case, fault in said.items()} == EXPECTED
