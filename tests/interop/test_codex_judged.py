"""The judge against the real codex, offline: it finds the defects that are known, and blames it for nothing else.

Its model is the judge's own; a fault is named as the notes of those who found it first name it.
"""

import io
import json
import os
import subprocess

import pytest

from interop.environment import codex, require
from turnwire.cli import main
from turnwire.conformance.api import CheckServerOptions, run_check_server
from turnwire.conformance.drafting import DraftOptions, draft
from turnwire.conformance.target import Target

PROVIDER = '{name="check",base_url="{model}",wire_api="responses",request_max_retries=0,stream_max_retries=0}'
DEFECTS = {
    "FRAME-1: what is not JSON gets no reply": {
        "rpc.parse-error-code",
        "rpc.parse-error-null-id",
        "rpc.byte-order-mark",
        "rpc.nan-literal",
        "rpc.deep-nesting",
        "rpc.duplicate-keys",
        "stdio.lone-surrogate",
    },
    "FRAME-2: a batch, or what is no object, gets no reply": {
        "rpc.batch-policy",
        "rpc.batch-empty",
        "rpc.invalid-request-scalar",
        "rpc.invalid-request-method-type",
        "rpc.invalid-request-no-id",
    },
    "FRAME-3: a byte that is not UTF-8 ends the process": {"rpc.garbage-bytes-recovers"},
    "FRAME-4: an id that is none gets no reply": {
        "rpc.invalid-id-type",
        "rpc.id-null-request",
        "rpc.fractional-id",
        "rpc.id-large-int",
    },
    "ERR-1: an unknown method is an invalid request, with all methods in its message": {
        "rpc.method-not-found",
        "rpc.rpc-prefix-reserved",
        "rpc.error-shape",
    },
    "ERR-2: wrong params are an invalid request": {
        "rpc.invalid-params-type",
        "rpc.invalid-params-missing",
        "rpc.params-scalar",
        "rpc.params-array",
        "life.initialize-bad-params",
    },
    "INIT-1: requests are served before `initialized`": {"life.initialized-notification"},
    "REQ-1: of many requests some get no reply": {"load.flood-of-requests"},
    "ITEM-1: a turn that is interrupted leaves items open": {"turn.all-items-closed"},
    "ITEM-2: what a command printed is more than was told": {"item.delta-concat"},
    "TURN-1: the thread is idle before its turn has ended": {"thread.status-transitions"},
    "APPR-1: an approval is settled after its turn has ended": {
        "appr.resolved-once",
        "turn.no-events-after-terminal",
    },
    "CAP-1: what is experimental is told to everybody": {"life.experimental-unsent"},
}


HOME = {"HOME": "{scratch}", "CODEX_HOME": "{scratch}"}
# What it tells when it likes; the status of a thread before or after the item that it goes with.
BESIDE = (
    "configWarning",
    "remoteControl/status/changed",
    "warning",
    "account/rateLimits/updated",
    "thread/status/changed",
)


def command():
    """The server's own command, pointed at the model that the judge hosts."""
    settings = ('model_provider="check"', 'model="turnwire-check"', f"model_providers.check={PROVIDER}")
    return (str(require(codex)), *(word for setting in settings for word in ("-c", setting)), "app-server")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("codex")


@pytest.fixture(scope="module")
def report(folder):
    stdout, stderr = io.StringIO(), io.StringIO()
    options = CheckServerOptions(
        argv=command(),
        env=HOME,
        cwd=str(folder),
        transcripts=folder / "runs",
        profile="codex",
        format="json",
        jobs=2,
        quiet=True,
    )
    exit_code = run_check_server(options, stdout, stderr)
    assert 1 == exit_code, stderr.getvalue()
    return json.loads(stdout.getvalue())


@pytest.mark.timeout(600)
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_known_defect_is_found(defect, report):
    failed = {row["id"] for row in report["checks"] if row["verdict"] in ("fail", "warn")}

    assert set() == DEFECTS[defect] - failed


@pytest.mark.timeout(600)
def test_it_is_blamed_for_nothing_else(report):
    blamed = {row["id"] for row in report["checks"] if row["verdict"] in ("fail", "warn", "flaky", "error")}

    assert set() == blamed - set().union(*DEFECTS.values())


@pytest.mark.timeout(600)
def test_nothing_is_left_unverified(report):
    assert [] == [row["id"] for row in report["checks"] if row["verdict"] == "not-verified"]
    # What is right with it: ids, opt-out, the gate of what is experimental, one end of each turn, interrupts.
    passed = {row["id"] for row in report["checks"] if row["verdict"] == "pass"}
    assert {
        "rpc.id-echo-int",
        "rpc.id-echo-string",
        "rpc.unknown-fields-tolerated",
        "life.optout-exact",
        "life.experimental-gate",
        "turn.exactly-one-terminal",
        "turn.interrupt-settles",
        "stdio.large-line",
    } <= passed


@pytest.mark.timeout(600)
def test_a_turn_is_played_again(report, folder):
    """Threads, turns, items and approvals have other names each time; all else is as it was, piece by piece."""
    assert report["checks"]
    told = {path: path.read_text(encoding="utf-8") for path in sorted((folder / "runs").glob("*-tour.jsonl"))}
    path = next(path for path, text in told.items() if "exec_command" in text and "interrupt" not in text)
    stdout, stderr = io.StringIO(), io.StringIO()
    words = [word for method in BESIDE for word in ("--ignore", method)]
    words += [word for name, value in HOME.items() for word in ("--env", f"{name}={value}")]

    code = main(
        ["replay", str(path), "--profile", "codex", "--cwd", str(folder), *words, "--", *command()],
        io.StringIO(),
        stdout,
        stderr,
    )

    assert (0, "") == (code, stderr.getvalue()), stdout.getvalue()
    assert "all as recorded" in stdout.getvalue()


@pytest.mark.timeout(600)
def test_a_contract_is_drafted_from_its_own_schema(tmp_path):
    """287 methods, definitions in groups, no member `jsonrpc`: what is drafted is a contract to judge it by."""
    program, env = str(require(codex)), HOME
    own = {**os.environ, "HOME": str(tmp_path), "CODEX_HOME": str(tmp_path)}
    command = [program, "app-server", "generate-json-schema", "--experimental", "--out", str(tmp_path / "schema")]
    subprocess.run(command, env=own, check=True, capture_output=True, timeout=120)
    schema = tmp_path / "schema" / "codex_app_server_protocol.schemas.json"
    options = DraftOptions(out=tmp_path / "mine", schema=json.loads(schema.read_text(encoding="utf-8")))

    profile = draft(options, Target((program, "app-server"), env))

    assert ("omitted", "initialized") == (profile.wire.jsonrpc_member, profile.handshake.initialized)
    assert {"noop", "create", "read", "list"} <= set(profile.operations)
    assert {"turn/started", "turn/completed", "item/agentMessage/delta"} <= set(profile.reading.tells)
    stdout, stderr = io.StringIO(), io.StringIO()
    run_check_server(
        CheckServerOptions(
            argv=(program, "app-server"),
            env=env,
            cwd=str(tmp_path),
            profile=str(tmp_path / "mine"),
            select=("life.initialize-first", "life.double-initialize", "rpc.id-echo-int", "rpc.schema-valid-out"),
            format="json",
            quiet=True,
        ),
        stdout,
        stderr,
    )
    assert {"pass"} == {row["verdict"] for row in json.loads(stdout.getvalue())["checks"]}
