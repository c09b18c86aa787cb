"""Which records are arms, and of what tag."""

from codegen.workshop import arm, loaded
from turnwire_codegen.ir import ByField
from turnwire_codegen.passes.graph import declarations
from turnwire_codegen.passes.tags import Tag, arm_tags

UNION = {"description": "One of two.", "oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}


def test_arm_tags(tmp_path):
    protocol = loaded(tmp_path, {"A": arm("a"), "B": arm("b"), "X": UNION})

    assert {"A": Tag("type", "a"), "B": Tag("type", "b")} == arm_tags(protocol)
    assert ByField("type") == declarations(protocol)["X"].tagging
