"""A client that outlives its connections: it hears every event once and repeats no request."""

import asyncio
import contextlib
import os
import signal
import sys

import pytest

from e2e.own import own
from e2e.talk import SERVER
from turnwire.client import Backoff, ProcessTransport, ReconnectingClient, with_retry
from turnwire.errors import ConnectionClosed, ProtocolError, RemoteError, RequestTimeout, conflict, overloaded
from turnwire.server import DefaultHost
from turnwire.store.opening import STORES
from turnwire.transports.memory import memory_pair
from turnwire.wire import (
    ApprovalAnswer,
    ClientInfo,
    InitializeParams,
    TextPart,
    ThreadDeleteParams,
    ThreadEventsListParams,
    ThreadReadParams,
    ThreadStartParams,
    TurnStartParams,
    TurnSteerParams,
)

SOON = Backoff(first=0.01, longest=0.02, attempts=None)


async def until(is_so):
    """Waits until something is so, and not for ever."""
    for _ in range(2000):
        if is_so():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never was so")


class Line:
    """The way from a client to the server of a house; it can be cut, and stay so for a while."""

    def __init__(self, house):
        self.house = house
        self.ends = []
        self.serving = []
        self.open = True
        self.changes = []

    def __call__(self):
        if not self.open:
            raise ConnectionRefusedError("nobody listens")
        near, far = memory_pair()
        self.ends.append(near)
        self.serving.append(asyncio.ensure_future(self.house.server.serve(far)))
        return near

    def cut(self):
        self.ends[-1].abort("lost")

    def client(self, **members):
        return ReconnectingClient(
            self, **{"backoff": SOON, "on_change": self.changes.append, "within": 10.0, **members}
        )

    async def changed(self, kind, count=1):
        await until(lambda: [change.kind for change in self.changes].count(kind) >= count)
        return [change for change in self.changes if change.kind == kind][-1]


@pytest.fixture
async def line(house):
    made = Line(house)
    yield made
    for task in made.serving:
        await task


async def run(client, thread_id, script):
    return (await client.turn_start(TurnStartParams(thread_id=thread_id, input=[TextPart(text=script)]))).turn


async def steer(client, turn, text):
    part = [TextPart(text=text)]
    params = TurnSteerParams(thread_id=turn.thread_id, expected_turn_id=turn.id, input=part)
    return await client.turn_steer(params)


async def _speaking(turn):
    """Says what it is told, and ends with `end`."""
    while True:
        for steered in await turn.wait_steered():
            turn.notice(steered.input[0].text)
            if steered.input[0].text == "end":
                return


async def test_every_event_is_heard_once_and_in_order(line, house):
    own(house, _speaking)
    other = await house.connect()
    other.hears_all = False
    async with line.client() as client:
        heard = []
        for method in ("item/started", "item/completed", "turn/completed"):
            client.on(method, lambda params: heard.append(params.seq))
        thread_id = (await client.thread_start(ThreadStartParams())).thread.id
        turn = await run(client, thread_id, "x")
        for number in range(4):
            await steer(client, turn, f"with {number}")
            line.cut()
            await steer(other.client, turn, f"without {number}")
            await line.changed("resumed", number + 1)
        await steer(client, turn, "end")
        await client.next_message("thread/status/changed")
        await asyncio.sleep(0.05)
        events = (await client.thread_events_list(ThreadEventsListParams(thread_id=thread_id, limit=1000))).data

    wanted = [event.seq for event in events if event.type in ("item/started", "item/completed", "turn/completed")]
    assert heard == wanted
    assert len(wanted) == 2 * (10 + 9) + 1
    assert {change.result.gap for change in line.changes if change.kind == "resumed"} == {False}


async def test_what_comes_is_told_in_its_order(line):
    told = []
    async with line.client(on_change=lambda change: told.append(change.kind)) as client:
        client.on("turn/completed", lambda _params: told.append("turn/completed"))
        thread_id = (await client.thread_start(ThreadStartParams())).thread.id
        await run(client, thread_id, "slow 5 20")
        line.open = False
        line.cut()
        await asyncio.sleep(0.2)
        line.open = True
        await until(lambda: told[-1] == "turn/completed")

    assert [kind for kind in told if kind != "disconnected"] == ["connected", "connected", "resumed", "turn/completed"]
    assert told.count("disconnected") > 2


async def test_a_request_whose_answer_was_lost_is_not_repeated(line, house):
    waiting, ran = asyncio.Event(), []

    class Slow(DefaultHost):
        async def build_run_config(self, request):
            ran.append(request.turn_id)
            await waiting.wait()

    own(house, _speaking, host=Slow)
    async with line.client() as client:
        thread_id = (await client.thread_start(ThreadStartParams())).thread.id
        asked = asyncio.ensure_future(run(client, thread_id, "x"))
        await until(lambda: ran)
        line.cut()
        with pytest.raises(ConnectionClosed):
            await asked
        read = await client.thread_read(ThreadReadParams(thread_id=thread_id))
        waiting.set()
        started = await client.next_message("turn/started")
        await steer(client, started.params.turn, "end")
        await client.next_message("turn/completed")

    assert (read.thread.id, len(ran)) == (thread_id, 1)


async def test_a_gap_is_told(line, house):
    house.limits = {"replay_events": 2}
    own(house, _speaking)
    other = await house.connect()
    other.hears_all = False
    async with line.client() as client:
        thread_id = (await client.thread_start(ThreadStartParams())).thread.id
        turn = await run(client, thread_id, "x")
        await client.next_message("turn/started")
        line.open = False
        line.cut()
        for word in ("a", "b", "end"):
            await steer(other.client, turn, word)
        line.open = True
        resumed = await line.changed("resumed")

    assert (resumed.result.gap, resumed.thread_id) == (True, thread_id)


