"""What TypeScript's types say beyond a kind: how texts begin, which members go together, what must not be there."""

import json
import string

import msgspec
import pytest

from codegen.rules.gather import CASES
from turnwire_codegen.emit.typescript.names import member_name
from turnwire_codegen.emit.typescript.texts import is_listed, text_type
from turnwire_codegen.ir import AnyValue, MapOf, Record, Scalar, TupleOf
from turnwire_codegen.load.foreign.front import load_foreign
from turnwire_codegen.load.foreign.presence import ABSENT, Said, arms_of
from turnwire_codegen.outputs import make
from turnwire_codegen.passes.wide import widened
from turnwire_codegen.rules import Const

TEXTS = [
    ("^x-", "`x-${string}`", False),
    ("\\.md$", "`${string}.md`", False),
    ("^usr_[0-9]+$", "`usr_${string}`", False),
    ("^(usr|org)_", "`usr_${string}` | `org_${string}`", False),
    ("^a|b$", "`a${string}` | `${string}b`", False),
    ("^a.*z$", "`a${string}z`", False),
    ("^(on|off)$", '"on" | "off"', True),
    ('^\\$\\{`"\\\\', '`\\${\\`"\\\\${string}`', False),
    ("^[a-z0-9_]+$", "Lowercase<string>", False),
    ("^[A-Z_]+$", "Uppercase<string>", False),
    ("^[a-z]", None, False),
    ("[a-z]+", None, False),
    ("^[a-zA-Z]+$", None, False),
    ("^[^A-Z]+$", None, False),
    ("^[ß-ö]+$", None, False),
    ("^(?:a|b|c|d|e|f|g)$", "Lowercase<string>", False),
    ("x-", None, False),
    ("^", None, False),
]


@pytest.mark.parametrize(("source", "expected", "listed"), TEXTS, ids=[row[0] for row in TEXTS])
def test_the_type_of_what_a_pattern_matches(source, expected, listed):
    assert (expected, listed) == (text_type(source), is_listed(source) and text_type(source) is not None)


TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
TWO = {"a": TEXT, "b": TEXT}
OBJECT = {"type": "object", "properties": TWO}
KINDS = {"k": {"enum": ["x", "y", "z"]}, "v": TEXT}
OPEN = "a?: string; b?: string;"
# All that a name may begin with that `OtherName` knows of.
BEGINNINGS = f"{string.ascii_letters}{string.digits}_"
TYPES = [
    ({"not": {"required": ["a"]}, **OBJECT}, "{ a?: never; b?: string; }"),
    ({"not": {"required": ["a", "b"]}, **OBJECT}, f"{{ {OPEN} }} & ( | {{ a?: never }} | {{ b?: never }} )"),
    (
        {"dependentRequired": {"a": ["b"]}, **OBJECT},
        f"{{ {OPEN} }} & ( | {{ a?: never }} | {{ a: string; b: string }} )",
    ),
    (
        {"dependencies": {"a": {"required": ["c"]}}, **OBJECT},
        f"{{ {OPEN} }} & ( | {{ a?: never }} | {{ a: string; c: unknown }} )",
    ),
    ({"dependentRequired": {"a": ["b"]}, "required": ["a"], **OBJECT}, "{ a: string; b: string; }"),
    (
        {"anyOf": [{"required": ["a"]}, {"required": ["b"]}], **OBJECT},
        f"{{ {OPEN} }} & ( | {{ a: string }} | {{ b: string }} )",
    ),
    (
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}], **OBJECT},
        f"{{ {OPEN} }} & ( | {{ a: string; b?: never }} | {{ a?: never; b: string }} )",
    ),
    (
        {"if": {"required": ["a"]}, "else": {"required": ["b"]}, **OBJECT},
        f"{{ {OPEN} }} & ( | {{ a: string }} | {{ a?: never; b: string }} )",
    ),
    (
        {
            "type": "object",
            "properties": KINDS,
            "required": ["k"],
            "if": {"properties": {"k": {"const": "x"}}},
            "then": {"required": ["v"]},
        },
        '{ k: TK; v?: string; } & ( | { k: "x"; v: string } | { k: "y" | "z" } )',
    ),
    # What is said of a text that may be any leaves no other text, and what is not understood leaves nothing at all.
    ({"if": {"properties": {"a": {"const": "x"}}}, "then": {"required": ["b"]}, **OBJECT}, f"{{ {OPEN} }}"),
    ({"not": {"required": ["a"], "minProperties": 2}, **OBJECT}, f"{{ {OPEN} }}"),
    ({"anyOf": [{"required": [name]} for name in "abcdefg"], **OBJECT}, f"{{ {OPEN} }}"),
    ({"type": "object", "properties": {"a": False}}, "{ a?: never; }"),
    ({"prefixItems": [TEXT, WHOLE], "minItems": 1}, "[string, number?, ...unknown[]]"),
    ({"prefixItems": [{"type": ["string", "null"]}], "items": False}, "[(string | null)?]"),
    ({"enum": [0.5, 1, 1.5]}, "0.5 | 1 | 1.5"),
    ({"enum": [0, 18446744073709551615]}, "0 | 18446744073709551615n"),
    (
        {"type": "object", "propertyNames": {"enum": ["a", "b"]}, "additionalProperties": WHOLE},
        '{ [member in "a" | "b"]?: number }',
    ),
    (
        {"type": "object", "propertyNames": {"pattern": "^(a|b)$"}, "additionalProperties": WHOLE},
        '{ [member in "a" | "b"]?: number }',
    ),
    (
        {"type": "object", "patternProperties": {"^x-": WHOLE}, "additionalProperties": False},
        "{ [member: `x-${string}`]: number }",
    ),
    ({"type": "object", "patternProperties": {"^x-": WHOLE}}, "{ [member: string]: unknown }"),
    (
        {"type": "object", "properties": {"at": TEXT, "É": TEXT}, "additionalProperties": WHOLE},
        '{ at?: string; "\\u00c9"?: string; [member: string]: unknown; [member: OtherName<"a">]: number; }',
    ),
    (
        {"type": "object", "properties": {"": TEXT}, "additionalProperties": {"items": WHOLE, "type": "array"}},
        '{ ""?: string; [member: string]: unknown; [member: OtherName<never>]: number[]; }',
    ),
    ({**OBJECT, "additionalProperties": True}, f"{{ {OPEN} [member: string]: unknown; }}"),
    (
        {"type": "object", "properties": dict.fromkeys(BEGINNINGS, TEXT), "additionalProperties": WHOLE},
        f"{{ {' '.join(f'{member_name(name)}?: string;' for name in BEGINNINGS)} [member: string]: unknown; }}",
    ),
    ({"anyOf": [{**WHOLE, "minimum": 0, "maximum": 2}, {**WHOLE, "minimum": 100}]}, "| 0 | 1 | 2 | number"),
    ({"anyOf": [{**WHOLE, "minimum": 0, "maximum": 2}, TEXT]}, "| number | string"),
    ({**WHOLE, "minimum": 0, "maximum": 2}, "number"),
    ({**TEXT, "pattern": "^x-"}, "string"),
]


