"""Known failures: each excuses one check, and a list that is out of date fails the run."""

import datetime as dt

import pytest

from turnwire.conformance.baseline import Expectation, apply_baseline, proposed
from turnwire.conformance.model import Outcome, Verdict
from turnwire.conformance.registry import select

TODAY = dt.date(2026, 11, 29)


def outcome(verdict, identifier="rpc.batch-empty"):
    return Outcome(select([identifier])[0], verdict)


@pytest.mark.parametrize(
    ("verdict", "expected", "becomes"),
    [
        (Verdict.FAIL, "fail", Verdict.XFAIL),
        (Verdict.WARN, "fail", Verdict.XFAIL),
        (Verdict.FLAKY, "flaky", Verdict.XFAIL),
        (Verdict.FLAKY, "fail", Verdict.FLAKY),
        (Verdict.FAIL, "flaky", Verdict.FAIL),
        (Verdict.PASS, "fail", Verdict.XPASS),
        (Verdict.NON_STRICT, "fail", Verdict.XPASS),
        (Verdict.NOT_VERIFIED, "fail", Verdict.NOT_VERIFIED),
        (Verdict.SKIP, "fail", Verdict.SKIP),
    ],
)
def test_an_entry_excuses_what_it_names(verdict, expected, becomes):
    entry = Expectation("rpc.batch-empty", "known", expected)

    judged, complaints = apply_baseline([outcome(verdict)], [entry], TODAY)

    assert ([becomes], []) == ([row.verdict for row in judged], complaints)


def test_an_entry_excuses_nothing_else():
    entry = Expectation("rpc.batch-empty", "known")

    judged, _ = apply_baseline([outcome(Verdict.FAIL, "rpc.nan-literal")], [entry], TODAY)

    assert [Verdict.FAIL] == [row.verdict for row in judged]


@pytest.mark.parametrize(
    ("entry", "complaint", "verdict"),
    [
        (Expectation("rpc.no-such", "known"), "no check has this id", Verdict.FAIL),
        (Expectation("rpc.batch-empty", "old", expires=dt.date(2026, 11, 28)), "expired on", Verdict.FAIL),
    ],
)
def test_a_stale_list_is_complained_of_and_excuses_nothing(entry, complaint, verdict):
    judged, complaints = apply_baseline([outcome(Verdict.FAIL)], [entry], TODAY)

    assert [verdict] == [row.verdict for row in judged]
    assert complaint in complaints[0]


def test_an_entry_holds_through_its_last_day():
    entry = Expectation("rpc.batch-empty", "known", expires=TODAY)

    judged, complaints = apply_baseline([outcome(Verdict.FAIL)], [entry], TODAY)

    assert ([Verdict.XFAIL], []) == ([row.verdict for row in judged], complaints)


def test_musts_are_proposed_only_by_name():
    outcomes = [outcome(Verdict.FAIL), outcome(Verdict.WARN, "stdio.crlf"), outcome(Verdict.PASS, "rpc.nan-literal")]

    assert '[[expect]]\nid = "stdio.crlf"\nreason = ""  # say why\n\n' == proposed(outcomes, with_musts=False)
    assert 2 == proposed(outcomes, with_musts=True).count("[[expect]]")
