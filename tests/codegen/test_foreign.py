"""Schemas of others: what a type can say it says, what it cannot say is listed, and names do not move."""

import importlib
import json
from itertools import count

import msgspec
import pytest

from codegen.workshop import decoder_of, generate, import_package
from turnwire_codegen.load.foreign.codex import is_codex
from turnwire_codegen.load.foreign.front import load_foreign
from turnwire_codegen.load.foreign.work import spelled

OBJECT = {"type": "object"}
A = {"type": "object", "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind", "n"]}
B = {"type": "object", "properties": {"kind": {"enum": ["b"]}, "s": {"type": "string"}}, "required": ["kind"]}
JSON = {"anyOf": [{"type": kind} for kind in ("null", "boolean", "number", "string")]}
RECURSIVE = [
    *JSON["anyOf"],
    {"type": "array", "items": {"$ref": "#/$defs/J"}},
    {"type": "object", "additionalProperties": {"$ref": "#/$defs/J"}},
]


def of(**members):
    return {"type": "object", "properties": members, "required": list(members)}


# name, schema, what round-trips, what is refused
CASES = [
    (
        "inline union",
        of(x={"oneOf": [A, B]}),
        [{"x": {"kind": "a", "n": 1}}, {"x": {"kind": "b"}}],
        [{"x": {"kind": "a"}}, {"x": {"kind": "c"}}],
    ),
    (
        "union in a list",
        of(x={"type": "array", "items": {"oneOf": [A, B]}}),
        [{"x": [{"kind": "b", "s": ""}]}],
        [{"x": [{"n": 1}]}],
    ),
    ("nullable union", of(x={"anyOf": [A, B, {"type": "null"}]}), [{"x": None}, {"x": {"kind": "b"}}], [{"x": 1}]),
    ("union at the root", {"oneOf": [A, B]}, [{"kind": "a", "n": 1}], [{"kind": "a"}, {}, 1]),
    (
        "integer tag",
        {"oneOf": [of(v={"const": 1}), of(v={"const": 2}, w={"type": "string"})]},
        [{"v": 2, "w": ""}],
        [{"v": 3}, {"v": "1"}, {}],
    ),
    (
        "same tag, two shapes",
        {"oneOf": [of(t={"const": "x"}, a=OBJECT), of(t={"const": "x"}, b=OBJECT)]},
        [{"t": "x", "b": {}}],
        [{"t": "x"}],
    ),
    (
        "told apart by a key",
        {"oneOf": [of(left={"type": "integer"}), of(right={"type": "string"}), {"const": "none"}]},
        [{"right": ""}, "none"],
        [{"right": 1}, "some"],
    ),
    (
        "untagged objects",
        {"anyOf": [of(a={"type": "string"}), of(a={"type": "string"}, b={"type": "string"})]},
        [{"a": "", "b": ""}],
        [{"b": ""}],
    ),
    (
        "union of unions",
        {"oneOf": [{"oneOf": [A, B]}, of(kind={"const": "c"})]},
        [{"kind": "b"}, {"kind": "c"}],
        [{"kind": "d"}],
    ),
    (
        "open by a last arm",
        {"oneOf": [A, of(kind={"not": {"enum": ["a"]}})]},
        [{"kind": "a", "n": 1}, {"kind": "z", "q": [1]}],
        [{"kind": "a"}, {"n": 1}],
    ),
    (
        "one arm used alone",
        {
            **of(u={"$ref": "#/$defs/U"}, last={"$ref": "#/$defs/A"}),
            "$defs": {"U": {"oneOf": [{"$ref": "#/$defs/A"}, B]}, "A": A},
        },
        [{"u": {"kind": "b"}, "last": {"kind": "a", "n": 1}}],
        [{"u": {"kind": "b"}, "last": {"n": 1}}],
    ),
    (
        "members beside a tagged choice",
        {**of(id={"type": "string"}), "oneOf": [A, B]},
        [{"id": "", "kind": "a", "n": 1}],
        [{"kind": "a", "n": 1}, {"id": "", "kind": "c"}],
    ),
    (
        "members beside required ones",
        {**of(id={"type": "string"}), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        [{"id": ""}],
        [{}],
    ),
    (
        "allOf of objects",
        {
            "allOf": [{"$ref": "#/$defs/Base"}, of(more={"type": "integer"})],
            "$defs": {"Base": of(id={"type": "string"})},
        },
        [{"id": "", "more": 1}],
        [{"id": ""}, {"more": 1}, {"id": "", "more": ""}],
    ),
    (
        "required beside a reference",
        {"$ref": "#/$defs/Base", "required": ["a"], "$defs": {"Base": {"properties": {"a": {"type": "string"}}}}},
        [{"a": ""}],
        [{}],
    ),
    (
        "one reference in allOf",
        of(x={"allOf": [{"$ref": "#/$defs/N"}], "default": 1}) | {"$defs": {"N": {"type": "integer", "minimum": 1}}},
        [{"x": 1}],
        [{"x": 0}],
    ),
    (
        "nullable definition",
        of(n={"$ref": "#/$defs/N"})
        | {"$defs": {"N": {"type": ["object", "null"], "properties": {"x": {"type": "integer"}}, "required": ["x"]}}},
        [{"n": None}, {"n": {"x": 1}}],
        [{"n": {}}],
    ),
    (
        "several types",
        of(x={"type": ["string", "integer", "null"]}),
        [{"x": "a"}, {"x": 1}, {"x": None}],
        [{"x": 1.5}, {"x": []}],
    ),
    (
        "recursive JSON",
        {"$ref": "#/$defs/J", "$defs": {"J": {"anyOf": RECURSIVE}}},
        [None, [1, {"a": [None, True, "x", 2.5]}]],
        [],
    ),
    (
        "recursive object",
        {
            "$ref": "#/$defs/T",
            "$defs": {"T": {"properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/T"}}}}},
        },
        [{"kids": [{"kids": []}]}],
        [{"kids": [1]}],
    ),
    (
        "map of maps",
        {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}},
        [{"a": {"b": 1}}],
        [{"a": {"b": "1"}}],
    ),
    (
        "members and others",
        {**of(a={"type": "string"}), "additionalProperties": {"type": "integer"}},
        [{"a": "", "b": 1}],
        [{"a": "", "b": ""}, {"b": 1}],
    ),
    (
        "members and anything",
        {**of(a=A), "additionalProperties": True},
        [{"a": {"kind": "a", "n": 1}, "z": [None]}],
        [{"a": {"kind": "a"}}],
    ),
    ("no others", {**of(a={"type": "string"}), "additionalProperties": False}, [{"a": ""}], [{"a": "", "b": 1}]),
    (
        "odd names",
        of(**{'q"': {"type": "string"}, "from": {"type": "string"}, "": {"type": "string"}, "a b": {"type": "string"}}),
        [{'q"': "", "from": "", "": "", "a b": ""}],
        [{"from": "", "": "", "a b": ""}],
    ),
    (
        "names that collide",
        of(a_b={"type": "string"}, aB={"type": "integer"}),
        [{"a_b": "", "aB": 1}],
        [{"a_b": 1, "aB": ""}],
    ),
    (
        "dict words in a bag",
        {**of(items={"type": "string"}, keys={"type": "integer"}), "additionalProperties": True},
        [{"items": "", "keys": 1, "values": 2}],
        [{"items": 1, "keys": 1}],
    ),
    (
        "a closed tuple",
        of(
            x={"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False, "minItems": 2}
        ),
        [{"x": ["", 1]}],
        [{"x": [""]}, {"x": ["", 1, 2]}],
    ),
    (
        "a tuple of old",
        of(x={"type": "array", "items": [{"type": "string"}], "additionalItems": False, "minItems": 1}),
        [{"x": [""]}],
        [{"x": [1]}],
    ),
    (
        "string or pair",
        of(
            x={
                "anyOf": [
                    {"type": "string"},
                    {
                        "type": "array",
                        "prefixItems": [{"type": "integer"}, {"type": "integer"}],
                        "items": False,
                        "minItems": 2,
                    },
                ]
            }
        ),
        [{"x": "a"}, {"x": [1, 2]}],
        [{"x": [1]}],
    ),
    (
        "two lists",
        of(
            x={
                "anyOf": [
                    {"type": "array", "items": {"type": "string"}},
                    {"type": "array", "items": {"type": "integer"}},
                ]
            }
        ),
        [{"x": ["a"]}, {"x": [1]}],
        [{"x": ["a", 1]}],
    ),
    (
        "two ranges",
        of(x={"anyOf": [{"type": "integer", "minimum": 9}, {"type": "integer", "maximum": 1}]}),
        [{"x": 9}, {"x": 1}],
        [{"x": 5}],
    ),
    (
        "bounds as fractions",
        of(x={"type": "integer", "minimum": 0.0, "exclusiveMaximum": 2.5}),
        [{"x": 0}, {"x": 2}],
        [{"x": -1}, {"x": 3}],
    ),
    (
        "enum in pieces",
        of(x={"oneOf": [{"const": "a", "description": "A."}, {"enum": ["b", "c"]}]}),
        [{"x": "c"}],
        [{"x": "d"}],
    ),
    ("enum with null", of(x={"enum": ["a", "b", None]}), [{"x": None}, {"x": "a"}], [{"x": "c"}]),
    ("open enum", of(x={"anyOf": [{"enum": ["a", "b"]}, {"type": "string"}]}), [{"x": "z"}], [{"x": 1}]),
    ("mixed enum", of(x={"enum": ["a", 1, True]}), [{"x": 1}, {"x": "a"}, {"x": True}], [{"x": 2}, {"x": "b"}]),
    ("anything", of(x={}, y=True, z={"description": "any"}), [{"x": None, "y": [1], "z": {"a": 1}}], [{"x": 1}]),
    (
        "anchor and id",
        of(x={"$ref": "#here"}, y={"$ref": "https://a.b/c"})
        | {"$defs": {"X": {"$anchor": "here", "type": "string"}, "Y": {"$id": "https://a.b/c", "type": "integer"}}},
        [{"x": "", "y": 1}],
        [{"x": 1, "y": 1}, {"x": "", "y": ""}],
    ),
    (
        "keys with slashes",
        of(x={"$ref": "#/$defs/a~1b"}) | {"$defs": {"a/b": {"type": "string"}}},
        [{"x": ""}],
        [{"x": 1}],
    ),
    (
        "definitions in folders",
        of(x={"$ref": "#/definitions/v2/X"})
        | {"definitions": {"v2": {"X": {"type": "string"}}, "X": {"type": "integer"}}},
        [{"x": ""}],
        [{"x": 1}],
    ),
    ("required but not declared", {"type": "object", "required": ["a"]}, [{"a": [1]}], [{}]),
    ("pattern of ECMA", of(x={"type": "string", "pattern": "^\\d+$"}), [{"x": "12"}], [{"x": "1\n"}, {"x": "\u0663"}]),
]
_numbers = count()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    home = tmp_path_factory.mktemp("foreign")
    cache = {}

    def package(schema):
        key = json.dumps(schema)
        if key not in cache:
            name = f"foreign_{next(_numbers)}"
            path = home / f"{name}.json"
            path.write_text(key)
            assert (0, "") == generate("generate-python", "--out", home / name, "--schema", path)[::2]
            loaded, _, _ = load_foreign(path)
            cache[key] = import_package(home / name), loaded
        return cache[key]

    return package


