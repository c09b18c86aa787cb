"""A server in a program of one's own: messages over any transport, an agent and a host of one's own."""

import asyncio
import json

import pytest

from e2e.own import Own
from e2e.talk import Talk
from turnwire.agents.base import Question
from turnwire.server import DefaultHost, Server
from turnwire.wire import FileChange, ThreadUpdateParams

HELLO = {"protocolVersion": 1, "clientInfo": {"name": "e2e"}}


@pytest.fixture
async def embed():
    """Makes a server around `run`, and talks to it."""
    made = []

    async def begin(run, *, host=DefaultHost, server=None, run_config=None, expose_errors=False, **members):
        server = server or Server(host(Own(run), run_config=run_config, expose_errors=expose_errors))
        talk = await Talk.over_memory(server, **members)
        made.append((talk, server))
        return talk, server

    yield begin
    for talk, server in made:
        await talk.close()
        await server.close()


async def test_whole_messages_go_over_any_transport():
    sent = []
    server = Server(DefaultHost(Own(_nothing)))
    session = server.connect(sent.append, principal="ann")
    await asyncio.sleep(0)

    asked = [("initialize", HELLO), ("ping", {}), ("thread/start", {"threadId": "t"})]
    for number, (method, params) in enumerate(asked):
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        session.receive(json.dumps(request, indent=1).encode())
    session.receive(b"[]")
    await asyncio.sleep(0.02)
    await session.close()
    await server.close()

    messages = [json.loads(message) for message in sent]
    assert all(b"\n" not in message for message in sent)
    assert {message["id"] for message in messages if "result" in message} == {0, 1, 2}
    assert [message["error"]["code"] for message in messages if "error" in message] == [-32600]
    assert [message["method"] for message in messages if "method" in message] == ["thread/started"]


async def test_the_host_is_asked_for_every_turn_with_the_thread_as_it_is(embed):
    seen = []

    class Host(DefaultHost):
        async def build_run_config(self, request):
            seen.append((request.thread.permission_mode, request.turn_id, request.model, request.principal))
            return len(seen)

    async def run(turn):
        seen.append((turn.run_config, turn.thread.permission_mode))

    talk, _ = await embed(run, host=Host)
    thread_id = await talk.thread(permission_mode="ask")
    first = await talk.run(thread_id, "x", model="m")
    await talk.client.thread_update(ThreadUpdateParams(thread_id=thread_id, permission_mode="auto"))
    second = await talk.run(thread_id, "x")

    assert seen == [
        *(("ask", first.id, "m", None), (1, "ask")),
        *(("auto", second.id, seen[2][2], None), (3, "auto")),
    ]
    assert (first.model, not seen[2][2]) == ("m", True)


async def test_progress_goes_to_those_who_want_it(embed):
    async def run(turn):
        work = turn.tool("count", {"to": 2})
        work.progress("half", done=1, total=2)
        work.complete(None, directive="finish")

    one, server = await embed(run, tool_progress=True)
    two, _ = await embed(run, server=server)
    thread_id = await one.thread()
    await two.client.call_raw("thread/resume", {"threadId": thread_id})
    turn = await one.run(thread_id, "x")
    await two.ended(turn)

    assert [
        (params["message"], params["progress"], params["total"]) for params in one.said("item/toolCall/progress")
    ] == [("half", 1, 2)]
    assert two.said("item/toolCall/progress") == []
    assert (one.items("toolCall")[0]["directive"], one.items("toolCall")[0]["result"]) == ("finish", None)


FAULTS = [(False, "The agent failed."), (True, "ZeroDivisionError: division by zero")]


@pytest.mark.parametrize(("expose", "message"), FAULTS)
async def test_errors_are_shown_where_the_host_exposes_them(embed, expose, message, caplog):
    async def run(_turn):
        return 1 / 0

    talk, _ = await embed(run, expose_errors=expose)

    turn = await talk.run(await talk.thread(), "x")

    assert turn.error.message == message
    assert "ZeroDivisionError" in caplog.text


async def test_what_an_agent_leaves_open_is_completed_for_it(embed):
    async def run(turn):
        await turn.message().write("left open")
        turn.tool("never", {})
        turn.file_change([FileChange(path="a", kind="add")]).fail("diskFull", ran=True)

    talk, _ = await embed(run)

    turn = await talk.run(await talk.thread(), "x")

    assert (turn.status, turn.final_output) == ("completed", "left open")
    assert [item["status"] for item in talk.items("agentMessage")] == ["completed"]
    assert [item["status"] for item in talk.items("toolCall")] == ["interrupted"]
    failed = talk.items("fileChange")[0]
    assert (failed["status"], failed["errorCode"], failed["executionStarted"]) == ("failed", "diskFull", True)


async def test_two_approvals_may_wait_at_once(embed):
    async def run(turn):
        questions = [Question(kind="shell", title=name, operation=name) for name in ("ls", "rm")]
        verdicts = await asyncio.gather(*(turn.approve(question) for question in questions))
        with turn.message() as message:
            await message.write(" ".join(f"{verdict.accepted}" for verdict in verdicts))

    async def answer(params):
        await asyncio.sleep(0.05 if params.approval.operation == "ls" else 0)
        return {"decision": "accept" if params.approval.operation == "ls" else "decline", "nonce": _nonce(params)}

    talk, _ = await embed(run, approvals=answer)

    turn = await talk.run(await talk.thread(), "x")

    assert turn.final_output == "True False"
    assert len(talk.said("approval/resolved")) == 2


async def test_a_defer_pauses_the_turn_with_all_that_waits(embed):
    async def run(turn):
        questions = [Question(kind="shell", title=name, operation=name) for name in ("ls", "rm")]
        await asyncio.gather(*(turn.approve(question) for question in questions))

    async def answer(params):
        if params.approval.operation == "ls":
            await asyncio.sleep(5)
        return {"decision": "defer", "nonce": _nonce(params)}

    talk, _ = await embed(run, approvals=answer)

    turn = await talk.run(await talk.thread(), "x")

    assert turn.status == "paused"
    assert sorted(pending.approval.operation for pending in turn.pending) == ["ls", "rm"]
    assert [item["resolution"]["decision"] for item in talk.items("approval")] == ["defer", "defer"]


async def test_a_request_that_outlives_its_connection_subscribes_nobody(embed):
    gate = asyncio.Event()

    class Host(DefaultHost):
        async def build_run_config(self, request):
            await gate.wait()

    one, server = await embed(_nothing, host=Host)
    two, _ = await embed(_nothing, server=server)
    thread_id = await one.thread()
    starting = asyncio.ensure_future(one.turn(thread_id, "x"))
    await one.client.ping()
    one.transport.abort("lost")
    gate.set()
    await asyncio.wait([starting])

    assert starting.exception() is not None
    await two.heard("thread/status/changed", lambda params: params.status == "idle")
    assert server._state.hub.subscribers(thread_id) == []
    assert not server._state.work.threads.is_loaded(thread_id)
    one.trace.clear()


async def _nothing(_turn):
    """A turn that does nothing."""


def _nonce(params):
    return params.approval.binding.nonce
