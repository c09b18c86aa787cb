"""From schemas to plans: what each form becomes, what has no form and where that is told, what references mean."""

import pytest

from codegen.rules.gather import plans_of
from turnwire_codegen import rules
from turnwire_codegen.interpret import Fault, check
from turnwire_codegen.lower import lower, lower_each
from turnwire_codegen.rules import Call, Plan

TEXT = {"type": "string"}
DRAFT_07 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"

# A schema, the pointer of its problem, and a part of what is said.
REFUSED = [
    ({"$ref": "#/$defs/Gone"}, "#/$ref", "'#/$defs/Gone' leads nowhere"),
    ({"$ref": "other.json"}, "#/$ref", "leads nowhere"),
    ({"$ref": "#nowhere"}, "#/$ref", "leads nowhere"),
    ({"items": {"allOf": [{"$ref": "#/items"}]}}, "#/items", "a part of itself"),
    ({"$ref": "#"}, "#", "a part of itself"),
    ({"anyOf": [TEXT, {"$ref": "#"}]}, "#", "asks itself about the same value"),
    ({"$defs": {"A": {"not": {"$ref": "#/$defs/A"}}}, "$ref": "#/$defs/A"}, "#/$defs/A", "asks itself"),
    ({"if": {"$ref": "#"}, "then": TEXT}, "#", "asks itself"),
    ({"contains": TEXT, "unevaluatedItems": False}, "#/unevaluatedItems", "beside contains"),
    ({"allOf": [{"contains": TEXT}], "unevaluatedItems": TEXT}, "#/unevaluatedItems", "beside contains"),
    (
        {"properties": {"a/b": {"pattern": r"\bx"}}},
        "#/properties/a~1b/pattern",
        r"not portable: the escape \b at position 0",
    ),
    ({"patternProperties": {"(?<n>x)": TEXT}}, "#/patternProperties/(?<n>x)", "not portable: a group of the kind (?<"),
    ({"type": "text"}, "#/type", "no JSON type is called 'text'"),
    ({"type": 5}, "#/type", "no list of strings"),
    ({"enum": "a"}, "#/enum", "no list"),
    ({"required": "a"}, "#/required", "no list of strings"),
    ({"required": ["a", 1]}, "#/required", "no list of strings"),
    ({"properties": [TEXT]}, "#/properties", "no object"),
    ({"properties": {"a": 5}}, "#/properties/a", "no schema"),
    ({"allOf": TEXT}, "#/allOf", "no list of schemas"),
    ({"anyOf": []}, "#/anyOf", "no list of schemas"),
    ({"not": None}, "#/not", "no schema"),
    ({"items": "x"}, "#/items", "no schema"),
    ({"minimum": "1"}, "#/minimum", "no number"),
    ({"maximum": True}, "#/maximum", "no number"),
    ({"minLength": -1}, "#/minLength", "no count"),
    ({"maxItems": 1.5}, "#/maxItems", "no count"),
    ({"multipleOf": 0}, "#/multipleOf", "not above 0"),
    ({"pattern": 5}, "#/pattern", "no string"),
    ({"$ref": 5}, "#/$ref", "no string"),
    ({"dependentRequired": {"a": "b"}}, "#/dependentRequired/a", "no list of strings"),
    ({"dependentSchemas": []}, "#/dependentSchemas", "no object"),
    ({"$schema": 5}, "#/$schema", "no string"),
    ({"$schema": "http://json-schema.org/draft-04/schema#"}, "#/$schema", "is not read"),
    ([], "#", "no schema"),
    (
        {"$id": "a.json", "$dynamicRef": "#n", "$defs": {"N": {"$dynamicAnchor": "n"}, "B": {"$id": "b.json"}}},
        "#/$dynamicRef",
        "several resources",
    ),
]
# A schema and the rules of its root.
FORMS = [
    (True, ()),
    (False, (rules.Type(()),)),
    ({"title": "x", "default": 1, "x-own": {"type": "string"}}, ()),
    ({"minLength": 2.0}, (rules.Length(min=2),)),
    ({"additionalProperties": True}, ()),
    ({"items": {}}, ()),
    ({"format": "email"}, ()),
    ({"format": "date-time"}, (rules.Format("date-time"),)),
    ({"uniqueItems": False}, ()),
    ({"contains": TEXT, "minContains": 0}, ()),
    ({"if": TEXT}, ()),
    ({"const": None}, (rules.Const((None,)),)),
    ({"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]}, (rules.Const(("a", "b")),)),
    ({"anyOf": [{"const": "a"}, TEXT]}, (rules.Type(("string",)),)),
    (
        {"unevaluatedProperties": False, "additionalProperties": TEXT},
        (rules.Members(extra=Plan((rules.Type(("string",)),))),),
    ),
    ({"items": {"$ref": "#"}}, (rules.Items(rest=(Call("#"),)),)),
    ({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": TEXT}}, (rules.Type(("string",)),)),
    (
        {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"$ref": "#/$defs/B"}, "B": TEXT}},
        (rules.Fields((("a", Call("#/$defs/B")),)),),
    ),
]
# A schema, a value that is valid and one that is not.
REFERENCES = [
    ({"$ref": "#/x-own/A", "x-own": {"A": TEXT}}, "a", 1),
    ({"$ref": "#/$defs/L/1", "$defs": {"L": [{}, TEXT]}}, "a", 1),
    ({"$ref": "#a", "$defs": {"A": {"$anchor": "a", **TEXT}}}, "a", 1),
    ({"$ref": "#/$defs/a%20b~1c", "$defs": {"a b/c": TEXT}}, "a", 1),
    (
        {
            "$id": "http://x.test/r.json",
            "$ref": "s.json#/$defs/A",
            "$defs": {"S": {"$id": "s.json", "$defs": {"A": TEXT}}},
        },
        "a",
        1,
    ),
    ({"$id": "urn:a:b", "$ref": "urn:a:b#/$defs/A", "$defs": {"A": TEXT}}, "a", 1),
    ({"$dynamicRef": "#n", "$defs": {"N": {"$dynamicAnchor": "n", **TEXT}}}, "a", 1),
    ({"$schema": DRAFT_07, "$ref": "#/definitions/A", "maxLength": 1, "definitions": {"A": TEXT}}, "ab", 1),
    ({"$schema": DRAFT_2019, "properties": {"a": {"$recursiveRef": "#"}}, "type": "object"}, {"a": {}}, {"a": 1}),
    # A keyword of another dialect says nothing.
    ({"$schema": DRAFT_07, "dependentRequired": {"a": ["b"]}, "type": "object"}, {"a": 1}, 1),
    ({"dependencies": {"a": ["b"]}, "type": "object"}, {"a": 1}, 1),
    # An older list under `items` has but one meaning.
    ({"items": [TEXT], "additionalItems": False}, ["a"], ["a", "b"]),
    # Data is no schema, whatever it looks like.
    ({"const": {"$ref": "#/nowhere"}}, {"$ref": "#/nowhere"}, 1),
]


@pytest.mark.parametrize(("schema", "pointer", "what"), REFUSED)
def test_refused(schema, pointer, what):
    plans, problems = lower(schema, file="s.json")

    assert plans is None
    assert [("s.json", pointer)] == [(problem.file, problem.where) for problem in problems]
    assert what in problems[0].what


@pytest.mark.parametrize(("schema", "expected"), FORMS)
def test_form(schema, expected):
    assert expected == plans_of(schema).named["#"].rules


@pytest.mark.parametrize(("schema", "valid", "invalid"), REFERENCES)
def test_reference(schema, valid, invalid):
    plans = plans_of(schema)

    assert check(plans, valid) is None
    assert check(plans, invalid) is not None


def test_all_problems_of_one_run():
    schema = {"properties": {"a": {"$ref": "#/no"}, "b": {"type": "text"}, "c": {"pattern": "["}}}

    assert ["#/properties/a/$ref", "#/properties/b/type", "#/properties/c/pattern"] == sorted(
        problem.where for problem in lower(schema, file="s.json")[1]
    )


def test_unreached_fault_stops_nothing():
    schema = {"type": "string", "$defs": {"Broken": {"$ref": "#/$defs/Gone", "pattern": "("}}}

    assert lower(schema, file="s.json")[1] == []
    assert lower(schema, file="s.json", roots=["#/$defs/Broken"])[0] is None


def test_roots_that_reach_a_fault_stop_no_others():
    schema = {
        "$defs": {
            "Good": {"items": {"$ref": "#/$defs/Shared"}},
            "Shared": TEXT,
            "User": {"properties": {"a": {"$ref": "#/$defs/Broken"}, "b": {"$ref": "#/$defs/Shared"}}},
            "Broken": {"pattern": "["},
            "Circle": {"not": {"$ref": "#/$defs/Circle"}},
            "Around": {"items": {"$ref": "#/$defs/Circle"}},
        },
    }
    roots = {f"#/$defs/{name}" for name in ("Good", "User", "Circle", "Around", "Nowhere")}
    lowered = lower_each(schema, file="s.json", roots=sorted(roots))

    assert ["#/$defs/Good", "#/$defs/Shared"] == list(lowered.plans.named)
    assert roots - {"#/$defs/Good"} == lowered.faulty
    assert {"#/$defs/Broken/pattern", "#/$defs/Circle", "#/$defs/Nowhere"} == {
        problem.where for problem in lowered.problems
    }


def test_root_that_is_not_there():
    (problem,) = lower({}, file="s.json", roots=["#/$defs/X"])[1]

    assert ("#/$defs/X", "no schema stands here") == (problem.where, problem.what)


def test_only_what_is_reached_is_named():
    schema = {"$defs": {"A": {"items": {"$ref": "#/$defs/B"}}, "B": TEXT, "C": TEXT}}
    plans, _ = lower(schema, file="s.json", roots=["#/$defs/A"])

    assert plans is not None
    assert ["#/$defs/A", "#/$defs/B"] == list(plans.named)
    assert Fault("/0", "type") == check(plans, [1], "#/$defs/A")


def test_warnings_stop_nothing():
    plans, problems = lower({"pattern": "(a+)+$", "$schema": "https://own.test/dialect"}, file="s.json")

    assert plans is not None
    assert [("warning", "#/$schema"), ("warning", "#/pattern")] == [(found.severity, found.where) for found in problems]


def test_too_deep():
    schema = TEXT
    for _ in range(600):
        schema = {"items": schema}
    plans, problems = lower(schema, file="s.json")

    assert plans is None
    assert ["nested too deeply to be a schema"] == [problem.what for problem in problems]
