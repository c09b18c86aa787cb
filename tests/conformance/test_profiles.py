"""Contracts: ours, those of dialects, and files that are not well formed."""

import tomllib
from pathlib import Path

import pytest

import turnwire.conformance
from turnwire.conformance.courses import COURSES
from turnwire.conformance.pointer import pick, planted, replaced
from turnwire.conformance.profile_schema import printed, profile_schema
from turnwire.conformance.profiles import ProfileFault, dialect_names, load_profile
from turnwire.conformance.registry import catalogue
from turnwire.schemas import faults

DIALECTS = Path(__file__).resolve().parents[2] / "protocol" / "dialects"


def test_the_dialects_are_there():
    assert ["cc", "codex", "vv-agent-v1", "vv-agent-v4"] == dialect_names()


@pytest.mark.parametrize("name", ["turnwire", *dialect_names()])
def test_a_contract_is_whole(name):
    profile = load_profile(name)
    schemas = profile.schemas()
    types = [row.get(key) for row in profile.methods() for key in ("params", "result")]
    methods = {row["name"]: row for row in profile.methods()}

    assert [] == [kind for kind in types if kind and kind not in schemas]
    assert [] == [operation.method for operation in profile.operations.values() if operation.method not in methods]
    assert [] == schemas.faults(profile.params_type(profile.handshake.method), profile.handshake.params)
    assert {"create", "read", "list", "large"} <= set(profile.operations)
    assert set(profile.excluded) <= {check.id for check in catalogue()}


@pytest.mark.parametrize("name", ["turnwire", *dialect_names()])
def test_what_a_contract_reads_is_what_it_has(name):
    profile = load_profile(name)
    methods = {row["name"]: row for row in profile.methods()}
    known = {check.id for check in catalogue()}

    if profile.reading:
        assert set(profile.reading.tells) | set(profile.reading.answers) <= set(methods)
        assert set(profile.reading.promises) <= known
    assert {row.method for row in profile.refused} <= set(methods)
    assert set(profile.script.prompts) <= set(COURSES)


@pytest.mark.parametrize("name", ["turnwire", *dialect_names()])
def test_the_requests_of_a_contract_are_valid_by_it(name):
    profile = load_profile(name)
    words = {"$id": "thr-1", "$turn": "turn-1", "$text": "text", "$unique": "new-1"}
    typed = [row for row in profile.operations.values() if profile.params_type(row.method)]

    for operation in typed:
        params = planted(operation.params or {}, words)
        assert [] == profile.schemas().faults(profile.params_type(operation.method), params), operation.method


@pytest.fixture
def write(tmp_path):
    def profile(text, schema='{"$defs":{}}'):
        if schema is not None:
            (tmp_path / "schema.json").write_text(schema)
        path = tmp_path / "profile.toml"
        path.write_text(text)
        return str(path)

    return profile


LEAST = """
name = "x"
title = "x"
protocol = "1"
codes = {}
operations = {}
[handshake]
method = "hello"
required = "who"
params = { who = "me" }
"""


def test_the_least_contract_is_accepted(write):
    profile = load_profile(write(LEAST))

    assert ("x", "hello", "none") == (profile.name, profile.handshake.method, profile.version.style)


@pytest.mark.parametrize(
    ("text", "schema", "said"),
    [
        (LEAST + "\n[wire]\nbatches = 'reject'\n", "{}", "unknown field `batches` - at `$.wire`"),
        (LEAST + "\n[wire]\nbatch = 'maybe'\n", "{}", "'maybe' - at `$.wire.batch`"),
        ("name = ", "{}", "profile.toml: "),
        ("name = 'x'", "{}", "missing required field"),
        (LEAST, None, "schema.json: No such file or directory; the profile's key `schema` names it"),
        (LEAST, '{"a":1,"a":2}', "schema.json: an object with the member 'a' twice"),
    ],
)
def test_a_contract_that_is_not_well_formed_is_one_line(  # noqa: PLR0917 - a row and its fixtures
    text, schema, said, write, judge, fixture_argv
):
    judged = judge(fixture_argv(), profile=write(text, schema))

    assert 2 == judged.exit_code
    assert said in judged.stderr
    assert 1 == judged.stderr.count("\n")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no-such", "no profile is called 'no-such'; choose one of turnwire, cc, codex, vv-agent-v1, vv-agent-v4"),
        ("/no/such.toml", "/no/such.toml: No such file or directory"),
    ],
)
def test_a_contract_that_is_not_there_is_named(name, said):
    with pytest.raises(ProfileFault, match=said):
        load_profile(name)


@pytest.mark.parametrize(
    ("value", "pointer", "found"),
    [
        ({"a": [{"b": 1}]}, "/a/0/b", 1),
        ({"a/b": {"~": 2}}, "/a~1b/~0", 2),
        ({"a": [1]}, "/a/1", None),
        ({"a": 1}, "/a/b", None),
        ({"a": 1}, "", {"a": 1}),
    ],
)
def test_pointers(value, pointer, found):
    assert found == pick(value, pointer)


def test_members_are_replaced_in_a_copy():
    value = {"a": {"b": 1}, "c": 2}

    assert {"a": {"b": 1, "d": {"e": 3}}, "c": 2} == replaced(value, "/a/d/e", 3)
    assert {"a": {"b": 1}, "c": 2} == value


def test_the_published_schema_is_that_of_the_form():
    """`python -m turnwire.conformance.profile_schema > python/turnwire/conformance/profile.schema.json` writes it."""
    path = Path(turnwire.conformance.__file__).parent / "profile.schema.json"

    assert printed() == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["turnwire", *dialect_names()])
def test_a_contract_is_valid_by_the_published_schema(name):
    package = Path(turnwire.conformance.__file__).parent
    path = package / "canonical.toml" if name == "turnwire" else DIALECTS / name / "profile.toml"

    assert [] == faults(profile_schema(), tomllib.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("[wire]\nbatch = 'maybe'", "/wire/batch"),
        ("[reading]\npromises = []\n[reading.tells.x]\nmeans = 'y'", "/reading/tells/x/means"),
        ("[wire]\nbatches = 1", "/wire"),
        ("schema = 7", "/schema"),
    ],
)
def test_the_published_schema_refuses_what_the_judge_refuses(text, pointer, write, judge, fixture_argv):
    top, _, tables = LEAST.partition("[handshake]")
    whole = (f"{top}{text}\n" if "=" in text.split("\n")[0] else top) + f"[handshake]{tables}"
    whole = whole if text in whole else f"{whole}\n{text}\n"

    assert pointer in [fault.pointer for fault in faults(profile_schema(), tomllib.loads(whole))]
    assert 2 == judge(fixture_argv(), profile=write(whole)).exit_code
