"""The order of the passes."""

from codegen.workshop import arm, loaded
from turnwire_codegen.ir import Alias, Enum, Record, Union
from turnwire_codegen.passes import PASSES, STABLE_PASSES, run
from turnwire_codegen.passes.graph import declarations

UNION = {"description": "One of two.", "oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}


def test_the_passes_of_a_run(tmp_path):
    protocol = loaded(tmp_path, {"A": arm("a"), "B": arm("b"), "X": {**UNION, "x-open": True}})

    assert run(protocol, PASSES) == run(protocol, STABLE_PASSES)
    assert {Record, Union, Alias} >= {type(decl) for decl in declarations(protocol).values()} - {Enum}
