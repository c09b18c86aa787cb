"""What a schema says beside a description reaches the reader of the generated code."""

import json

import pytest

from codegen.workshop import generate
from turnwire_codegen.emit.remarks import deprecation, remarks

ROWS = [
    ({}, ""),
    ({"secret": True}, ""),
    ({"stability": "experimental"}, "Experimental: only with opt-in, both ways."),
    ({"capability": "turns"}, "Only with the capability `turns`."),
    ({"null": "clears", "unit": "bytes"}, "null clears it. Unit: bytes."),
]
DEPRECATED = [
    ({}, ""),
    ({"deprecated": False}, ""),
    ({"deprecated": True}, "Deprecated."),
    ({"deprecated": {"since": "1.1", "use": "thread/read"}}, "Deprecated since 1.1, use thread/read."),
]


@pytest.mark.parametrize(("notes", "expected"), ROWS)
def test_remarks(notes, expected):
    assert expected == remarks(notes)


@pytest.mark.parametrize(("default", "expected"), [(None, "Absent means `null`."), ("a", 'Absent means `"a"`.')])
def test_a_default_is_said(default, expected):
    assert expected == remarks({}, default)


@pytest.mark.parametrize(("notes", "expected"), DEPRECATED)
def test_deprecation(notes, expected):
    assert expected == deprecation(notes)


@pytest.mark.parametrize(
    ("command", "file", "expected"),
    [
        ("generate-python", "types.py", ['"""Old\\\\ and */odd.\n', "Absent means `1`.", "Deprecated."]),
        ("generate-ts", "types.ts", ["* Old\\ and *\\/odd.\n", "* Absent means `1`.\n", "* @deprecated Deprecated.\n"]),
    ],
)
def test_it_reaches_the_code(tmp_path, command, file, expected):
    member = {"type": "integer", "description": "Old\\ and */odd.", "deprecated": True, "default": 1}
    (tmp_path / "s.json").write_text(json.dumps({"type": "object", "properties": {"a": member}}))
    generate(command, "--out", tmp_path / "out", "--schema", tmp_path / "s.json")
    text = (tmp_path / "out" / file).read_text()

    assert [] == [part for part in expected if part not in text]
