"""Servers of other houses, judged from a recording by their own contracts: what is wrong there is found, and no more.

The conversations are made by hand, in the shapes that the real servers have; each fault is one that a real one has.
"""

import io
import json

import pytest

from turnwire.conformance.recording import CheckTraceOptions, run_check_trace

TIME = "2026-11-29T19:55:36.667Z"
DIGEST = "sha256:" + "0" * 64


def ask(identifier, method, **params):
    return {"dir": "c2s", "msg": {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}}


def answer(identifier, result):
    return {"dir": "s2c", "msg": {"jsonrpc": "2.0", "id": identifier, "result": result}}


def refuse(identifier, code):
    return {"dir": "s2c", "msg": {"jsonrpc": "2.0", "id": identifier, "error": {"code": code, "message": "no"}}}


def tell(method, **params):
    return {"dir": "s2c", "msg": {"jsonrpc": "2.0", "method": method, "params": params}}


def want(identifier, method, **params):
    return {"dir": "s2c", "msg": {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}}


# cc

CC_HELLO = [
    ask(1, "initialize", protocolVersion=1, minimumProtocolVersion=1, client={"name": "desk", "version": "1"}),
    answer(
        1,
        {
            "server": {"name": "cc", "version": "1"},
            "protocolVersion": 1,
            "minimumProtocolVersion": 1,
            "features": [],
            "downgraded": False,
            "transports": ["stdio"],
            "websocket": {},
            "limits": {},
            "graphRuntime": {},
            "evolutionWorkbench": {},
            "governedKnowledgeReview": {},
            "schema": {},
        },
    ),
]


def cc_thread(identifier="t1", **members):
    return {"id": identifier, "status": "idle", "createdAt": TIME, "updatedAt": TIME, "revision": 1, **members}


def cc_turn(status, **members):
    return {"id": "a0", "threadId": "t1", "status": status, "createdAt": TIME, "revision": 1, **members}


def cc_item(status):
    return {
        "id": "a0:assistant",
        "threadId": "t1",
        "turnId": "a0",
        "kind": "assistant_message",
        "status": status,
        "createdAt": TIME,
    }


def cc_approval(**binding):
    place = {"threadId": "t1", "turnId": "a0", "itemId": "a0:approval:1"}
    bound = {"operationDigest": DIGEST, "policyDigest": DIGEST, "nonce": "n1", "expiresAt": TIME}
    return {"id": "appr_1", "binding": {**place, **bound, **binding}, "operation": {}, "risk": "low", "reason": "ls"}


CC_TURN = [
    *CC_HELLO,
    ask(2, "thread/start", title="x", idempotencyKey="k1"),
    tell("thread/updated", thread=cc_thread()),
    answer(2, {"thread": cc_thread()}),
    ask(3, "turn/start", threadId="t1", input="hello"),
    tell("turn/started", turn=cc_turn("running")),
    answer(3, {"turn": cc_turn("running")}),
    tell("approval/requested", request=cc_approval()),
    want("server:1", "approval/decide", request=cc_approval()),
    {"dir": "c2s", "msg": {"jsonrpc": "2.0", "id": "server:1", "result": {"kind": "acceptOnce"}}},
    tell("approval/resolved", threadId="t1", turnId="a0", approvalId="appr_1", approved=True, via="host"),
    tell("item/started", item=cc_item("started")),
    tell("item/delta", threadId="t1", turnId="a0", itemId="a0:assistant", delta={"type": "text_delta", "text": "x"}),
    tell("item/completed", item=cc_item("completed")),
    tell("turn/completed", turn=cc_turn("completed"), error=None),
    tell("thread/updated", thread=cc_thread()),
]


def instead(lines, at, line):
    return [*lines[:at], line, *lines[at + 1 :]]


# vv-agent

VV_HELLO = [
    ask(1, "initialize", clientInfo={"name": "desk"}),
    ask(2, "thread/start", inputId="t1"),
    tell("thread/started", threadId="t1", agentKey="default", cwd=None, status="idle"),
    ask(3, "turn/start", threadId="t1"),
]


def vv_item(identifier, kind, status, **payload):
    stamps = {"createdAt": 1.5, "updatedAt": 1.5}
    place = {"itemId": identifier, "threadId": "t1", "turnId": "u1"}
    return {**place, "type": kind, "status": status, "payload": payload, **stamps}


def vv_approval(**members):
    place = {"requestId": "a1", "threadId": "t1", "turnId": "u1", "toolCallId": "c1", "toolName": "rm"}
    return {**place, "preview": "rm x?", "arguments": {"path": "x"}, **members}


