"""The one loop, against a transport that remembers what it was told."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from turnwire.codec import encode_result
from turnwire.errors import (
    ConnectionClosed,
    PendingFull,
    RemoteError,
    RemoteProtocolError,
    RequestTimeout,
    not_initialized,
)
from turnwire.events import CloseReason, NotificationReceived, Refused, RequestReceived
from turnwire.peer import Peer, PeerLimits, Reply
from turnwire.transports.base import Receiver, SlowReader
from turnwire.wire import EmptyResult, ItemDeltaParams


class Line:
    """A transport whose other end is the test."""

    def __init__(self, slow_reader: SlowReader = "pause") -> None:
        self.slow_reader: SlowReader = slow_reader
        self.writes: list[list[bytes]] = []
        self.calls: list[str] = []

    async def start(self, receiver: Receiver) -> None:
        self.receiver = receiver

    def write(self, lines: Sequence[bytes]) -> None:
        self.writes.append(list(lines))

    def pause_reading(self) -> None:
        self.calls.append("pause")

    def resume_reading(self) -> None:
        self.calls.append("resume")

    def close(self) -> None:
        self.calls.append("close")
        asyncio.get_running_loop().call_soon(self.receiver.connection_lost, None)

    def abort(self, reason: CloseReason) -> None:
        self.calls.append(f"abort {reason}")
        asyncio.get_running_loop().call_soon(self.receiver.connection_lost, None)

    @property
    def written(self) -> list[Any]:
        return [msgspec.json.decode(line) for lines in self.writes for line in lines]


class Scripted:
    """Answers by method name: what the test puts into `answers`, else the params that came."""

    def __init__(self) -> None:
        self.answers: dict[str, Callable[[RequestReceived], Reply]] = {}
        self.heard: list[Any] = []
        self.closing: Callable[[], Any] = lambda: None

    def handle_request(self, request: RequestReceived) -> Reply:
        self.heard.append(request.id)
        answer = self.answers.get(request.method)
        return encode_result(request.id, {}) if answer is None else answer(request)

    def handle_notification(self, notification: NotificationReceived) -> None:
        if notification.method == "bad":
            raise ValueError("this handler is broken")
        self.heard.append(notification.method)

    def handle_refused(self, refused: Refused) -> None:
        self.heard.append(refused.code)

    def handle_closed(self, reason: CloseReason) -> Any:
        self.heard.append(f"closed {reason}")
        return self.closing()


class Scene:
    """A peer, its endpoint, and the test's end of the line."""

    def __init__(self, line: Line, limits: PeerLimits) -> None:
        self.line = line
        self.endpoint = Scripted()
        self.peer = Peer("server", line, limits)
        self.running: asyncio.Task[None]
        self.reported: list[str] = []
        """What went to the loop's exception handler, and from there to stderr."""

    def hear(self, *messages: str) -> None:
        self.line.receiver.data_received("".join(message + "\n" for message in messages).encode())

    async def replies(self, count: int) -> list[Any]:
        while len(self.line.written) < count:  # noqa: ASYNC110 - a turn of the loop is what is waited for
            await asyncio.sleep(0)
        return self.line.written


@asynccontextmanager
async def scene(*, slow_reader: SlowReader = "pause", **limits: Any) -> AsyncIterator[Scene]:
    made = Scene(Line(slow_reader), PeerLimits(**limits))
    asyncio.get_running_loop().set_exception_handler(lambda _, context: made.reported.append(context["message"]))
    made.running = asyncio.create_task(made.peer.run(made.endpoint))
    await asyncio.sleep(0)
    yield made
    if not made.running.done():
        made.line.receiver.eof_received()
        async with asyncio.timeout(10):
            await made.running


def request(request_id: int, method: str = "m", padding: int = 0) -> str:
    return f'{{"jsonrpc":"2.0","id":{request_id},"method":"{method}","params":{{"p":"{"x" * padding}"}}}}'


def ids(replies: list[Any]) -> list[Any]:
    return [reply["id"] for reply in replies]


def codes(replies: list[Any]) -> list[Any]:
    return [reply["error"]["code"] if "error" in reply else "result" for reply in replies]


