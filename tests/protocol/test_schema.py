"""The family files keep the narrow form: named, described, bounded, open, and no definition without a purpose."""

import json
import re

import pytest

from protocol.families import PROTOCOL, bundle, definitions, derived, families, refs, table, tag_of

FILES = sorted((PROTOCOL / "schema").glob("*.json"))
DEFINITIONS = definitions()
MEMBERS = {
    f"{name}.{member}": (node, member, schema)
    for name, node in DEFINITIONS.items()
    for member, schema in node.get("properties", {}).items()
}
UNIONS = {name: node for name, node in DEFINITIONS.items() if "oneOf" in node and "$ref" in node["oneOf"][0]}
ENUMS = {name: node for name, node in DEFINITIONS.items() if "oneOf" in node and "const" in node["oneOf"][0]}
# JSON-RPC itself asks for what the narrow form does not have: ids of two kinds, responses told apart by their members.
ENVELOPE = {"RequestId", "Response"}
SAFE = 2**53 - 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_file_is_laid_out_as_it_would_be_printed(path):
    text = path.read_text(encoding="utf-8")

    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", families())
def test_family_says_what_it_is(name):
    family = families()[name]

    assert list(family) == ["$schema", "$id", "title", "description", "$defs"]
    assert family["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert family["$id"].endswith(f"/{name}.json")
    assert family["description"].endswith(".")


@pytest.mark.parametrize("name", DEFINITIONS)
def test_definition_is_named_and_described(name):
    node = DEFINITIONS[name]

    assert re.fullmatch(r"[A-Z][A-Za-z0-9]*", name)
    assert node["description"].endswith(".")
    assert not node.keys() & {"allOf", "if", "not", "patternProperties", "enum"}
    assert set(refs(node)) <= DEFINITIONS.keys()


@pytest.mark.parametrize("name", [name for name, node in DEFINITIONS.items() if "properties" in node])
def test_object_lists_what_it_requires_in_the_order_of_its_members(name):
    node = DEFINITIONS[name]

    assert node["type"] == "object"
    assert "additionalProperties" not in node
    assert node.get("required", []) == [member for member in node["properties"] if member in node.get("required", [])]


@pytest.mark.parametrize(("node", "member", "schema"), MEMBERS.values(), ids=MEMBERS)
def test_member_is_described_and_says_what_absence_means(node, member, schema):
    description = schema["description"]

    assert re.fullmatch(r"[a-z][A-Za-z0-9]*", member)
    assert description.endswith(".")
    assert member in node.get("required", []) or "absent" in description


@pytest.mark.parametrize(("node", "member", "schema"), MEMBERS.values(), ids=MEMBERS)
def test_member_names_its_type_or_bounds_its_scalar(node, member, schema):
    """Objects, unions and enums have names of their own; a string, an integer or a list of a message has an end."""
    values = schema["anyOf"][:1] if "anyOf" in schema else [schema]
    values += [values[0].get(word) for word in ("items", "additionalProperties") if word in values[0]]

    for value in values:
        assert not value.keys() & {"properties", "oneOf", "enum"}
        assert value.get("type") != "string" or value.keys() & {"maxLength", "pattern"}
        assert value.get("type") != "integer" or -SAFE <= value["minimum"] <= value["maximum"] <= SAFE


@pytest.mark.parametrize(("node", "member", "schema"), MEMBERS.values(), ids=MEMBERS)
def test_nullable_member_says_what_null_means(node, member, schema):
    nullable = {"type": "null"} in schema.get("anyOf", [])

    assert nullable == ("x-null" in schema)
    assert "anyOf" not in schema or (len(schema["anyOf"]) == 2 and nullable)


@pytest.mark.parametrize("name", [name for name, node in DEFINITIONS.items() if "type" in node])
def test_scalar_definition_is_bounded(name):
    node = DEFINITIONS[name]

    assert node["type"] != "string" or node.keys() & {"maxLength", "pattern"}
    assert node["type"] != "integer" or -SAFE <= node["minimum"] <= node["maximum"] <= SAFE


@pytest.mark.parametrize("name", ENUMS)
def test_enum_documents_each_value_once(name):
    arms = ENUMS[name]["oneOf"]

    assert [arm["description"][-1] for arm in arms] == ["."] * len(arms)
    assert len({arm["const"] for arm in arms}) == len(arms)


@pytest.mark.parametrize("name", UNIONS)
def test_union_has_one_tag_and_is_open(name):
    """Whatever a client reads must leave room for more arms, and there is no union that a client never reads."""
    tag, arms = tag_of(UNIONS[name], DEFINITIONS)

    assert len(arms) == len(UNIONS[name]["oneOf"])
    assert all(tag in DEFINITIONS[arm]["required"] for arm in arms.values())
    assert UNIONS[name]["x-open"] is True


def test_other_choices_are_of_the_envelope():
    choices = {name for name, node in DEFINITIONS.items() if "anyOf" in node}

    assert choices == ENVELOPE


def test_every_definition_is_reached_from_a_table():
    roots = {"Request", "Notification", "Response"} | {row["data"] for row in table("errors")["errors"]}
    for row in table("methods")["methods"]:
        roots |= {row[word] for word in ("params", "result") if word in row}
    reached: set[str] = set()
    while roots:
        reached |= roots
        roots = {name for root in roots for name in refs(DEFINITIONS[root])} - reached

    assert sorted(DEFINITIONS.keys() - reached) == []


# --- the bundle -------------------------------------------------------------------------------------------------------


def bare(node):
    """A schema without what changes no verdict: descriptions, and members that are none."""
    if isinstance(node, list):
        return [bare(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    # A member may be called `description`; only a text is one.
    described = isinstance(node.get("description"), str)
    idle = {"description"} if described else set()
    idle |= {"properties"} if node.get("properties") == {} else set()
    return {word: bare(value) for word, value in node.items() if word not in idle}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_bundle_says_what_the_family_says(name):
    shipped = bundle()["$defs"][name]

    assert bare(shipped) == bare(derived()[name])
    # Of two faults the one in the first member is the first, so the order of the members is a part of what it says.
    assert list(shipped.get("properties", {})) == list(derived()[name].get("properties", {}))


def test_bundle_has_the_roots_by_which_a_line_is_judged():
    roots = ["ClientRequest", "ServerRequest", "ClientNotification", "ServerNotification"]

    assert {*roots, "ClientToServer", "ServerToClient"} <= bundle()["$defs"].keys() - DEFINITIONS.keys()


@pytest.mark.parametrize("name", ["methods", "errors", "states", "capabilities"])
def test_bundle_carries_the_table(name):
    assert f"x-{name}" in bundle()


def test_bundle_refers_only_to_itself():
    definitions_of = bundle()["$defs"]

    assert {name for name in refs(bundle()) if name not in definitions_of} == set()
