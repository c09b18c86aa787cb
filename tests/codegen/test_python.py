"""Generated Python behaves: it decodes what is right, refuses what is wrong, and writes back what it read."""

import importlib
import json
import subprocess
import sys

import msgspec
import pytest

from codegen.workshop import ROOT, arm, decoder_of, family, package_of, record, write_protocol

PAIR = {"description": "One of two.", "oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}
NULLABLE = {"anyOf": [{"type": "string"}, {"type": "null"}], "x-null": "clears"}
DEFS = {
    "A": arm("a", "n", n={"type": "integer", "minimum": 1}),
    "B": arm("b", inner={"$ref": "#/$defs/Open"}),
    "Open": {**PAIR, "x-open": True},
    "Closed": PAIR,
    "Word": {"description": "A word.", "oneOf": [{"const": "x", "description": "X."}], "x-open": True},
    "Fixed": {
        "description": "A word.",
        "oneOf": [{"const": "x", "description": "X."}, {"const": "y", "description": "Y."}],
    },
    "Holder": record(
        open={"$ref": "#/$defs/Open"},
        list={"type": "array", "items": {"$ref": "#/$defs/Open"}},
        map={"type": "object", "additionalProperties": {"$ref": "#/$defs/Open"}},
        maybe={"anyOf": [{"$ref": "#/$defs/Open"}, {"type": "null"}], "x-null": "clears"},
        closed={"$ref": "#/$defs/Closed"},
    ),
    "Four": record(
        "must", "mustBeSaid", must={"type": "string"}, mustBeSaid=NULLABLE, may={"type": "string"}, mayBeSaid=NULLABLE
    ),
    "Words": record(
        **{
            "from": {"type": "string"},
            "str": {"type": "string"},
            "aB": {"type": "integer"},
            "global": {"const": True},
            "sha256": {"type": "number"},
        }
    ),
    "Bounds": record(
        text={"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^[a-z]*$"},
        list={"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
        bag={"type": "object", "x-opaque": True, "maxProperties": 1},
        real={"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        step={"type": "integer", "multipleOf": 3},
    ),
    "Tree": record(children={"type": "array", "items": {"$ref": "#/$defs/Tree"}}, far={"$ref": "more.json#/$defs/Far"}),
    "Version": record("jsonrpc", jsonrpc={"const": "2.0"}),
    "Anything": record("value", value={"x-opaque": True}),
}
MORE = family({"Far": record(back={"$ref": "things.json#/$defs/Tree"}, word={"$ref": "things.json#/$defs/Word"})})
NEW = {"type": "new", "deep": [{"x": None}, 1.5, "ü"], "id": 2**60}

ROUND_TRIPS = [
    ("Holder", {}),
    ("Holder", {"open": {"type": "a", "n": 1}}),
    ("Holder", {"open": NEW}),
    ("Holder", {"open": {"type": ""}}),
    ("Holder", {"list": [NEW, {"type": "a", "n": 2}, {"type": "other"}]}),
    ("Holder", {"map": {"k": NEW, "l": {"type": "b", "inner": NEW}}}),
    ("Holder", {"maybe": None}),
    ("Holder", {"maybe": NEW}),
    ("Holder", {"open": {"type": "b", "inner": {"type": "b", "inner": NEW}}, "closed": {"type": "b", "inner": NEW}}),
    ("Open", NEW),
    ("A", {"type": "a", "n": 1}),
    ("Word", "unheard"),
    ("Fixed", "y"),
    ("Four", {"must": "", "mustBeSaid": None}),
    ("Four", {"must": "", "mustBeSaid": "x", "may": "", "mayBeSaid": None}),
    ("Words", {"from": "a", "str": "b", "aB": 1, "global": True, "sha256": 0.5}),
    ("Bounds", {"text": "ab", "list": [1], "bag": {"a": None}, "real": 1, "step": 9}),
    ("Tree", {"children": [{"children": []}], "far": {"back": {"far": {}}, "word": "new"}}),
    ("Version", {"jsonrpc": "2.0"}),
    ("Anything", {"value": None}),
    ("Anything", {"value": {"a": [1, 2.5, 2**70]}}),
    ("Response", {"id": 1, "result": None}),
    ("Response", {"id": "1", "error": "x"}),
    ("RequestId", 7),
    ("RequestId", 7.0),
    ("A", {"type": "a", "n": 1.0}),
    ("Holder", {"open": {"type": "a", "n": 1e2}, "list": [NEW]}),
    ("RequestId", "7"),
    ("ThingDoRequest", {"jsonrpc": "2.0", "method": "thing/do", "id": 1, "params": {"id": "x"}}),
    ("ClientToServer", {"jsonrpc": "2.0", "method": "thing/do", "id": 1, "params": {"id": "x"}}),
]
REFUSALS = [
    ("Holder", {"open": {"n": 1}}, "missing required field `type` - at `$.open`"),
    ("Holder", {"open": {"type": 1}}, "`$.open.type`"),
    ("Holder", {"open": {"type": "a", "n": 0}}, "`$.open.n`"),
    ("Holder", {"open": "a"}, "`$.open`"),
    ("Holder", {"open": {"type": "a", "n": 1.5}}, "Expected `int`, got `float` - at `$.open.n`"),
    ("Holder", {"open": {"type": "a", "n": 0.0}}, "`int` >= 1 - at `$.open.n`"),
    ("Holder", {"list": [NEW, {"type": "a"}]}, "field `n` - at `$.list[1]`"),
    ("Holder", {"closed": NEW}, "`$.closed.type`"),
    ("Holder", {"closed": {}}, "`$.closed`"),
    ("Closed", NEW, "`$.type`"),
    ("A", {"n": 1}, "missing required field `type`"),
    ("A", {"type": "b", "n": 1}, "`$.type`"),
    ("Fixed", "z", "Invalid enum value 'z'"),
    ("Word", 1, "Expected `str`"),
    ("Four", {"must": ""}, "`mustBeSaid`"),
    ("Four", {"must": None, "mustBeSaid": None}, "`$.must`"),
    ("Four", {"must": "", "mustBeSaid": None, "may": None}, "`$.may`"),
    ("Words", {"global": False}, "`$.global`"),
    ("Bounds", {"text": "a"}, "length >= 2"),
    ("Bounds", {"text": "abcd"}, "length <= 3"),
    ("Bounds", {"text": "AB"}, "matching regex"),
    ("Bounds", {"text": "ab\n"}, "matching regex"),
    ("Bounds", {"list": []}, "length >= 1"),
    ("Bounds", {"list": ["1"]}, "`$.list[0]`"),
    ("Bounds", {"bag": {"a": 1, "b": 2}}, "length <= 1"),
    ("Bounds", {"real": 0}, "> 0"),
    ("Bounds", {"step": 4}, "multiple of 3"),
    ("Version", {}, "`jsonrpc`"),
    ("Version", {"jsonrpc": "1.0"}, "`$.jsonrpc`"),
    ("Anything", {}, "`value`"),
    ("Response", {"id": 1}, "fits no arm of Response"),
    ("RequestId", 1.5, "Expected `int | str`"),
    ("ThingDoRequest", {"jsonrpc": "2.0", "id": 1, "params": {"id": "x"}}, "field `method`"),
]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = write_protocol(tmp_path_factory.mktemp("python") / "p", DEFS, more=MORE)
    return package_of(folder)


@pytest.mark.parametrize(("name", "value"), ROUND_TRIPS)
def test_round_trip(package, name, value):
    decoded = decoder_of(package, name)(json.dumps(value))

    assert value == json.loads(msgspec.json.encode(decoded))


@pytest.mark.parametrize(("name", "value", "message"), REFUSALS)
def test_refusal(package, name, value, message):
    with pytest.raises(msgspec.ValidationError) as refused:
        decoder_of(package, name)(json.dumps(value))

    assert message in str(refused.value)


@pytest.mark.parametrize("data", [b"{", b"", b"\xff", b"[1,]"])
def test_what_is_no_json_is_another_error(package, data):
    with pytest.raises(msgspec.DecodeError) as refused:
        decoder_of(package, "Holder")(data)

    assert msgspec.DecodeError is type(refused.value)


# What an untyped reader cannot hold, beside what the types refuse: the first error is the one that is told.
UNREADABLE = [
    ("Bounds", '{"step":1e400}', "Number out of range - at `$.step`"),
    ("Bounds", '{"step":"x","real":1e400}', "Expected `int`, got `str` - at `$.step`"),
    ("Holder", '{"list":[{"type":"new","n":1e400}]}', "Invalid value 'new' - at `$.list[0].type`"),
]


@pytest.mark.parametrize(("name", "data", "message"), UNREADABLE)
def test_what_cannot_be_read_whole_is_refused_as_it_was_first(package, name, data, message):
    with pytest.raises(msgspec.ValidationError) as refused:
        decoder_of(package, name)(data)

    assert message == str(refused.value)


def test_a_known_message_takes_the_fast_path(package, monkeypatch):
    decoding = importlib.import_module(f"{package.__name__}.decoding")
    monkeypatch.setattr(decoding, "recover", None)
    decoded = decoder_of(package, "Holder")(b'{"open":{"type":"a","n":1}}')

    assert package.Holder(open=package.A(n=1)) == decoded


def test_an_unknown_arm_is_a_dict_with_a_tag(package):
    decoded = decoder_of(package, "Holder")(json.dumps({"open": NEW}))

    assert package.UnknownOpen(NEW) == decoded.open == NEW
    assert ("new", "new") == (decoded.open.tag, decoded.open.type)
    assert isinstance(decoded, package.Holder)


def test_conversion_follows_the_same_rules_and_changes_nothing(package):
    convert = importlib.import_module(f"{package.__name__}.decoding").convert
    value = {"open": NEW, "list": [{"type": "a", "n": 1}]}
    before = json.dumps(value)
    converted = convert(value, package.Holder)

    assert package.Holder(open=package.UnknownOpen(NEW), list_=[package.A(n=1)]) == converted
    assert before == json.dumps(value)


def test_a_tag_is_readable_on_the_class(package):
    assert ("a", "b") == (package.A.type, package.B().type)


def test_every_type_has_a_decoder(package):
    methods = importlib.import_module(f"{package.__name__}.methods")
    for name in methods.TYPES:
        assert decoder_of(package, name)


def test_names_are_those_of_the_package(package):
    methods = importlib.import_module(f"{package.__name__}.methods")

    assert sorted(methods.TYPES) == package.__all__ == dir(package)
    for name, module in methods.TYPES.items():
        assert name in importlib.import_module(f"{package.__name__}.{module}").__all__
    with pytest.raises(AttributeError, match="has no attribute 'Nowhere'"):
        package.Nowhere  # noqa: B018 -- the access is the test


def test_docstrings_come_from_descriptions(package):
    assert "A record." == package.Holder.__doc__


CANONICAL_LAZY = """
import sys
import turnwire.generated.methods
import turnwire.generated.protocol, turnwire.generated.errors, turnwire.generated.states
heavy = sorted(name for name in sys.modules if name.startswith("turnwire.generated."))
print(" ".join(name.rsplit(".", 1)[1] for name in heavy))
print("msgspec" in sys.modules)
"""


def test_tables_import_no_struct():
    done = subprocess.run(
        [sys.executable, "-c", CANONICAL_LAZY],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT / "python")},
    )

    assert ["errors methods protocol states", "False"] == done.stdout.split("\n")[:2]


def test_every_canonical_type_has_a_decoder():
    generated = importlib.import_module("turnwire.generated")
    decoding = importlib.import_module("turnwire.generated.decoding")
    names = importlib.import_module("turnwire.generated.methods").TYPES

    assert len(names) > 300
    for name in names:
        assert decoding.decoder(getattr(generated, name))


def test_the_shipped_schema_has_the_digest_that_is_said():
    protocol = importlib.import_module("turnwire.generated.protocol")
    canonical = importlib.import_module("turnwire_codegen.emit.jsonschema.canonical")
    data = (ROOT / "python" / "turnwire" / "generated" / "schema.json").read_bytes()

    assert canonical.digest(data) == protocol.SCHEMA_DIGEST
    assert data == canonical.canonical_json(json.loads(data))
