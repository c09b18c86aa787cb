"""The shared vectors and examples, fed to the generated Python types: right comes back, wrong is refused."""

import importlib
import json
from pathlib import Path

import msgspec
import pytest

ROOT = Path(__file__).parents[2]
PROTOCOL = ROOT / "protocol"
GENERATED = importlib.import_module("turnwire.generated")
DECODING = importlib.import_module("turnwire.generated.decoding")

EXAMPLES = sorted(PROTOCOL.glob("examples/*/*.json"))
VALID = sorted(PROTOCOL.glob("vectors/valid/*/*.json"))
INVALID = sorted(PROTOCOL.glob("vectors/invalid/*/*.json"))


def named(paths):
    return [f"{path.parent.name}/{path.stem}" for path in paths]


def decode(path, value):
    return DECODING.decoder(getattr(GENERATED, path.parent.name))(json.dumps(value))


def within(part, whole):
    """Whether `part` is `whole` but for members that its types do not declare."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and within(part[key], whole[key]) for key in part)
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) == len(whole) and all(map(within, part, whole))
    # 1 and 1.0 are one number; true is none.
    return isinstance(part, bool) == isinstance(whole, bool) and part == whole


@pytest.mark.parametrize("path", EXAMPLES, ids=named(EXAMPLES))
def test_example(path):
    value = json.loads(path.read_text())

    assert value == json.loads(msgspec.json.encode(decode(path, value)))


@pytest.mark.parametrize("path", VALID, ids=named(VALID))
def test_valid(path):
    value = json.loads(path.read_text())["value"]
    decoded = decode(path, value)
    encoded = json.loads(msgspec.json.encode(decoded))

    assert within(encoded, value)
    assert decoded == decode(path, encoded)


@pytest.mark.parametrize("path", INVALID, ids=named(INVALID))
def test_invalid(path):
    vector = json.loads(path.read_text())
    try:
        decode(path, vector["value"])
    except msgspec.ValidationError:
        return
    # Patterns bind at the door; in what a client reads they are left to the validators.
    assert "pattern" == vector["rule"]


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ([1], [1, 2], False),
        (1, True, False),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, False),
    ],
)
def test_within_can_fail(part, whole, expected):
    assert expected == within(part, whole)
