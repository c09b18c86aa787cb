"""Our own server over WebSockets under our own judge, on every store: all that concerns it passes."""

import sys

import pytest

from conformance.test_own_server import NOT_ASKED
from turnwire.conformance.registry import catalogue
from turnwire.conformance.websocket.address import parse_address

SERVE = (sys.executable, "-m", "turnwire", "serve", "--agent", "scripted", "--ws", "127.0.0.1:{port}")
STORES = {
    "memory": (),
    "jsonl": ("--store", "jsonl", "--state-dir", "{scratch}/state"),
    "sqlite": ("--store", "sqlite", "--state-dir", "{scratch}/state"),
}
# Bounds low enough to be tried; the rest of a run must not notice them.
TRIED = ("--limit", "replayEvents=200", "--limit", "queueEntries=20")
HERE = parse_address("ws://127.0.0.1:{port}")
TOKEN_NAME, TOKEN = "TURNWIRE_TEST_TOKEN", "own-server-0123"
# On a busy machine the judge itself reads so late that it is cut off.
LATE = {"ws.slow-reader"}
OF_A_PROCESS = {check.id for check in catalogue() if "ws" not in check.transports}
OF_A_TOKEN = {check.id for check in catalogue() if check.gate == "a token"}
# What there is to see only where no token is given.
WITHOUT_A_TOKEN = "ws.auth-nonloopback-required"


@pytest.mark.timeout(600)
@pytest.mark.parametrize("store", STORES)
def test_every_must_passes_on_every_store(store, judge):
    judged = judge((*SERVE, *TRIED, *STORES[store]), address=HERE, retries=2)

    skipped = {identifier for identifier, verdict in judged.verdicts.items() if verdict == "skip"}
    unusual = {row["id"]: row for row in judged.report["checks"] if row["verdict"] not in ("pass", "skip")}
    assert set(unusual) <= LATE, unusual
    assert {"non-strict"} >= {row["verdict"] for row in unusual.values()}, unusual
    # And what nobody is asked over pipes either.
    assert OF_A_PROCESS | OF_A_TOKEN | NOT_ASKED == skipped
    assert 0 == judged.exit_code
    assert ("ws", "ws://127.0.0.1:{port}") == (judged.report["target"]["transport"], judged.report["target"]["url"])


def test_it_asks_for_its_token(judge, monkeypatch):
    monkeypatch.setenv(TOKEN_NAME, TOKEN)
    address = HERE._replace(token=TOKEN, words=("--token-env", TOKEN_NAME))

    judged = judge((*SERVE, "--token-env", TOKEN_NAME), address=address, select=("ws.*", "life.*"), retries=2)

    assert {"pass", "skip"} <= set(judged.verdicts.values()) <= {"pass", "skip", "non-strict"}, judged.stdout
    assert "skip" == judged.verdicts[WITHOUT_A_TOKEN]
    assert dict.fromkeys(OF_A_TOKEN, "pass").items() <= judged.verdicts.items()
    assert TOKEN not in judged.stdout
