"""All layers over WebSockets: behind a bridge, servers of the fixture get the verdicts that they get on stdio."""

import sys
from pathlib import Path

import pytest

from conformance.front.house import opened
from conformance.front.piped import Piped
from conformance.front.server import Front
from turnwire.conformance.registry import catalogue
from turnwire.conformance.websocket.address import parse_address

FIXTURE = Path(__file__).parent / "fixture"
CHECKS = {check.id: check for check in catalogue()}
# One or two of each layer; a bridge changes none of them.
CHOSEN = (
    "rpc.parse-error-code",
    "rpc.id-echo-string",
    "rpc.notification-no-reply",
    "rpc.schema-valid-out",
    "life.initialize-first",
    "life.optout-exact",
    "thread.unknown-id",
    "turn.exactly-one-terminal",
    "item.delta-concat",
    "appr.second-reply",
    "page.cursor-bad",
    "queue.reorder",
    "idem.other-params",
    "load.flood-of-requests",
)
UNMET = {"must": "fail", "should": "warn"}
IMPATIENT = 0.2


def bridged(*arguments):
    return opened(Piped(Front, (sys.executable, "-S", "-E", str(FIXTURE), *arguments)))


@pytest.mark.parametrize("identifier", CHOSEN)
def test_a_check_fails_its_first_mutant_over_a_bridge(identifier, judge):
    name = CHECKS[identifier].mutants[0]
    with bridged("--mutant", name) as url:
        address = parse_address(url)
        judged = judge((), address=address, select=(identifier,), timeout_scale=IMPATIENT, strict=True)

    assert {identifier: UNMET[CHECKS[identifier].level]} == judged.verdicts, judged.stdout


def test_a_lawful_server_passes_them_over_a_bridge(judge):
    with bridged() as url:
        judged = judge((), address=parse_address(url), select=CHOSEN, retries=2, strict=True)

    assert dict.fromkeys(CHOSEN, "pass") == judged.verdicts, judged.stdout
