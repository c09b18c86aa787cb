"""Every bound of `limits`: said in `initialize`, kept at its value, and refused beyond it (LIM-1). One row each.

An attempt is made with a size, and tells what came of it. A bound of time is tried well within and well beyond.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import pytest

from e2e.own import Own
from e2e.talk import Talk
from turnwire.agents.builtin import builtin_agent
from turnwire.errors import RemoteError
from turnwire.server import DefaultHost, Server, default_limits
from turnwire.wire import (
    ApprovalAnswer,
    ContextEntry,
    Limits,
    TextPart,
    ThreadReadParams,
    ThreadResumeParams,
    ThreadTurnsListParams,
    TurnEnqueueParams,
)

HELLO = {"protocolVersion": 1, "clientInfo": {"name": "e2e"}, "capabilities": {"approvals": True}}


class Place:
    """A server with one bound, its host, and raw connections to it."""

    def __init__(self, **limits: int) -> None:
        self.asked: list[str] = []
        self.resolving = asyncio.Event()
        self.resolving.set()
        self.stops_after = 0.0
        self.server = Server(self._host(), limits=default_limits(**limits))
        self.talks: list[Talk] = []

    def _host(self) -> DefaultHost:
        place = self

        class Host(DefaultHost):
            def authorize(self, _principal: str | None, method: str) -> bool:
                place.asked.append(method)
                return True

            async def build_run_config(self, _request: Any) -> None:
                await place.resolving.wait()

        return Host(builtin_agent("scripted"), Own(self._slow_to_stop))

    async def _slow_to_stop(self, _turn: Any) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(self.stops_after)
            raise

    async def talk(self, **members: Any) -> Talk:
        talk = await Talk.over_memory(self.server, **members)
        # What comes after the bound is reached is not of interest here.
        talk.hears_all = False
        self.talks.append(talk)
        return talk

    async def close(self) -> None:
        self.resolving.set()
        for talk in self.talks:
            await talk.client.close()
        await self.server.close()


class Raw:
    """A connection whose messages are made by hand."""

    def __init__(self, place: Place) -> None:
        self.heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._session = place.server.connect(lambda message: self.heard.put_nowait(json.loads(message)))

    async def ask(self, message: str) -> dict[str, Any]:
        self._session.receive(message.encode())
        return await asyncio.wait_for(self.heard.get(), 60)

    async def begin(self) -> None:
        await self.ask(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}))


class Stuck:
    """A transport whose other side reads nothing."""

    slow_reader = "pause"

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.receiver: Any = None

    async def start(self, receiver: Any) -> None:
        self.receiver = receiver

    def write(self, lines: Any) -> None:
        self.lines += lines

    def pause_reading(self) -> None:
        """It has nothing to say."""

    resume_reading = pause_reading

    def close(self) -> None:
        asyncio.get_running_loop().call_soon(self.receiver.connection_lost, None)

    def abort(self, _reason: str) -> None:
        self.close()


def _ping(call_id: Any = 1, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": call_id, "method": "ping", "params": params}, separators=(",", ":"))


async def _told(call: Awaitable[Any]) -> str:
    """`served`, or the name of the error."""
    try:
        await call
    except RemoteError as error:
        return error.name
    return "served"


async def _answer(place: Place, message: str) -> str:
    raw = Raw(place)
    await raw.begin()
    return (await raw.ask(message)).get("error", {"data": {"code": "served"}})["data"]["code"]


async def _message(place: Place, size: int) -> str:
    return await _answer(place, _ping(pad="x" * (size - len(_ping(pad="")))))


async def _nested(place: Place, size: int) -> str:
    # The envelope and the params are the first two.
    deep = json.loads("[" * (size - 2) + "]" * (size - 2))
    return await _answer(place, _ping(deep=deep))


async def _named(place: Place, size: int) -> str:
    return await _answer(place, _ping("i" * size))


async def _at_once(place: Place, size: int) -> str:
    talk = await place.talk()
    threads = [await talk.thread() for _ in range(size)]
    place.resolving.clear()
    calls = [asyncio.ensure_future(_told(talk.turn(thread_id, "text x"))) for thread_id in threads]
    await talk.client.ping()
    place.resolving.set()
    return [await call for call in calls][-1]


async def _bytes_at_once(place: Place, size: int) -> str:
    talk = await place.talk()
    threads = [await talk.thread(thread_id=f"t{number}") for number in range(2)]
    place.resolving.clear()
    calls = []
    for thread_id, share in zip(threads, (size // 2, size - size // 2), strict=True):
        params = {"threadId": thread_id, "input": [{"type": "text", "text": ""}]}
        length = len(json.dumps(params, separators=(",", ":")))
        params["input"][0]["text"] = "x" * (share - length)
        calls.append(asyncio.ensure_future(_told(talk.client.call_raw("turn/start", params))))
    await talk.client.ping()
    place.resolving.set()
    return [await call for call in calls][-1]


async def _unread(place: Place, pings: list[str]) -> str:
    stuck = Stuck()
    serving = asyncio.ensure_future(place.server.serve(stuck))
    await asyncio.sleep(0)
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
    stuck.receiver.data_received(json.dumps(hello).encode() + b"\n")
    stuck.receiver.pause_writing()
    place.asked.clear()
    stuck.receiver.data_received("".join(ping + "\n" for ping in pings).encode())
    served = len(place.asked)
    stuck.receiver.resume_writing()
    # Whatever waited, nothing is lost.
    assert len(stuck.lines) == 1 + len(pings)
    stuck.receiver.connection_lost(None)
    await serving
    return "served" if served == len(pings) else "waits"


async def _unread_messages(place: Place, size: int) -> str:
    return await _unread(place, [_ping(number) for number in range(size)])


async def _unread_bytes(place: Place, size: int) -> str:
    # So many bytes wait but one, and there is room for another message while there is room for a byte.
    reply = len(b'{"jsonrpc":"2.0","id":"","result":{}}')
    waiting = size - 1
    return await _unread(place, [_ping("i" * 9), _ping("i" * (waiting - 2 * reply - 9)), _ping(1)])


async def _unanswered(place: Place, size: int) -> str:
    async def never(_params: Any) -> None:
        await asyncio.Event().wait()

    talk = await place.talk(approvals=never)
    turns = [await talk.turn(await talk.thread(), "approve rm") for _ in range(size)]
    await talk.client.ping()
    await talk.client.ping()
    resolved = {params["turnId"]: params["resolution"]["outcome"] for params in talk.said("approval/resolved")}
    return str(resolved.get(turns[-1].id, "served"))


async def _replayed(place: Place, size: int) -> str:
    one, two = await place.talk(), await place.talk()
    thread_id = await one.thread()
    await one.run(thread_id, "text x")
    seq = (await two.client.thread_read(ThreadReadParams(thread_id=thread_id))).thread.seq
    resumed = await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id, after_seq=seq - size))
    await two.client.ping()
    assert bool(two.said("turn/completed")) is not resumed.gap
    return "gap" if resumed.gap else "served"


async def _paged(place: Place, size: int) -> str:
    talk = await place.talk()
    thread_id = await talk.thread()
    for _ in range(2):
        await talk.run(thread_id, "notice x")
    whole = json.loads(bytes(await talk.client.call_raw("thread/turns/list", {"threadId": thread_id, "limit": 1})))
    (first,) = whole["data"]
    cursor = whole["nextCursor"]
    params = {"threadId": thread_id, "limit": 1, "cursor": cursor}
    (second,) = json.loads(bytes(await talk.client.call_raw("thread/turns/list", params)))["data"]
    length = sum(len(json.dumps(turn, separators=(",", ":"))) + 1 for turn in (first, second))
    # The bound is moved to where it is to be tried: what a turn takes is not known before.
    state = place.server._state
    moved = Server(state.host, store=state.store, limits=default_limits(page_bytes=length - (size - PAGE)))
    other = await Talk.over_memory(moved)
    page = await other.client.thread_turns_list(ThreadTurnsListParams(thread_id=thread_id))
    await other.client.close()
    return "served" if len(page.data) == 2 else "twoPages"


async def _queued(place: Place, size: int) -> str:
    talk = await place.talk()
    thread_id = await talk.thread()
    await talk.turn(thread_id, "listen")
    params = TurnEnqueueParams(thread_id=thread_id, input=[TextPart(text="text x")])
    return [await _told(talk.client.turn_enqueue(params)) for _ in range(size)][-1]


async def _described(place: Place, size: int) -> str:
    talk = await place.talk()
    value = {"text": "x" * (size - len('{"text":""}'))}
    found = {await _told(talk.thread(**{member: value})) for member in ("metadata", "config")}
    (outcome,) = found
    return outcome


async def _informed(place: Place, size: int) -> str:
    talk = await place.talk()
    frame = len('{"a":{"kind":"application","value":""}}')
    context = {"a": ContextEntry(kind="application", value="x" * (size - frame))}
    thread_id = await talk.thread()
    resumed = talk.client.thread_resume(ThreadResumeParams(thread_id=thread_id, additional_context=context))
    found = {await _told(talk.thread(additional_context=context)), await _told(resumed)}
    (outcome,) = found
    return outcome


async def _interrupted(place: Place, ms: int) -> str:
    place.stops_after = ms / 1000
    talk = await place.talk()
    thread_id = await talk.thread(agent="own")
    await talk.turn(thread_id, "x")
    return await _told(talk.client.call_raw("turn/interrupt", {"threadId": thread_id}))


async def _shut_down(place: Place, ms: int) -> str:
    talk = await place.talk()
    turn = await talk.turn(await talk.thread(), f"slow 2 {ms}")
    await talk.client.shutdown()
    ended = await talk.heard("turn/completed", lambda params: params.turn.id == turn.id)
    return "served" if ended.turn.status == "completed" else str(ended.turn.end_reason)


async def _left_alone(place: Place, ms: int) -> str:
    async def never(_params: Any) -> None:
        await asyncio.Event().wait()

    one, watching = await place.talk(approvals=never), await place.talk()
    thread_id = await one.thread()
    await watching.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    await one.turn(thread_id, "approve rm")
    await one.heard("approval/requested")
    await one.client.close()
    await asyncio.sleep(ms / 1000)
    back = await place.talk(approvals="accept")
    await back.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    resolved = (await watching.heard("approval/resolved")).resolution
    return "served" if resolved.decision == "accept" else str(resolved.outcome)


async def _thought_over(place: Place, ms: int) -> str:
    async def later(params: Any) -> ApprovalAnswer:
        await asyncio.sleep(ms / 1000)
        return ApprovalAnswer(decision="accept", nonce=params.approval.binding.nonce)

    talk = await place.talk(approvals=later)
    await talk.turn(await talk.thread(), "approve rm")
    resolved = (await talk.heard("approval/resolved")).resolution
    return "served" if resolved.decision == "accept" else str(resolved.outcome)


class Row(NamedTuple):
    """A bound, how it is tried, and what comes of it beyond."""

    value: int
    attempt: Callable[[Place, int], Awaitable[str]]
    beyond: str
    # For a bound of time: how much of it is tried within and beyond.
    factors: tuple[float, float] | None = None


PAGE = 4096
TIME = (0.1, 5)
LIMITS = {
    "message_bytes": Row(2000, _message, "invalidRequest"),
    "depth": Row(9, _nested, "invalidRequest"),
    "requests": Row(3, _at_once, "overloaded"),
    "request_bytes": Row(400, _bytes_at_once, "overloaded"),
    "output_messages": Row(5, _unread_messages, "waits"),
    "output_bytes": Row(200, _unread_bytes, "waits"),
    "pending_server_requests": Row(2, _unanswered, "unanswered"),
    "replay_events": Row(4, _replayed, "gap"),
    "page_bytes": Row(PAGE, _paged, "twoPages"),
    "queue_entries": Row(3, _queued, "overloaded"),
    "id_length": Row(20, _named, "invalidRequest"),
    "metadata_bytes": Row(50, _described, "invalidParams"),
    "context_bytes": Row(80, _informed, "invalidParams"),
    "interrupt_ms": Row(200, _interrupted, "notSettled", TIME),
    "shutdown_ms": Row(200, _shut_down, "shutdown", TIME),
    "approval_grace_ms": Row(200, _left_alone, "abandoned", TIME),
    "approval_ttl_ms": Row(200, _thought_over, "expired", TIME),
}


def test_every_limit_has_a_row():
    assert list(LIMITS) == [name for name in Limits.__struct_fields__ if name != "fsync"]


@pytest.mark.parametrize("name", LIMITS)
async def test_a_limit_is_said_and_kept(name):
    row = LIMITS[name]
    within, beyond = (row.value, row.value + 1) if row.factors is None else [int(row.value * x) for x in row.factors]
    outcomes = []
    for size in (within, beyond):
        place = Place(**{name: row.value})
        said = (await (await place.talk(initialize=False)).initialize()).limits
        assert getattr(said, name) == row.value
        outcomes.append(await row.attempt(place, size))
        await place.close()

    assert outcomes == ["served", row.beyond]
