"""All languages at once: types, members, values and tags that are called like words and types of a language, like parts
of what is generated, like nothing at all, or alike but for the case of a letter, and an enum of thousands; in one build
each.
"""

import json
from pathlib import Path
from urllib.parse import unquote

import pytest

from bindings.canonical import canonical
from bindings.foreign import of_schema
from bindings.languages import found
from turnwire_codegen.checks import checks_of
from turnwire_codegen.interpret import check
from turnwire_codegen.load.foreign.front import load_foreign

# A build takes minutes where nothing of it is in the cache and others compile as well.
pytestmark = pytest.mark.timeout(3600)

# Names of types and of members.
_NAMES = json.loads(Path(__file__).with_name("odd_names.json").read_text())
TYPES, MEMBERS = _NAMES["types"], _NAMES["members"]
TAGS = ["none", "some", "self", "init", "Type", "Self", "class", "unknown", "Unknown", "", "1", "a b", "value"]
MIXED = [1, -1, "1", "-1", "", None, True, "true", "True", 1.5, "1.5"]
# More than a class of the JVM has room for.
LARGE = {"enum": [f"value {number}" for number in range(5000)]}
TEXT = {"type": "string"}


def arms(tag, tags):
    """A union of objects by a tag."""
    return {
        "oneOf": [
            {"type": "object", "properties": {tag: {"const": name}, "x": TEXT}, "required": [tag]} for name in tags
        ]
    }


def pointer(name):
    return "#/$defs/" + name.replace("~", "~0").replace("/", "~1")


def definitions():
    """Objects that hold their own kind, enums, bounded texts and unions in turn; and all members in many ways."""
    found = {}
    for at, name in enumerate(TYPES):
        ref = {"$ref": pointer(name)}
        many = {"all": {"type": "array", "items": ref}, "by": {"type": "object", "additionalProperties": ref}}
        found[name] = (
            {"type": "object", "properties": {"n": TEXT, "next": ref, **many}, "required": ["n"]},
            {"enum": ["a", "B"]},
            {"type": "string", "minLength": 1},
            arms("t", TAGS),
        )[at % 4] | {"description": f'{name!r} as a "type" that ends */ so, ${{x}} \\(y) `z`.'}
    found["Every"] = {"type": "object", "properties": dict.fromkeys(MEMBERS, TEXT)}
    found["Needed"] = {**found["Every"], "required": MEMBERS}
    found["Nullable"] = {"type": "object", "properties": {name: {"type": ["string", "null"]} for name in MEMBERS}}
    found["Consts"] = {"type": "object", "properties": {name: {"const": name} for name in MEMBERS}, "required": MEMBERS}
    found["Uses"] = {"type": "object", "properties": {name: {"$ref": pointer(name)} for name in TYPES}}
    return {
        **found,
        "Closed": {"enum": MEMBERS},
        "Tags": arms("kind", MEMBERS),
        "Mixed": {"enum": MIXED},
        "Large": LARGE,
    }


def rows():
    """Values of every type by its name in the schema, right ones and wrong ones."""
    given = (
        [{"n": "x", "next": {"n": "y"}, "all": [{"n": "z"}], "by": {"": {"n": "w"}, "k": {"n": "v"}}}, {"n": 1}],
        ["a", "B", "b"],
        ["a", ""],
        [*({"t": tag, "x": "x"} for tag in TAGS), {"t": "zz"}],
    )
    whole = {name: name for name in MEMBERS}
    yield from ((name, value) for at, name in enumerate(TYPES) for value in given[at % 4])
    yield from ((name, whole) for name in ("Every", "Needed", "Nullable", "Consts"))
    yield from [("Nullable", dict.fromkeys(MEMBERS)), ("Nullable", {}), ("Every", {})]
    yield "Uses", {name: given[at % 4][0] for at, name in enumerate(TYPES)}
    yield from (("Mixed", value) for value in (*MIXED, 2, False, 1.0, "TRUE"))
    yield from (("Large", value) for value in ("value 0", "value 4999", "value 5000", 1))
    for name in MEMBERS:
        yield from [("Closed", name), ("Tags", {"kind": name, "x": name}), ("Every", {name: 1})]
        yield from [("Consts", {**whole, name: "?"}), ("Needed", {key: key for key in MEMBERS if key != name})]


def test_odd_names(tmp_path):
    path = tmp_path / "odd.json"
    path.write_text(json.dumps({"title": "Odd names", "$defs": definitions()}))
    loaded, document, _ = load_foreign(path)
    checks = checks_of(document, path.name, loaded.declared)
    called = {unquote(place): name for name, place in loaded.declared.items()}
    given = [(called[pointer(name)], value) for name, value in rows()]
    faults = [check(checks.plans, value, checks.roots[name]) for name, value in given]
    expected = [
        canonical({"value": value} if fault is None else {"pointer": fault.pointer, "rule": fault.rule})
        for (_, value), fault in zip(given, faults, strict=True)
    ]
    programs = found(of_schema("odd-names", path, tmp_path))

    assert len(TYPES) < sum(fault is None for fault in faults) < len(faults) - len(MEMBERS)
    assert {language: [] for language in programs} == {
        language: [row for row in zip(given, expected, roundtrip(given), strict=True) if row[1] != row[2]][:5]
        for language, roundtrip in programs.items()
    }
