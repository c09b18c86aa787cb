"""Schemas that are odd or bad: the right output, or one line a fault; never a traceback, never half an output."""

import importlib
import json
import subprocess

import msgspec
import pytest

from codegen.foreign_cases import OBJECT, A, B, of
from codegen.rules.test_typescript import toolchain
from codegen.workshop import decoder_of, generate, import_package
from turnwire_codegen.ir import Ref
from turnwire_codegen.load.foreign.front import load_foreign
from turnwire_codegen.problems import Problem

TEXT = {"type": "string"}
# What some language, or a file that we generate, calls something else.
NAMES = [
    *("toString", "constructor", "__proto__", "Any", "Codable", "Data", "Error", "Fault", "Method", "Object", "String"),
    *("METHODS", "TYPES", "VALIDATORS", "MethodMap", "MethodName", "ClientRequestMap", "UnknownTag", "Unknown", "Hole"),
    *("Bag", "Keeper", "Struct", "Literal", "UNSET", "None", "True", "class", "default", "object", "int", "undefined"),
    *('a"b', "a\\b", "a b", "a/b", "1x", "", "$x", "é", "日本"),
]
SETTINGS = {
    "compilerOptions": {
        "strict": True,
        "noEmit": True,
        "target": "ES2022",
        "lib": ["ES2022"],
        "module": "NodeNext",
        "exactOptionalPropertyTypes": True,
        "verbatimModuleSyntax": True,
        "types": [],
    },
    "include": ["*.ts"],
}


def pointer(name):
    return f"#/$defs/{name.replace('~', '~0').replace('/', '~1')}"


def odd_names():
    """Every name as a record, as an enum and as a union."""
    kinds = (of(kind={"const": "a"}, **{'x"y': TEXT}), {"enum": ["a", "b"]}, {"oneOf": [A, B]})
    definitions = {
        f"{prefix}{name}": kind for name in NAMES for prefix, kind in zip(("", "E", "U"), kinds, strict=True)
    }
    whole = {"type": "object", "properties": {name: {"$ref": pointer(name)} for name in definitions}}
    return {"$defs": {**definitions, "Whole": whole}}


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    home = tmp_path_factory.mktemp("odd")
    (home / "s.json").write_text(json.dumps(odd_names()))
    for language in ("python", "ts"):
        words = ["--schema", home / "s.json", "--out", home / f"odd_{language}"]
        assert (0, "") == generate(f"generate-{language}", *words)[::2]
    return home


def test_odd_names_are_types_of_python(odd):
    package = import_package(odd / "odd_python")
    value = {name: {"kind": "a", 'x"y': "z"} for name in NAMES}
    value |= {f"E{name}": "b" for name in NAMES} | {f"U{name}": {"kind": "b"} for name in NAMES}

    assert all(decoder_of(package, name) for name in importlib.import_module("odd_python.methods").TYPES)
    assert value == json.loads(msgspec.json.encode(decoder_of(package, "Whole")(json.dumps(value))))


def test_odd_names_are_types_of_typescript(odd):
    (odd / "odd_ts" / "package.json").write_text('{"type": "module"}')
    (odd / "odd_ts" / "tsconfig.json").write_text(json.dumps(SETTINGS))
    done = subprocess.run([*toolchain(), "-p", str(odd / "odd_ts")], capture_output=True, text=True, check=False)

    assert (0, "") == (done.returncode, done.stdout)


def ref(name):
    return {"$ref": f"#/$defs/{name}"}


def chain(link, length):
    """Definitions that each name the next."""
    definitions = {f"A{index}": link(ref(f"A{index + 1}")) for index in range(length)}
    return {"$defs": {**definitions, f"A{length}": TEXT}}


def nested(depth):
    node = TEXT
    for _ in range(depth):
        node = of(a=node)
    return node


