"""What all arms of a tagged union have alike is a property of it in Swift, and nothing else is."""

import json

import pytest

from codegen.workshop import generate

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


def arm(tag, needed=(), **members):
    return {"type": "object", "properties": {"t": {"const": tag}, **members}, "required": ["t", *needed]}


def described(schema, text):
    return {**schema, "description": text}


# The arms `one` and `two`, and the properties of their union.
ROWS = {
    "one type": ({"x": TEXT}, {"x": TEXT}, ["x: String?"]),
    "required": ({"x": TEXT, "needed": ["x"]}, {"x": TEXT, "needed": ["x"]}, ["x: String"]),
    "required in one": ({"x": TEXT, "needed": ["x"]}, {"x": TEXT}, []),
    "two types": ({"x": TEXT}, {"x": WHOLE}, []),
    "two bounds": ({"x": TEXT}, {"x": {**TEXT, "minLength": 1}}, []),
    "in one arm": ({"x": TEXT, "y": TEXT}, {"y": TEXT}, ["y: String?"]),
    "anything": ({"x": {}}, {"x": {}}, ["x: JSONValue?"]),
    "null": ({"x": {"type": ["string", "null"]}}, {"x": {"type": ["string", "null"]}}, []),
    "a constant": ({"x": {"const": 1}}, {"x": {"const": 1}}, []),
    "called as an arm": ({"two": TEXT}, {"two": TEXT}, []),
    "a word of Swift": ({"in": TEXT}, {"in": TEXT}, ["`in`: String?"]),
    "a list": ({"x": {"type": "array", "items": TEXT}}, {"x": {"type": "array", "items": TEXT}}, ["x: [String]?"]),
}


@pytest.fixture
def swift(tmp_path):
    """A function from two arms to the lines of their union."""

    def printed(one, two):
        union = {"oneOf": [arm("one", **one), arm("two", **two)]}
        path = tmp_path / "union.json"
        path.write_text(json.dumps({"title": "Union", "$defs": {"Either": union}}))
        code, _, stderr = generate("generate-swift", "--out", tmp_path / "out", "--schema", path)
        assert (0, "") == (code, stderr)
        text = (tmp_path / "out" / "Types.swift").read_text()
        body = text.partition("public indirect enum Either: JSONRepresentable {\n")[2].partition("\n}\n")[0]
        return [line.strip() for line in body.splitlines()]

    return printed


@pytest.mark.parametrize(("one", "two", "expected"), ROWS.values(), ids=ROWS)
def test_properties(swift, one, two, expected):
    found = [line.removeprefix("public var ").removesuffix(" {") for line in swift(one, two) if "public var" in line]

    assert expected == found


@pytest.mark.parametrize(
    ("texts", "expected"),
    [(("Names it.", "Names it."), "/// Names it."), (("A.", "B."), "/// The `x` of whichever arm it is.")],
)
def test_what_a_property_says(swift, texts, expected):
    lines = swift(*({"x": described(TEXT, text)} for text in texts))

    assert expected == lines[lines.index("public var x: String? {") - 1]
