"""Three times the schema is three times the work, counted in calls: no clock, so no machine is too slow."""

import importlib
import json
import sys

import pytest

from codegen.workshop import import_package
from turnwire_codegen.lower import lower_each
from turnwire_codegen.outputs import make
from turnwire_codegen.passes.graph import circular, needed_first

TEXT = {"type": "string"}
# In three times the work of three times the schema there is room for half as much again, and none for a square.
MOST = 3 * 1.5
MANY = 1500


def row(count, make_one, last):
    """Definitions that each name the next."""
    definitions = {f"D{number}": make_one(number, f"#/$defs/D{number + 1}") for number in range(count)}
    return {"$ref": "#/$defs/D0", "$defs": {**definitions, f"D{count}": last}}


def arms(count, make_one, word):
    """Definitions that are all arms of one choice."""
    definitions = {f"D{number}": make_one(number) for number in range(count)}
    return {word: [{"$ref": f"#/$defs/{name}"} for name in definitions], "$defs": definitions}


def nested(count, around):
    inner = TEXT
    for _ in range(count):
        inner = around(inner)
    return inner


def tagged(number):
    return {"type": "object", "properties": {"type": {"const": f"t{number}"}, "x": TEXT}, "required": ["type"]}


def closed(number):
    name = f"x{number}"
    return {"type": "object", "properties": {name: TEXT}, "required": [name], "additionalProperties": False}


def layer(number, following):
    return {"type": "object", "allOf": [{"$ref": following}], "properties": {f"p{number}": TEXT}}


SHAPES = {
    "aliases in a row": (60, lambda count: row(count, lambda _, following: {"$ref": following}, TEXT)),
    "layers in a row": (100, lambda count: row(count, layer, {"type": "object"})),
    "lists in a row": (60, lambda count: row(count, lambda _, to: {"type": "array", "items": {"$ref": to}}, TEXT)),
    "members in a row": (
        60,
        lambda count: row(count, lambda _, to: {"type": "object", "properties": {"n": {"$ref": to}}}, TEXT),
    ),
    "unions in a row": (
        60,
        lambda count: row(count, lambda _, to: {"anyOf": [{"$ref": to}, {"type": "integer"}]}, TEXT),
    ),
    "arms with a tag": (60, lambda count: arms(count, tagged, "oneOf")),
    "arms without a tag": (60, lambda count: arms(count, closed, "anyOf")),
    "members": (200, lambda count: {"type": "object", "properties": {f"p{number}": TEXT for number in range(count)}}),
    "values": (200, lambda count: {"enum": [f"v{number}" for number in range(count)]}),
    "objects within objects": (
        15,
        lambda count: nested(count, lambda inner: {"type": "object", "properties": {"a": inner}}),
    ),
    "lists within lists": (15, lambda count: nested(count, lambda inner: {"type": "array", "items": inner})),
}


def calls_of(work):
    """How many functions are called."""
    count = 0

    def counted(_frame, event, _argument):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("command", ["generate-python", "generate-ts"])
@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_as_the_schema_does(tmp_path, shape, command):
    size, schema_of = SHAPES[shape]
    paths = [tmp_path / f"{count}.json" for count in (size, 3 * size)]
    for path, count in zip(paths, (size, 3 * size), strict=True):
        path.write_text(json.dumps(schema_of(count)))
    # What is done once in a process is done before it counts.
    make(command, paths[0], experimental=False)
    once, thrice = (calls_of(lambda path=path: make(command, path, experimental=False)) for path in paths)

    assert thrice < MOST * once


class Number(int):
    """A number that is written by a function."""

    def __repr__(self):
        return "n"


def test_a_square_is_seen():
    once, thrice = (
        calls_of(
            lambda size=size: [
                str(other) + repr(one) for one in map(Number, range(size)) for other in map(Number, range(size))
            ]
        )
        for size in (50, 150)
    )

    assert thrice > MOST * once


@pytest.mark.parametrize("command", ["generate-python", "generate-ts"])
def test_many_aliases_in_a_row(tmp_path, command):
    path = tmp_path / "long_row.json"
    path.write_text(json.dumps(SHAPES["aliases in a row"][1](MANY)))
    made = make(command, path, experimental=False)

    assert [] == made.problems
    if command == "generate-python":
        out = tmp_path / "long_row_types"
        out.mkdir()
        for name, content in made.files.items():
            (out / name).write_bytes(content)
        package = import_package(out)
        checks = importlib.import_module("long_row_types.validators").VALIDATORS
        assert (str, None, "type") == (package.D0, checks["D0"]("x"), checks["D0"](1).rule)


def test_too_many_layers_are_told_where_they_stand(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(SHAPES["layers in a row"][1](70)))
    problems = make("generate-ts", path, experimental=False).problems

    assert {"more than 64 schemas upon each other"} == {problem.what for problem in problems}
    assert 0 < len(problems) < 70


def test_too_many_questions_in_a_row_are_told_where_they_stand():
    lowered = lower_each(SHAPES["unions in a row"][1](300), file="s.json", roots=["#/$defs/D0", "#/$defs/D299"])

    assert ["#/$defs/D256"] == [problem.where for problem in lowered.problems]
    assert {"#/$defs/D0"} == lowered.faulty


CIRCLES = [
    ({"a": ["b"], "b": ["c"], "c": []}, set(), ["c", "b", "a"]),
    ({"a": ["b"], "b": ["a", "c"], "c": ["d"], "d": []}, {"a", "b"}, ["d", "c", "b", "a"]),
    ({"a": ["a"], "b": ["a"]}, {"a"}, ["a", "b"]),
    (
        {"a": ["b"], "b": ["a", "m"], "m": ["c"], "c": ["d"], "d": ["c"]},
        {"a", "b", "c", "d"},
        ["d", "c", "m", "b", "a"],
    ),
    ({"a": ["x", "b"], "b": []}, set(), ["x", "b", "a"]),
]


@pytest.mark.parametrize(("edges", "circle", "order"), CIRCLES, ids=range(len(CIRCLES)))
def test_circles_and_order(edges, circle, order):
    assert (circle, order) == (circular(edges), needed_first(edges))
