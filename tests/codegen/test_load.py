"""The loader refuses everything outside the narrow form, each fault with file, pointer and cure, all at once."""

import copy

import pytest

from codegen.workshop import ENVELOPE, METHOD, arm, family, problems_of, record, write_protocol
from turnwire_codegen.load.read import read_json
from turnwire_codegen.problems import Problem

# name, definitions, file, pointer, a part of the message
OUTSIDE = [
    ("anonymous object", {"X": record(a={"type": "object"})}, "#/$defs/X/properties/a", "anonymous object"),
    (
        "inline record",
        {"X": record(a={"type": "object", "properties": {}})},
        "#/$defs/X/properties/a/properties",
        "narrow form",
    ),
    ("no description", {"X": {"type": "object"}}, "#/$defs/X", "'description' is missing"),
    ("small name", {"x": record()}, "#/$defs/x", "PascalCase"),
    ("snake member", {"X": record(a_b={"type": "string"})}, "#/$defs/X/properties/a_b", "camelCase"),
    (
        "closed object",
        {"X": {**record(), "additionalProperties": False}},
        "#/$defs/X/additionalProperties",
        "object is expected",
    ),
    (
        "closed record",
        {"X": {**record(a={"type": "string"}), "minProperties": 1}},
        "#/$defs/X/minProperties",
        "narrow form",
    ),
    ("undeclared required", {"X": record("b", a={"type": "string"})}, "#/$defs/X/required/0", "not declared"),
    ("dangling", {"X": record(a={"$ref": "#/$defs/Nowhere"})}, "#/$defs/X/properties/a/$ref", "defines no Nowhere"),
    ("dangling family", {"X": record(a={"$ref": "no.json#/$defs/Y"})}, "#/$defs/X/properties/a/$ref", "no family file"),
    (
        "wrong family",
        {"X": record(a={"$ref": "#/$defs/RequestId"})},
        "#/$defs/X/properties/a/$ref",
        "defines no RequestId",
    ),
    ("foreign reference", {"X": record(a={"$ref": "https://a.b/c"})}, "#/$defs/X/properties/a/$ref", "outside"),
    (
        "reference with sibling",
        {"X": record(a={"$ref": "#/$defs/DoResult", "maxLength": 3})},
        "#/$defs/X/properties/a/maxLength",
        "narrow form",
    ),
    ("no type", {"X": record(a={})}, "#/$defs/X/properties/a", "no type"),
    ("two types", {"X": record(a={"type": ["string", "null"]})}, "#/$defs/X/properties/a", "no type"),
    ("allOf", {"X": {"description": "It.", "allOf": []}}, "#/$defs/X", "no type"),
    ("if", {"X": {**record(), "if": {}}}, "#/$defs/X/if", "narrow form"),
    (
        "anyOf of two",
        {"X": record(a={"anyOf": [{"type": "string"}, {"type": "integer"}]})},
        "#/$defs/X/properties/a/anyOf",
        "nullable",
    ),
    (
        "nullable without meaning",
        {"X": record(a={"anyOf": [{"type": "string"}, {"type": "null"}]})},
        "#/$defs/X/properties/a",
        "what null means",
    ),
    ("array without items", {"X": record(a={"type": "array"})}, "#/$defs/X/properties/a", "without items"),
    ("opaque string", {"X": record(a={"type": "string", "x-opaque": True})}, "#/$defs/X/properties/a/type", "scalar"),
    ("const object", {"X": record(a={"const": {}})}, "#/$defs/X/properties/a/const", "no scalar"),
    ("unknown keyword", {"X": {**record(), "x-nonsense": 1}}, "#/$defs/X/x-nonsense", "narrow form"),
    (
        "value twice",
        {"X": {"description": "It.", "oneOf": [{"const": "a", "description": "A."}] * 2}},
        "#/$defs/X/oneOf/1",
        "twice",
    ),
    (
        "value without description",
        {"X": {"description": "It.", "oneOf": [{"const": "a"}]}},
        "#/$defs/X/oneOf/0",
        "'description' is missing",
    ),
    (
        "no tag",
        {"X": {"description": "It.", "oneOf": [{"$ref": "#/$defs/DoParams"}, {"$ref": "#/$defs/DoResult"}]}},
        "#/$defs/X",
        "no required const",
    ),
    (
        "same tag",
        {"A": arm("a"), "X": {"description": "It.", "oneOf": [{"$ref": "#/$defs/A"}] * 2}},
        "#/$defs/X",
        "no required const",
    ),
    (
        "text for a number",
        {"X": record(a={"type": "string", "minLength": "1"})},
        "#/$defs/X/properties/a/minLength",
        "integer is expected",
    ),
    ("list for an object", {"X": []}, "#/$defs/X", "object is expected"),
]


@pytest.mark.parametrize(("defs", "pointer", "message"), [row[1:] for row in OUTSIDE], ids=[row[0] for row in OUTSIDE])
def test_outside_the_narrow_form(tmp_path, defs, pointer, message):
    found = problems_of(write_protocol(tmp_path / "p", defs))

    assert ("things.json", pointer) in [(problem.file, problem.where) for problem in found]
    assert any(message in problem.what and problem.fix for problem in found if problem.where == pointer)


