"""Every example and vector is judged as it says, every type has one of each, and a wrong case would be seen."""

import json
import re

import pytest

from protocol.cases import README, Case, collect, complaint, uncovered
from protocol.families import PROTOCOL, definitions
from protocol.oracle import Fault

CASES, STRAYS = collect(PROTOCOL)


def test_every_file_is_a_case():
    assert STRAYS == []


def test_every_type_has_an_example_and_an_invalid_vector():
    assert uncovered(CASES, definitions()) == []


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case_is_judged_as_it_says(case):
    assert complaint(case) is None


def test_every_member_stands_in_a_valid_case():
    """A member that no case has is one that no decoder of any language was ever given."""
    shown: dict[str, set[str]] = {}
    for case in CASES:
        if case.kind != "invalid" and isinstance(case.value, dict):
            shown.setdefault(case.type, set()).update(case.value)
    declared = {name: node["properties"].keys() for name, node in definitions().items() if "properties" in node}

    assert {name: missing for name, members in declared.items() if (missing := members - shown[name])} == {}


def test_readme_explains_exactly_the_rules_that_are_used():
    used = {case.fault.rule for case in CASES if case.fault is not None}
    rows = re.findall(r"^\| `([a-z]+)` \|", (PROTOCOL / README).read_text(encoding="utf-8"), re.MULTILINE)

    assert sorted(used) == sorted(rows)


# --- the tests of the tests -------------------------------------------------------------------------------------------

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (Case("example", "Request", "a", {"id": 1}), "found Fault(pointer='', rule='required')"),
        (Case("valid", "Request", "a", {**PING, "method": 5}), "found Fault(pointer='/method', rule='type')"),
        (Case("invalid", "Request", "a", PING, Fault("/id", "choice")), "found None"),
        (Case("invalid", "Request", "a", {**PING, "id": 0.5}, Fault("", "choice")), "pointer='/id', rule='choice'"),
        (Case("invalid", "Request", "a", {**PING, "id": 0.5}, Fault("/id", "type")), "pointer='/id', rule='choice'"),
    ],
)
def test_wrong_case_is_reported(case, said):
    assert said in str(complaint(case))


def test_right_case_is_not_reported():
    assert complaint(Case("invalid", "Request", "a", {**PING, "id": 0.5}, Fault("/id", "choice"))) is None


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("examples/stray.json", PING, "stands in no folder of a type"),
        ("vectors/Request/a.json", PING, "stands in no folder of a type"),
        ("vectors/valid/Request/deeper/a.json", PING, "stands in no folder of a type"),
        ("vectors/valid/Request/notes.txt", PING, "the name is not kebab-case.json"),
        ("examples/Request/A_Ping.json", PING, "the name is not kebab-case.json"),
        ("examples/Reqest/a-ping.json", PING, "Reqest is no type of the protocol"),
        ("vectors/valid/Request/a.json", {"value": PING}, "a case has exactly note, value"),
        ("vectors/invalid/Request/a.json", {"note": "A.", "value": 1}, "exactly note, pointer, rule, value"),
        ("vectors/valid/Request/a.json", {"note": "", "value": PING}, "the note is no sentence"),
    ],
)
def test_stray_file_is_reported(tmp_path, path, content, said):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(content))

    cases, strays = collect(tmp_path)

    assert cases == []
    assert said in strays[0]


def test_type_without_a_case_is_reported():
    cases = [Case("example", "Request", "a", PING), Case("valid", "Turn", "a", {})]

    assert uncovered(cases, ["Request", "Turn"]) == ["Request: no invalid", "Turn: no example", "Turn: no invalid"]
