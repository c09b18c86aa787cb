"""A schema that is none ends as a line for each fault, wherever the fault stands; nothing raises."""

import copy
import json

import pytest

from codegen.workshop import generate
from turnwire_codegen.load.foreign.front import load_foreign

TEXT = {"type": "string", "minLength": 1, "maxLength": 2, "pattern": "^a", "format": "date"}
ARM = {"type": "object", "properties": {"k": {"const": "x"}}, "required": ["k"]}
# Every keyword that a loader reads, so that each can be made wrong.
WHOLE = {
    "title": "Whole",
    "type": "object",
    "required": ["a"],
    "properties": {
        "a": TEXT,
        "b": {"type": "array", "items": TEXT, "minItems": 1, "uniqueItems": True, "contains": TEXT},
        "c": {"type": ["integer", "null"], "minimum": 1, "exclusiveMaximum": 9, "multipleOf": 2, "default": 1},
        "d": {"oneOf": [ARM, {**ARM, "properties": {"k": {"enum": ["y"]}}}], "discriminator": {"propertyName": "k"}},
        "e": {"$ref": "#/$defs/D"},
        "f": {"prefixItems": [TEXT, TEXT], "items": False, "minItems": 2},
        "g": {"anyOf": [TEXT, {"type": "null"}]},
        "h": {"allOf": [{"$ref": "#/$defs/D"}, {"required": ["z"]}]},
        "i": {"not": TEXT, "if": TEXT, "then": TEXT, "else": TEXT},
    },
    "additionalProperties": TEXT,
    "patternProperties": {"^x": TEXT},
    "propertyNames": TEXT,
    "dependentRequired": {"a": ["b"]},
    "dependentSchemas": {"a": {"required": ["b"]}},
    "$defs": {"D": {"type": "object", "properties": {"z": TEXT}, "description": "D.", "deprecated": True}},
}
WRONG = [None, True, 1.5, "x", [], [1], {}, {"$ref": 5}, {"a": 1}]


def places(value, steps=()):
    yield steps
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, member in inner:
        yield from places(member, (*steps, step))


def changed(steps, value):
    document = copy.deepcopy(WHOLE)
    node = document
    for step in steps[:-1]:
        node = node[step]
    node[steps[-1]] = value
    return document


@pytest.mark.parametrize("wrong", WRONG, ids=json.dumps)
def test_whatever_is_wrong_is_told_or_borne(tmp_path, wrong):
    path = tmp_path / "s.json"
    for steps in places(WHOLE):
        if steps:
            path.write_text(json.dumps(changed(steps, wrong)))
            loaded, _, problems = load_foreign(path)
            assert (loaded is None) == bool(problems), steps


ROWS = [
    (("title",), [], "#/title: `title` is not a string"),
    (("$defs",), [], "#/$defs: `$defs` is not an object"),
    (("type",), {}, "#/type: `type` is not a name or an array of names"),
    (("required",), "a", "#/required: `required` is not an array of names"),
    (("properties", "c", "type", 0), 1, "#/properties/c/type: `type` is not a name or an array of names"),
    (("properties", "d", "oneOf"), {}, "#/properties/d/oneOf: `oneOf` is not an array"),
    (("properties", "f", "prefixItems"), True, "#/properties/f/prefixItems: `prefixItems` is not an array"),
    (("$defs", "D", "properties"), None, "#/$defs/D/properties: `properties` is not an object"),
]


@pytest.mark.parametrize(("steps", "wrong", "message"), ROWS, ids=["/".join(map(str, row[0])) for row in ROWS])
def test_a_fault_has_its_pointer(tmp_path, steps, wrong, message):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(changed(steps, wrong)))

    assert (2, "", f"turnwire: {path}:{message}; mend the schema\n") == generate(
        "generate-ts", "--out", tmp_path / "out", "--schema", path
    )


def test_every_fault_is_told(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"$defs": {"a": {"type": 1, "required": 2}, "b": {"anyOf": 3}, "c": {"type": "null"}}}))
    _, _, problems = load_foreign(path)

    assert ["#/$defs/a/required", "#/$defs/a/type", "#/$defs/b/anyOf"] == [problem.where for problem in problems]


def test_what_nothing_reaches_may_be_anything(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"$defs": {"a": {"const": {"type": 1}, "x-note": {"anyOf": 3}}}}))

    assert load_foreign(path)[0] is not None
