"""Who refers to whom: in reading order, near and far, in circles."""

from codegen.workshop import family, loaded, record
from turnwire_codegen.passes.graph import declarations, homes, mutual_families, reachable, references


def test_references_in_reading_order(tmp_path):
    known = declarations(
        loaded(
            tmp_path,
            {"X": record(b={"$ref": "#/$defs/DoResult"}, a={"type": "array", "items": {"$ref": "#/$defs/DoParams"}})},
        )
    )

    assert ["DoResult", "DoParams"] == list(references(known["X"]))
    assert {"X", "DoResult", "DoParams"} == reachable({"X"}, known)


def test_families_that_need_each_other(tmp_path):
    protocol = loaded(
        tmp_path,
        {"X": record(y={"$ref": "more.json#/$defs/Y"})},
        more=family({"Y": record(z={"$ref": "other.json#/$defs/Z"})}),
        other=family({"Z": record(x={"$ref": "things.json#/$defs/X"})}),
        alone=family({"W": record(x={"$ref": "things.json#/$defs/X"})}),
    )
    expected = {
        "alone": frozenset(),
        "envelope": frozenset(),
        "more": frozenset({"things", "other"}),
        "other": frozenset({"things", "more"}),
        "things": frozenset({"more", "other"}),
    }

    assert expected == mutual_families(protocol)
    assert "more" == homes(protocol)["Y"]