ROW = {**METHOD, "name": "thing/other"}
TABLES = [
    ("method twice", {"methods": {"methods": [METHOD, METHOD]}}, "methods.json", "#/methods/1"),
    (
        "no such sender",
        {"methods": {"methods": [{**METHOD, "sender": "nobody"}]}},
        "methods.json",
        "#/methods/0/sender",
    ),
    ("no such kind", {"methods": {"methods": [{**METHOD, "kind": "call"}]}}, "methods.json", "#/methods/0/kind"),
    (
        "no such params",
        {"methods": {"methods": [{**METHOD, "params": "Nowhere"}]}},
        "methods.json",
        "#/methods/0/params",
    ),
    (
        "no such error",
        {"methods": {"methods": [{**METHOD, "errors": ["oops"]}]}},
        "methods.json",
        "#/methods/0/errors/0",
    ),
    ("no such event", {"methods": {"methods": [{**METHOD, "emits": ["x/y"]}]}}, "methods.json", "#/methods/0/emits/0"),
    (
        "request without result",
        {"methods": {"methods": [{k: v for k, v in METHOD.items() if k != "result"}]}},
        "methods.json",
        "#/methods/0",
    ),
    ("unknown member", {"methods": {"methods": [{**METHOD, "speed": 1}]}}, "methods.json", "#/methods/0/speed"),
    (
        "types of one name",
        {"methods": {"methods": [METHOD, {**ROW, "name": "Thing/do"}]}},
        "methods.json",
        "#/methods/1/name",
    ),
    (
        "error without code",
        {"errors": {"errors": [{"name": "a", "when": "b", "clause": "E-1"}]}},
        "errors.json",
        "#/errors/0",
    ),
    (
        "no such data",
        {
            "errors": {
                "errors": [{"code": -1, "name": "a", "when": "b", "clause": "E-1", "retryable": False, "data": "No"}]
            }
        },
        "errors.json",
        "#/errors/0/data",
    ),
    (
        "no such state",
        {"states": {"machines": {"m": {"initial": "a", "terminal": [], "transitions": {"a": {"e": "b"}}}}}},
        "states.json",
        "#/machines/m/transitions/a/e",
    ),
    (
        "no such initial",
        {"states": {"machines": {"m": {"initial": "z", "terminal": [], "transitions": {"a": {}}}}}},
        "states.json",
        "#/machines/m/initial",
    ),
    (
        "no such terminal",
        {"states": {"machines": {"m": {"initial": "a", "terminal": ["z"], "transitions": {"a": {}}}}}},
        "states.json",
        "#/machines/m/terminal/0",
    ),
    (
        "no such offer",
        {"capabilities": {"server": [{"key": "k", "promise": "p", "methods": ["x/y"], "members": []}], "client": []}},
        "capabilities.json",
        "#/server/0/methods/0",
    ),
    ("missing table", {"errors": None}, "errors.json", "#"),
    ("not JSON", {"errors": '{"errors": [,]}'}, "errors.json", "1:13"),
    ("duplicate member", {"errors": '{"errors": [], "errors": []}'}, "errors.json", "#"),
    ("not a number", {"errors": '{"errors": NaN}'}, "errors.json", "#"),
    ("one name in two families", {"more": family({"DoParams": record()})}, "things.json", "#/$defs/DoParams"),
    ("no envelope", {"envelope": family({"RequestId": ENVELOPE["RequestId"]})}, "envelope.json", "#/$defs"),
    (
        "another dialect",
        {"more": {**family({"More": record()}), "$schema": "http://json-schema.org/draft-07/schema#"}},
        "more.json",
        "#",
    ),
]


@pytest.mark.parametrize(("files", "file", "where"), [row[1:] for row in TABLES], ids=[row[0] for row in TABLES])
def test_faulty_files(tmp_path, files, file, where):
    found = problems_of(write_protocol(tmp_path / "p", {}, **files))

    assert (file, where) in [(problem.file, problem.where) for problem in found]


def test_all_faults_of_one_run(tmp_path):
    defs = {"X": record(a={}), "Y": record(b={})}
    found = problems_of(write_protocol(tmp_path / "p", defs, methods={"methods": [{**METHOD, "params": "Nowhere"}]}))

    assert 3 == len(found)


def test_a_good_protocol_has_no_faults(tmp_path):
    assert [] == problems_of(write_protocol(tmp_path / "p", {}))


def test_the_text_of_a_fault(tmp_path):
    found: list[Problem] = []
    path = tmp_path / "x.json"
    path.write_text('{\n  "a": 1,\n}')
    read_json(path, found)

    assert 1 == len(found)
    assert str(found[0]).startswith(f"{path}:3:1: not JSON: ") or str(found[0]).startswith(f"{path}:2:9: not JSON: ")


def test_reading_changes_nothing(tmp_path):
    defs = {"X": record(a={"type": "string"})}
    before = copy.deepcopy(defs)
    problems_of(write_protocol(tmp_path / "p", defs))

    assert before == defs
