"""What is not recorded, and what is recorded as it was."""

import io
import re

import pytest

from turnwire.cli import main
from turnwire.conformance.profiles import load_profile
from turnwire.conformance.redaction import Redaction

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"


@pytest.fixture
def redaction():
    return Redaction(load_profile("turnwire").bundle, ["title"])


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"nonce": "n" * 16}, {"nonce": "redacted-1......"}),
        ({"title": "mine"}, {"title": "redacted-1"}),
        ({"headers": {"Authorization": "Basic eA=="}}, {"headers": {"Authorization": "redacted-1"}}),
        ({"api_key": ["one", "two"]}, {"api_key": ["redacted-1", "redacted-2"]}),
        ({"X-API-Key": "one"}, {"X-API-Key": "redacted-1"}),
        ({"token": "x", "b": {"token": "x"}}, {"token": "redacted-1", "b": {"token": "redacted-1"}}),
        ({"text": f"Bearer {'x' * 20}!"}, {"text": "Bearer redacted-1..........!"}),
        ({"text": JWT}, {"text": "redacted-1".ljust(len(JWT), ".")}),
        ({"token": 7, "usage": {"inputTokens": 5}}, {"token": 7, "usage": {"inputTokens": 5}}),
        ({"text": "a risk-free sk- eyJ and Bearer of news"}, {"text": "a risk-free sk- eyJ and Bearer of news"}),
        ({"token": ""}, {"token": ""}),
    ],
)
def test_secrets_have_stand_ins(value, kept, redaction):
    assert kept == redaction.message(value)


def test_a_line_that_is_no_message_is_looked_through(redaction):
    assert "{ redacted-1............" == redaction.text("{ sk-" + "a" * 19)


def test_a_recording_without_secrets_is_judged_as_with_them(redaction):
    before = {"binding": {"nonce": "a" * 32}}

    assert redaction.message(before) == redaction.message(before)
    assert len(before["binding"]["nonce"]) == len(redaction.message(before)["binding"]["nonce"])


@pytest.mark.parametrize(("redact", "keeps"), [(None, (True, True)), ((), (False, True)), (("title",), (False, False))])
def test_transcripts_of_the_judge_can_do_without_secrets(redact, keeps, judge, fixture_argv, tmp_path):
    judged = judge(
        fixture_argv(), select=("appr.accept-executes", "thread.update"), transcripts=tmp_path, redact=redact
    )

    said = "".join(path.read_text(encoding="utf-8") for path in tmp_path.iterdir())
    nonces = set(re.findall(r'\\"nonce\\":\\"(\w{32})\\"', said))
    assert keeps == (bool(nonces), r"\"title\":\"before\"" in said)
    assert {"pass"} == set(judged.verdicts.values())


def test_transcripts_without_secrets_are_judged_as_they_were(judge, fixture_argv, tmp_path):
    judge(fixture_argv(), select=("appr.accept-executes",), transcripts=tmp_path, redact=())
    (path,) = tmp_path.glob("*appr.accept-executes.jsonl")

    assert 0 == main(["check", "trace", str(path)], io.StringIO(), io.StringIO(), io.StringIO())