SAYS_ITSELF = "the schema is a part of itself; break the circle of $ref and allOf"
# name, schema, code, the start of each line
ROWS = [
    ("a thousand records in a row", chain(lambda following: of(n=following), 1000), 0, []),
    ("a thousand unions in a row", chain(lambda following: {"anyOf": [following, OBJECT]}, 1000), 2, ["#: nested too"]),
    ("a hundred deep", nested(100), 0, []),
    ("four hundred deep", nested(400), 2, ["#: nested too deeply; give inner schemas names"]),
    ("itself", {"$ref": "#"}, 0, [f"#: {SAYS_ITSELF}"]),
    ("each other", {"$defs": {"A": ref("B"), "B": ref("A")}}, 0, [f"{pointer(name)}: {SAYS_ITSELF}" for name in "BA"]),
    (
        "itself or text",
        {"$defs": {"A": {"anyOf": [ref("A"), TEXT]}}},
        0,
        ["#/$defs/A: the schema asks itself about the same value; let it pass through a member or an item"],
    ),
    ("lists of itself", {"$defs": {"A": {"type": "array", "items": ref("A")}}}, 0, []),
    ("a group looks behind", of(a={**TEXT, "pattern": "(?<=a)b"}), 0, ["#/properties/a/pattern: pattern not portable"]),
    (
        "a pattern that is none",
        of(a={**TEXT, "pattern": "["}),
        0,
        ["#/properties/a/pattern: pattern not portable: a ["],
    ),
    (
        "no schema at the other end",
        {"$defs": {"A": ref("B/enum"), "B": {"enum": ["a"]}}},
        0,
        ["#/$defs/B/enum: no sch"],
    ),
    ("a line in a name", of(**{"a\nb": ref("Gone")}), 0, ["#/properties/a\\nb/$ref: the reference '#/$defs/Gone'"]),
]


@pytest.mark.parametrize("command", ["generate-python", "generate-ts"])
@pytest.mark.parametrize(("schema", "code", "lines"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_each_fault_is_a_line_and_nothing_is_half_written(tmp_path, command, schema, code, lines):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(schema))
    found, stdout, stderr = generate(command, "--schema", path, "--out", tmp_path / "out")
    said = [line.partition("s.json:")[2] for line in stderr.splitlines()]

    assert (code, len(lines)) == (found, len(said))
    assert all(line.startswith(start) for line, start in zip(said, lines, strict=True))
    assert (code == 0) == (tmp_path / "out").exists()
    assert (code == 0) == bool(stdout)


LIKE_A_REFERENCE = {"$ref": "other.json#/$defs/Gone", "$anchor": "there", "$id": "there"}
VALUES = of(
    a={"type": "object", "default": LIKE_A_REFERENCE, "examples": [LIKE_A_REFERENCE]},
    b={"enum": [LIKE_A_REFERENCE]},
    c={"const": LIKE_A_REFERENCE},
    default={"$ref": "other.json#/$defs/Real"},
)


def test_a_value_that_looks_like_a_reference_is_a_value(tmp_path):
    """In a folder references are written anew; a member called `default` is a schema all the same."""
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "one.json").write_text(json.dumps(VALUES))
    (tmp_path / "s" / "other.json").write_text(json.dumps({"$defs": {"Real": {"$anchor": "there", **TEXT}}}))
    loaded, document, problems = load_foreign(tmp_path / "s")
    members = document["$defs"]["one"]["properties"]

    assert [] == problems
    assert {"$ref": "#/$defs/other/$defs/Real"} == members["default"]
    assert {**VALUES["properties"], "default": members["default"]} == members
    assert {"One": "#/$defs/one", "Real": "#/$defs/other/$defs/Real"} == loaded.declared


def test_an_anchor_in_a_value_names_nothing(tmp_path):
    (tmp_path / "s.json").write_text(
        json.dumps({"$ref": "#there", "$defs": {"A": {"default": LIKE_A_REFERENCE}, "B": {"$anchor": "there", **TEXT}}})
    )
    loaded, _, _ = load_foreign(tmp_path / "s.json")
    root = next(decl for decl in loaded.protocol.families[0].declarations if decl.name == loaded.root)

    assert Ref("B") == root.type


def test_a_problem_is_one_line_whatever_its_names_are():
    problem = Problem(severity="error", file="a\nb", where="#/\u2028", what="x\x1b[0m", fix="é")

    assert "a\\nb:#/\\u2028: x\\x1b[0m; é" == str(problem)
