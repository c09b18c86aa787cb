"""Members without a type mean an object to a type, items a list; the report says where: all else is valid too."""

import json

import pytest

from turnwire_codegen.outputs import make

MEMBERS = {"properties": {"a": {"type": "string"}}}
TOLD = {
    "the type takes objects only, of which the schema says members but no type",
    "the type takes lists only, of which the schema says items but no type",
}
ITEMS = {"items": {"type": "string"}}
ROWS = [
    (MEMBERS, ["#"]),
    ({"type": "object", **MEMBERS}, []),
    ({"type": "object", "properties": {"p": MEMBERS, "q": {"type": "object", **MEMBERS}}}, ["#/properties/p"]),
    ({"allOf": [{"type": "object"}], **MEMBERS}, []),
    ({"allOf": [{"$ref": "#/$defs/A"}], **MEMBERS, "$defs": {"A": {"type": "object"}}}, []),
    (ITEMS, ["#"]),
    ({"prefixItems": [{}]}, ["#"]),
    ({"type": "array", **ITEMS}, []),
    ({"type": ["array", "null"], **ITEMS}, []),
    ({"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}], **MEMBERS}, []),
]


@pytest.mark.parametrize(("schema", "places"), ROWS)
def test_loose_objects_are_told(schema, places, tmp_path):
    (tmp_path / "s.json").write_text(json.dumps(schema))
    made = make("generate-python", tmp_path / "s.json", experimental=False)

    assert places == [finding.pointer for finding in made.findings if finding.what in TOLD]
    assert all(finding.verdict == "degraded" for finding in made.findings if finding.what in TOLD)
