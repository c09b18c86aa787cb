"""The pointer rule, row by row: where several things are wrong, which one is blamed."""

import pytest

from protocol.oracle import Fault, Oracle, pointer_to

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def arm(tag, **members):
    return {"type": "object", "properties": {"kind": {"const": tag}, **members}, "required": ["kind"]}


def others(*tags):
    member = {"type": "string", "not": {"enum": list(tags)}}
    return {"type": "object", "properties": {"kind": member}, "required": ["kind"]}


CLOSED = {"oneOf": [arm("a", x=NUMBER), arm("b", y=TEXT)]}
OPEN = {"oneOf": [arm("a", x=NUMBER), arm("b", y=TEXT), others("a", "b")]}

# Each row: a schema, a value, and the pointer and rule of its first fault.
ROWS = {
    "type before all": ({"type": "string", "enum": ["a"], "minLength": 3}, 5, "", "type"),
    "const before length": ({"type": "string", "enum": ["abc"], "minLength": 3}, "a", "", "const"),
    "bound": ({"minimum": 1}, 0, "", "bound"),
    "multiple": ({"multipleOf": 3}, 4, "", "multiple"),
    "length in code points": ({"maxLength": 1}, "\U0001f600\U0001f600", "", "length"),
    "pattern ends at the end": ({"pattern": "^a$"}, "a\n", "", "pattern"),
    "required before members": (
        {"properties": {"a": TEXT, "b": TEXT}, "required": ["b"]},
        {"a": 1},
        "",
        "required",
    ),
    "count before items": ({"items": TEXT, "maxItems": 1}, [1, 2], "", "count"),
    "members in declared order": ({"properties": {"z": TEXT, "a": TEXT}}, {"a": 1, "z": 1}, "/z", "type"),
    "items by index": ({"items": TEXT}, ["a", 1, 2], "/1", "type"),
    "tuple before rest": ({"prefixItems": [TEXT], "items": NUMBER}, [1, "a"], "/0", "type"),
    "item too many": ({"prefixItems": [TEXT], "items": False}, ["a", 1, 2], "/1", "members"),
    "layers of a member before the next member": (
        {"allOf": [{"properties": {"a": TEXT, "b": TEXT}}], "properties": {"a": {"minLength": 2}}},
        {"a": "x", "b": 1},
        "/a",
        "length",
    ),
    "reference is the first layer": (
        {"$ref": "#/$defs/A", "properties": {"b": TEXT}, "$defs": {"A": {"properties": {"a": TEXT}}}},
        {"b": 1, "a": 1},
        "/a",
        "type",
    ),
    "reference and itself speak of one member": (
        {"$ref": "#/$defs/A", "properties": {"a": {"minLength": 3}}, "$defs": {"A": {"properties": {"a": TEXT}}}},
        {"a": "x"},
        "/a",
        "length",
    ),
    "key rule before other members": (
        {"propertyNames": {"maxLength": 1}, "additionalProperties": TEXT},
        {"a": 1, "long": "x"},
        "/long",
        "key",
    ),
    "other members by code point": (
        {"additionalProperties": TEXT},
        {"\U0001f600": 1, "\ufffd": 1},
        "/\ufffd",
        "type",
    ),
    "pattern before additional": (
        {"patternProperties": {"^x": NUMBER}, "additionalProperties": False},
        {"y": 1, "x": "a", "z": 1},
        "/x",
        "type",
    ),
    "closed object": ({"properties": {"a": TEXT}, "additionalProperties": False}, {"b": 1}, "/b", "members"),
    "declared before unique": ({"items": TEXT, "uniqueItems": True}, [1, 1], "/0", "type"),
    "unique": ({"uniqueItems": True}, [1, 1], "", "unique"),
    "contains": ({"contains": TEXT}, [1], "", "contains"),
    "false member": ({"properties": {"a": False}}, {"a": 1}, "/a", "type"),
    "not": ({"not": {"required": ["a"]}}, {"a": 1}, "", "not"),
    "condition reports its branch": (
        {"if": {"required": ["a"]}, "then": {"properties": {"b": TEXT}}, "else": False},
        {"a": 1, "b": 1},
        "/b",
        "type",
    ),
    "presence asks for another": ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "", "required"),
    "presence asks for a shape": (
        {"dependentSchemas": {"a": {"properties": {"b": TEXT}}}},
        {"a": 1, "b": 2},
        "/b",
        "type",
    ),
    "members before unions": (
        {"properties": {"n": TEXT}, **OPEN},
        {"n": 1, "kind": "a", "x": "wrong"},
        "/n",
        "type",
    ),
    "tag enters its arm": (OPEN, {"kind": "a", "x": "wrong"}, "/x", "type"),
    "tag absent": (OPEN, {"x": 1}, "", "tag"),
    "tag of another kind": (OPEN, {"kind": 1}, "/kind", "tag"),
    "no object": (OPEN, "a", "", "tag"),
    "closed union, tag unknown": (CLOSED, {"kind": "c"}, "/kind", "tag"),
    "union in a union": (
        {"oneOf": [arm("outer", inner=OPEN), others("outer")]},
        {"kind": "outer", "inner": {"kind": "b", "y": 1}},
        "/inner/y",
        "type",
    ),
    "untagged union": ({"anyOf": [TEXT, {"type": "object", "required": ["a"]}]}, {"b": 1}, "", "choice"),
    "closed enum": ({"oneOf": [{"const": "a"}, {"const": "b"}]}, "c", "", "const"),
    "open enum": ({"anyOf": [{"const": "a"}, TEXT]}, 1, "", "type"),
    "unevaluated last": (
        {"properties": {"a": TEXT}, "anyOf": [{"required": ["b"]}], "unevaluatedProperties": False},
        {"c": 1},
        "",
        "choice",
    ),
    "unevaluated": ({"properties": {"a": TEXT}, "unevaluatedProperties": False}, {"z": 1, "b": 1}, "/b", "unevaluated"),
    "unevaluated item": ({"prefixItems": [TEXT], "unevaluatedItems": False}, ["a", 1], "/1", "unevaluated"),
    "names are escaped": ({"additionalProperties": TEXT}, {"a/b~c": 1}, "/a~1b~0c", "type"),
}


@pytest.mark.parametrize(("schema", "value", "pointer", "rule"), ROWS.values(), ids=ROWS)
def test_first_fault(schema, value, pointer, rule):
    assert Oracle(schema).first_fault(value) == Fault(pointer, rule)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (OPEN, {"kind": "c", "x": "of any kind"}),
        (OPEN, {"kind": "a"}),
        ({"anyOf": [{"const": "a"}, TEXT]}, "z"),
        ({"pattern": "^\\u{1F600}$"}, "\U0001f600"),
        ({"properties": {"a": False}}, {"b": 1}),
    ],
)
def test_valid_value_has_no_fault(schema, value):
    assert Oracle(schema).first_fault(value) is None


def test_pointer_of_the_root_is_empty():
    assert (pointer_to(()), pointer_to(("a/b", 0, "~"))) == ("", "/a~1b/0/~0")