async def test_the_answers_to_a_chunk_leave_in_one_write() -> None:
    async with scene() as it:
        before = asyncio.all_tasks()
        it.hear(request(1), "{broken", request(2), "", request(3))

        assert [len(lines) for lines in it.line.writes] == [4]
        assert ids(it.line.written) == [1, None, 2, 3]
        assert asyncio.all_tasks() == before


async def test_what_is_sent_outside_of_a_chunk_leaves_together() -> None:
    async with scene() as it:
        it.peer.notify("a")
        it.peer.notify("b", {"x": 1})
        assert it.line.writes == []
        await asyncio.sleep(0)

        assert [[msgspec.json.decode(line)["method"] for line in lines] for lines in it.line.writes] == [["a", "b"]]


async def test_a_coroutine_answers_when_it_is_done_and_holds_nobody_back() -> None:
    async with scene() as it:
        go = asyncio.Event()

        async def slowly(request_id: Any) -> bytes:
            await go.wait()
            return encode_result(request_id, "late")

        it.endpoint.answers["slow"] = lambda received: slowly(received.id)
        it.hear(request(1, "slow"), request(1), request(2))
        assert ids(await it.replies(2)) == [1, 2]
        go.set()

        assert (await it.replies(3))[2] == {"jsonrpc": "2.0", "id": 1, "result": "late"}


async def test_an_endpoint_may_send_its_reply_itself_and_something_behind_it() -> None:
    async with scene() as it:

        def answered(received: RequestReceived) -> bytes:
            it.peer.send(encode_result(received.id, {}))
            it.peer.notify("caused")
            return b""

        it.endpoint.answers["m"] = answered
        it.hear(request(1), request(2, "other"))

        assert [reply.get("id", "caused") for reply in it.line.written] == [1, "caused", 2]


def refuse(_: RequestReceived) -> Reply:
    raise not_initialized()


def crash(_: RequestReceived) -> Reply:
    raise RuntimeError("secret path /srv")


def later(handler: Callable[[RequestReceived], Reply]) -> Callable[[RequestReceived], Reply]:
    async def answering(received: RequestReceived) -> bytes:
        await asyncio.sleep(0)
        reply = handler(received)
        assert isinstance(reply, bytes)
        return reply

    return answering


@pytest.mark.parametrize(
    ("handler", "code", "reports"),
    [
        pytest.param(refuse, -32002, 0, id="a refusal"),
        pytest.param(later(refuse), -32002, 0, id="a refusal, later"),
        pytest.param(crash, -32603, 1, id="a crash"),
        pytest.param(later(crash), -32603, 1, id="a crash, later"),
    ],
)
async def test_a_handler_that_fails_is_an_answer(
    handler: Callable[[RequestReceived], Reply], code: int, reports: int
) -> None:
    async with scene() as it:
        it.endpoint.answers["m"] = handler
        it.hear(request(1))
        (reply,) = await it.replies(1)

        assert (reply["id"], reply["error"]["code"], len(it.reported)) == (1, code, reports)
        assert "secret" not in reply["error"]["message"]


async def test_an_endpoint_that_fails_on_a_notification_lives_on() -> None:
    async with scene() as it:
        it.hear('{"jsonrpc":"2.0","method":"bad"}', '{"jsonrpc":"2.0","method":"good"}')

        assert (it.endpoint.heard, it.reported) == (["good"], ["the endpoint failed on NotificationReceived"])


async def never(_: RequestReceived) -> bytes:
    await asyncio.Event().wait()
    raise AssertionError("nobody sets the event")


@pytest.mark.parametrize(
    ("limits", "messages", "expected"),
    [
        pytest.param({"requests": 2}, [request(1, "wait"), request(2, "wait")], {}, id="LIM-3: at the count"),
        pytest.param(
            {"requests": 2}, [request(i, "wait") for i in (1, 2, 3)], {3: "overloaded"}, id="LIM-3: beyond the count"
        ),
        pytest.param(
            {"requests": 1}, [request(1, "wait"), *(request(i) for i in range(2, 50))], {}, id="at once never counts"
        ),
        pytest.param(
            {"request_bytes": 1000}, [request(1, "wait", 400), request(2, "wait", 400)], {}, id="within the bytes"
        ),
        pytest.param(
            {"request_bytes": 1000},
            [request(1, "wait", 400), request(2, "wait", 600)],
            {2: "overloaded"},
            id="beyond the bytes",
        ),
        pytest.param({"request_bytes": 1000}, [request(1, "wait", 5000)], {}, id="LIM-2: the queue was empty"),
    ],
)
async def test_the_request_queue(limits: dict[str, int], messages: list[str], expected: dict[int, str]) -> None:
    async with scene(drain_seconds=0.0, **limits) as it:
        it.endpoint.answers["wait"] = never
        it.hear(*messages)
        refused = {reply["id"]: reply["error"]["data"] for reply in it.line.written if "error" in reply}

        assert refused == {
            number: {"code": name, "retryable": True, "retryAfterMs": 100} for number, name in expected.items()
        }


