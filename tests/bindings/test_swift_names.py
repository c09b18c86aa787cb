"""What things are called in Swift: by the schema, or as the user says; and no name hides another."""

import json

import pytest

from codegen.workshop import generate
from turnwire_codegen.emit.swift.names import case_names, member_names, type_names
from turnwire_codegen.emit.swift.text import quoted

TEXT = {"type": "string"}
SCHEMA = {
    "title": "Pets",
    "$defs": {
        "pet": {
            "type": "object",
            "properties": {"kind-of": {"enum": ["big dog", "cat"]}, "n": TEXT, "in": TEXT},
            "required": ["kind-of"],
        },
        "mood": {"enum": [1, -1, "value 1", True, "is true"]},
        "way": {"oneOf": [{"const": "fast"}, {"const": "slow"}]},
    },
}
# A name that is given, and a line of code that says it. Members and cases that follow from the wire stand beside it.
GIVEN = [
    ("pet", "Animal", "public struct Animal: JSONRepresentable {"),
    ("Pet.kind-of", "species", "    public var species: PetKindOf"),
    ("Pet.kind-of", "species", '        species = try members.required("kind-of")'),
    ("Pet.kind-of", "species", '        writer.required("kind-of", species)'),
    ("Pet.n", "class", "    public var `class`: String?"),
    ("Pet.n", "in", "    public var in_: String?"),
    ("#/$defs/pet/properties/n", "hash_value", "    public var hash_value: String?"),
    ("PetKindOf.big dog", "hound", '    case hound = "big dog"'),
    ("PetKindOf.big dog", "default", '    case `default` = "big dog"'),
    ("PetKindOf.big dog", "cat", '    case cat_ = "big dog"'),
    ("#/$defs/pet/properties/kind-of/enum/0", "greatDane", '    case greatDane = "big dog"'),
    ("Mood.-1", "sad", "        case JSONValue.integer(-1): self = .sad"),
    ("Way.slow", "leisurely", '    case leisurely = "slow"'),
]


@pytest.fixture
def swift(tmp_path):
    """A function from given names to the lines of the types."""

    def printed(names):
        schema, given = tmp_path / "pets.json", tmp_path / "names.json"
        schema.write_text(json.dumps(SCHEMA))
        given.write_text(json.dumps(names))
        code, _, stderr = generate("generate-swift", "--out", tmp_path / "out", "--schema", schema, "--names", given)
        assert (0, "") == (code, stderr)
        return [line for path in (tmp_path / "out").glob("*.swift") for line in path.read_text().splitlines()]

    return printed


@pytest.mark.parametrize(("wire", "name", "line"), GIVEN)
def test_a_name_that_is_given(swift, wire, name, line):
    assert line not in swift({})
    assert line in swift({wire: name})


def test_values_that_would_be_called_alike(swift):
    cases = [line.removeprefix("    case ") for line in swift({}) if line.startswith("    case ")]

    assert {"value1", "valueMinus1", "value13", "isTrue", "isTrue_"} <= set(cases)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Item", "Item"),
        ("Thread", "ThreadValue"),
        ("Data", "DataValue"),
        ("Codable", "CodableValue"),
        ("Error", "ErrorValue"),
        ("JSONValue", "JSONValueValue"),
        ("View", "ViewValue"),
        ("thread/start", "ThreadStart"),
        ("2fast", "T2Fast"),
        ("", "T"),
    ],
)
def test_no_type_hides_another(name, expected):
    assert {name: expected} == type_names([name])


@pytest.mark.parametrize(
    ("names", "given", "expected"),
    [
        (member_names, {"in": "", "a-b": ""}, {"in": "`in`", "a-b": "aB"}),
        (member_names, {"a-b": "", "aB": ""}, {"a-b": "aB_", "aB": "aB"}),
        (member_names, {"a": "b", "b": ""}, {"a": "b_", "b": "b"}),
        (member_names, {"self": "", "x": "self"}, {"self": "self_", "x": "self__"}),
        (member_names, {"JSONMembers": "", "Rules": ""}, {"JSONMembers": "JSONMembers_", "Rules": "Rules_"}),
        (case_names, {"some": "", "a b": "none"}, {"some": "some_", "a b": "none_"}),
        (case_names, {"big dog": "hound", "cat": "tom_cat"}, {"big dog": "hound", "cat": "tomCat"}),
    ],
)
def test_members_and_cases(names, given, expected):
    assert expected == names(given)


@pytest.mark.parametrize(
    ("value", "expected"),
    [('a"b', '"a\\"b"'), ("\\(x)", '"\\\\(x)"'), ("\n\u2028é😀", '"\\n\\u{2028}\\u{e9}\\u{1f600}"')],
)
def test_text_cannot_end_or_begin_code(value, expected):
    assert expected == quoted(value)
