"""Every error of the error table, reached on the wire, with its code, its name and its particulars."""

import asyncio
import json

import pytest

from e2e.stdio_server import make_server
from e2e.talk import Talk
from turnwire.agents.base import Agent
from turnwire.agents.builtin import builtin_agent
from turnwire.errors import RemoteError
from turnwire.server import DefaultHost, HostError, Server, default_limits
from turnwire.transports.memory import memory_pair
from turnwire.wire import ERRORS

REACHED: set[str] = set()
HELLO = {"protocolVersion": 1, "clientInfo": {"name": "e2e"}}
SAY = [{"type": "text", "text": "text Hi"}]
NONCE = "0" * 16
MISSING = {"path": "", "message": "Object missing required field threadId"}
LINK = [{"type": "image", "url": "https://x.org/a.png"}]


class Host(DefaultHost):
    """Refuses what a test wants it to."""

    fault: BaseException | None = None
    forbidden: str | None = None

    async def resolve_agent(self, request):
        if self.fault is not None:
            raise self.fault
        return await super().resolve_agent(request)

    def authorize(self, principal, method):
        return method != self.forbidden


class Stubborn(Agent):
    """Does not stop when it is asked to."""

    id = "stubborn"

    def __init__(self):
        self.release = asyncio.Event()

    async def run(self, turn):
        while not self.release.is_set():
            try:
                await self.release.wait()
            except asyncio.CancelledError:
                continue


@pytest.fixture
async def place():
    stubborn = Stubborn()
    host = Host(builtin_agent("scripted"), stubborn)
    server = Server(host, limits=default_limits(interrupt_ms=30, requests=2, metadata_bytes=40))
    talk = await Talk.over_memory(server)
    yield talk, host, stubborn
    stubborn.release.set()
    await talk.close()
    await server.close()


ROWS = [
    ("methodNotFound", "no/such", {}, {}),
    ("methodNotFound", "rpc.discover", {}, {}),
    ("methodNotFound", "review/start", {"threadId": "t"}, {"capability": "reviews"}),
    ("methodNotFound", "thread/started", {}, {}),
    ("methodNotFound", "approval/request", {}, {}),
    ("invalidParams", "thread/read", {}, {"issues": [MISSING]}),
    ("invalidParams", "thread/start", {"threadId": "no spaces"}, None),
    ("invalidParams", "thread/start", {"metadata": {"text": "x" * 40}}, None),
    ("invalidParams", "thread/start", {"metadata": {"n": [2**60]}}, None),
    ("invalidParams", "thread/start", {"title": None}, None),
    ("invalidParams", "turn/start", {"threadId": "t"}, None),
    ("invalidParams", "turn/start", {"threadId": "t", "input": SAY, "resume": {}}, None),
    ("invalidParams", "turn/start", {"threadId": "t", "input": []}, None),
    ("invalidParams", "turn/start", {"threadId": "t", "input": [{"type": "video"}]}, None),
    ("invalidParams", "turn/start", {"threadId": "t", "input": LINK}, None),
    # ERR-7: what is wrong with params alone comes before what they name.
    ("invalidParams", "turn/start", {"threadId": "x"}, None),
    ("invalidParams", "turn/start", {"threadId": "x", "input": LINK}, None),
    ("invalidParams", "turn/start", {"threadId": "x", "input": SAY, "outputSchema": {"type": 1}}, None),
    ("invalidParams", "turn/steer", {"threadId": "x", "expectedTurnId": "x", "input": LINK}, None),
    ("invalidParams", "turn/steer", {"threadId": "x", "expectedTurnId": "x", "input": SAY, "mode": "shout"}, None),
    ("invalidParams", "turn/enqueue", {"threadId": "x", "input": LINK}, None),
    ("invalidParams", "turn/queue/update", {"threadId": "x", "entryId": "x", "input": LINK}, None),
    ("invalidParams", "thread/update", {"threadId": "x", "metadata": {"n": 2**60}}, None),
    ("invalidParams", "thread/resume", {"threadId": "x", "additionalContext": {"no": 1}}, None),
    ("invalidParams", "thread/fork", {"threadId": "x", "newThreadId": "no spaces"}, None),
    ("experimentalRequired", "thread/start", {"dynamicTools": []}, {"subject": "ThreadStartParams.dynamicTools"}),
    ("alreadyInitialized", "initialize", HELLO, {}),
    ("notFound", "thread/start", {"agent": "nobody"}, {"kind": "agent", "id": "nobody"}),
    ("notFound", "thread/read", {"threadId": "x"}, {"kind": "thread", "id": "x"}),
    ("notFound", "turn/start", {"threadId": "x", "input": SAY}, {"kind": "thread", "id": "x"}),
    ("notFound", "turn/interrupt", {"threadId": "t", "turnId": "x"}, {"kind": "turn", "id": "x"}),
    ("notFound", "thread/items/list", {"threadId": "t", "turnId": "x"}, {"kind": "turn", "id": "x"}),
    ("notFound", "approval/resolve", {"approvalId": "x", "answer": {"decision": "accept", "nonce": NONCE}}, None),
    ("cursorInvalid", "thread/list", {"cursor": "x"}, {"reason": "malformed"}),
    ("conflict", "thread/start", {"threadId": "t"}, {"reason": "identityTaken"}),
    ("conflict", "thread/update", {"threadId": "t", "expectedVersion": 9}, {"reason": "staleVersion"}),
    ("noActiveTurn", "turn/interrupt", {"threadId": "t"}, {}),
    ("noActiveTurn", "turn/steer", {"threadId": "t", "expectedTurnId": "x", "input": SAY}, {}),
    ("noActiveTurn", "turn/start", {"threadId": "t", "resume": {}}, {}),
]


