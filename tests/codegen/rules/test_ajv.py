"""A third opinion: the verdicts of ajv are the interpreter's, but for defects of its own, each with its count."""

import json
import subprocess
from pathlib import Path

import pytest

from codegen.rules.gather import plans_of, trials
from codegen.rules.test_typescript import toolchain
from turnwire_codegen.interpret import check
from turnwire_codegen.rules import FORMATS

HERE = Path(__file__).parent
PACKAGE = HERE.parents[2] / "typescript"
# What ajv does otherwise, by the trial that shows it: how many values, and why.
DEFECTS = {
    "227-empty-string-key": (15, "a required member with an empty name is not missed"),
    "56-proto-key": (9, "a declared __proto__ is not checked"),
    "closed around conditions": (1, "an undeclared __proto__ counts as evaluated"),
    "presence decides": (2, "an undeclared __proto__ or constructor counts as evaluated"),
    "what every object inherits": (1, "a declared __proto__ counts as undeclared"),
    "multiples": (2, "a quotient that is infinite counts as no whole number"),
    "259-lone-reference-draft7": (6, "what stands beside a $ref is asked, which draft-07 says is to be ignored"),
    "draft-07 forms": (2, "what stands beside a $ref is asked, which draft-07 says is to be ignored"),
}


@pytest.fixture(scope="module")
def verdicts():
    """Trials with ajv's verdicts; formats are not asked, since ajv leaves them to a package of its own."""
    toolchain()
    asked = [trial for trial in trials() if not set(formats(trial.schema)) & FORMATS]
    given = [{"schema": trial.schema, "values": trial.values} for trial in asked]
    command = ["node", str(HERE / "ajv_verdicts.mjs")]
    done = subprocess.run(command, cwd=PACKAGE, input=json.dumps(given), capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    return list(zip(asked, json.loads(done.stdout), strict=True))


def formats(schema):
    """The formats that a schema asks for."""
    if isinstance(schema, dict):
        own = schema.get("format")
        return [*([own] if isinstance(own, str) else []), *(one for part in schema.values() for one in formats(part))]
    return [one for part in schema for one in formats(part)] if isinstance(schema, list) else []


def test_ajv_agrees_but_for_its_defects(verdicts):
    told = {}
    for trial, answer in verdicts:
        plans = plans_of(trial.schema)
        ours = [check(plans, value) is None for value in trial.values]
        assert isinstance(answer, list), f"{trial.name}: {answer}"
        differing = sum(mine is not other for mine, other in zip(ours, answer, strict=True))
        told.update({trial.name: differing} if differing else {})

    assert {name: count for name, (count, _) in DEFECTS.items()} == told


def test_ajv_is_asked_of_thousands(verdicts):
    assert sum(len(answer) for _, answer in verdicts) >= 6800
    assert sum(len(trial.mutants) for trial, _ in verdicts) >= 5000
