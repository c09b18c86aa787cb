"""The judge against the real vv-agent: it finds the defects that are known, and blames it for nothing else."""

import io
import json

import pytest

from interop.environment import require, vv_agent
from turnwire.conformance.api import CheckServerOptions, run_check_server

# What is known to be wrong with vv-agent 0.29.0, and by which checks that must show.
DEFECTS = {
    "D1: an error response with id null ends the process": {"rpc.error-response-null-id-survives"},
    "D2: deep nesting ends the process": {"rpc.deep-nesting"},
    "D3: an integer of 5,000 digits ends the process": {"rpc.huge-integer"},
    "D4: what cannot be written as UTF-8 ends the process, or is taken for text by the locale": {
        "stdio.lone-surrogate",
        "rpc.garbage-bytes-recovers",
    },
    "D5: a thread that nobody started is a fault of the server": {"thread.unknown-id"},
    "D6: a turn that has ended can be interrupted": {"turn.interrupt-settles"},
    "D7: a turn that waits ends, goes on, and ends again": {
        "turn.exactly-one-terminal",
        "turn.no-events-after-terminal",
    },
    "D8: an item ends, and grows, by another id than it started with": {
        "item.lifecycle-order",
        "item.delta-known-id",
        "turn.all-items-closed",
    },
    "D11: an id beyond 64 bits is echoed, which its own schema forbids": {"rpc.id-large-int", "rpc.schema-valid-out"},
    "D14: it takes what its schema refuses: unknown members, NaN": {"rpc.closed-params", "rpc.nan-literal"},
    "D15: an error prints the validator's own text, schema and all": {"rpc.error-shape"},
    "D17: the notification of an approval shows other arguments than the request": {"appr.notification-equals-request"},
    "D18: thread/compact/start without params is answered twice": {"rpc.reply-once"},
}
MUST_BE_FOUND = ("D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D14", "D15", "D17", "D18")
# How the defects of the first rows show: the process is gone, and the report says so with what it left on stderr.
ENDS = {
    "rpc.error-response-null-id-survives": "cannot be null",
    "rpc.deep-nesting": "RecursionError",
    "rpc.huge-integer": "4300 digits",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    peer = require(vv_agent)
    stdout, stderr = io.StringIO(), io.StringIO()
    options = CheckServerOptions(
        argv=(*peer.argv, peer.server, "{model}"),
        cwd=str(tmp_path_factory.mktemp("vv-agent")),
        profile="vv-agent-v4",
        format="json",
        jobs=2,
        quiet=True,
    )
    exit_code = run_check_server(options, stdout, stderr)
    assert 1 == exit_code, stderr.getvalue()
    return json.loads(stdout.getvalue())


@pytest.mark.timeout(600)
@pytest.mark.parametrize("defect", [name for name in DEFECTS if name.partition(":")[0] in MUST_BE_FOUND])
def test_a_known_defect_is_found(defect, report):
    failed = {row["id"] for row in report["checks"] if row["verdict"] == "fail"}

    assert set() == DEFECTS[defect] - failed


@pytest.mark.timeout(600)
def test_it_is_blamed_for_nothing_else(report):
    blamed = {row["id"] for row in report["checks"] if row["verdict"] in ("fail", "warn", "flaky", "error")}

    assert set() == blamed - set().union(*DEFECTS.values())


@pytest.mark.timeout(600)
def test_nothing_is_left_unverified(report):
    assert [] == [row["id"] for row in report["checks"] if row["verdict"] == "not-verified"]
    assert report["summary"]["verdicts"]["pass"] > 50


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("identifier", "trail"), ENDS.items())
def test_the_report_says_how_it_ended(identifier, trail, report):
    row = next(row for row in report["checks"] if row["id"] == identifier)

    assert row["actual"] == "it ended with exit code 1"
    assert trail in "\n".join(row["stderr"])
