"""Take any limit out of the schema, and a vector that it refused becomes valid: no limit stands there unproved."""

import copy

import jsonschema_rs
import pytest

from protocol.cases import collect
from protocol.families import PROTOCOL, derived, refs

TYPES = derived()
LIMITS = (
    "const",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
)
# What a limit is on that has no vector of its own, and why.
UNPROVED = {
    "Text.maxLength": "a file of eight mebibytes is no vector",
    "ImagePart.url.maxLength": "the same",
    "ImageContent.url.maxLength": "the same",
    "FileChangeItem.changes.maxItems": "ten thousand changes fill a quarter of a mebibyte",
    "Review.findings.maxItems": "the same",
    "Identifier.minLength": "the pattern refuses the empty string too",
    "AgentId.minLength": "the same",
}


def loosened():
    """Each type with one limit less: of itself, of a member, or of the entries of a member."""
    for name, node in TYPES.items():
        for word in sorted(node.keys() & set(LIMITS)):
            yield f"{name}.{word}", name, without(node, word)
        for member, schema in node.get("properties", {}).items():
            words = schema.keys() & {*LIMITS, "items"}
            words |= (
                {"additionalProperties"} if "properties" not in schema and "additionalProperties" in schema else set()
            )
            for word in sorted(words):
                yield f"{name}.{member}.{word}", name, without(node, "properties", member, word)


def without(node, *path):
    """A copy in which what `path` leads to is not there."""
    found = copy.deepcopy(node)
    inner = found
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return found


def reachable(name, found):
    """The types that one refers to, itself included."""
    if name not in found:
        found.add(name)
        for inner in refs(TYPES[name]):
            reachable(inner, found)
    return found


INVALID = [case for case in collect(PROTOCOL)[0] if case.kind == "invalid"]
LOOSENED = [pytest.param(name, node, id=where) for where, name, node in loosened() if where not in UNPROVED]


def is_proved(name, node):
    known = {inner: TYPES[inner] for inner in reachable(name, set())} | {name: node}
    validator = jsonschema_rs.validator_for({"$ref": f"#/$defs/{name}", "$defs": known})
    return any(validator.is_valid(case.value) for case in INVALID if case.type == name)


@pytest.mark.parametrize(("name", "node"), LOOSENED)
def test_limit_is_held_by_a_vector(name, node):
    assert is_proved(name, node)


def test_type_as_it_stands_takes_no_invalid_vector():
    assert [name for name, node in TYPES.items() if is_proved(name, node)] == []


def test_every_exception_is_still_needed():
    stale = [where for where, name, node in loosened() if where in UNPROVED and is_proved(name, node)]

    assert stale == []
    assert UNPROVED.keys() <= {where for where, _, _ in loosened()}
