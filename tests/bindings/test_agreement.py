"""All languages at once: the vectors and one random walk through the protocol, with one answer to every value."""

import json

import pytest

from bindings.agreement import (
    MESSAGES,
    Walk,
    as_from_python,
    differing_bytes,
    differing_walk,
    protocol_walk,
    seed,
    values,
)
from bindings.canonical import canonical
from bindings.languages import found, of_protocol
from bindings.test_vectors import EXAMPLES, INVALID, VALID, named
from turnwire_codegen.checks import checks_of

# The builds of two compilers are waited for, when nothing of them is in the cache.
pytestmark = pytest.mark.timeout(1500)

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


@pytest.fixture(scope="module")
def languages(tmp_path_factory):
    return found(of_protocol(tmp_path_factory.mktemp("languages")))


def test_vectors(languages):
    """What is valid comes back from all types as from Python's; what is not is refused where the vector says."""
    valid = [*EXAMPLES, *VALID]
    whole = [canonical({"value": value}) for _, value in values(valid)]
    refusals = [{key: json.loads(path.read_text())[key] for key in ("pointer", "rule")} for path in INVALID]
    for language, roundtrip in languages.items():
        # At run time TypeScript has no types, and keeps what others have no place for.
        back = whole if language == "TypeScript" else as_from_python(valid)
        told = [json.loads(line) for line in roundtrip(values(INVALID))]

        assert dict(zip(named(valid), back, strict=True)) == dict(
            zip(named(valid), roundtrip(values(valid)), strict=True)
        ), language
        assert dict(zip(named(INVALID), refusals, strict=True)) == dict(zip(named(INVALID), told, strict=True)), (
            language
        )


def test_a_random_walk(languages):
    """One walk for all of them and the interpreter: no verdict, no pointer and no byte of what is valid differs."""
    print(f"TURNWIRE_SEED={seed()}")
    walked = protocol_walk()
    told = {language: roundtrip(walked.rows) for language, roundtrip in languages.items()}
    refused = sum(walked.fault(*row) is not None for row in walked.rows)

    assert (set(), MESSAGES) == (walked.unmade, len(walked.rows))
    assert MESSAGES // 4 < refused < MESSAGES // 2
    assert {language: [] for language in told} == {
        language: differing_walk(walked, lines)[:5] for language, lines in told.items()
    }
    assert {language: [] for language in told} == {
        language: found[:5] for language, found in differing_bytes(walked, told).items()
    }


def test_a_difference_is_seen():
    """Another verdict, another place, a member that is lost: each is told of the language that says so."""
    checks = checks_of({"$defs": {"T": SCHEMA}}, "schema.json", {"T": "#/$defs/T"})
    walked = Walk(checks, [("T", {"a": 1, "b": 2})], [("T", {"a": ""}), ("T", {"a": 2, "c": 3})], set())
    whole, lost = '{"value":{"a":2,"c":3}}', '{"value":{"a":2}}'
    right = ['{"value":{"a":1,"b":2}}', '{"pointer":"/a","rule":"type"}', whole]
    told = {
        "Python": [*right[:2], lost],
        "TypeScript": right,
        "Swift": ['{"value":{"a":1}}', '{"pointer":"","rule":"type"}', whole],
        "Kotlin": [right[0], '{"value":{"a":""}}', '{"pointer":"/c","rule":"members"}'],
    }
    differing = {language: differing_walk(walked, lines) for language, lines in told.items()}
    losing = differing_bytes(walked, told)

    assert {"Python": 0, "TypeScript": 0, "Swift": 1, "Kotlin": 2} == {
        name: len(rows) for name, rows in differing.items()
    }
    assert {"Python": 0, "TypeScript": 0, "Swift": 2, "Kotlin": 1} == {name: len(rows) for name, rows in losing.items()}
