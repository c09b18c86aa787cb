"""What the Kotlin of a schema says, without a compiler: types, the four kinds of members, arms, enums, tables."""

import json
import re

import pytest

from bindings.kotlin_builds import ROOT
from codegen.workshop import generate
from turnwire_codegen.emit.kotlin.names import type_name

U64 = 2**64 - 1
TAGGED = [
    {"type": "object", "properties": {"t": {"const": tag}, **members}, "required": ["t"]}
    for tag, members in (("a", {"n": {"type": "integer"}}), ("b", {}))
]


def of(member, *, required=False):
    return {"type": "object", "properties": {"m": member}, "required": ["m"] if required else []}


MEMBERS = [
    ({"type": "integer"}, "m: Long?", 'find("m", LongCodec)'),
    ({"type": "integer", "minimum": 0}, "m: ULong?", 'find("m", ULongCodec)'),
    ({"type": "integer", "minimum": 0, "maximum": 9}, "m: Long?", 'find("m", Held.longBoundMin0ToMax9)'),
    ({"type": "integer", "minimum": 0, "maximum": U64}, "m: ULong?", 'find("m", ULongCodec)'),
    (
        {"type": "integer", "minimum": -1, "maximum": U64},
        "m: BigInteger?",
        'find("m", Held.bigIntegerBoundMinMinus1ToMax18446744073709551615)',
    ),
    ({"type": "string", "minLength": 1}, "m: String?", 'find("m", Held.stringLength1)'),
    (
        {"type": "array", "items": {"type": "number", "minimum": 0.5}, "maxItems": 3},
        "m: List<Double>?",
        'find("m", Held.listDoubleBoundMin0Point5ItemCount0To3)',
    ),
    ({"type": ["string", "null"]}, "m: Presence<String> = Presence.Absent", 'presence("m", StringCodec)'),
    ({"type": "array", "items": {"type": "number"}}, "m: List<Double>?", 'find("m", ListCodec(DoubleCodec))'),
    (
        {"type": "object", "additionalProperties": {"type": ["boolean", "null"]}},
        "m: Map<String, Boolean?>?",
        'find("m", MapCodec(NullableCodec(BooleanCodec)))',
    ),
    (True, "m: JsonElement?", 'find("m", AnyCodec)'),
    ({"const": "x"}, "m: String?", 'find("m", ConstCodec(StringCodec, "x"))'),
]


@pytest.fixture
def kotlin(tmp_path):
    """A function from a schema, and from the names that are given, to all that is printed of its types."""

    def printed(schema, given=None):
        path, names = tmp_path / "odd.json", tmp_path / "names.json"
        path.write_text(json.dumps({"title": "Odd", "$defs": {"Odd": schema, "Items": {"type": "integer"}}}))
        names.write_text(json.dumps(given or {}))
        words = ("--schema", path, "--names", names)
        code, _, stderr = generate("generate-kotlin", "--out", tmp_path / "out", *words)
        assert (0, "") == (code, stderr)
        return "".join(made.read_text() for made in sorted((tmp_path / "out").glob("*.kt")))

    return printed


@pytest.mark.parametrize(("member", "declared", "read"), MEMBERS)
def test_an_optional_member(kotlin, member, declared, read):
    text = kotlin(of(member))

    assert f"    public val {declared}" in text
    assert f"m = members.{read}," in text


@pytest.mark.parametrize(
    ("member", "declared"),
    [
        ({"type": "string"}, "m: String,"),
        ({"type": ["string", "null"]}, "m: String?,"),
        ({"type": "null"}, "m: JsonNull,"),
    ],
)
def test_a_required_member(kotlin, member, declared):
    assert f"    public val {declared}" in kotlin(of(member, required=True))


