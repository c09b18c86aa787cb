"""Our own server under our own judge, on every store: no MUST fails, and none is left unverified."""

import sys
from pathlib import Path

import pytest

SERVE = (sys.executable, "-m", "turnwire", "serve", "--agent", "scripted")
STORES = {
    "memory": (),
    "jsonl": ("--store", "jsonl", "--state-dir", "{scratch}/state"),
    "sqlite": ("--store", "sqlite", "--state-dir", "{scratch}/state"),
}
# Bounds low enough to be tried; the rest of a run must not notice them.
TRIED = ("--limit", "replayEvents=200", "--limit", "queueEntries=20")
REVIEWS = ("review.thread", "review.refused", "review.goes-along")
# What our contract contradicts, and what a server that lets no approval expire and reviews nothing is not asked.
NOT_ASKED = {"rpc.closed-params", "appr.expiry", *REVIEWS}
# What a store in memory promises nothing of: it says no `limits.fsync`.
OF_A_RECORD = {
    "appr.after-restart",
    "idem.after-restart",
    "idem.lost-reply",
    "queue.after-restart",
    "rec.never-rewritten",
    "page.cursor-restart",
    "rec.modes",
    "replay.crash-mid-turn",
    "replay.survives-restart",
}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("store", STORES)
def test_every_must_passes_on_every_store(store, judge):
    judged = judge((*SERVE, *TRIED, *STORES[store]), retries=2, jobs=2)

    unusual = {row["id"]: row["verdict"] for row in judged.report["checks"] if row["verdict"] != "pass"}
    expected = NOT_ASKED | (OF_A_RECORD if store == "memory" else set())
    assert dict.fromkeys(expected, "skip") == unusual, [row for row in judged.report["checks"] if row.get("actual")]
    assert 0 == judged.exit_code
    assert 0 < judged.report["summary"]["declaredWaitsMs"]


def test_approvals_expire_where_a_server_says_so(judge):
    judged = judge((*SERVE, "--limit", "approvalTtlMs=400"), select=("appr.expiry",))

    assert {"appr.expiry": "pass"} == judged.verdicts


def test_reviews_pass_where_an_agent_reviews(judge):
    judged = judge((sys.executable, str(Path(__file__).with_name("reviewing_server.py"))), select=("review.*",))

    assert dict.fromkeys(REVIEWS, "pass") == judged.verdicts, judged.stdout


def test_files_are_taken_back_where_a_server_keeps_them(judge):
    judged = judge((*SERVE, "--files", "git", *STORES["jsonl"]), select=("thread.rewind-files",))

    assert {"thread.rewind-files": "pass"} == judged.verdicts


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_seed_finds_a_fault(seed, judge):
    judged = judge(SERVE, select=("fuzz.*",), seed=seed)

    assert {"pass"} == set(judged.verdicts.values()), judged.stdout
