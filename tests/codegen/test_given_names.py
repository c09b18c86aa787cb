"""Names that the user gives to types, members and values, and the names of a report given back."""

import json

import msgspec
import pytest

from codegen.foreign_cases import of
from codegen.test_reading import TEXT, made_of, write
from codegen.workshop import decoder_of, generate
from turnwire_codegen.ir import Enum
from turnwire_codegen.load.foreign.front import Reading, load_foreign

NAMES = [("json", '{"#/$defs/pet": "Animal", "b": "Bee"}'), ("toml", '"#/$defs/pet" = "Animal"\nb = "Bee"\n')]


@pytest.mark.parametrize(("ending", "text"), NAMES, ids=["json", "toml"])
def test_names_that_are_given(tmp_path, ending, text):
    schema = write(tmp_path, "s.json", {"$defs": {"pet": of(b={"$ref": "#/$defs/b"}), "b": of(n=TEXT), "c": TEXT}})
    package = made_of(tmp_path, "--schema", schema, "--names", write(tmp_path, f"names.{ending}", text))

    assert {"Animal", "Bee", "C"} == set(package.__all__)
    assert "x" == decoder_of(package, "Animal")('{"b":{"n":"x"}}').b.n


PARTS = {
    "$defs": {"pet": of(**{"kind-of": {"enum": ["big dog", "cat"]}, "n": TEXT}), "toy": of(ball=TEXT)},
    "definitions": {"way": {"oneOf": [{"const": "fast"}, {"const": "slow"}]}},
}
GIVEN = {
    "pet": "Animal",
    "Animal.kind-of": "species",
    "#/$defs/toy/properties/ball": "roundThing",
    "#/$defs/pet/properties/kind-of/enum/0": "hound",
    "AnimalKindOf.cat": "tomcat",
    "Way.slow": "leisurely",
}


def test_members_and_values_have_names_too(tmp_path):
    schema, names = write(tmp_path, "s.json", PARTS), write(tmp_path, "n.json", GIVEN)
    package = made_of(tmp_path, "--schema", schema, "--names", names)
    loaded, _, problems = load_foreign(schema, Reading(names=names))
    enums = {
        decl.name: {case.value: case.name for case in decl.cases}
        for decl in loaded.protocol.families[0].declarations
        if isinstance(decl, Enum)
    }
    pet = decoder_of(package, "Animal")('{"kind-of":"cat","n":""}')

    assert [] == problems
    assert ("cat", b'{"kind-of":"cat","n":""}') == (pet.species, msgspec.json.encode(pet))
    assert "x" == decoder_of(package, "Toy")('{"ball":"x"}').round_thing
    assert {
        "AnimalKindOf": {"big dog": "hound", "cat": "tomcat"},
        "Way": {"fast": "", "slow": "leisurely"},
    } == enums


@pytest.mark.parametrize("command", ["generate-python", "generate-ts"])
def test_the_names_of_a_report_can_be_given_back(tmp_path, command):
    """What a run called things is a file of names, by which another run calls them the same."""
    clash = {"$defs": {"a b": of(n=TEXT), "aB": of(x={"enum": ["p", "q"]}), "a": of(b=of(c=TEXT)), "a_b": TEXT}}
    schema, report = write(tmp_path, "s.json", clash), tmp_path / "report.json"
    assert (0, "") == generate(command, "--out", tmp_path / "one", "--schema", schema, "--report", report)[::2]
    names = write(tmp_path, "names.json", json.loads(report.read_text())["names"])
    assert (0, "") == generate(command, "--out", tmp_path / "two", "--schema", schema, "--names", names)[::2]
    one, two = (
        {path.name: path.read_text().splitlines()[3:] for path in (tmp_path / run).iterdir() if path.suffix != ".json"}
        for run in ("one", "two")
    )

    assert one == two


def test_a_name_that_is_given_is_taken_from_whoever_has_it(tmp_path):
    schema = write(tmp_path, "s.json", {"$defs": {"a": of(n=TEXT), "b": of(m=TEXT)}})
    names = write(tmp_path, "names.json", {"b": "A"})
    loaded, _, problems = load_foreign(schema, Reading(names=names))

    assert [] == problems
    assert "#/$defs/b" == loaded.origins["A"]
    assert ["#/$defs/a", "#/$defs/b"] == sorted(loaded.origins.values())
