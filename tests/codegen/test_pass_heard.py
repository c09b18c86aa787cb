"""What a client hears is open."""

import pytest

from codegen.workshop import arm, loaded, record
from turnwire_codegen.passes.graph import declarations
from turnwire_codegen.passes.heard import heard_types, open_heard

DEFS = {
    "A": arm("a"),
    "U": {"description": "One.", "oneOf": [{"$ref": "#/$defs/A"}]},
    "V": {"description": "One.", "oneOf": [{"$ref": "#/$defs/A"}]},
    "E": {"description": "A word.", "oneOf": [{"const": "x", "description": "X."}]},
    "F": {"description": "A number.", "oneOf": [{"const": 1, "description": "One."}]},
    "DoResult": record(u={"$ref": "#/$defs/U"}, e={"$ref": "#/$defs/E"}, f={"$ref": "#/$defs/F"}),
    "DoParams": record(v={"$ref": "#/$defs/V"}),
}


def test_what_is_heard(tmp_path):
    assert {"DoResult", "U", "A", "E", "F"} == heard_types(loaded(tmp_path, DEFS))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("U", True), ("E", True), ("V", False), ("F", False)],
    ids=["a union that is heard", "a word that is heard", "only sent", "a number has no unknown string"],
)
def test_opened(tmp_path, name, expected):
    known = declarations(open_heard(loaded(tmp_path, DEFS)))

    assert expected == known[name].open
