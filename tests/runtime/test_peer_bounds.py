"""The bounds of a connection, a slow reader, and the end from every side."""

import asyncio

import pytest

from runtime.scene import asked, codes, ids, later, request, scene
from turnwire.codec import encode_result
from turnwire.errors import (
    ConnectionClosed,
)
from turnwire.events import RequestReceived
from turnwire.transports.base import SlowReader
from turnwire.wire import ItemDeltaParams


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