async def test_room_in_the_request_queue_comes_back() -> None:
    async with scene(requests=1) as it:
        it.endpoint.answers["wait"] = later(lambda received: encode_result(received.id, {}))
        for number in range(1, 4):
            it.hear(request(number, "wait"))
            await it.replies(number)
            await asyncio.sleep(0)

        assert codes(it.line.written) == ["result"] * 3


async def asked(it: Scene, *, method: str = "ping", **options: Any) -> "asyncio.Task[Any]":
    call = asyncio.create_task(it.peer.request(method, **options))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return call


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('"result":{}', EmptyResult()),
        ('"result":5', RemoteProtocolError),
        ('"error":{"code":-32601,"message":"no"}', RemoteError),
        ('"error":5', RemoteProtocolError),
    ],
)
async def test_a_call(answer: str, expected: Any) -> None:
    async with scene() as it:
        call = await asked(it)
        (sent,) = it.line.written
        it.hear(f'{{"jsonrpc":"2.0","id":{sent["id"]},{answer}}}')
        (outcome,) = await asyncio.gather(call, return_exceptions=True)

        assert outcome == expected if isinstance(expected, EmptyResult) else type(outcome) is expected


async def test_a_call_that_nobody_answers_times_out_and_its_late_answer_is_ignored() -> None:
    async with scene() as it:
        slow = await asked(it, within=30.0)
        with pytest.raises(RequestTimeout, match="ping got no answer"):
            await it.peer.request("ping", within=0.01)
        it.hear('{"jsonrpc":"2.0","id":2,"result":{}}', '{"jsonrpc":"2.0","id":1,"result":{}}')

        assert await slow == EmptyResult()


async def test_a_call_that_is_cancelled_waits_no_more() -> None:
    async with scene(pending=1) as it:
        call = await asked(it)
        with pytest.raises(PendingFull):
            await it.peer.request("ping")
        call.cancel()
        await asyncio.wait([call])
        again = await asked(it)
        it.hear('{"jsonrpc":"2.0","id":1,"result":{}}', '{"jsonrpc":"2.0","id":2,"result":{}}')

        assert await again == EmptyResult()


async def test_at_the_end_of_input_what_was_read_is_answered_and_calls_fail() -> None:
    async with scene() as it:
        call = await asked(it)
        it.endpoint.answers["slow"] = later(lambda received: encode_result(received.id, "done"))
        it.line.receiver.data_received((request(1, "slow") + "\n" + request(2)).encode())
        it.line.receiver.eof_received()
        await it.running

        assert [reply["id"] for reply in it.line.written[1:]] == [2, 1]
        assert it.line.calls == ["close"]
        assert it.endpoint.heard == [1, 2, "closed eof"]
        with pytest.raises(ConnectionClosed, match="eof"):
            await call
        with pytest.raises(ConnectionClosed, match="was not sent"):
            await it.peer.request("ping")


async def test_what_an_endpoint_does_at_the_end_is_awaited_and_written() -> None:
    async with scene() as it:

        async def closing() -> None:
            await asyncio.sleep(0.01)
            it.peer.notify("goodbye")

        it.endpoint.closing = closing
        it.line.receiver.eof_received()
        await it.running

        assert [message["method"] for message in it.line.written] == ["goodbye"]


async def test_a_handler_that_never_ends_does_not_keep_the_connection() -> None:
    async with scene(drain_seconds=0.01) as it:
        it.endpoint.answers["wait"] = never
        it.hear(request(1, "wait"))
        it.line.receiver.eof_received()
        await it.running

        assert codes(it.line.written) == [-32603]


