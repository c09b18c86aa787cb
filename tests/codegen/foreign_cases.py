"""Small schemas of others: what round-trips through the types made of them, and what the types refuse."""

__all__ = ["CASES", "OBJECT", "A", "B", "of"]

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
        "undeclared members",
        of(a={"type": "integer"}, b={"type": "array", "items": of(c={"type": "string"})}),
        [{"a": 1, "b": [], "more": {"x": None}}, {"a": 1, "b": [{"c": "", "": [1]}, {"c": ""}], "m-n": 2}],
        [{"a": "", "b": [], "more": 1}, {"a": 1, "b": [{"c": 1, "more": 1}]}],
    ),
    (
        "undeclared members of arms, in tuples and maps",
        {
            "oneOf": [A, B],
            "properties": {
                "pair": {"prefixItems": [of(x=OBJECT), {"type": "null"}], "items": False, "minItems": 2},
                "map": {"type": "object", "additionalProperties": of(y={"type": "number"})},
            },
        },
        [
            {"kind": "b", "id": 1},
            {"kind": "a", "n": 1, "pair": [{"x": {}, "z": 1}, None], "map": {"k": {"y": 2, "z": 3}}},
        ],
        [{"kind": "b", "id": 1, "pair": [{"z": 1}, None]}, {"kind": "b", "id": 1, "map": {"k": {"y": "", "z": 1}}}],
    ),
    (
        "an arm that fits, for all that it does not declare",
        of(result={"anyOf": [of(done={"type": "string"}), of(done={"type": "string"}, cost={"type": "integer"})]}),
        [{"result": {"done": "", "contents": [1]}}, {"result": {"done": "", "cost": 1, "more": 1}}],
        [{"result": {"cost": 1, "contents": []}}],
    ),
    ("steps of a fraction", of(a={"type": "number", "multipleOf": 0.1}), [{"a": 0.5}, {"a": 2}], [{"a": "0.5"}]),
    ("steps of a half", of(a={"type": "number", "multipleOf": 0.5}), [{"a": 1.5}, {"a": 2}], [{"a": 1.25}]),
    ("whole steps of a fraction", of(a={"type": "integer", "multipleOf": 2.5}), [{"a": 5}], [{"a": 5.5}]),
    ("steps beyond 64 bits", of(a={"type": "integer", "multipleOf": 1e30}), [{"a": 0}], [{"a": 5.5}]),
    (
        "constants beyond 64 bits",
        of(a={"const": 12345678901234567890}, b={"enum": [0, 18446744073709551615]}),
        [{"a": 12345678901234567890, "b": 18446744073709551615}],
        [{"a": "1", "b": 0}, {"a": 12345678901234567890, "b": -1}],
    ),
    ("ends said twice", of(a={"type": "integer", "minimum": 1, "exclusiveMinimum": 1}), [{"a": 2}], [{"a": 1}]),
    (
        "a layer that speaks of all members",
        {**of(a=OBJECT), "allOf": [{"unevaluatedProperties": True}], "unevaluatedProperties": False},
        [{"a": {}, "b": 1}],
        [{"a": 1}],
    ),
    ("nothing said", {}, [None, 1, {"a": []}], []),
    ("true", True, [None, 1, {"a": []}], []),
    ("no definitions", {"$defs": {}}, [None, 1, {"a": []}], []),
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
