"""The program that every printer prints: conditions fold, and no word of its vocabulary is without a trial."""

from typing import get_args

import msgspec
import pytest

from codegen.rules.gather import plans_of, trials
from codegen.rules.test_typescript import NARROW
from turnwire_codegen.program import act, ask, flat, table, tabled

A, B = ask.Has("value", "a"), ask.Has("value", "b")
SHORT, LONG = ask.Compare("value", "code points", "<", 3), ask.Compare("value", "code points", ">=", 3)
ASKS = ask.Fits("value", table.Named("#"))
FOLDED = [
    (ask.all_of(), ask.ALWAYS),
    (ask.all_of(A, ask.ALWAYS), A),
    (ask.all_of(A, ask.NEVER), ask.NEVER),
    (ask.all_of(A, ask.all_of(B, SHORT)), ask.All((A, B, SHORT))),
    (ask.any_of(), ask.NEVER),
    (ask.any_of(A, ask.NEVER), A),
    (ask.any_of(A, ask.ALWAYS), ask.ALWAYS),
    (ask.any_of(ask.any_of(A, B), SHORT), ask.Any((A, B, SHORT))),
    (ask.negated(ask.ALWAYS), ask.NEVER),
    (ask.negated(ask.NEVER), ask.ALWAYS),
    (ask.negated(A), ask.Not(A)),
    (ask.negated(ask.Not(A)), A),
    (ask.negated(SHORT), LONG),
    (ask.negated(LONG), SHORT),
    (ask.negated(ask.All((A, ask.Any((B, SHORT))))), ask.Any((ask.Not(A), ask.All((ask.Not(B), LONG))))),
    (ask.exactly_one(), ask.NEVER),
    (ask.exactly_one(A, ask.NEVER), A),
    (ask.exactly_one(A, B), ask.ExactlyOne((A, B))),
    (ask.exactly_one(ask.ALWAYS, A, B), ask.All((ask.Not(A), ask.Not(B)))),
    (ask.exactly_one(ask.ALWAYS, A, ask.ALWAYS), ask.NEVER),
    (ask.is_kind("value", "string", frozenset({"string", "null"})), ask.IsKind("value", "string")),
    (ask.is_kind("value", "string", frozenset({"string"})), ask.ALWAYS),
    (ask.is_kind("value", "string", frozenset({"null"})), ask.NEVER),
    (ask.is_kind("value", "number", frozenset({"integer"})), ask.ALWAYS),
    (ask.is_kind("value", "integer", frozenset({"integer", "number"})), ask.IsKind("value", "integer")),
]
VOCABULARY = {
    *get_args(ask.Condition),
    *get_args(act.Place),
    *get_args(act.Statement),
    *get_args(act.Step),
    *get_args(table.Check),
}


@pytest.mark.parametrize(("made", "expected"), FOLDED)
def test_conditions_fold(made, expected):
    assert expected == made


@pytest.mark.parametrize(("condition", "expected"), [(A, False), (ASKS, True), (ask.Any((A, ask.Not(ASKS))), True)])
def test_what_asks_a_function_is_known(condition, expected):
    assert expected is ask.calls(condition)


def test_a_nullable_type_asks_for_null_first():
    schema = {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "$defs": {"A": {"type": "object", "required": ["a"]}}}
    own = [function.body for function in flat(plans_of(schema), ["#"]) if function.plan == "#"]

    null, record = ask.IsKind("value", "null"), ask.All((ask.IsKind("value", "object"), A))
    assert [(act.When(ask.negated(ask.any_of(record, null)), (act.Fail(act.OWN, "choice"),)),)] == own


def test_nothing_stands_behind_a_fault():
    assert (act.Mark("m"), act.Next()) == act.block(act.Mark("m"), act.Next(), act.Mark("m"))
    assert (act.Fail(act.OWN, "type"),) == act.block(act.Fail(act.OWN, "type"), act.Next())


def test_every_word_is_tried():
    schemas = [*(trial.schema for trial in trials()), *(schema for schema, _ in NARROW)]
    programs = [form(plans_of(schema), ["#"]) for schema in schemas for form in (flat, tabled)]

    assert set() == VOCABULARY - words(programs)


def test_the_flat_form_holds_no_data():
    found = words([flat(plans_of(trial.schema), ["#"]) for trial in trials()])

    assert {table.Named} == found & set(get_args(table.Check))
    assert act.First not in found


def words(part):
    """The words of the vocabulary that stand in a program."""
    if isinstance(part, tuple | list):
        return {word for inner in part for word in words(inner)}
    if not isinstance(part, msgspec.Struct):
        return set()
    return {type(part)} | {word for name in part.__struct_fields__ for word in words(getattr(part, name))}