async def test_a_reader_that_takes_nothing_does_not_keep_the_connection() -> None:
    async with scene(drain_seconds=0.0, linger_seconds=0.01) as it:
        it.line.close = lambda: it.line.calls.append("close")  # type: ignore[method-assign]
        it.hear(request(1))
        it.line.receiver.eof_received()
        await it.running

        assert it.line.calls == ["close", "abort eof"]


async def test_close_from_this_side_flushes_and_tells_the_endpoint() -> None:
    async with scene() as it:
        it.peer.notify("last")
        it.peer.close()
        it.peer.close()
        await it.running
        it.line.receiver.data_received(b"{}\n")

        assert it.endpoint.heard == ["closed closed"]
        assert [message["method"] for message in it.line.written] == ["last"]


async def test_a_run_that_is_cancelled_cuts_the_connection_off() -> None:
    async with scene() as it:
        it.running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await it.running

        assert it.line.calls[0] == "abort closed"
        assert it.peer.is_closed


async def test_a_slow_reader_stops_the_reading_and_loses_nothing() -> None:
    async with scene(output_messages=8) as it:
        it.line.receiver.pause_writing()
        it.hear(*(request(number) for number in range(50)))
        assert (it.line.writes, it.line.calls, len(it.endpoint.heard)) == ([], [], 8)
        it.hear(request(50, padding=1024 * 1024))
        it.hear(request(51))
        assert (it.line.calls, len(it.endpoint.heard)) == (["pause", "pause"], 8)
        it.line.receiver.resume_writing()

        assert it.line.calls == ["pause", "pause", "resume"]
        assert ids(it.line.written) == list(range(52))


async def test_a_fast_reader_gets_more_than_the_bound_from_one_chunk() -> None:
    async with scene(output_messages=8) as it:
        it.hear(*(request(number) for number in range(50)))

        assert (ids(it.line.written), it.line.calls) == (list(range(50)), [])


def delta(offset: int, text: str) -> ItemDeltaParams:
    return ItemDeltaParams(thread_id="th-1", turn_id="tu-1", item_id="it-1", offset=offset, delta=text)


async def test_a_slow_reader_gets_deltas_merged() -> None:
    async with scene() as it:
        it.line.receiver.pause_writing()
        for offset in range(100):
            it.peer.notify("item/agentMessage/delta", delta(offset, "x"))
        it.peer.notify("item/completed", {})
        await asyncio.sleep(0)
        it.line.receiver.resume_writing()

        first, second = it.line.written
        assert (first["params"]["delta"], second["method"]) == ("x" * 100, "item/completed")


async def test_a_fast_reader_gets_deltas_as_they_are() -> None:
    async with scene() as it:
        for offset in range(3):
            it.peer.notify("item/agentMessage/delta", delta(offset, "x"))
        await asyncio.sleep(0)

        assert [message["params"]["offset"] for message in it.line.written] == [0, 1, 2]


@pytest.mark.parametrize(("slow_reader", "calls"), [("pause", []), ("close", ["abort slowReader"])])
async def test_before_a_recorded_message_is_lost(slow_reader: SlowReader, calls: list[str]) -> None:
    async with scene(slow_reader=slow_reader, output_messages=4) as it:
        it.line.receiver.pause_writing()
        for number in range(3):
            it.peer.notify("item/toolCall/progress", {"number": number})
        for number in range(5):
            it.peer.notify("turn/completed", {"number": number})
        assert it.line.calls == calls
        if slow_reader == "close":
            assert it.endpoint.heard == ["closed slowReader"]
            return
        it.line.receiver.resume_writing()

        recorded = [message["params"]["number"] for message in it.line.written]
        assert recorded == list(range(5))


async def test_a_reader_that_never_reads_again_does_not_outlive_the_end_of_input() -> None:
    async with scene(output_messages=4, drain_seconds=0.0, linger_seconds=0.01) as it:
        it.line.receiver.pause_writing()
        it.hear(*(request(number) for number in range(50)))
        it.line.receiver.eof_received()
        await it.running

        assert it.line.calls == ["abort eof", "close"]
        assert it.endpoint.heard[-1] == "closed lost"
