"""Patterns bind at the door."""

import pytest

from codegen.workshop import loaded, record
from turnwire_codegen.passes.graph import declarations
from turnwire_codegen.passes.readers import loosen_readers
from turnwire_codegen.passes.roots import derive_roots
from turnwire_codegen.rules import Length, Pattern

ID = {"description": "An id.", "type": "string", "maxLength": 9, "pattern": "^a+$"}
REF = {"$ref": "#/$defs/Id"}


@pytest.mark.parametrize(
    ("where", "expected"),
    [("DoParams", True), ("DoResult", False)],
    ids=["only a client sends it", "a client reads it"],
)
def test_patterns_bind_at_the_door(tmp_path, where, expected):
    defs = {"Id": ID, where: record(id={"type": "array", "items": REF}, own={"type": "string", "pattern": "b"})}
    known = declarations(loosen_readers(derive_roots(loaded(tmp_path, defs))))
    items, own = (field.type for field in known[where].fields)

    assert (Length(0, 9),) == known["Id"].type.rules
    assert expected == (Pattern("^a+$") in items.item.rules)
    assert expected == (Pattern("b") in own.rules)


def test_without_methods_every_pattern_stays(tmp_path):
    protocol = loaded(tmp_path, {"Id": ID}, methods={"methods": []})

    assert protocol == loosen_readers(protocol)
