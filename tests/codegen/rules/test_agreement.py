"""Interpreter and jsonschema agree in verdict and pointer on every value, jsonschema-rs in the verdict."""

import json

import jsonschema_rs
import pytest
from jsonschema import Draft202012Validator

from codegen.rules.gather import CASES, UNSAYABLE, plans_of, trials
from codegen.rules.hard import HARD
from turnwire_codegen.interpret import Fault, check
from turnwire_codegen.oracle import Oracle


@pytest.mark.parametrize("trial", trials(), ids=lambda trial: trial.name)
def test_given_values_have_their_verdict(trial):
    plans = plans_of(trial.schema)

    assert [None] * len(trial.valid) == [check(plans, value) for value in trial.valid]
    assert not [value for value in trial.invalid if check(plans, value) is None]


@pytest.mark.parametrize("name", HARD)
def test_first_fault(name):
    plans = plans_of(HARD[name].schema)

    for value, pointer, rule in HARD[name].invalid:
        assert Fault(pointer, rule) == check(plans, value), value


@pytest.mark.parametrize("trial", trials(), ids=lambda trial: trial.name)
def test_pointer_is_that_of_the_oracle(trial):
    plans, oracle = plans_of(trial.schema), Oracle(trial.schema)

    for value in trial.values:
        fault = check(plans, value)
        assert oracle.judge(value) == (None if fault is None else fault.pointer), json.dumps(value)


@pytest.mark.parametrize("trial", trials(), ids=lambda trial: trial.name)
def test_second_opinion(trial):
    """Where jsonschema-rs is known to differ, in decimal multiples and the format of an URI, it is not asked."""
    others = {"uri": lambda _: True}
    plans = plans_of(trial.schema)
    second = jsonschema_rs.validator_for(trial.schema, validate_formats=True, formats=others)

    for value in [] if '"multipleOf": 0.' in json.dumps(trial.schema) else trial.values:
        assert second.is_valid(value) == (check(plans, value) is None), json.dumps(value)


def test_mutants_try_both_verdicts():
    """The agreement is worth something: thousands of values, many of each verdict, faults at many places."""
    verdicts = [check(plans_of(trial.schema), value) for trial in trials() for value in trial.mutants]
    faults = [verdict for verdict in verdicts if verdict is not None]

    assert len(verdicts) >= 5000
    assert len(faults) >= 4000
    assert len(verdicts) - len(faults) >= 900
    assert len({fault.pointer for fault in faults}) >= 100
    assert len({fault.rule for fault in faults}) >= 15


def test_uncured_oracle_would_be_caught():
    """With Python's own expressions jsonschema ends a text before its last line end; the oracle does not."""
    schema = HARD["keys, patterns and others"].schema

    assert Draft202012Validator(schema).is_valid({"t\n": True})
    assert Oracle(schema).judge({"t\n": True}) == "/t\n"


def test_every_case_is_told():
    for case in CASES.iterdir():
        lines = (case / "note.md").read_text(encoding="utf-8").splitlines()

        assert sorted(file.name for file in case.iterdir()) == ["instances.json", "note.md", "schema.json"]
        assert 2 <= len(lines) <= 5, case.name
    assert {case.name for case in CASES.iterdir()} >= UNSAYABLE
