"""Schemas that the cases do not reach: where several layers, guards and phases meet, and which fault is the first."""

from typing import Any, NamedTuple

__all__ = ["HARD", "Hard"]


class Hard(NamedTuple):
    """A schema, values that are valid, and values with the pointer and the rule of their first fault."""

    schema: dict[str, Any]
    valid: list[Any]
    invalid: list[tuple[Any, str, str]]


TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


# By format: texts that have it, and texts that look alike.
_FORMATS = {
    "date": (
        ["2024-02-29", "2000-02-29", "0000-02-29", "9999-12-31"],
        [
            "2023-02-29",
            "1900-02-29",
            "2024-13-01",
            "2024-00-01",
            "2024-04-31",
            "2024-1-01",
            "\u0662024-01-01",
            "2024-01-01 ",
            "",
        ],
    ),
    "time": (
        ["10:00:00Z", "10:00:00.123456789+05:30", "23:59:60Z", "00:59:60+01:00", "18:59:60-05:00", "10:00:00z"],
        [
            "10:00:00",
            "24:00:00Z",
            "10:60:00Z",
            "10:00:60Z",
            "10:00Z",
            "10:00:00.Z",
            "10:00:00+24:00",
            "10:00:00+0100",
            "1:00:00Z",
        ],
    ),
    "date-time": (
        ["2024-01-01T00:00:00Z", "2024-01-01t00:00:00.5z", "2016-12-31T23:59:60Z", "1990-12-31T15:59:60-08:00"],
        ["2024-01-01 00:00:00Z", "2024-01-01T00:00:00", "2024-02-30T00:00:00Z", "2024-01-01", "2024-01-01T00:00:00Z\n"],
    ),
    "uuid": (
        ["F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", "00000000-0000-0000-0000-000000000000"],
        [
            "f81d4fae7dec11d0a76500a0c91e6bf6",
            "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
            "g81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        ],
    ),
    "ipv4": (
        ["127.0.0.1", "255.255.255.255", "0.0.0.0"],
        ["256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.", "1.2.3.4.5", "\u0661.2.3.4", "1.2.3.+4", ""],
    ),
}


def _arm(tag: str, *required: str, **members: Any) -> dict[str, Any]:
    properties = {"kind": {"const": tag}, **members}
    return {"type": "object", "properties": properties, "required": ["kind", *required]}


HARD = {
    "closed around a tagged union": Hard(
        {
            "type": "object",
            "properties": {"id": TEXT},
            "required": ["id"],
            "oneOf": [_arm("run", "cmd", cmd=TEXT), _arm("wait", ms=WHOLE)],
            "unevaluatedProperties": False,
        },
        [{"id": "1", "kind": "run", "cmd": "ls"}, {"id": "2", "kind": "wait"}, {"id": "2", "kind": "wait", "ms": 5}],
        [
            # The failing arm speaks of nothing, yet the fault is the arm's and not that of an innocent member.
            ({"id": "1", "kind": "run", "cmd": 5}, "/cmd", "type"),
            ({"id": "1", "kind": "run", "cmd": "ls", "ms": 1}, "/ms", "unevaluated"),
            ({"id": 1, "kind": "nap", "ms": 1}, "/id", "type"),
            ({"id": "1", "kind": "nap"}, "/kind", "tag"),
            ({"id": "1", "ms": 1}, "", "tag"),
            ({"id": "1", "kind": "wait", "z": 1, "b": 1}, "/b", "unevaluated"),
        ],
    ),
    "closed around conditions": Hard(
        {
            "type": "object",
            "if": {"properties": {"mode": {"const": "file"}}, "required": ["mode"]},
            "then": {"properties": {"path": TEXT}, "required": ["path"]},
            "else": {"properties": {"url": TEXT}},
            "properties": {"mode": TEXT},
            "unevaluatedProperties": False,
        },
        [{}, {"mode": "file", "path": "/"}, {"mode": "net", "url": "u"}, {"url": "u"}],
        [
            ({"mode": "file"}, "", "required"),
            ({"mode": "file", "path": 1, "url": "u"}, "/path", "type"),
            ({"mode": "file", "path": "/", "url": "u"}, "/url", "unevaluated"),
            ({"mode": "net", "path": "/"}, "/path", "unevaluated"),
        ],
    ),
    "closed by a schema around alternatives": Hard(
        {
            "type": "object",
            "anyOf": [
                {"properties": {"a": WHOLE}, "required": ["a"]},
                {"properties": {"b": WHOLE}, "required": ["b"], "patternProperties": {"^x-": TEXT}},
            ],
            "unevaluatedProperties": {"type": "object", "required": ["why"]},
        },
        [{"a": 1}, {"b": 1, "x-1": "t"}, {"a": 1, "b": 2, "x-1": "t"}, {"a": 1, "other": {"why": "so"}}],
        [
            ({}, "", "choice"),
            ({"a": 1, "x-1": "t"}, "/x-1", "type"),
            ({"a": 1, "b": "no"}, "/b", "type"),
            ({"b": 1, "other": {}}, "/other", "required"),
        ],
    ),
    "a branch of allOf closes only what it sees": Hard(
        {
            "allOf": [
                {"properties": {"a": TEXT}, "patternProperties": {"^b": {}}, "unevaluatedProperties": False},
                {"properties": {"bee": WHOLE}},
            ],
        },
        [{"a": "x"}, {"bee": 1}, "no object"],
        [({"bee": "x"}, "/bee", "type"), ({"bee": 1, "c": 1}, "/c", "unevaluated"), ({"c": 1, "a": 1}, "/a", "type")],
    ),
    "items of several layers": Hard(
        {
            "allOf": [{"prefixItems": [TEXT, WHOLE]}, {"items": {"type": ["string", "integer"]}}],
            "prefixItems": [{"minLength": 2}],
            "items": {"not": {"const": 13}},
            "uniqueItems": True,
        },
        [["ab", 1, "c"], [], "no array"],
        [
            (["a", "x"], "/0", "length"),
            (["ab", "x", None], "/1", "type"),
            (["ab", 13], "/1", "not"),
            (["ab", 1, None], "/2", "type"),
            (["ab", 1, 1.0], "", "unique"),
        ],
    ),
    "unevaluated items": Hard(
        {
            "type": "array",
            "anyOf": [{"prefixItems": [TEXT, TEXT]}, {"prefixItems": [WHOLE]}],
            "unevaluatedItems": {"type": "boolean"},
        },
        [["a", "b", True], [1, False], []],
        [
            (["a", 1], "", "choice"),
            ([1, "a"], "/1", "type"),
            (["a", "b", "c", 1], "/2", "type"),
            ([None], "", "choice"),
        ],
    ),
    "presence of a member in what is no object": Hard(
        {
            "dependentSchemas": {"a": {"prefixItems": [TEXT], "properties": {"b": TEXT}}},
            "unevaluatedItems": {"type": "null"},
            "unevaluatedProperties": {"type": ["string", "integer"]},
        },
        [[], [None], {"a": 1, "b": "x"}, {"b": 1}],
        [(["x"], "/0", "type"), ([None, 1], "/1", "type"), ({"a": 1, "b": 1}, "/b", "type"), ({"c": []}, "/c", "type")],
    ),
    "counting what is contained": Hard(
        {
            "type": "object",
            "properties": {
                "list": {"contains": {"type": "object", "required": ["ok"]}, "minContains": 2, "maxContains": 3},
                "none": {"contains": TEXT, "minContains": 0},
                "few": {"contains": WHOLE, "maxContains": 1, "items": {"type": ["integer", "null"]}},
            },
        },
        [{"list": [{"ok": 1}, {"ok": 2}, 3]}, {"none": []}, {"few": [None, 1]}, {"few": [1.0]}],
        [
            ({"list": [{"ok": 1}]}, "/list", "contains"),
            ({"list": [{"ok": 1}] * 4}, "/list", "contains"),
            ({"few": [1, 1, "x"]}, "/few/2", "type"),
            ({"few": [1, 1]}, "/few", "contains"),
            ({"few": []}, "/few", "contains"),
        ],
    ),
    "presence decides": Hard(
        {
            "properties": {"a": TEXT, "b": WHOLE},
            "dependentSchemas": {"b": {"properties": {"a": {"minLength": 2}, "c": WHOLE}, "required": ["c"]}},
            "dependentRequired": {"a": ["b"], "d": ["a"]},
            "unevaluatedProperties": False,
        },
        [{}, {"b": 1, "c": 2}, {"a": "xy", "b": 1, "c": 2}, 5],
        [
            ({"a": "x"}, "", "required"),
            ({"a": "x", "b": 1, "c": "no"}, "/a", "length"),
            ({"c": 1}, "/c", "unevaluated"),
            ({"b": 1}, "", "required"),
            ({"d": 1}, "", "required"),
        ],
    ),
    "one definition inside and outside of a union": Hard(
        {
            "type": "object",
            "properties": {
                "p": {"allOf": [{"$ref": "#/$defs/Node"}], "anyOf": [{"$ref": "#/$defs/Node"}, TEXT]},
                "q": {"$ref": "#/$defs/Node"},
            },
            "required": ["p"],
            "$defs": {
                "Node": {
                    "type": "object",
                    "properties": {"n": WHOLE, "q": {"$ref": "#/$defs/Node"}},
                    "required": ["n"],
                    "additionalProperties": False,
                },
            },
        },
        [{"p": {"n": 1, "q": {"n": 2}}, "q": {"n": 1}}],
        [
            ({"p": {"n": 1, "q": {}}}, "/p/q", "required"),
            ({"p": {"n": 1, "z": 1, "a": 1}}, "/p/a", "members"),
            ({"q": {"n": "x"}}, "", "required"),
            ({"p": "x"}, "/p", "type"),
        ],
    ),
    "a union in an arm of a union, around itself": Hard(
        {
            "oneOf": [
                _arm(
                    "box",
                    "in",
                    **{"in": {"oneOf": [_arm("leaf", "v", v=WHOLE), _arm("twig", w={"items": {"$ref": "#"}})]}},
                ),
                _arm("end", y=TEXT),
            ],
        },
        [{"kind": "end"}, {"kind": "box", "in": {"kind": "twig", "w": [{"kind": "end", "y": "s"}]}}],
        [
            ({"kind": "box", "in": {"kind": "leaf"}}, "/in", "required"),
            ({"kind": "box", "in": {"kind": "twig", "w": [{"kind": "end", "y": 1}]}}, "/in/w/0/y", "type"),
            ({"kind": "box", "in": {"kind": "twig", "w": [{"kind": "ent"}]}}, "/in/w/0/kind", "tag"),
            ({"kind": "box", "in": {"v": 1}}, "/in", "tag"),
            ([], "", "tag"),
        ],
    ),
    "keys, patterns and others": Hard(
        {
            "type": "object",
            "properties": {"ab": WHOLE, "zz": TEXT},
            "patternProperties": {"^a": {"minimum": 3}, "b$": {"maximum": 9}},
            "propertyNames": {"maxLength": 3, "pattern": "^[a-z0-9]+$"},
            "additionalProperties": {"type": "boolean"},
            "minProperties": 1,
            "maxProperties": 3,
        },
        [{"ab": 5}, {"a1": 4, "t": True}, {"zz": "q", "xb": 2}],
        [
            ({}, "", "count"),
            ({"zz": 1, "A": 1}, "/zz", "type"),
            ({"ab": 1, "longer": True}, "/longer", "key"),
            ({"ab": 12}, "/ab", "bound"),
            ({"t": 1, "ab": 1}, "/ab", "bound"),
            ({"t": 1, "b": 10}, "/b", "bound"),
            ({"t\n": True}, "/t\n", "key"),
        ],
    ),
    "two layers with rules for the others": Hard(
        {
            "allOf": [
                {"properties": {"a": WHOLE}, "additionalProperties": TEXT},
                {
                    "properties": {"b": TEXT},
                    "additionalProperties": {"type": ["integer", "string"]},
                    "propertyNames": {"maxLength": 2},
                },
            ],
            "type": "object",
            "not": {"required": ["a", "b"]},
        },
        [{"a": 1}, {"b": "x", "zz": "w"}],
        [
            ({"a": 1, "b": "x"}, "", "not"),
            ({"b": "x", "c": 1, "long": 1}, "/long", "key"),
            ({"c": None, "b": 1}, "/b", "type"),
            ({"d": 1, "c": "x"}, "/d", "type"),
        ],
    ),
    "arms that inherit": Hard(
        {
            "anyOf": [{"$ref": "#/$defs/Make"}, {"$ref": "#/$defs/Drop"}, {"$ref": "#/$defs/Other"}],
            "$defs": {
                "Base": {"type": "object", "properties": {"id": WHOLE}, "required": ["id"]},
                "Make": {"allOf": [{"$ref": "#/$defs/Base"}], **_arm("make", "x", x=WHOLE)},
                "Drop": {"$ref": "#/$defs/Base", **_arm("drop", xs={"type": "array", "items": WHOLE, "minItems": 1})},
                "Other": {
                    "type": "object",
                    "properties": {"kind": {"type": "string", "not": {"enum": ["drop", "make"]}}, "id": TEXT},
                    "required": ["kind"],
                },
            },
        },
        [{"kind": "make", "id": 1, "x": 2}, {"kind": "drop", "id": 1, "xs": [1]}, {"kind": "later", "id": "x"}],
        [
            ({"kind": "make", "id": "x", "x": 1}, "/id", "type"),
            ({"kind": "drop", "xs": []}, "", "required"),
            ({"kind": "drop", "id": 1, "xs": []}, "/xs", "count"),
            ({"kind": "later", "id": 1}, "/id", "type"),
            ({"kind": None}, "/kind", "tag"),
        ],
    ),
    "what every object inherits": Hard(
        {
            "type": "object",
            "properties": {"constructor": WHOLE, "__proto__": TEXT, "toString": TEXT},
            "required": ["constructor"],
            "dependentRequired": {"valueOf": ["toString"]},
            "patternProperties": {"Of$": {"type": "null"}},
            "additionalProperties": False,
        },
        [{"constructor": 1}, {"constructor": 1, "toString": "s", "valueOf": None, "__proto__": "p"}],
        [
            ({}, "", "required"),
            ({"constructor": 1, "__proto__": 1}, "/__proto__", "type"),
            ({"constructor": 1, "valueOf": None}, "", "required"),
            ({"constructor": 1, "hasOwnProperty": 1}, "/hasOwnProperty", "members"),
        ],
    ),
    "multiples": Hard(
        {"type": "number", "multipleOf": 0.5},
        [1.5, -2, 0, 1e308],
        [(0.3, "", "multiple"), (1e-320, "", "multiple"), ("1", "", "type")],
    ),
    "formats": Hard(
        {"properties": {name: {"format": name} for name in _FORMATS}, "additionalProperties": {"format": "of our own"}},
        [
            5,
            {"unknown": "anything"},
            *[{name: text} for name, (good, _) in _FORMATS.items() for text in good],
        ],
        [({name: text}, f"/{name}", "format") for name, (_, bad) in _FORMATS.items() for text in bad],
    ),
    "draft-07 forms": Hard(
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {
                "pair": {"items": [TEXT, False], "additionalItems": WHOLE},
                "alone": {"$ref": "#/definitions/Small", "maximum": -1},
                "named": {"$ref": "#small"},
            },
            "dependencies": {
                "pair": ["named"],
                "alone": {"required": ["pair"], "properties": {"pair": {"minItems": 1}}},
            },
            "unevaluatedProperties": False,
            "definitions": {"Small": {"$id": "#small", "type": "integer", "maximum": 9}},
        },
        [{}, {"pair": ["a"], "named": 1}, {"alone": 5, "pair": ["x"], "named": 2, "more": 1}],
        [
            ({"pair": ["a", "b"], "named": 1}, "/pair/1", "type"),
            ({"pair": ["a"]}, "", "required"),
            ({"alone": 5}, "", "required"),
            ({"alone": 10, "pair": 1}, "/alone", "bound"),
            ({"alone": 1, "pair": [], "named": 1}, "/pair", "count"),
        ],
    ),
    "2019-09 forms": Hard(
        {
            "$schema": "https://json-schema.org/draft/2019-09/schema",
            "$recursiveAnchor": True,
            "type": "object",
            "properties": {
                "v": {"type": "number", "multipleOf": 0.5},
                "kids": {"type": "array", "items": {"$recursiveRef": "#"}},
                "pair": {"items": [TEXT], "unevaluatedItems": False},
            },
            "unevaluatedProperties": {"type": "null"},
        },
        [{"v": 1.5, "kids": [{"v": 2, "kids": []}]}, {"pair": ["a"], "z": None}],
        [
            ({"kids": [{"v": 0.3}]}, "/kids/0/v", "multiple"),
            ({"pair": ["a", 1]}, "/pair/1", "unevaluated"),
            ({"z": 1}, "/z", "type"),
        ],
    ),
}
