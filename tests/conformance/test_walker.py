"""The walker: lawful values of any definition, and spoilt ones that say whether they still are; a seed is a walk."""

import itertools

import pytest

from turnwire.conformance.profiles import load_profile
from turnwire.conformance.walker import KINDS, Walker
from turnwire.schemas import Schemas

PROFILE = load_profile("turnwire")
SCHEMAS = PROFILE.schemas()
NAMES = sorted(PROFILE.bundle["$defs"])
# A schema of nobody: recursive, with tuples of kinds, bounds that bind and a pattern.
OTHER = {
    "$defs": {
        "Tree": {
            "type": "object",
            "required": ["name", "of"],
            "properties": {
                "name": {"type": "string", "pattern": "^[a-z]{2,4}-\\d+$"},
                "of": {"type": "array", "items": {"$ref": "#/$defs/Tree"}, "maxItems": 1},
                "size": {"type": ["integer", "null"], "minimum": 5, "maximum": 6},
                "tag": {"enum": ["a", 1, None]},
            },
        },
        "Never": {"not": {}},
    }
}


def walker(seed, bundle=PROFILE.bundle, schemas=SCHEMAS):
    return Walker(bundle, schemas, seed)


@pytest.mark.parametrize("name", NAMES)
def test_every_definition_has_lawful_values(name):
    walked = walker(7)

    values = [walked.value(name) for _ in range(3)]

    assert [] == [str(fault) for value in values for fault in SCHEMAS.faults(name, value)]


@pytest.mark.parametrize(
    "name", ["ThreadStartParams", "TurnStartParams", "ApprovalResolveParams", "QueueReorderParams"]
)
def test_a_spoilt_value_says_whether_it_is_lawful_still(name):
    walked = walker(11)
    value = walked.value(name)

    mutants = [walked.mutant(name, value) for _ in range(60)]

    assert [not SCHEMAS.faults(name, mutant.value) for mutant in mutants] == [mutant.is_valid for mutant in mutants]
    assert {True, False} == {mutant.is_valid for mutant in mutants}
    assert any(mutant.value != value for mutant in mutants)


def test_every_way_to_spoil_a_value_is_taken():
    walked = walker(13)
    value = walked.value("TurnStartParams")

    assert set(KINDS) == {walked.mutant("TurnStartParams", value).kind for _ in range(300)}


def test_a_value_is_not_changed_by_spoiling_a_copy():
    walked = walker(17)
    value = {"threadId": "t", "input": [{"type": "text", "text": "x"}]}
    before = {"threadId": "t", "input": [{"type": "text", "text": "x"}]}

    for _ in range(100):
        walked.mutant("TurnStartParams", value)

    assert before == value


@pytest.mark.parametrize("seed", [0, 1, 2**40])
def test_the_same_seed_walks_the_same_way(seed):
    first, second = ([walk(seed) for walk in (walked_values, walked_mutants)] for _ in range(2))

    assert first == second


def test_another_seed_walks_another_way():
    assert walked_values(1) != walked_values(2)


def walked_values(seed):
    walked = walker(seed)
    return [walked.value(name) for name in NAMES[:40]]


def walked_mutants(seed):
    walked = walker(seed)
    value = walked.value("ThreadStartParams")
    return [walked.mutant("ThreadStartParams", value) for _ in range(20)]


def test_a_schema_of_nobody_is_walked_too():
    schemas = Schemas(OTHER)
    walked = walker(3, OTHER, schemas)

    values = list(itertools.islice((walked.value("Tree") for _ in itertools.count()), 50))

    assert [] == [fault for value in values for fault in schemas.faults("Tree", value)]
    assert {1, "a", None} <= {value["tag"] for value in values if "tag" in value}


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({}, range(-3, 7)),
        ({"minimum": 0.0}, range(10)),
        ({"minimum": 1.5, "maximum": 3.5}, (2, 3)),
        ({"maximum": -10}, (-10,)),
        ({"minimum": 0.25, "maximum": 0.75}, (0.25,)),
    ],
)
def test_numbers_are_within_their_bounds(bounds, expected):
    bundle = {"$defs": {"N": {"type": "number", **bounds}}}
    walked = walker(3, bundle, Schemas(bundle))

    assert {*expected} == {walked.value("N") for _ in range(200)}


def test_what_has_no_value_is_said():
    with pytest.raises(LookupError, match="no value of Never was found in 8 tries"):
        walker(1, OTHER, Schemas(OTHER)).value("Never")
