"""Schemas of others: what a type can say it says, what it cannot say is listed, and names do not move."""

import ast
import importlib
import json
import re
from itertools import count

import msgspec
import pytest

from codegen.foreign_cases import CASES, OBJECT, A, B, of
from codegen.workshop import decoder_of, generate, import_package
from turnwire_codegen.load.foreign.codex import is_codex
from turnwire_codegen.load.foreign.front import load_foreign
from turnwire_codegen.load.foreign.work import spelled

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


def test_an_undeclared_member_makes_a_subclass(made):
    package, loaded = made(of(a={"type": "integer"}))
    decoding = importlib.import_module(f"{package.__name__}.decoding")
    decode = decoder_of(package, loaded.root)
    plain, more = decode('{"a":1}'), decode('{"a":1,"is":2,"a b":[]}')

    assert [{}, {"is": 2, "a b": []}] == [decoding.undeclared(plain), decoding.undeclared(more)]
    assert type(plain) is not type(more)
    assert isinstance(more, type(plain))
    assert plain != more == decode(msgspec.json.encode(more))
    assert plain == decode('{"a":1,"no \\"field\\"":2}')


@pytest.mark.parametrize("schema", [row[1] for row in CASES], ids=[row[0] for row in CASES])
def test_every_type_has_a_decoder(made, schema):
    package, _ = made(schema)
    for name in importlib.import_module(f"{package.__name__}.methods").TYPES:
        assert decoder_of(package, name)


def test_a_fault_deep_within_a_recursive_type_is_found_at_once(made):
    """Each level must be tried once; twice a level would take longer than anyone waits."""
    schema = {"$ref": "#/$defs/T", "$defs": {"T": {"anyOf": [{"type": "string"}, {"items": {"$ref": "#/$defs/T"}}]}}}
    schema["$defs"]["T"]["anyOf"][1]["type"] = "array"
    package, loaded = made(schema)
    decode = decoder_of(package, loaded.root)

    assert '["a"]' == msgspec.json.encode(decode('["a"]')).decode()
    with pytest.raises(msgspec.ValidationError, match="fits no arm of T"):
        decode("[" * 60 + "5" + "]" * 60)


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
    ("a value beyond 64 bits", of(a={"const": 2**64}), "#/properties/a", "runtime"),
    ("a value beyond 64 bits and a text", of(a={"enum": [2**64, "x"]}), "#/properties/a", "runtime"),
    ("steps of a fraction", of(a={"type": "number", "multipleOf": 0.1}), "#/properties/a", "runtime"),
    ("a step of nothing", of(a={"type": "integer", "multipleOf": 0}), "#/properties/a/multipleOf", "degraded"),
    ("less than nothing", of(a={"type": "string", "minLength": -1}), "#/properties/a/minLength", "degraded"),
    (
        "what a choice says of a text",
        of(a={"allOf": [{"type": "string"}], "anyOf": [{"minLength": 2}, {"pattern": "^a"}]}),
        "#/properties/a",
        "runtime",
    ),
    (
        "members of several arms",
        {
            **of(a=OBJECT),
            "anyOf": [{**of(k={"const": "x"}), "required": ["k"]}, {**of(l={"const": "y"}), "required": ["l"]}],
            "unevaluatedProperties": False,
        },
        "#",
        "runtime",
    ),
    ("format", of(a={"type": "string", "format": "uuid"}), "#/properties/a", "runtime"),
    ("a format that is a remark", of(a={"type": "string", "format": "uri"}), "#/properties/a", "kept"),
    ("a pattern of one engine", of(a={"type": "string", "pattern": "(?<=a)b"}), "#/properties/a", "degraded"),
    ("a bound without a type", of(a={"minimum": 3}), "#/properties/a", "runtime"),
    (
        "a sibling of a reference",
        of(a={"$ref": "#/$defs/X", "pattern": "^a"}) | {"$defs": {"X": {"type": "string"}}},
        "#/properties/a",
        "runtime",
    ),
    ("a dangling reference", of(a={"$ref": "#/$defs/Nowhere"}), "#/properties/a", "degraded"),
    ("nothing", of(a=False), "#/properties/a", "runtime"),
    ("an open tuple", of(a={"type": "array", "prefixItems": [{"type": "string"}]}), "#/properties/a", "runtime"),
    ("an object among the values", of(a={"enum": [{}, 1]}), "#/properties/a", "runtime"),
    ("a name that msgspec has no field for", of(**{'q"': {"type": "string"}}), '#/properties/q"', "runtime"),
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
    (tmp_path / "s.json").write_text(json.dumps(of(a={"$ref": "#/$defs/Gone"})))
    code, stdout, stderr = generate(
        "generate-ts", "--out", tmp_path / "out", "--schema", tmp_path / "s.json", "--fail-on-degraded"
    )

    expected = "turnwire: s.json:#/properties/a: degraded: the reference '#/$defs/Gone' leads nowhere in this file"

    assert (1, "") == (code, stdout)
    assert expected in stderr.splitlines()
    assert not (tmp_path / "out").exists()