VV_TURN = [
    *VV_HELLO,
    tell("turn/started", threadId="t1", turnId="u1"),
    tell("item/completed", **vv_item("i0", "userMessage", "completed", text="hello")),
    tell("item/started", **vv_item("i1", "modelCall", "started")),
    tell("item/completed", **vv_item("i1", "modelCall", "completed")),
    tell("approval/requested", **vv_approval()),
    want("a1", "approval/request", **vv_approval()),
    tell("approval/resolved", requestId="a1", threadId="t1", turnId="u1", decision="allow"),
    tell("turn/completed", threadId="t1", turnId="u1", status="completed"),
]

# codex


def bare(lines):
    return [{**line, "msg": {k: v for k, v in line["msg"].items() if k != "jsonrpc"}} for line in lines]


def cx_thread(**members):
    facts = {"cwd": "/", "preview": "", "ephemeral": False, "modelProvider": "x", "cliVersion": "1"}
    return {"id": "t1", "status": {"type": "idle"}, "createdAt": 1, "updatedAt": 1, **facts, **members}


def cx_status(kind, **members):
    return tell("thread/status/changed", threadId="t1", status={"type": kind, **members})


def cx_turn(method, status):
    return tell(method, threadId="t1", turn={"id": "u1", "items": [], "status": status})


def cx_item(method, **item):
    return tell(method, threadId="t1", turnId="u1", item={"id": "c1", "type": "commandExecution", **item})


CODEX_TURN = [
    ask(1, "initialize", clientInfo={"name": "desk", "version": "1"}),
    answer(1, {"userAgent": "codex", "codexHome": "/", "platformFamily": "unix", "platformOs": "linux"}),
    ask(2, "thread/start"),
    answer(2, {"thread": cx_thread(), "model": "m", "modelProvider": "x", "cwd": "/"}),
    tell("thread/started", thread=cx_thread()),
    ask(3, "turn/start", threadId="t1", input=[{"type": "text", "text": "x"}]),
    answer(3, {"turn": {"id": "u1", "items": [], "status": "inProgress"}}),
    cx_status("active", activeFlags=[]),
    cx_turn("turn/started", "inProgress"),
    cx_item("item/started", status="inProgress"),
    cx_status("active", activeFlags=["waitingOnApproval"]),
    want(0, "item/commandExecution/requestApproval", threadId="t1", turnId="u1", itemId="c1"),
    tell("serverRequest/resolved", threadId="t1", requestId=0),
    tell("item/commandExecution/outputDelta", threadId="t1", turnId="u1", itemId="c1", delta="out"),
    cx_item("item/completed", status="completed", aggregatedOutput="out"),
    cx_turn("turn/completed", "completed"),
    cx_status("idle"),
]


def moved(lines, at, to):
    left = [*lines[:at], *lines[at + 1 :]]
    return [*left[:to], lines[at], *left[to:]]


LAWFUL = {
    "cc": CC_TURN,
    "vv-agent-v4": VV_TURN,
    "codex": bare(CODEX_TURN),
}
# Each row: the contract, a conversation with one fault, and every rule that says so.
FAULTS = {
    "cc B1: an error has the id null": (
        "cc",
        [*CC_HELLO, {"dir": "c2s", "raw": "{"}, refuse(None, -32700)],
        ["rpc.schema-valid-out"],
    ),
    "cc B2: a thread has what its closed type has not": (
        "cc",
        instead(CC_TURN, 3, tell("thread/updated", thread=cc_thread(headHash=DIGEST))),
        ["rpc.schema-valid-out"],
    ),
    "cc B3: an unknown method is an invalid request": (
        "cc",
        [*CC_HELLO, ask(2, "no/such"), refuse(2, -32600)],
        ["rpc.method-not-found"],
    ),
    "cc B3: a bad handshake is an invalid request": (
        "cc",
        [ask(1, "initialize", protocolVersion=0), refuse(1, -32600)],
        ["rpc.invalid-params-type"],
    ),
    "cc B3: a thread id that is none is a fault of the server": (
        "cc",
        [*CC_HELLO, ask(2, "thread/start", threadId="//"), refuse(2, -32603)],
        ["rpc.invalid-params-type"],
    ),
    "cc B7: a key is good for other params": (
        "cc",
        [*CC_TURN, ask(9, "thread/start", title="y", idempotencyKey="k1"), answer(9, {"thread": cc_thread()})],
        ["idem.other-params"],
    ),
    "cc B7: a key is good for two threads": (
        "cc",
        [*CC_TURN, ask(9, "thread/start", title="x", idempotencyKey="k1"), answer(9, {"thread": cc_thread("t2")})],
        ["idem.same-key"],
    ),
    "cc B10: the notification and the request expire apart": (
        "cc",
        instead(CC_TURN, 9, want("server:1", "approval/decide", request=cc_approval(expiresAt="2026-11-29T20:00:00Z"))),
        ["appr.notification-equals-request"],
    ),
    "vv-agent D7: a turn ends twice, and goes on in between": (
        "vv-agent-v4",
        [
            *VV_TURN,
            tell("item/started", **vv_item("i2", "modelCall", "started")),
            tell("turn/completed", threadId="t1", turnId="u1", status="completed"),
        ],
        ["turn.exactly-one-terminal", "turn.no-events-after-terminal"],
    ),
    "vv-agent D8: an item ends by another id": (
        "vv-agent-v4",
        instead(VV_TURN, 7, tell("item/completed", **vv_item("i2", "modelCall", "completed"))),
        ["item.lifecycle-order", "turn.all-items-closed"],
    ),
    "vv-agent D17: the notification shows other arguments": (
        "vv-agent-v4",
        instead(VV_TURN, 8, tell("approval/requested", **vv_approval(arguments={}))),
        ["appr.notification-equals-request"],
    ),
    "codex CAP-1: what is experimental is told": (
        "codex",
        bare(instead(CODEX_TURN, 4, tell("thread/started", thread=cx_thread(environments=[])))),
        ["life.experimental-unsent"],
    ),
    "codex TURN-1: idle comes before the end": (
        "codex",
        bare(moved(CODEX_TURN, 16, 15)),
        ["thread.status-transitions"],
    ),
    "codex ITEM-1: an item stays open": (
        "codex",
        bare([*CODEX_TURN[:14], *CODEX_TURN[15:]]),
        ["turn.all-items-closed"],
    ),
    "codex ITEM-2: the output is more than was told": (
        "codex",
        bare(instead(CODEX_TURN, 14, cx_item("item/completed", status="completed", aggregatedOutput="output"))),
        ["item.delta-concat"],
    ),
    "codex APPR-1: an approval outlives its turn": (
        "codex",
        bare(moved(CODEX_TURN, 12, 15)),
        ["appr.resolved-once", "turn.no-events-after-terminal"],
    ),
    "codex ERR-1: an unknown method is an invalid request": (
        "codex",
        bare([*CODEX_TURN[:2], ask(9, "no/such"), refuse(9, -32600)]),
        ["rpc.method-not-found"],
    ),
    "codex ERR-2: wrong params are an invalid request": (
        "codex",
        bare([*CODEX_TURN[:2], ask(9, "thread/read", threadId=5), refuse(9, -32600)]),
        ["rpc.invalid-params-type"],
    ),
}


