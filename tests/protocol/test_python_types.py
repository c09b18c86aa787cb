"""The generated Python types take every valid case and give it back, and refuse every invalid one."""

import json

import jsonschema_rs
import msgspec
import pytest

from protocol.cases import collect
from protocol.families import PROTOCOL, bundle, definitions, tag_of
from turnwire import generated
from turnwire.generated.decoding import decode

CASES, _ = collect(PROTOCOL)
TYPES = bundle()["$defs"]
VALID = [case for case in CASES if case.kind != "invalid"]
# Decision 0008: what a client reads is not held to patterns by these types; validators hold it to them.
REFUSED = [case for case in CASES if case.kind == "invalid" and case.fault.rule != "pattern"]


EXAMPLES = {case.type: case.value for case in reversed(CASES) if case.kind == "example"}
REQUIRED = [(name, member) for name in definitions() for member in TYPES[name].get("required", ())]
MEMBERS = [(name, member) for name in definitions() for member in TYPES[name].get("properties", ())]
# Two of these at least are of another kind than any member, but one that takes any JSON.
KINDS = (5, True, [])


@pytest.mark.parametrize("case", VALID, ids=str)
def test_valid_case_comes_back_equal(case):
    decoded = decode(json.dumps(case.value), getattr(generated, case.type))

    assert json.loads(msgspec.json.encode(decoded)) == declared({"$ref": f"#/$defs/{case.type}"}, case.value)


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_invalid_case_is_refused(case):
    with pytest.raises(msgspec.ValidationError):
        decode(json.dumps(case.value), getattr(generated, case.type))


@pytest.mark.parametrize(("name", "member"), REQUIRED)
def test_missing_member_is_refused(name, member):
    value = {other: EXAMPLES[name][other] for other in EXAMPLES[name] if other != member}

    with pytest.raises(msgspec.ValidationError):
        decode(json.dumps(value), getattr(generated, name))


@pytest.mark.parametrize(("name", "member"), MEMBERS)
def test_member_of_another_kind_is_refused(name, member):
    validator = jsonschema_rs.validator_for({"$defs": TYPES, "$ref": f"#/$defs/{name}"})
    values = [{**EXAMPLES[name], member: kind} for kind in KINDS]
    wrong = [value for value in values if not validator.is_valid(value)]

    assert bool(wrong) != (TYPES[name]["properties"][member].keys() <= {"x-opaque", "description"})
    for value in wrong:
        with pytest.raises(msgspec.ValidationError):
            decode(json.dumps(value), getattr(generated, name))


def declared(schema, value):
    """What types keep of a value: unknown arms and opaque JSON whole, and of an object the members that it declares."""
    if "$ref" in schema:
        return declared(TYPES[schema["$ref"].rsplit("/", 1)[1]], value)
    if "oneOf" in schema and "$ref" in schema["oneOf"][0]:
        tag, arms = tag_of(schema, TYPES)
        arm = arms.get(value[tag])
        return value if arm is None else declared({"$ref": f"#/$defs/{arm}"}, value)
    if isinstance(value, list) and "items" in schema:
        return [declared(schema["items"], item) for item in value]
    if not isinstance(value, dict) or schema.get("x-opaque") or schema.get("type") != "object":
        return value
    if "additionalProperties" in schema:
        return {name: declared(schema["additionalProperties"], member) for name, member in value.items()}
    members = schema.get("properties", {})
    return {name: declared(members[name], member) for name, member in value.items() if name in members}


def test_undeclared_member_is_dropped_and_an_unknown_arm_kept():
    item = {"type": "hologram", "size": 3}
    value = {"threadId": "t", "turnId": "u", "item": item, "seq": 1, "later": True}

    assert declared({"$ref": "#/$defs/ItemStartedParams"}, value) == {
        name: value[name] for name in value if name != "later"
    }
