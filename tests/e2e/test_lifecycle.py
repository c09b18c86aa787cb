"""The handshake, the gates, and the end of a connection and of a process (LIFE-*, STAB-*, STDIO-13 to STDIO-16)."""

import asyncio
import json
import signal
import sys
import time
from contextlib import asynccontextmanager
from hashlib import sha256

import pytest
import rfc8785

from e2e.talk import SERVER
from turnwire.errors import RemoteError
from turnwire.wire import (
    METHODS,
    SCHEMA_DIGEST,
    ModelListParams,
    ThreadListParams,
)

EXIT_SECONDS = 20.0


async def test_initialize_says_what_the_server_is(connect):
    talk = await connect(initialize=False)

    result = await talk.initialize()

    assert (result.protocol_version, result.minimum_protocol_version, result.downgraded) == (1, 1, False)
    assert (result.server_info.name, result.schema.digest) == ("turnwire", SCHEMA_DIGEST)
    assert [agent.id for agent in result.agents] == ["scripted", "echo"]
    assert (result.capabilities.conformance.script, result.capabilities.conformance.agent) == (1, "scripted")


async def test_every_method_of_what_is_offered_is_served_and_no_other(house):
    talk = await house.connect(initialize=False)
    offered = json.loads((await _raw(talk, "initialize", _introduction()))["line"])["capabilities"]
    for row in METHODS.values():
        if row.sender != "client" or row.kind != "request" or row.capability is None:
            continue
        try:
            error = await _raw(talk, row.name, {})
        except AssertionError:
            raise AssertionError(row.name) from None
        assert (error.get("code") != -32601) is (row.capability in offered), (row.name, error)
        if row.capability not in offered:
            assert error["data"]["capability"] == row.capability


@pytest.mark.parametrize("method", ["ping", "thread/start", "no/such", "shutdown", "tool/call"])
async def test_nothing_is_served_before_initialize(house, method):
    talk = await house.connect(initialize=False)

    error = await _raw(talk, method, {})

    assert (error["code"], error["data"]["code"]) == (-32002, "notInitialized")
    assert (await talk.initialize()).protocol_version == 1
    assert (await talk.client.thread_list(ThreadListParams())).data == []


VERSIONS = [
    ({"protocolVersion": 1}, (1, False)),
    ({"protocolVersion": 7, "minimumProtocolVersion": 1}, (1, True)),
    ({"protocolVersion": 7}, -32005),
    ({"protocolVersion": 7, "minimumProtocolVersion": 2}, -32005),
    ({"protocolVersion": 1, "minimumProtocolVersion": 2}, -32602),
    ({"protocolVersion": 0}, -32602),
    ({"protocolVersion": "1"}, -32602),
    ({}, -32602),
]


@pytest.mark.parametrize(("versions", "expected"), VERSIONS)
async def test_the_highest_common_version_wins_and_a_failure_may_be_tried_again(house, versions, expected):
    talk = await house.connect(initialize=False)

    answer = await _raw(talk, "initialize", {"clientInfo": {"name": "e2e"}, **versions})

    if isinstance(expected, tuple):
        result = json.loads(answer["line"])
        assert (result["protocolVersion"], result["downgraded"]) == expected
    else:
        assert answer["code"] == expected
        assert (await talk.initialize()).protocol_version == 1


async def test_a_second_initialize_changes_nothing(connect):
    talk = await connect(opt_out_notifications=["thread/started"])

    with pytest.raises(RemoteError, match="alreadyInitialized"):
        await talk.initialize()

    await talk.run(await talk.thread(), "text Hi")
    assert talk.said("thread/started") == []


async def test_ping_answers_both_ways(connect):
    talk = await connect()
    talk.client.notify("initialized")
    talk.client.notify("initialized")
    talk.client.notify("no/such")
    talk.client.notify("thread/start")

    assert await talk.client.ping() is not None


async def test_opt_outs_are_exact_and_count_in_seq(connect):
    names = ["turn/completed", "item/agentMessage", "no/such", "approval/request", "item/agentMessage/delta"]
    talk = await connect(approvals="accept", opt_out_notifications=names)
    await talk.turn(await talk.thread(), "approve rm\ntext Hi")
    await talk.heard("thread/status/changed", lambda params: params.status == "idle")

    heard = set(talk.methods())
    assert heard.isdisjoint({"turn/completed", "item/agentMessage/delta"})
    assert {"item/started", "item/completed", "approval/request"} <= heard
    last = talk.said("thread/status/changed")[-1]["seq"]
    assert last == talk.said("item/completed")[-1]["seq"] + 2


EXPERIMENTAL = [
    ("thread/start", {"dynamicTools": []}, {}, -32006),
    ("thread/start", {"dynamicTools": []}, {"experimental": True}, -32601),
    ("thread/start", {"dynamicTools": 5, "title": 5}, {}, -32006),
    ("thread/resume", {"threadId": "x", "dynamicTools": []}, {"experimental": True}, -32601),
    ("tool/call", {}, {"experimental": True}, -32601),
]


@pytest.mark.parametrize(("method", "params", "capabilities", "code"), EXPERIMENTAL)
async def test_opt_in_is_asked_before_the_capability_and_both_before_params(house, method, params, capabilities, code):
    talk = await house.connect(**capabilities)

    assert (await _raw(talk, method, params))["code"] == code


async def test_a_capability_that_is_experimental_needs_the_opt_in(house):
    talk = await house.connect(initialize=False)

    with pytest.raises(RemoteError, match="experimentalRequired"):
        await talk.initialize(dynamic_tools=True)

    assert (await talk.initialize(dynamic_tools=True, experimental=True)).protocol_version == 1


