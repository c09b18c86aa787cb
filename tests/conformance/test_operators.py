"""Faults that nobody chose: operators drawn by a seed, applied to what our own server says.

What is drawn and not caught must be lawful, and is explained here by name.
"""

import random
import sys
from pathlib import Path

import pytest

PROXY = Path(__file__).parent / "proxy.py"
SERVE = (sys.executable, "-m", "turnwire", "serve", "--agent", "scripted", "--limit", "replayEvents=200")
TOLD = (
    "thread/started",
    "thread/updated",
    "thread/status/changed",
    "thread/archived",
    "thread/deleted",
    "thread/closed",
    "thread/rewound",
    "turn/started",
    "turn/completed",
    "turn/queue/updated",
    "turn/plan/updated",
    "turn/usage/updated",
    "item/started",
    "item/completed",
    "item/agentMessage/delta",
    "approval/requested",
    "approval/resolved",
    "approval/request",
    "userInput/requested",
    "userInput/resolved",
    "userInput/request",
)
ASKED = (
    "initialize",
    "ping",
    "thread/start",
    "thread/read",
    "thread/list",
    "thread/resume",
    "thread/items/list",
    "turn/start",
    "turn/interrupt",
    "turn/steer",
    "turn/enqueue",
    "approval/resolve",
)
REFUSED = ("thread/read", "thread/resume", "turn/start", "turn/steer", "thread/list", "approval/resolve")
# Only what has a status of its own can have another.
STATED = ("turn/completed", "turn/started", "item/completed", "item/started", "thread/status/changed")
STEPS = ("drop", "duplicate", "delay", "swap", "alter_id")
OPERATORS = [
    *((step, f"tell {method}") for step in STEPS for method in TOLD),
    *((step, f"reply {method}") for step in STEPS for method in ASKED),
    *(("alter_code", f"refusal {method}") for method in REFUSED),
    *(("alter_status", f"tell {method}") for method in STATED),
    *(
        ("alter_status", f"reply {method}")
        for method in ("thread/read", "turn/start", "turn/interrupt", "thread/resume")
    ),
]
SEED = 20_261_130
DRAWN = random.Random(SEED).sample(OPERATORS, 20)
# Why nobody can call a server broken that does this.
LAWFUL = {}


def proxied(operator, place):
    return (sys.executable, "-S", "-E", str(PROXY), operator, place, "--", *SERVE)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("operator", "place"), DRAWN, ids=lambda word: word.replace(" ", "-"))
def test_a_fault_that_was_drawn_is_caught(operator, place, judge):
    judged = judge(proxied(operator, place), fail_fast=True, strict=True, jobs=2, timeout_scale=0.5)

    # A server that cannot be talked to at all is caught too.
    assert (operator, place) in LAWFUL or judged.exit_code in (1, 3), judged.stdout


def test_most_of_what_was_drawn_is_a_fault():
    assert 18 <= sum(fault not in LAWFUL for fault in DRAWN)
    assert set() == set(LAWFUL) - set(DRAWN)


def test_the_proxy_alone_is_no_fault(judge):
    chosen = ("rpc.*", "turn.*", "item.*", "appr.accept-executes", "thread.status-transitions")

    judged = judge(proxied("none", "tell turn/completed"), select=chosen, retries=2, jobs=2)

    assert {"rpc.closed-params"} == {name for name, verdict in judged.verdicts.items() if verdict != "pass"}