@pytest.mark.parametrize(("schema", "expected"), TYPES, ids=range(len(TYPES)))
def test_the_type_of_a_schema(tmp_path, schema, expected):
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"title": "T", **schema}))
    text = make("generate-ts", path, experimental=False).files["types.ts"].decode()
    said = text.partition("export type T =")[2].partition(";\n\n")[0]

    assert expected == " ".join(said.split()).removesuffix(";")


CLOSED = {"type": "object", "additionalProperties": False}
ONE, OTHER = ({**CLOSED, "properties": {name: TEXT, "c": TEXT}, "required": [name]} for name in "ab")
TAGGED = {**CLOSED, "properties": {"k": {"const": "x"}, "b": TEXT}, "required": ["k"]}
MANY = {**CLOSED, "properties": {f"m{number}": TEXT for number in range(9)}, "required": ["m0"]}
ARMS = [
    ({"One": ONE, "Other": OTHER}, {"One": ["b"], "Other": ["a"]}),
    ({"One": ONE, "Other": {**OTHER, "additionalProperties": True}}, {"One": ["b"], "Other": []}),
    ({"One": ONE, "Other": MANY}, {"One": [], "Other": ["a", "c"]}),
    ({"One": TAGGED, "Other": {**TAGGED, "properties": {"k": {"const": "y"}, "d": TEXT}}}, {"One": [], "Other": []}),
]


@pytest.mark.parametrize(("arms", "expected"), ARMS, ids=range(len(ARMS)))
def test_members_of_other_arms(tmp_path, arms, expected):
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"title": "T", "anyOf": [{"$ref": f"#/$defs/{name}"} for name in arms], "$defs": arms}))
    text = make("generate-ts", path, experimental=False).files["types.ts"].decode()
    found = {name: text.partition(f"type {name} = {{\n")[2].partition("};")[0].splitlines() for name in arms}

    assert expected == {
        name: [line.strip().removesuffix("?: never;") for line in lines if "never" in line]
        for name, lines in found.items()
    }


def test_what_is_known_of_arms():
    domain = {"k": frozenset(['"x"', '"y"'])}.get
    known = arms_of({"not": {"properties": {"k": {"const": "x"}}, "required": ["k"]}}, domain)

    assert [{"k": Said(absent=True, values=frozenset(['"y"']))}] == list(known.arms)
    assert known.exact
    assert [{"a": ABSENT}] == list(arms_of({"not": {"required": ["a"]}}, domain).arms)
    assert [({}, False), ({}, True)] == [
        (*arms_of(schema, domain).arms, arms_of(schema, domain).exact) for schema in ({"maxProperties": 1}, True)
    ]
    assert () == arms_of(False, domain).arms


def parts(node):
    if isinstance(node, msgspec.Struct):
        yield node
        for name in node.__struct_fields__:
            yield from parts(getattr(node, name))
    elif isinstance(node, tuple):
        for item in node:
            yield from parts(item)


def is_close(node):
    match node:
        case Record(choices=choices):
            return choices != ()
        case TupleOf():
            return (node.rest, node.least, node.rules) != (None, None, ())
        case MapOf():
            return node.keys is not None
        case AnyValue():
            return node.nothing
        case Scalar(rules=rules):
            return any(isinstance(rule, Const) for rule in rules)
    return False


def test_nothing_close_is_left_for_languages_that_cannot_say_it():
    found = {Record: 0, TupleOf: 0, MapOf: 0, AnyValue: 0, Scalar: 0}
    for path in sorted(CASES.glob("*/schema.json")):
        loaded, _, _ = load_foreign(path)
        for node in parts(loaded.protocol) if loaded else ():
            if is_close(node):
                found[type(node)] += 1
        assert [] == [node for node in parts(widened(loaded.protocol)) if is_close(node)] if loaded else True
    assert all(found.values()), found