@pytest.mark.parametrize(("name", "method", "params", "data"), ROWS)
async def test_a_request_that_is_refused(place, name, method, params, data):
    talk, _, _ = place
    await talk.thread(thread_id="t")

    error = await refusal(talk, method, params)

    check(error, name, data)


async def test_not_initialized(place):
    server = make_server({})
    talk = await Talk.over_memory(server, initialize=False)

    check(await refusal(talk, "ping", {}), "notInitialized", {})
    check(
        await refusal(talk, "initialize", {**HELLO, "protocolVersion": 9}),
        "unsupportedVersion",
        {"client": {"minimum": 9, "maximum": 9}, "server": {"minimum": 1, "maximum": 1}},
    )
    await talk.close()
    await server.close()


async def test_what_a_running_turn_refuses(place):
    talk, _, stubborn = place
    await talk.thread(thread_id="t", agent="stubborn")
    turn = await talk.turn("t", "x")

    check(await refusal(talk, "turn/start", {"threadId": "t", "input": SAY}), "turnActive", {"turnId": turn.id})
    steer = {"threadId": "t", "expectedTurnId": "x", "input": SAY}
    check(await refusal(talk, "turn/steer", steer), "turnMismatch", {"activeTurnId": turn.id})
    steer["expectedTurnId"] = turn.id
    check(await refusal(talk, "turn/steer", steer), "agentUnsupported", {"agent": "stubborn", "operation": "steer"})
    compact = {"agent": "stubborn", "operation": "compact"}
    check(await refusal(talk, "thread/compact", {"threadId": "t"}), "agentUnsupported", compact)
    check(await refusal(talk, "turn/interrupt", {"threadId": "t"}), "notSettled", {"retryAfterMs": 200})
    check(await refusal(talk, "thread/delete", {"threadId": "t"}), "notSettled", {"retryAfterMs": 200})
    stubborn.release.set()
    assert (await talk.ended(turn)).status == "interrupted"


async def test_what_a_held_or_archived_thread_refuses(place):
    talk, _, _ = place
    await talk.thread(thread_id="t")
    start = {"threadId": "t", "input": SAY}

    await talk.client.call_raw("thread/pause", {"threadId": "t"})
    check(await refusal(talk, "turn/start", start), "threadPaused", {"pausedBy": "user"})
    await talk.client.call_raw("thread/archive", {"threadId": "t"})
    check(await refusal(talk, "turn/start", start), "threadArchived", {})


HOST_FAULTS = [
    (HostError("No credit is left.", code="noCredit"), {"hostCode": "noCredit"}, "No credit is left."),
    (HostError("Not now."), {}, "Not now."),
    (RuntimeError("password is hunter2"), {}, "The host failed."),
]


@pytest.mark.parametrize(("fault", "data", "message"), HOST_FAULTS)
async def test_a_host_that_refuses_leaves_nothing_behind(place, fault, data, message):
    talk, host, _ = place
    await talk.thread(thread_id="t")
    host.fault = fault

    start = {"threadId": "t", "input": SAY, "idempotencyKey": "k"}

    error = await refusal(talk, "turn/start", start)

    check(error, "hostError", data)
    assert error.message == message
    assert talk.said("turn/started") == []
    host.fault = None
    again = json.loads(bytes(await talk.client.call_raw("turn/start", start)))
    assert "replayed" not in again


