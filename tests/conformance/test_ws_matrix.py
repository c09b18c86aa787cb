"""The proof of the checks of WebSockets: each fails the servers that break its clause, and passes the lawful ones."""

import os
import sys
from pathlib import Path

import pytest

from conformance.front import MUTANTS, VARIANTS
from conformance.front.house import opened, serving
from conformance.front.library import Library
from conformance.matrix import note_broken, note_lawful
from turnwire.conformance.registry import catalogue
from turnwire.conformance.websocket.address import parse_address

CHECKS = {check.id: check for check in catalogue() if check.transports == ("ws",)}
KILLS = [(check.id, name) for check in CHECKS.values() for name in check.mutants]
UNMET = {"must": "fail", "should": "warn", "may": "non-strict"}
TOKEN = "turnwire-front-0123"
# Only a server that is started can be ended, or told where to listen; the others run beside the tests.
STARTED = ("ws.shutdown-1001", "ws.auth-nonloopback-required")
# What lets a check of all frames hear some.
WITH = {"ws.one-message-per-text-frame": ("ws.close-handshake", "thread.start-returns-id")}
# A broken server is silent for as long as it is waited for, so waits are short here.
IMPATIENT = 0.2


def address_of(url, token=""):
    return parse_address(url)._replace(token=token or None)


def started(name):
    return (sys.executable, "-m", "conformance.front", name, "127.0.0.1:{port}")


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    tests = str(Path(__file__).resolve().parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")]))


def test_every_mutant_has_a_check_and_every_check_mutants():
    assert set(MUTANTS) == {name for check in CHECKS.values() for name in check.mutants}
    assert [] == [check.id for check in CHECKS.values() if not check.mutants]


@pytest.mark.parametrize(("identifier", "name"), KILLS)
def test_a_check_fails_its_mutant(identifier, name, judge, record_property):
    options = {"select": (identifier, *WITH.get(identifier, ())), "timeout_scale": IMPATIENT, "strict": True}
    if identifier in STARTED:
        judged = judge(started(name), address=address_of("ws://127.0.0.1:{port}"), **{**options, "timeout_scale": 1.0})
    else:
        token = TOKEN if "token" in CHECKS[identifier].gate or name == "ready-behind-the-token" else ""
        with serving(MUTANTS[name], token) as url:
            judged = judge((), address=address_of(url, token), **options)

    note_broken(record_property, identifier, name, judged.verdicts[identifier])
    assert UNMET[CHECKS[identifier].level] == judged.verdicts[identifier], judged.stdout
    assert 1 == judged.exit_code
    assert f"check server --select {identifier} --ws " in judged.row(identifier)["repro"]


def test_a_server_with_the_frames_of_a_library_passes_every_check(judge, record_property):
    with opened(Library()) as url:
        judged = judge((), address=address_of(url), select=("ws.*",), retries=2, strict=True)

    note_lawful(record_property, "ws of a library", judged.verdicts)
    unasked = [*STARTED, *(check.id for check in CHECKS.values() if check.gate == "a token")]
    unusual = {identifier: verdict for identifier, verdict in judged.verdicts.items() if verdict != "pass"}
    assert dict.fromkeys(unasked, "skip") == unusual, judged.stdout


@pytest.mark.parametrize("identifier", STARTED)
def test_a_lawful_server_that_is_started_passes(identifier, judge):
    judged = judge(started("plain"), address=address_of("ws://127.0.0.1:{port}"), select=(identifier,), retries=2)

    assert {identifier: "pass"} == judged.verdicts, judged.stdout


@pytest.mark.parametrize("token", ["", TOKEN], ids=["open", "with-a-token"])
@pytest.mark.parametrize("name", VARIANTS)
def test_lawful_servers_pass_every_check(name, token, judge, record_property):
    with serving(VARIANTS[name], token) as url:
        judged = judge((), address=address_of(url, token), select=("ws.*",), retries=2, strict=True)

    note_lawful(record_property, f"ws {name}{' with a token' if token else ''}", judged.verdicts)
    unasked = [*STARTED, *(check.id for check in CHECKS.values() if "token" in check.gate and not token)]
    # Nobody is owed at once what comes late.
    late = {"ws.answered-before-close": "not-verified"} if name == "late" else {}
    unusual = {identifier: verdict for identifier, verdict in judged.verdicts.items() if verdict != "pass"}
    assert dict.fromkeys(unasked, "skip") | late == unusual, judged.stdout
    assert (4 if late else 0) == judged.exit_code
