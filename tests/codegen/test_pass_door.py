"""What the types leave out of what a client sends is listed, with the ways there, and nothing else is."""

import pytest

from codegen.workshop import loaded, record
from turnwire_codegen.passes.door import Way, ways_to_patterns
from turnwire_codegen.passes.roots import derive_roots

ID = {"description": "An id.", "type": "string", "pattern": "^a+$"}
IDS = {"description": "Ids.", "type": "array", "items": {"$ref": "#/$defs/Id"}}
REF = {"$ref": "#/$defs/Id"}
SHARED = {"$ref": "#/$defs/Shared"}


def ways(tmp_path, **defs):
    described = {name: {"description": "One.", **node} for name, node in defs.items()}
    return ways_to_patterns(derive_roots(loaded(tmp_path, {"Id": ID, "Ids": IDS, **described})))


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        (REF, ("^a+$",)),
        ({"type": "array", "items": REF}, ("^a+$",)),
        ({"$ref": "#/$defs/Ids"}, ("^a+$",)),
        ({"type": "string", "pattern": "b"}, ("b",)),
        ({"type": "string"}, None),
    ],
)
def test_a_pattern_of_what_is_sent_and_read_is_found(tmp_path, member, expected):
    found = ways(tmp_path, Shared=record(m=member), DoParams=record(inner=SHARED), DoResult=record(inner=SHARED))

    own = {} if expected is None else {"Shared": (Way("m", expected),), "DoParams": (Way("inner", ()),)}
    assert own == found


def test_what_the_types_hold_is_not_said_again(tmp_path):
    assert {} == ways(tmp_path, DoParams=record(m=REF), DoResult=record(n=REF))


def test_what_another_name_hides_from_the_types_is_found(tmp_path):
    found = ways(tmp_path, DoParams=record(m={"$ref": "#/$defs/Ids"}), DoResult=record(n=REF))

    assert {"DoParams": (Way("m", ("^a+$",)),)} == found


def test_ways_lead_through_what_holds_itself(tmp_path):
    tree = record(m=REF, more={"type": "array", "items": SHARED})
    found = ways(tmp_path, Shared=tree, DoParams=record(inner=SHARED), DoResult=record(inner=SHARED))

    assert {"Shared": (Way("m", ("^a+$",)), Way("more", ())), "DoParams": (Way("inner", ()),)} == found