async def test_what_a_principal_may_not(place):
    talk, host, _ = place
    host.forbidden = "thread/list"

    check(await refusal(talk, "thread/list", {}), "unauthorized", {})


async def test_what_was_not_foreseen_says_nothing_of_the_implementation(place, caplog):
    talk, host, _ = place
    host.agents = lambda: 1 / 0

    error = await refusal(talk, "thread/start", {})

    check(error, "internalError", {})
    assert "division" not in error.message
    assert "ZeroDivisionError" in caplog.text
    del host.agents
    assert await talk.client.ping() is not None


async def test_a_handshake_that_failed_may_be_tried_again(place):
    _, host, _ = place
    server = Server(host)
    talk = await Talk.over_memory(server, initialize=False)
    host.agents = lambda: 1 / 0
    check(await refusal(talk, "initialize", HELLO), "internalError", {})
    check(await refusal(talk, "ping", {}), "notInitialized", {})
    del host.agents

    assert b'"protocolVersion":1' in bytes(await talk.client.call_raw("initialize", HELLO))
    await talk.close()
    await server.close()


async def test_more_requests_than_the_queue_holds(place):
    talk, _, _ = place
    await talk.thread(thread_id="t", agent="stubborn")
    await talk.turn("t", "x")

    waiting = [asyncio.ensure_future(refusal(talk, "turn/interrupt", {"threadId": "t"})) for _ in range(4)]
    errors = [await one for one in waiting]

    assert sorted(error.name for error in errors) == ["notSettled", "notSettled", "overloaded", "overloaded"]
    over = next(error for error in errors if error.name == "overloaded")
    check(over, "overloaded", {"retryAfterMs": over.data["retryAfterMs"]})
    assert over.retryable


async def test_what_the_envelope_refuses(place):
    _, host, _ = place
    near, far = memory_pair()
    lines: list[bytes] = []
    server = Server(host, limits=default_limits(message_bytes=1000))
    serving = asyncio.create_task(server.serve(far))

    class Reader:
        def data_received(self, chunk):
            lines.extend(chunk.splitlines())

        def connection_lost(self, error):
            pass

        eof_received = resume_writing = pause_writing = lambda self: None

    await near.start(Reader())
    near.write([b"{nonsense", b"[]", b" " * 1001 + b"x", b'{"jsonrpc":"2.0","id":1,"method":"ping"}'])
    await asyncio.sleep(0.05)
    near.close()
    await serving
    await server.close()

    replies = [json.loads(line) for line in lines]
    assert [reply["error"]["data"]["code"] for reply in replies] == [
        "parseError",
        "invalidRequest",
        "invalidRequest",
        "notInitialized",
    ]
    REACHED.update(("parseError", "invalidRequest"))
    assert replies[2]["error"]["data"]["limit"] == 1000


async def test_shutting_down_and_a_closed_request(place):
    talk, _, _ = place
    talk.client.on_request("approval/request", talk._answering("accept"))
    await talk.client.shutdown()

    check(await refusal(talk, "thread/start", {}), "shuttingDown", {})
    assert (await refusal(talk, "shutdown", {})).name == "shuttingDown"


async def test_a_closed_request(house):
    talk = await house.connect(approvals="accept")
    await talk.run(await talk.thread(), "approve rm")
    approval = talk.asked[0].approval
    answer = {"decision": "accept", "nonce": approval.binding.nonce}

    error = await refusal(talk, "approval/resolve", {"approvalId": approval.approval_id, "answer": answer})

    check(error, "requestClosed", {"resolution": "answered"})


def test_every_error_was_reached():
    """Stands last in this module, and reads what the tests before it reached."""
    assert REACHED == set(ERRORS)


async def refusal(talk, method, params):
    with pytest.raises(RemoteError) as refused:
        await talk.client.call_raw(method, params)
    return refused.value


def check(error, name, data):
    """`data` is what `error.data` holds beside the members that every error has; None to leave it open."""
    REACHED.add(name)
    row = ERRORS[name]
    assert (error.code, error.data["code"], error.data["retryable"]) == (row.code, name, row.retryable)
    if data is not None:
        assert {key: value for key, value in error.data.items() if key not in ("code", "retryable")} == data
