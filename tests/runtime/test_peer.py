"""The one loop: what comes is answered, what is asked is awaited, whatever a handler does."""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from runtime.scene import asked, ids, later, request, scene
from turnwire.codec import encode_result
from turnwire.errors import (
    PendingFull,
    RemoteError,
    RemoteProtocolError,
    RequestTimeout,
    not_initialized,
)
from turnwire.events import RequestReceived
from turnwire.peer import Reply
from turnwire.wire import EmptyResult


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


async def test_two_requests_in_flight_under_one_id_are_both_answered() -> None:
    async with scene() as it:
        it.endpoint.answers["slow"] = later(lambda received: encode_result(received.id, "late"))
        it.hear(request(1, "slow"), request(1, "slow"), request(1))

        assert [reply["result"] for reply in await it.replies(3)] == [{}, "late", "late"]
        assert ids(it.line.written) == [1, 1, 1]


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
