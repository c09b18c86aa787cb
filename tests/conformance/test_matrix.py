"""The proof of the checks: each one fails every server that breaks its clause, and passes every lawful one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.matrix import note_broken, note_lawful, table
from turnwire.conformance.registry import catalogue as whole_catalogue

# The fixture runs without this process's packages, so it is asked for its names rather than imported.
NAMES = json.loads(subprocess.check_output([sys.executable, "-S", "-E", Path(__file__).parent / "fixture", "--names"]))


def catalogue():
    """The checks of servers on stdin and stdout; those of WebSockets have servers of their own (test_ws_matrix.py)."""
    return [check for check in whole_catalogue() if "stdio" in check.transports]


CHECKS = {check.id: check for check in catalogue()}
LAWFUL = ["", *sorted(set(NAMES["variants"]) - {"bare", "closed", "foreign", "refusing", "unlimited"})]
KILLS = [(check.id, name) for check in catalogue() for name in check.mutants]
# Clauses that only another contract has: judged by that contract, against servers of its own.
BY_ANOTHER_CONTRACT = ("rpc.closed-params",)
# Ours has no experimental method of the client, so the server that serves one is judged by that contract too.
MUTANTS_BY_ANOTHER_CONTRACT = ("experimental-ungated",)
# What a lawful server does not have, so what nobody asks of it: only one lets approvals expire, one offers little.
LITTLE = (
    *("fork", "rewind", "steer", "queue", "approvalRules", "permissionModes", "userInput"),
    *("outputSchema", "models", "schemaExport", "traces"),
)
REVIEWS = [check.id for check in catalogue() if "reviews" in check.gate]
NOT_BY = {
    "": ("appr.expiry", *REVIEWS),
    "expiring": REVIEWS,
    "reviewing": ("appr.expiry", "life.capability-undeclared"),
    "sparing": [
        c.id for c in catalogue() if c.id in ("appr.expiry", *REVIEWS) or {*LITTLE, "events"} & {*c.gate.split(", ")}
    ],
}
# What nobody can show where no time passes.
OF_TIME = ("page.frozen-end", "thread.list-order")
UNMET = {"must": "fail", "should": "warn", "may": "non-strict"}
# A broken server is silent for as long as it is waited for, so waits are short here.
IMPATIENT = 0.2
# All checks against one server, on a machine that has other things to do.
WHOLE_SUITE = pytest.mark.timeout(600)


def test_the_matrix_has_a_row_a_check_and_a_column_a_lawful_server():
    text = table(
        [["rpc.a", "silent", "fail"], ["rpc.a", "loud", "pass"]], {"plain": {"rpc.a": "pass", "rpc.b": "skip"}}
    )

    assert [
        "| check | broken servers | plain |",
        "|---|---|---|",
        "| rpc.a | loud: pass, silent: fail | pass |",
        "| rpc.b |  | skip |",
    ] == text.splitlines()


def test_every_check_has_a_mutant_and_every_mutant_a_check():
    assert [] == [check.id for check in catalogue() if not check.mutants]
    assert set(NAMES["mutants"]) == {name for check in catalogue() for name in check.mutants}


@pytest.mark.parametrize(("identifier", "name"), KILLS)
def test_a_check_fails_its_mutant(identifier, name, judge, fixture_argv, request, record_property):  # noqa: PLR0917 - a row and its fixtures
    by_another = identifier in BY_ANOTHER_CONTRACT or name in MUTANTS_BY_ANOTHER_CONTRACT
    profile = request.getfixturevalue("closed_profile") if by_another else "turnwire"

    judged = judge(
        fixture_argv("--mutant", name), select=(identifier,), profile=profile, timeout_scale=IMPATIENT, strict=True
    )

    note_broken(record_property, identifier, name, judged.verdicts[identifier])
    assert UNMET[CHECKS[identifier].level] == judged.verdicts[identifier], judged.stdout
    assert 1 == judged.exit_code
    row = judged.row(identifier)
    assert row["expected"]
    assert row["actual"]
    assert row["repro"].startswith(f"turnwire check server --select {identifier} ")


@pytest.mark.parametrize("clock", sorted(set(NAMES["clocks"]) - {"frozen"}))
@pytest.mark.parametrize(
    ("identifier", "name"), [("page.frozen-end", "page-moves"), ("thread.list-order", "list-by-id")]
)
def test_an_order_by_time_is_judged_by_whatever_clock(identifier, name, clock, judge, fixture_argv):
    # Patiently: it is waited for the clock, which goes on.
    judged = judge(fixture_argv("--mutant", name, "--clock", clock), select=(identifier,))

    assert {identifier: "fail"} == judged.verdicts, judged.stdout


@pytest.mark.parametrize("identifier", OF_TIME)
def test_a_change_is_one_for_who_compares_and_has_a_coarse_clock(identifier, judge, fixture_argv):
    judged = judge(fixture_argv("--variant", "settled", "--clock", "coarse"), select=(identifier,))

    assert {identifier: "pass"} == judged.verdicts, judged.stdout


@WHOLE_SUITE
@pytest.mark.parametrize("name", NAMES["clocks"])
def test_no_check_hangs_on_how_fine_a_clock_is(name, judge, fixture_argv, record_property):
    judged = judge(fixture_argv("--clock", name), retries=2, jobs=2, strict=True)

    note_lawful(record_property, f"clock {name}", judged.verdicts)
    unusual = {identifier: verdict for identifier, verdict in judged.verdicts.items() if verdict != "pass"}
    stands_still = dict.fromkeys(OF_TIME, "not-verified") if name == "frozen" else {}
    assert dict.fromkeys([*BY_ANOTHER_CONTRACT, *NOT_BY[""]], "skip") | stands_still == unusual, judged.stdout


@WHOLE_SUITE
@pytest.mark.parametrize("name", LAWFUL)
def test_lawful_servers_pass_every_check(name, judge, fixture_argv, record_property):
    judged = judge(fixture_argv(*(["--variant", name] if name else [])), retries=2, jobs=2, strict=True)

    note_lawful(record_property, name, judged.verdicts)
    unusual = {identifier: verdict for identifier, verdict in judged.verdicts.items() if verdict != "pass"}
    expected = dict.fromkeys([*BY_ANOTHER_CONTRACT, *NOT_BY.get(name, NOT_BY[""])], "skip")
    if name == "quiet":
        expected |= {"rpc.invalid-request-no-method": "non-strict", "rpc.duplicate-keys": "non-strict"}
    assert expected == unusual, judged.stdout
    assert 0 == judged.exit_code


@WHOLE_SUITE
def test_a_server_that_offers_nothing_is_blamed_for_nothing(judge, fixture_argv):
    judged = judge(fixture_argv("--variant", "bare"), retries=2, jobs=2)

    assert set() == {name for name, verdict in judged.verdicts.items() if verdict in ("fail", "warn", "flaky", "error")}
    needs_turns = {check.id for check in catalogue() if check.tier == 2}
    assert needs_turns == {name for name, verdict in judged.verdicts.items() if verdict == "not-verified"}
    assert 4 == judged.exit_code


def test_a_server_is_held_to_no_limit_that_it_does_not_state(judge, fixture_argv):
    chosen = ("rpc.depth-limit", "stdio.large-line", "stdio.oversized-line")

    judged = judge(fixture_argv("--variant", "unlimited"), select=chosen)

    assert dict(zip(chosen, ("skip", "pass", "not-verified"), strict=True)) == judged.verdicts


@pytest.mark.parametrize("identifier", [*BY_ANOTHER_CONTRACT, "life.experimental-gate"])
def test_lawful_servers_pass_by_another_contract(identifier, judge, fixture_argv, closed_profile):
    judged = judge(fixture_argv("--variant", "closed"), select=(identifier,), profile=closed_profile)

    assert {identifier: "pass"} == judged.verdicts


@WHOLE_SUITE
def test_a_server_of_another_contract_passes_by_its_own(judge, fixture_argv, foreign_profile):
    judged = judge(fixture_argv("--variant", "foreign"), profile=foreign_profile, retries=2, jobs=2)

    assert set() == {
        row["id"] for row in judged.report["checks"] if row["verdict"] in ("fail", "warn", "flaky", "error")
    }
    assert {
        "rpc.parse-error-null-id": "skip",
        "rpc.batch-no-side-effects": "skip",
        "rpc.parse-error-code": "non-strict",
        "rpc.nan-literal": "non-strict",
    }.items() <= judged.verdicts.items()
    assert 0 == judged.exit_code


@pytest.mark.parametrize(
    ("ours", "theirs", "identifier"),
    [
        ('jsonrpc_member = "required"', 'jsonrpc_member = "omitted"', "rpc.jsonrpc-member"),
        ('batch = "reject"', 'batch = "support"', "rpc.batch-policy"),
        ('before_initialized = "serve"', 'before_initialized = "refuse"', "life.initialized-notification"),
        ('unknown_members = "tolerated"', 'unknown_members = "refused"', "rpc.closed-params"),
        ("not_a_number = [-32700]", "not_a_number = [-32600]", "rpc.nan-literal"),
        ('wanted = "/protocolVersion"', 'wanted = "/version"', "life.version-garbage"),
    ],
)
def test_a_server_of_ours_fails_by_another_contract(ours, theirs, identifier, judge, fixture_argv, other_contract):  # noqa: PLR0917 - a row and its fixtures
    judged = judge(fixture_argv(), profile=other_contract({ours: theirs}), select=(identifier,))

    assert {identifier: "fail"} == judged.verdicts