ROWS = [(name, schema, value, True) for name, schema, good, _ in CASES for value in good]
ROWS += [(name, schema, value, False) for name, schema, _, bad in CASES for value in bad]


@pytest.mark.parametrize(("schema", "value", "fits"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_case(made, schema, value, fits):
    package, loaded = made(schema)
    decode = decoder_of(package, loaded.root)
    if not fits:
        with pytest.raises(msgspec.ValidationError):
            decode(json.dumps(value))
        return

    assert value == json.loads(msgspec.json.encode(decode(json.dumps(value))))


@pytest.mark.parametrize("schema", [row[1] for row in CASES], ids=[row[0] for row in CASES])
def test_every_type_has_a_decoder(made, schema):
    package, _ = made(schema)
    for name in importlib.import_module(f"{package.__name__}.methods").TYPES:
        assert decoder_of(package, name)


LEFT = [
    ("not", {**of(a=OBJECT), "not": {"required": ["b"]}}, "#", "runtime"),
    ("if", {**of(a=OBJECT), "if": {}, "then": {}}, "#", "runtime"),
    ("a member name rule", {**of(a=OBJECT), "propertyNames": {"maxLength": 3}}, "#", "runtime"),
    (
        "patterns of names",
        {**OBJECT, "properties": {"x": {**OBJECT, "patternProperties": {"^x": True}}}},
        "#/properties/x",
        "runtime",
    ),
    ("unique items", of(a={"type": "array", "uniqueItems": True}), "#/properties/a", "runtime"),
    ("format", of(a={"type": "string", "format": "uri"}), "#/properties/a", "runtime"),
    ("a pattern of one engine", of(a={"type": "string", "pattern": "(?<=a)b"}), "#/properties/a", "runtime"),
    ("a bound without a type", of(a={"minimum": 3}), "#/properties/a", "runtime"),
    (
        "a sibling of a reference",
        of(a={"$ref": "#/$defs/X", "maxLength": 3}) | {"$defs": {"X": {"type": "string"}}},
        "#/properties/a",
        "runtime",
    ),
    ("a dangling reference", of(a={"$ref": "#/$defs/Nowhere"}), "#/properties/a", "degraded"),
    ("nothing", of(a=False), "#/properties/a", "degraded"),
    ("an open tuple", of(a={"type": "array", "prefixItems": [{"type": "string"}]}), "#/properties/a", "degraded"),
    ("an object among the values", of(a={"enum": [{}, 1]}), "#/properties/a", "runtime"),
    ("what goes together", {**of(a=OBJECT), "anyOf": [{"required": ["b"]}, {"required": ["c"]}]}, "#", "runtime"),
    ("one member twice", {"allOf": [of(a={"type": "string"}), of(a={"maxLength": 3})]}, "#", "runtime"),
]


@pytest.mark.parametrize(("schema", "pointer", "verdict"), [row[1:] for row in LEFT], ids=[row[0] for row in LEFT])
def test_what_no_type_can_say_is_listed(tmp_path, schema, pointer, verdict):
    (tmp_path / "s.json").write_text(json.dumps(schema))
    words = ["generate-python", "--out", tmp_path / "out", "--schema", tmp_path / "s.json"]
    code, _, _ = generate(*words, "--report", tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text())

    assert 0 == code
    assert verdict in [entry["verdict"] for entry in report["entries"] if entry["pointer"] == pointer]
    assert (1 if verdict == "degraded" else 0) == generate(*words, "--fail-on-degraded")[0]


def test_fail_on_degraded_names_the_place(tmp_path):
    (tmp_path / "s.json").write_text(json.dumps(of(a=False)))
    code, stdout, stderr = generate(
        "generate-ts", "--out", tmp_path / "out", "--schema", tmp_path / "s.json", "--fail-on-degraded"
    )

    assert (1, "") == (code, stdout)
    assert "turnwire: s.json:#/properties/a: degraded: nothing fits this schema\n" == stderr
    assert not (tmp_path / "out").exists()


WRONG = [
    ("missing", None, "s.json:#: cannot be read: no such file or directory; name a readable file"),
    ("not JSON", '{\n "a": }', "s.json:2:7: not JSON: "),
    ("no schema", "[1]", "s.json:#: a JSON Schema is an object or a boolean; name a schema file"),
    ("not UTF-8", b"\xff\xfe", "s.json:#: not UTF-8 at byte 0"),
    ("too deep", "[" * 100000, "s.json:#: nested too deeply"),
]


@pytest.mark.parametrize(("text", "message"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_no_schema(tmp_path, text, message):
    path = tmp_path / "s.json"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    code, stdout, stderr = generate("generate-python", "--out", tmp_path / "out", "--schema", path)

    assert (2, "") == (code, stdout)
    assert 1 == stderr.count("\n")
    assert message in stderr


def test_json_schema_of_json_schema_is_refused(tmp_path):
    (tmp_path / "s.json").write_text("{}")
    code, _, stderr = generate("generate-json-schema", "--out", tmp_path / "out", "--schema", tmp_path / "s.json")

    assert 2 == code
    assert "is already JSON Schema; use generate-python or generate-ts with --schema" in stderr


def message(method, params, **more):
    members = {"method": {"enum": [method], "type": "string"}, "params": {"$ref": f"#/definitions/{params}"}, **more}
    return {"type": "object", "properties": members, "required": list(members), "title": f"{method}Message"}


CODEX = {
    "title": "Protocol",
    "definitions": {
        "ClientRequest": {
            "title": "ClientRequest",
            "oneOf": [message("thing/do", "ThingDoParams", id={"type": "integer"})],
        },
        "ServerNotification": {
            "title": "ServerNotification",
            "oneOf": [message("thing/done", "ThingDone"), message("thing/gone", "ThingDoParams")],
        },
        "ThingDoParams": of(way={"$ref": "#/definitions/Way"}),
        "ThingDoResponse": of(item={"$ref": "#/definitions/Item"}),
        "ThingDone": of(item={"$ref": "#/definitions/Item"}),
        "Item": {"oneOf": [A, B]},
        "Way": {"enum": ["fast", "slow"]},
        "Sent": {"oneOf": [A, B]},
    },
}


def test_codex_has_methods(tmp_path):
    (tmp_path / "codex.json").write_text(json.dumps(CODEX))
    loaded, _, _ = load_foreign(tmp_path / "codex.json")
    rows = [(row.name, row.sender, row.kind, row.params, row.result) for row in loaded.protocol.methods]
    expected = [
        ("thing/do", "client", "request", "ThingDoParams", "ThingDoResponse"),
        ("thing/done", "server", "notification", "ThingDone", None),
        ("thing/gone", "server", "notification", "ThingDoParams", None),
    ]

    assert is_codex(CODEX)
    assert not is_codex({"definitions": {"ClientRequest": {"type": "object"}}})
    assert expected == rows


def test_what_a_client_of_codex_hears_is_open(tmp_path):
    (tmp_path / "codex.json").write_text(json.dumps(CODEX))
    generate("generate-python", "--out", tmp_path / "heard", "--schema", tmp_path / "codex.json")
    package = import_package(tmp_path / "heard")
    new = {"method": "thing/done", "params": {"item": {"kind": "new", "deep": [1]}}}
    decoded = decoder_of(package, "ServerNotification")(json.dumps(new))

    assert package.UnknownItem({"kind": "new", "deep": [1]}) == decoded.params.item
    assert {"way": "tomorrow"} == json.loads(
        msgspec.json.encode(decoder_of(package, "ThingDoParams")(b'{"way":"tomorrow"}'))
    )
    with pytest.raises(msgspec.ValidationError):
        decoder_of(package, "Sent")(b'{"kind":"new"}')


def test_inserting_a_definition_renames_nothing(tmp_path):
    schema = {"$defs": {"X": of(a={"oneOf": [A, B]}, b=of(c={"enum": ["p", "q"]}))}}
    more = {"$defs": {"Aa": of(a={"oneOf": [A, B]}), **schema["$defs"], "Xa": of(z=of(z=of(z=OBJECT)))}}
    (tmp_path / "one.json").write_text(json.dumps(schema))
    (tmp_path / "more.json").write_text(json.dumps(more))
    before, after = (set(load_foreign(tmp_path / name)[0].origins.items()) for name in ("one.json", "more.json"))

    assert before <= after


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [("thread/start", "ThreadStart"), ("item", "Item"), ("2fa", "T2Fa"), ("a_b", "A_b"), ("", "T")],
)
def test_spelling(wanted, expected):
    assert expected == spelled(wanted)
