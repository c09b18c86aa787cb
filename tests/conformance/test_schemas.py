"""The oracle agrees with ECMA 262 on patterns and names the place of every fault."""

import pytest

from turnwire.schemas import Fault, InvalidSchema, Schemas, check_schema, faults

CIRCLE = {"type": "object", "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind"]}
SQUARE = {"type": "object", "properties": {"kind": {"const": "square"}, "a": {"type": "number"}}, "required": ["kind"]}
UNKNOWN = {
    "type": "object",
    "properties": {"kind": {"type": "string", "not": {"enum": ["circle", "square"]}}},
    "required": ["kind"],
}
BUNDLE = {
    "$defs": {
        "Circle": CIRCLE,
        "Square": SQUARE,
        "Unknown": UNKNOWN,
        "Shape": {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in ("Circle", "Square", "Unknown")]},
        "Drawing": {"type": "array", "items": {"$ref": "#/$defs/Shape"}},
        "a/b": {"type": "integer"},
    }
}


@pytest.mark.parametrize(
    ("schema", "value", "pointers"),
    [
        ({"pattern": "^a$"}, "a\n", [""]),
        ({"pattern": r"^\d$"}, "\u0663", [""]),
        ({"patternProperties": {"^a$": {"type": "integer"}}}, {"a\n": "x"}, []),
        ({"patternProperties": {"^a$": {}}, "additionalProperties": False}, {"a\n": 1}, [""]),
        ({"properties": {"x": False}}, {"x": 1}, ["/x"]),
        ({"properties": {"a/b": {"properties": {"~": False}}}}, {"a/b": {"~": 1}}, ["/a~1b/~0"]),
        ({"items": {"type": "integer"}, "uniqueItems": False}, [1, 1, "x"], ["/2"]),
        ({"additionalProperties": False, "properties": {"a": True}}, {"a": 1, "b": 1}, [""]),
        ({"enum": [False]}, True, [""]),
        ({"const": False}, False, []),
        ({"default": False, "type": "integer"}, "x", [""]),
        (False, 1, [""]),
        (True, 1, []),
    ],
)
def test_faults_have_their_place(schema, value, pointers):
    assert pointers == [fault.pointer for fault in faults(schema, value)]


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("Shape", {"kind": "circle", "r": 1}, []),
        ("Shape", {"kind": "circle", "r": "wide"}, ["/r: 'wide' is not of type 'number'"]),
        ("Shape", {"kind": "blob", "r": "wide"}, []),
        ("Drawing", [{"kind": "square"}, {"kind": "square", "a": None}], ["/1/a: None is not of type 'number'"]),
        ("Shape", {"kind": 3}, ["/kind: 3 is not of type 'string'"]),
        ("a/b", "x", ["(root): 'x' is not of type 'integer'"]),
    ],
)
def test_a_union_is_blamed_on_the_arm_that_is_meant(name, value, found):
    assert found == [str(fault) for fault in Schemas(BUNDLE).faults(name, value)]


@pytest.mark.parametrize("value", [7, {}])
def test_a_union_is_blamed_itself_when_no_arm_is_meant(value):
    (fault,) = Schemas(BUNDLE).faults("Shape", value)

    assert ("", "oneOf") == (fault.pointer, fault.expected)


def test_a_long_value_is_not_repeated():
    (fault,) = faults({"type": "integer"}, "x" * 10_000)

    assert Fault("", "type", "does not match type") == fault


def test_an_unknown_definition_is_an_error():
    schemas = Schemas(BUNDLE)

    assert "Shape" in schemas
    assert "Sphere" not in schemas
    with pytest.raises(KeyError, match="Sphere"):
        schemas.faults("Sphere", {})


@pytest.mark.parametrize("schema", [{"type": "text"}, {"properties": []}, 3])
def test_what_is_no_schema_is_refused(schema):
    with pytest.raises(InvalidSchema):
        check_schema(schema)


def test_what_is_a_schema_is_not():
    check_schema(BUNDLE)
