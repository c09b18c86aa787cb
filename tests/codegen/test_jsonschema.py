"""The bundle: any validator judges rightly by it, and its canonical form is RFC 8785."""

import json

import pytest
import rfc8785
from jsonschema import Draft202012Validator

from codegen.workshop import METHOD, arm, protocol_of, record, schema_of, write_protocol
from turnwire_codegen.emit.jsonschema import bundle
from turnwire_codegen.emit.jsonschema.canonical import canonical_json, digest
from turnwire_codegen.emit.jsonschema.package import emit_jsonschema

DEFS = {
    "A": arm("a", "n", n={"type": "integer", "minimum": 1}),
    "B": arm("b"),
    "Open": {"description": "One.", "oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}], "x-open": True},
    "Closed": {"description": "One.", "oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]},
    "Word": {"description": "A word.", "oneOf": [{"const": "x", "description": "X."}], "x-open": True},
    "Fixed": {"description": "A word.", "oneOf": [{"const": "x", "description": "X."}]},
    "Holder": record(
        "opaque",
        opaque={"x-opaque": True},
        bag={"type": "object", "x-opaque": True, "maxProperties": 1},
        map={"type": "object", "additionalProperties": {"type": "integer"}},
        null={"anyOf": [{"type": "string"}, {"type": "null"}], "x-null": "clears"},
        list={"type": "array", "items": {"type": "number", "multipleOf": 2}, "minItems": 1, "uniqueItems": True},
        text={"type": "string", "minLength": 2, "pattern": "^a"},
        yes={"const": True},
    ),
}
JUDGED = [
    ("Open", {"type": "a", "n": 1}, True),
    ("Open", {"type": "a", "n": 0}, False),
    ("Open", {"type": "new", "n": 0}, True),
    ("Open", {"n": 1}, False),
    ("Open", {"type": 7}, False),
    ("Closed", {"type": "b"}, True),
    ("Closed", {"type": "new"}, False),
    ("Word", "y", True),
    ("Word", "x", True),
    ("Word", 1, False),
    ("Fixed", "y", False),
    ("Holder", {"opaque": None}, True),
    ("Holder", {}, False),
    ("Holder", {"opaque": 1, "unheard": 1}, True),
    ("Holder", {"opaque": 1, "bag": {"a": 1, "b": 2}}, False),
    ("Holder", {"opaque": 1, "bag": []}, False),
    ("Holder", {"opaque": 1, "map": {"a": 1}}, True),
    ("Holder", {"opaque": 1, "map": {"a": "1"}}, False),
    ("Holder", {"opaque": 1, "null": None}, True),
    ("Holder", {"opaque": 1, "null": 1}, False),
    ("Holder", {"opaque": 1, "list": []}, False),
    ("Holder", {"opaque": 1, "list": [2, 2]}, False),
    ("Holder", {"opaque": 1, "list": [3]}, False),
    ("Holder", {"opaque": 1, "text": "ab"}, True),
    ("Holder", {"opaque": 1, "text": "ba"}, False),
    ("Holder", {"opaque": 1, "yes": False}, False),
    ("ThingDoRequest", {"jsonrpc": "2.0", "id": 1, "method": "thing/do", "params": {"id": "x"}}, True),
    ("ThingDoRequest", {"jsonrpc": "2.0", "id": 1, "method": "thing/do"}, False),
    ("ClientToServer", {"jsonrpc": "2.0", "id": "1", "method": "thing/do", "params": {"id": "x"}}, True),
    ("ClientToServer", {"id": "1", "result": None}, True),
    ("ClientToServer", {"jsonrpc": "2.0", "id": 1, "method": "thing/undone", "params": {}}, False),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_protocol(tmp_path_factory.mktemp("judged") / "p", DEFS)


@pytest.mark.parametrize(("name", "value", "expected"), JUDGED)
def test_judgement(folder, name, value, expected):
    schema = {**schema_of(folder), "$ref": f"#/$defs/{name}"}
    del schema["anyOf"]

    assert expected == Draft202012Validator(schema).is_valid(value)


def test_the_root_judges_a_line(folder):
    validator = Draft202012Validator(schema_of(folder))

    assert validator.is_valid({"jsonrpc": "2.0", "id": 1, "method": "thing/do", "params": {"id": "x"}})
    assert not validator.is_valid({"jsonrpc": "2.0", "id": 1, "method": "thing/do", "params": {"id": 7}})


def test_it_is_a_schema_with_its_tables(folder):
    schema = schema_of(folder)
    Draft202012Validator.check_schema(schema)

    assert sorted(schema["$defs"]) == list(schema["$defs"])
    assert "https://example.org/1/bundle.json" == schema["$id"]
    assert [METHOD["name"]] == [row["name"] for row in schema["x-methods"]]
    assert {"x-errors", "x-states", "x-capabilities", "x-version"} <= set(schema)


def test_canonical_form(folder):
    made = bundle(protocol_of(folder))

    assert rfc8785.dumps(json.loads(made.text)) == made.canonical
    assert digest(made.canonical) == made.digest


@pytest.mark.parametrize(
    "value",
    [{"b": 1, "a": [True, None, -5]}, {"\U0001f600": 1, "\ufb33": 2}, {"x": '\u001f"\\/\u007f\u20ac\b\n'}, "", {}],
)
def test_canonical_json_is_rfc_8785(value):
    assert rfc8785.dumps(value) == canonical_json(value)


def test_a_fraction_has_no_canonical_form():
    with pytest.raises(TypeError, match="fraction"):
        canonical_json({"minimum": 0.5})


def test_each_type_and_method_stands_alone(folder):
    protocol = protocol_of(folder)
    output = emit_jsonschema(protocol, protocol, protocol)
    types = {path for path in output if path.startswith("types/")}

    assert {f"types/{name}.json" for name in schema_of(folder)["$defs"]} == types
    for path, data in output.items():
        Draft202012Validator.check_schema(json.loads(data))
        assert path
    method = Draft202012Validator(json.loads(output["methods/thing/do.json"]))
    assert method.is_valid({"params": {"id": "x"}, "result": {}})
    assert not method.is_valid({"params": {}, "result": {}})
    alone = Draft202012Validator(json.loads(output["types/Open.json"]))
    assert not alone.is_valid({"type": "a", "n": 0})