def judged(profile, lines):
    stdout, stderr = io.StringIO(), io.StringIO()
    options = CheckTraceOptions(file="run.jsonl", format="json", profile=profile)
    run_check_trace(options, [json.dumps(line).encode() + b"\n" for line in lines], stdout, stderr)
    assert "" == stderr.getvalue()
    return json.loads(stdout.getvalue())["checks"]


def verdicts(profile, lines, verdict):
    return sorted(row["id"] for row in judged(profile, lines) if row["verdict"] == verdict)


@pytest.mark.parametrize("profile", LAWFUL)
def test_what_is_right_by_a_contract_is_blamed_for_nothing(profile):
    assert [] == verdicts(profile, LAWFUL[profile], "fail")
    assert {"turn.exactly-one-terminal", "item.lifecycle-order"} <= set(verdicts(profile, LAWFUL[profile], "pass"))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_a_real_server_is_found(name):
    profile, lines, rules = FAULTS[name]

    assert rules == verdicts(profile, lines, "fail")


def test_a_thread_that_is_gone_on_with_has_a_past_that_is_not_judged():
    resumed = [
        *VV_HELLO[:1],
        ask(2, "thread/resume", threadId="t1"),
        answer(2, {"thread": {}, "turns": [], "items": []}),
        *VV_TURN[7:],
    ]

    assert {"item.lifecycle-order", "turn.started-once-first"} & set(verdicts("vv-agent-v4", resumed, "fail")) == set()


def test_what_a_contract_does_not_promise_is_not_asked_of_it():
    assert "thread.seq-increases" in verdicts("cc", CC_TURN, "skip")


def test_a_note_of_who_recorded_is_passed_over():
    note = {"dir": "meta", "msg": {"pid": 1}}

    assert judged("cc", CC_TURN) == judged("cc", [note, *CC_TURN])


def test_two_threads_at_once_are_two_stories():
    def other(line):
        return json.loads(json.dumps(line).replace('"t1"', '"t2"').replace('"u1"', '"u2"').replace('"c1"', '"c2"'))

    began, turn = CODEX_TURN[:2], CODEX_TURN[2:]
    woven = [line for line in turn for line in (line, other({**line, "msg": renumbered(line["msg"])}))]

    assert [] == verdicts("codex", bare([*began, *woven]), "fail")


def renumbered(message):
    """The same message of another conversation on the same connection: its requests have ids of their own."""
    named = {"requestId": 50} if message.get("method") == "serverRequest/resolved" else {}
    params = {"params": {**message["params"], **named}} if named else {}
    return {**message, **({"id": message["id"] + 50} if "id" in message else {}), **params}