WRONG = [
    ("missing", None, "s.json:#: cannot be read: no such file or directory; name a readable file"),
    ("not JSON", '{\n "a": }', "s.json:2:7: not JSON: "),
    ("no number", '{"maxLength": 1e400}', "s.json:#: 1e400 is larger than any number can be; write plain JSON"),
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


NASTY = 'End.\nimport os\r"""*/ \\" \x00\u2028\x0craise SystemExit("""\''


def test_no_text_of_a_schema_becomes_code(tmp_path):
    """A description is data, whatever stands in it, in comments, docstrings and headers alike."""
    done = {**message("thing/done", "X"), "description": NASTY}
    value = {"type": "object", "description": NASTY, "properties": {"a": {"description": NASTY, "enum": ["x", NASTY]}}}
    schema = {
        "title": NASTY,
        "description": NASTY,
        "definitions": {"X": value, "ServerNotification": {"oneOf": [done]}},
    }
    (tmp_path / "s.json").write_text(json.dumps(schema))
    for command in ("generate-python", "generate-ts"):
        assert 0 == generate(command, "--out", tmp_path / command, "--schema", tmp_path / "s.json")[0]
    (tmp_path / "generate-python").rename(tmp_path / "nasty")
    package = import_package(tmp_path / "nasty")

    assert {"a": NASTY} == json.loads(msgspec.json.encode(decoder_of(package, "X")(json.dumps({"a": NASTY}))))
    for path in (tmp_path / "nasty").glob("*.py"):
        assert ["os"] not in [
            [name.name for name in node.names]
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Import)
        ]
    for path in (tmp_path / "generate-ts").glob("*.ts"):
        lines = re.split("[\n\r\u2028\u2029]", path.read_text())
        assert [] == [line for line in lines if line.startswith(("import os", "raise"))]


def test_inserting_a_definition_renames_nothing(tmp_path):
    schema = {"$defs": {"X": of(a={"oneOf": [A, B]}, b=of(c={"enum": ["p", "q"]}))}}
    more = {"$defs": {"Aa": of(a={"oneOf": [A, B]}), **schema["$defs"], "Xa": of(z=of(z=of(z=OBJECT)))}}
    (tmp_path / "one.json").write_text(json.dumps(schema))
    (tmp_path / "more.json").write_text(json.dumps(more))
    before, after = (set(load_foreign(tmp_path / name)[0].origins.items()) for name in ("one.json", "more.json"))

    assert before <= after


def test_inserting_a_method_renames_nothing(tmp_path):
    """Not the first of a union, not one that has no title, not one that another is like."""
    arm = {"type": "object", "properties": {"method": {"const": "a/b"}, "params": of(x=OBJECT)}, "required": ["method"]}
    other = json.loads(json.dumps(arm).replace("a/b", "c"))
    union = CODEX["definitions"]["ClientRequest"]["oneOf"]
    before = {**CODEX, "definitions": {**CODEX["definitions"], "ClientRequest": {"oneOf": [*union, arm]}}}
    after = {**CODEX, "definitions": {**CODEX["definitions"], "ClientRequest": {"oneOf": [other, *union, arm]}}}
    names = []
    for number, schema in enumerate((before, after)):
        (tmp_path / f"{number}.json").write_text(json.dumps(schema))
        loaded, _, _ = load_foreign(tmp_path / f"{number}.json")
        names.append(
            {row.name: (row.params, row.result) for row in loaded.protocol.methods} | dict.fromkeys(loaded.origins)
        )

    assert names[0].items() <= names[1].items()
    assert {"c", "ClientRequestC", "ClientRequestCParams"} == names[1].keys() - names[0].keys()


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [("thread/start", "ThreadStart"), ("item", "Item"), ("2fa", "T2Fa"), ("a_b", "A_b"), ("", "T")],
)
def test_spelling(wanted, expected):
    assert expected == spelled(wanted)
