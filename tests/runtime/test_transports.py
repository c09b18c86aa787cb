"""Transports without a process: the pair in memory, and the one that a host feeds by itself."""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from runtime.scene import Scripted
from turnwire.client.backlog import Backlog, Message
from turnwire.events import RequestReceived
from turnwire.peer import Peer, PeerLimits
from turnwire.transports.embedded import EmbeddedTransport
from turnwire.transports.memory import MemoryTransport, memory_pair


class Ear:
    """A receiver that remembers."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def data_received(self, chunk: bytes) -> None:
        self.heard.append(chunk)

    def message_received(self, message: bytes) -> None:
        self.heard.append(message)

    def eof_received(self) -> None:
        self.heard.append("eof")

    def connection_lost(self, error: Exception | None) -> None:
        self.heard.append(("lost", error))

    def pause_writing(self) -> None:
        self.heard.append("pause")

    def resume_writing(self) -> None:
        self.heard.append("resume")


async def quiet() -> None:
    """Until the loop has nothing left that is due."""
    for _ in range(10):
        await asyncio.sleep(0)


async def pair() -> tuple[MemoryTransport, MemoryTransport, Ear, Ear]:
    left, right = memory_pair()
    left_ear, right_ear = Ear(), Ear()
    await left.start(left_ear)
    await right.start(right_ear)
    return left, right, left_ear, right_ear


async def test_a_pair_delivers_later_and_in_order() -> None:
    left, _, _, ear = await pair()
    left.write([b"a", b"b"])
    left.write([b"c"])
    assert ear.heard == []
    await quiet()

    assert ear.heard == [b"a\nb\n", b"c\n"]


async def test_what_is_written_before_the_other_end_starts_waits() -> None:
    left, right = memory_pair()
    await left.start(Ear())
    left.write([b"early"])
    await quiet()
    ear = Ear()
    await right.start(ear)
    await quiet()

    assert ear.heard == [b"early\n"]


async def test_a_pair_that_is_closed_delivers_the_rest_and_ends() -> None:
    left, right, left_ear, right_ear = await pair()
    left.write([b"last"])
    left.close()
    left.close()
    left.write([b"too late"])
    await quiet()

    assert (left_ear.heard, right_ear.heard) == ([("lost", None)], [b"last\n", "eof"])
    right.close()
    await quiet()
    assert right_ear.heard[2:] == [("lost", None)]


async def test_a_pair_that_is_cut_off_loses_what_was_on_its_way() -> None:
    left, _, left_ear, right_ear = await pair()
    left.write([b"lost"])
    left.abort("closed")
    await quiet()

    assert (left_ear.heard, right_ear.heard) == ([("lost", None)], ["eof"])


async def test_an_end_that_does_not_read_stops_the_other() -> None:
    left, right, left_ear, right_ear = await pair()
    right.pause_reading()
    left.write([b"x" * 200_000])
    assert left_ear.heard == ["pause"]
    await quiet()
    assert right_ear.heard == []
    right.resume_reading()
    await quiet()

    assert left_ear.heard == ["pause", "resume"]
    assert [len(chunk) for chunk in right_ear.heard] == [200_001]


class Embedded:
    """A peer on a transport that the test feeds."""

    def __init__(self, send: Callable[[bytes], None], **limits: int) -> None:
        self.transport = EmbeddedTransport(send)
        self.endpoint = Scripted()
        self.peer = Peer("server", self.transport, PeerLimits(**limits))
        self.running = asyncio.create_task(self.peer.run(self.endpoint))


def ping(number: int) -> bytes:
    return b'{"jsonrpc":"2.0",\n"id":%d,"method":"ping"}' % number


async def test_a_host_moves_whole_messages() -> None:
    sent: list[bytes] = []
    it = Embedded(sent.append)
    it.transport.receive(ping(1))
    await quiet()
    it.transport.receive(ping(2))
    it.transport.receive(b"{broken")
    it.transport.end()
    await it.running
    it.transport.receive(ping(3))
    it.transport.end()

    assert [msgspec.json.decode(message)["id"] for message in sent] == [1, 2, None]
    assert not any(b"\n" in message for message in sent)
    assert it.endpoint.heard == [1, 2, -32700, "closed eof"]


async def test_what_comes_while_reading_is_paused_is_held() -> None:
    ear = Ear()
    transport = EmbeddedTransport(lambda _: None)
    await transport.start(ear)
    transport.pause_reading()
    transport.receive(b"1")
    transport.receive(b"2")
    assert ear.heard == []
    transport.resume_reading()

    assert ear.heard == [b"1", b"2"]


@pytest.mark.parametrize("end", [EmbeddedTransport.close, lambda transport: transport.abort("slowReader")])
async def test_a_host_s_transport_ends_once(end: Callable[[EmbeddedTransport], None]) -> None:
    ear, sent = Ear(), []
    transport = EmbeddedTransport(sent.append)
    await transport.start(ear)
    end(transport)
    end(transport)
    transport.write([b"too late"])
    await quiet()

    assert (ear.heard, sent) == ([("lost", None)], [])


async def test_params_that_are_absent_are_an_object_without_members() -> None:
    it = Embedded(lambda _: None)
    seen: list[bytes] = []

    def look(request: RequestReceived) -> bytes:
        seen.append(bytes(request.params))
        return b""

    it.endpoint.answers["ping"] = look
    await quiet()
    it.transport.receive(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    it.transport.receive(b'{"jsonrpc":"2.0","id":"%b","method":"ping"}' % (b"x" * 400))
    it.transport.end()
    await it.running

    assert seen == [b"{}", b"{}"]


async def test_a_backlog_forgets_the_oldest_and_never_grows_without_end() -> None:
    backlog = Backlog()
    for number in range(10_001):
        backlog.put(Message("m", number))

    assert (await backlog.take()).params == 1