async def test_shutdown_lets_turns_end_and_refuses_what_changes(connect):
    talk = await connect(limits={"shutdown_ms": 5000})
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "slow 4 50")
    await talk.heard("item/agentMessage/delta")

    stopping = asyncio.ensure_future(talk.client.shutdown())
    await asyncio.sleep(0)
    with pytest.raises(RemoteError, match="shuttingDown"):
        await talk.thread()
    await stopping

    assert talk.said("turn/completed")[-1]["turn"]["status"] == "completed"
    assert (await talk.client.ping()) is not None
    with pytest.raises(RemoteError, match="shuttingDown"):
        await talk.turn(thread_id, "text no")
    assert turn.id == talk.said("turn/completed")[-1]["turn"]["id"]


async def test_shutdown_interrupts_what_does_not_end(connect):
    talk = await connect(limits={"shutdown_ms": 100})
    await talk.turn(await talk.thread(), "slow 1000 50")

    await talk.client.shutdown()

    ended = talk.said("turn/completed")[-1]["turn"]
    assert (ended["status"], ended["endReason"]) == ("interrupted", "shutdown")


async def test_models_come_from_the_host(connect):
    talk = await connect()

    models = await talk.client.model_list(ModelListParams(agent="echo"))

    assert [model.id for model in models.data] == ["script-1"]
    with pytest.raises(RemoteError, match="notFound"):
        await talk.client.model_list(ModelListParams(agent="nobody"))


EXPORTS = [(None, {"jsonSchema", "typescript"}), ("jsonSchema", {"jsonSchema"}), ("typescript", {"typescript"})]


@pytest.mark.parametrize(("form", "members"), EXPORTS)
async def test_the_schema_comes_in_the_form_that_is_asked_for(house, form, members):
    talk = await house.connect()

    result = json.loads((await _raw(talk, "schema/export", {} if form is None else {"format": form}))["line"])

    assert result.keys() == {"version", "digest"} | members
    assert result["digest"] == SCHEMA_DIGEST
    if "jsonSchema" in members:
        assert sha256(rfc8785.dumps(result["jsonSchema"])).hexdigest() == SCHEMA_DIGEST
    if "typescript" in members:
        assert "export type InitializeResult = {" in result["typescript"]
        assert "import " not in result["typescript"]


async def test_the_end_of_input_answers_what_was_read_and_interrupts_the_turn():
    async with _process() as process:
        _write(
            process, *_HELLO, _request(3, "turn/start", threadId="t", input=[{"type": "text", "text": "slow 500 50"}])
        )
        await _until(process, "item/agentMessage/delta")
        process.stdin.write(json.dumps(_request(4, "ping")).encode())
        process.stdin.close()
        began = time.monotonic()

        rest = [json.loads(line) for line in (await process.stdout.read()).splitlines()]
        code = await process.wait()

        assert code == 0
        assert time.monotonic() - began < EXIT_SECONDS
        assert [message["result"] for message in rest if message.get("id") == 4] == [{}]
        ended = next(message["params"]["turn"] for message in rest if message.get("method") == "turn/completed")
        assert (ended["status"], ended["endReason"]) == ("interrupted", "eof")


async def test_sigterm_ends_the_process_and_grants_nothing(tmp_path):
    async with _process(approval_grace_ms=60_000, shutdown_ms=300) as process:
        thread = _request(2, "thread/start", threadId="t", cwd=str(tmp_path))
        turn = _request(3, "turn/start", threadId="t", input=[{"type": "text", "text": "write a.txt words"}])
        _write(process, _HELLO[0], thread, turn)
        await _until(process, "approval/request")
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()

        rest = [json.loads(line) for line in (await process.stdout.read()).splitlines()]
        code = await process.wait()

        assert code == 0
        assert time.monotonic() - began < 0.3 + EXIT_SECONDS
        ended = next(message["params"]["turn"] for message in rest if message.get("method") == "turn/completed")
        assert (ended["status"], ended["endReason"]) == ("interrupted", "shutdown")
        assert list(tmp_path.iterdir()) == []


async def test_a_reader_that_goes_away_ends_the_process():
    async with _process() as process:
        _write(
            process, *_HELLO, _request(3, "turn/start", threadId="t", input=[{"type": "text", "text": "slow 5000 5"}])
        )
        await _until(process, "item/agentMessage/delta")
        process._transport.get_pipe_transport(1).close()
        began = time.monotonic()

        await asyncio.wait_for(process.wait(), EXIT_SECONDS)

        assert time.monotonic() - began < EXIT_SECONDS
        assert (await process.stderr.read()).decode() == ""


def _introduction():
    return {"protocolVersion": 1, "clientInfo": {"name": "e2e"}}


def _request(request_id, method, **params):
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


_HELLO = (
    _request(1, "initialize", protocolVersion=1, clientInfo={"name": "e2e"}, capabilities={"approvals": True}),
    _request(2, "thread/start", threadId="t"),
)


async def _raw(talk, method, params):
    """The error of a request, or its result as a line."""
    try:
        return {"line": bytes(await talk.client.call_raw(method, params))}
    except RemoteError as error:
        return {"code": error.code, "data": dict(error.data)}


@asynccontextmanager
async def _process(**limits):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(SERVER), json.dumps(limits)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        # asyncio leaves the pipes of a process to the garbage collector.
        process._transport.close()
        await process.wait()


def _write(process, *messages):
    process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))


async def _until(process, method):
    async with asyncio.timeout(10):
        while json.loads(await process.stdout.readline()).get("method") != method:
            pass