async def test_a_thread_that_is_gone_is_not_resumed(line, house):
    other = await house.connect()
    async with line.client() as client:
        thread_id = (await client.thread_start(ThreadStartParams())).thread.id
        line.open = False
        line.cut()
        await line.changed("disconnected")
        await other.client.thread_delete(ThreadDeleteParams(thread_id=thread_id))
        line.open = True
        gone = await line.changed("notResumed")
        line.cut()
        await line.changed("connected", 3)

    assert (gone.thread_id, gone.error.name) == (thread_id, "notFound")
    assert [change.kind for change in line.changes].count("notResumed") == 1


async def test_an_approval_that_waits_is_asked_again(line):
    asked, answer = [], asyncio.Event()

    async def approve(params):
        asked.append(params.approval.approval_id)
        await answer.wait()
        return ApprovalAnswer(decision="accept", nonce=params.approval.binding.nonce)

    client = line.client()
    client.on_request("approval/request", approve)
    async with client:
        thread_id = (await client.thread_start(ThreadStartParams())).thread.id
        await run(client, thread_id, "approve rm\ntext done")
        await until(lambda: asked)
        line.cut()
        await until(lambda: len(asked) == 2)
        answer.set()
        ended = await client.next_message("turn/completed")

    assert (ended.params.turn.final_output, asked) == ("done", [asked[0], asked[0]])


async def test_a_refused_handshake_is_not_tried_again(line):
    introduction = InitializeParams(protocol_version=9, client_info=ClientInfo(name="late"))
    client = line.client(introduction=introduction)

    with pytest.raises(RemoteError, match="unsupportedVersion"):
        await client.connect()

    assert (len(line.ends), line.changes) == (1, [])
    await client.close()


async def test_when_the_attempts_are_used_up_everyone_is_told(line):
    line.open = False
    client = line.client(backoff=Backoff(first=0.01, attempts=3))

    with pytest.raises(ConnectionRefusedError):
        await client.connect()
    with pytest.raises(ConnectionRefusedError):
        await client.ping()
    with pytest.raises(ConnectionClosed):
        await client.next_message()

    assert [change.kind for change in line.changes] == ["disconnected"] * 2
    await client.close()


async def test_a_call_waits_for_a_connection_and_no_longer_than_it_may(line):
    client = line.client()
    with pytest.raises(ConnectionClosed, match="call connect first"):
        await client.ping()
    await client.connect()
    line.open = False
    line.cut()
    await line.changed("disconnected")
    with pytest.raises(RequestTimeout, match=r"ping was not sent, there was no connection within 0\.05 s"):
        await client.ping(within=0.05)
    line.open = True
    assert await client.ping() is not None
    await client.close()
    with pytest.raises(ConnectionClosed):
        await client.ping()


@pytest.mark.parametrize("store", list(STORES))
async def test_a_client_outlives_a_server_that_is_killed(tmp_path, store):
    transports = []

    def start():
        argv = [sys.executable, str(SERVER), "{}", str(tmp_path), store]
        transports.append(ProcessTransport(argv, stderr="discard"))
        return transports[-1]

    async with ReconnectingClient(start, backoff=SOON, within=20.0) as client:
        heard = []
        for method in ("item/started", "item/completed", "turn/completed"):
            client.on(method, lambda params, method=method: heard.append((params.seq, method, params)))
        thread_id = (await client.thread_start(ThreadStartParams())).thread.id
        await run(client, thread_id, "text whole\nslow 1000 20")
        await client.next_message("item/agentMessage/delta")
        await until(lambda: len(heard) >= 5)
        os.kill(transports[-1].pid, signal.SIGKILL)
        await until(lambda: heard[-1][1] == "turn/completed")
        ended = heard[-1][2].turn
        again = await run(client, thread_id, "text after")
        await until(lambda: heard[-1][1] == "turn/completed" and heard[-1][2].turn.id == again.id)
        events = (await client.thread_events_list(ThreadEventsListParams(thread_id=thread_id, limit=1000))).data

    told = {event.seq: event.type for event in events if event.type in {method for _, method, _ in heard}}
    assert (ended.status, ended.end_reason) == ("interrupted", "crash")
    assert [(seq, method) for seq, method, _ in heard] == sorted(told.items())


# What the attempts meet, and how many are made of five.
ATTEMPTS = [
    ([overloaded(0), overloaded(0)], 3),
    ([overloaded(0)] * 9, 5),
    ([conflict("identityTaken", "It exists.")], 1),
    ([ConnectionClosed("gone")], 1),
    ([RequestTimeout("late")], 1),
    ([], 1),
]


@pytest.mark.parametrize(("faults", "made"), ATTEMPTS)
async def test_only_what_may_be_repeated_is(faults, made):
    met, attempts = list(faults), []

    async def operation():
        attempts.append(None)
        if met:
            raise _heard(met.pop(0))

    with pytest.raises(ProtocolError) if len(faults) >= made else contextlib.nullcontext():
        await with_retry(operation, Backoff(first=0.001, longest=0.001, attempts=5))

    assert len(attempts) == made


def _heard(fault):
    """A refusal, as the client hears it."""
    return RemoteError(fault.code, fault.message, fault.data) if hasattr(fault, "data") else fault


@pytest.mark.parametrize(("attempt", "least", "low", "high"), [(1, 0, 0.1, 0.2), (3, 0, 0.4, 0.8), (99, 2, 7, 12)])
def test_a_delay_doubles_up_to_its_bound_and_is_never_shorter_than_asked(attempt, least, low, high):
    delays = {Backoff().delay(attempt, at_least=least) for _ in range(50)}

    assert all(low <= delay <= high for delay in delays)
    assert len(delays) > 1
