"""Swift: the shared vectors through types and validators, whole conversations, the example; and nothing is hidden."""

import json

import msgspec
import pytest
import rfc8785

from bindings.swift_builds import ROOT, installed, package, roundtrip, server
from bindings.test_vectors import EXAMPLES, INVALID, VALID, decode, named
from turnwire_codegen.emit.swift.names import type_names
from turnwire_codegen.emit.swift.text import quoted

pytestmark = pytest.mark.timeout(1500)


@pytest.fixture(scope="module")
def tools():
    return installed()


@pytest.fixture(scope="module")
def built(tools):
    made = package(tools)
    assert {} == made.faults
    return made


def values(paths):
    """The type and the value of each file."""
    read = [json.loads(path.read_text()) for path in paths]
    return [
        (path.parent.name, found["value"] if "vectors" in path.parts else found)
        for path, found in zip(paths, read, strict=True)
    ]


def test_what_is_valid_comes_back_as_from_python(tools, built):
    paths = [*EXAMPLES, *VALID]
    rows = values(paths)
    expected = [
        rfc8785.dumps({"value": json.loads(msgspec.json.encode(decode(path, value)))}).decode()
        for path, (_, value) in zip(paths, rows, strict=True)
    ]
    told = roundtrip(tools, built, rows)

    assert dict(zip(named(paths), expected, strict=True)) == dict(zip(named(paths), told, strict=True))


def test_what_is_invalid_is_refused_where_the_vector_says(tools, built):
    expected = [{key: json.loads(path.read_text())[key] for key in ("pointer", "rule")} for path in INVALID]
    told = [json.loads(line) for line in roundtrip(tools, built, values(INVALID))]

    assert dict(zip(named(INVALID), expected, strict=True)) == dict(zip(named(INVALID), told, strict=True))


def test_its_own_tests_pass(tools, built):
    program = next(built.programs.glob("*.xctest"))
    variables = {"TURNWIRE_SERVER": json.dumps(server(tools))}
    done = tools.run(["env", *(f"{key}={value}" for key, value in variables.items()), str(program)], ROOT)

    assert 0 == done.returncode, done.stdout + done.stderr
    assert ", with 0 failures" in done.stdout + done.stderr
    assert "skipped" not in done.stdout


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("y\n", ["toolCall", "[completed]"]), ("n\n", ["[completed]"])],
)
def test_the_example_runs(tools, built, answer, expected):
    script = 'approve deploy {"to": "staging"}\ntext Done'
    done = tools.run([str(built.programs / "chat"), script, *server(tools)], ROOT, answer)

    assert 0 == done.returncode, done.stderr
    assert "? [y/N] Done\n" in done.stdout
    assert expected[-1] == done.stdout.splitlines()[-1]


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
    ("value", "expected"),
    [('a"b', '"a\\"b"'), ("\\(x)", '"\\\\(x)"'), ("\n\u2028é😀", '"\\n\\u{2028}\\u{e9}\\u{1f600}"')],
)
def test_text_cannot_end_or_begin_code(value, expected):
    assert expected == quoted(value)
