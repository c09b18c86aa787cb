"""Schemas of other houses: one walk through each for every language, with one answer to every value."""

import pytest

from bindings.agreement import differing_walk, seed
from bindings.canonical import canonical
from bindings.foreign import foreign_walk, of_schema, schema_at
from bindings.languages import found

# A build takes minutes where nothing of it is in the cache and others compile as well.
pytestmark = pytest.mark.timeout(3600)

MESSAGES = 2_000
# Of each house one that has most of its types.
CHOSEN = ("acp-v2", "codex-v2", "dialect-codex", "dialect-vv-agent-v4", "mcp")
# Of so few types no value is made: their layers exclude each other but for one in a million.
FEW = 0.05


@pytest.mark.parametrize("name", CHOSEN)
def test_a_random_walk(name, tmp_path):
    print(f"TURNWIRE_SEED={seed()}")
    path = schema_at(name)
    walked = within_64_bits(foreign_walk(path, MESSAGES))
    told = {language: roundtrip(walked.rows) for language, roundtrip in found(of_schema(name, path, tmp_path)).items()}
    whole = [canonical({"value": value}) for _, value in walked.made]

    assert 0.9 * MESSAGES <= len(walked.rows)
    assert len(walked.unmade) <= FEW * len(walked.checks.roots)
    assert {language: [] for language in told} == {
        language: differing_walk(walked, lines)[:5] for language, lines in told.items()
    }
    # What was spoilt may have numbers and names that a language holds otherwise; what was made comes back as it was.
    assert dict.fromkeys(told, whole) == {language: lines[: len(whole)] for language, lines in told.items()}


def within_64_bits(walked):
    """The walk without numbers beyond any integer type: schemas without bounds take them, Swift and Kotlin do not."""
    return walked._replace(spoilt=[(name, value) for name, value in walked.spoilt if not beyond(value)])


def beyond(value):
    if isinstance(value, dict | list):
        return any(map(beyond, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int | float) and abs(value) >= 2**63


@pytest.mark.parametrize(
    ("value", "expected"), [({"a": [1e300]}, True), ([-(2**63)], True), ({"a": 2**63 - 1, "b": "1e300"}, False)]
)
def test_what_is_beyond_64_bits_is_found(value, expected):
    assert expected == beyond(value)