SAID = [
    ({"type": "integer", "maximum": 9}, 'val longBoundMax9 = HeldCodec(LongCodec, Bound(max = "9"))'),
    ({"type": "object", "properties": {"m": {"$ref": "#/$defs/Items"}}}, "public typealias Items_ = Long"),
    # A constant that must be there is asked of nobody.
    (of({"const": "x"}, required=True), 'public val m: String get() = "x"'),
    ({"oneOf": TAGGED}, '"a" -> OddA.read(json)'),
    ({"oneOf": TAGGED}, ") : Odd, KeepsUndeclared {"),
    ({"oneOf": TAGGED}, 'else -> noArm("t")'),
    (
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "public data class OfInteger(public val value: Long) : Odd {",
    ),
    ({"enum": ["a", "b-c"]}, 'B_C("b-c"),'),
    ({"enum": ["a", 1]}, "INT_1(JsonPrimitive(1L)),"),
    ({"enum": ["int 1", 1]}, "INT_1_(JsonPrimitive(1L)),"),
    ({"type": "object", "additionalProperties": False}, "public class Odd : JsonWritable {"),
    ({"type": "array", "items": {"$ref": "#/$defs/Odd"}}, "OfOddList(public val value: List<Odd>) : Odd {"),
    ({"type": "object", "description": "a */ b /* c"}, "/** a *&#47; b /&#42; c */"),
    ({"type": "object", "properties": {"in": {}, "class": {}}}, "public val `in`: JsonElement? = null,"),
    ({"type": "object", "properties": {"in": {}, "class": {}}}, "public val class_: JsonElement? = null,"),
    ({"type": "string", "pattern": "^\\d+$"}, 'Matching("^[0-9]+\\\\z")'),
]


@pytest.mark.parametrize(("schema", "said"), SAID)
def test_what_is_said(kotlin, schema, said):
    assert said in kotlin(schema)


GIVEN = [
    (of({"type": "string"}), {"Odd.m": "givenName"}, "public val givenName: String? = null,"),
    (of({"type": "string"}), {"#/$defs/Odd/properties/m": "given"}, '.putPresent("m", given, StringCodec)'),
    (of({"const": "x"}, required=True), {"Odd.m": "given"}, 'public val given: String get() = "x"'),
    ({"properties": {"m": {}, "n": {}}, "type": "object"}, {"Odd.m": "n"}, "public val n_: JsonElement? = null,"),
    ({"enum": ["a", "b"]}, {"Odd.a": "first"}, 'FIRST("a"),'),
    ({"anyOf": [{"enum": ["a", "b"]}, {"type": "string"}]}, {"Odd.b": "secondOne"}, 'SECOND_ONE("b"),'),
    ({"enum": ["a", 1]}, {"Odd.1": "one"}, "ONE(JsonPrimitive(1L)),"),
    ({"type": "object"}, {"#/$defs/Odd": "Strange"}, "public data class Strange("),
]


@pytest.mark.parametrize(("schema", "names", "said"), GIVEN)
def test_what_the_user_calls_things(kotlin, schema, names, said):
    assert said in kotlin(schema, names)


def test_the_package_is_the_title(kotlin):
    text = kotlin({"type": "object"})

    assert "\npackage odd\n" in text
    assert "package turnwire" not in text


SUPPORT = sorted((ROOT / "codegen" / "turnwire_codegen" / "emit" / "kotlin" / "support").glob("*.kt"))
# Parameters of types, and what stands within another type, are found before any definition.
WITHIN = {"Absent", "Null", "P", "Present", "R", "T"}


@pytest.mark.parametrize("path", SUPPORT, ids=lambda path: path.name)
def test_no_definition_hides_what_the_support_says(path):
    """Every type that it names is imported, or no definition can be called so."""
    code = re.sub(r"""(?s)/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'""", "", path.read_text())
    imported = {name.rpartition(".")[2] for name in re.findall(r"(?m)^import (.*)$", code)}
    said = set(re.findall(r"(?<![\w.])[A-Z]\w*", re.sub(r"(?m)^import .*$", "", code))) - imported - WITHIN

    assert {name: f"{name}_" for name in said} == {name: type_name(name) for name in said}
