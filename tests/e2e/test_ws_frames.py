"""What a frame is to the server, lawful or not, and how each connection ends (WS-1, WS-4, WS-6)."""

import asyncio
import contextlib

import pytest
from websockets.protocol import State
from websockets.server import ServerProtocol

from e2e.stdio_server import make_server
from e2e.ws_raw import BINARY, CLOSE, CONT, PING, PONG, TEXT, RawSocket, frame, message
from runtime.test_transports import Ear
from runtime.test_websocket import Tcp
from turnwire.server.websocket import listening
from turnwire.transports.websocket import Link

LOOPBACK = ("127.0.0.1", 0)
LIMIT = 1000


@contextlib.asynccontextmanager
async def raw(**members):
    """A client of a server of its own, after its handshake."""
    server = make_server({"message_bytes": LIMIT, "shutdown_ms": 0})
    async with listening(server, LOOPBACK, **members) as url, await RawSocket.open(url) as client:
        await client.greet()
        yield client


def padded(size):
    """A ping of so many bytes."""
    bare = message(1, "ping", pad="")
    return bare[:-3] + b"x" * (size - len(bare)) + bare[-3:]


PING_IN = message(1, "ping")
EMOJI = message(1, "ping", pad="é").replace(b"\\u00e9", "😀".encode())
CUT = EMOJI.index("😀".encode()) + 2
PONGS = [{"jsonrpc": "2.0", "id": 1, "result": {}}]


LAWFUL = [
    ("whole", [frame(TEXT, PING_IN)]),
    ("three", [frame(TEXT, PING_IN[:9], fin=False), frame(CONT, PING_IN[9:20], fin=False), frame(CONT, PING_IN[20:])]),
    ("empty parts", [frame(TEXT, fin=False), *[frame(CONT, fin=False)] * 50, frame(CONT, PING_IN)]),
    ("empty end", [frame(TEXT, PING_IN, fin=False), frame(CONT)]),
    ("cut in a character", [frame(TEXT, EMOJI[:CUT], fin=False), frame(CONT, EMOJI[CUT:])]),
    ("a ping between", [frame(TEXT, PING_IN[:9], fin=False), frame(PING, b"p"), frame(CONT, PING_IN[9:])]),
    ("at the limit", [frame(TEXT, padded(LIMIT))]),
    ("at the limit in parts", [frame(TEXT, padded(LIMIT)[:500], fin=False), frame(CONT, padded(LIMIT)[500:])]),
    ("line ends", [frame(TEXT, b"\r\n" + PING_IN.replace(b", ", b",\n") + b"\n")]),
    ("a blank message before", [frame(TEXT, b" \n"), frame(TEXT), frame(TEXT, PING_IN)]),
    ("an unasked pong before", [frame(PONG, b"x"), frame(TEXT, PING_IN)]),
]


@pytest.mark.parametrize(("name", "frames"), LAWFUL, ids=[name for name, _ in LAWFUL])
async def test_a_lawful_message_has_one_answer_however_it_is_cut(name, frames):
    async with raw() as client:
        for one in frames:
            client.send(one)
            await asyncio.sleep(0)
        client.send(frame(CLOSE, b"\x03\xe8bye"))
        was = await client.until_close()

    assert was == (PONGS, 1000, "bye")


BROKEN = [
    ("binary", 1003, [frame(BINARY, PING_IN)]),
    ("binary in parts", 1003, [frame(BINARY, PING_IN, fin=False), frame(CONT)]),
    ("beyond the limit", 1009, [frame(TEXT, padded(LIMIT + 1))]),
    ("beyond the limit in parts", 1009, [frame(TEXT, padded(LIMIT + 1)[:500], fin=False), frame(CONT, b"x" * 501)]),
    ("far beyond, and only said so", 1009, [frame(TEXT, b"x" * (1 << 20))[:100]]),
    ("bad UTF-8", 1007, [frame(TEXT, b'{"\xff"}')]),
    ("bad UTF-8 in parts", 1007, [frame(TEXT, b'{"\xe2\x82', fin=False), frame(CONT, b'"}')]),
    ("a surrogate in UTF-8", 1007, [frame(TEXT, b'"\xed\xa0\x80"')]),
    ("not masked", 1002, [frame(TEXT, PING_IN, masked=False)]),
    ("reserved bits", 1002, [frame(TEXT, PING_IN, reserved=0x40)]),
    ("an unknown opcode", 1002, [frame(3, PING_IN)]),
    ("no beginning", 1002, [frame(CONT, PING_IN)]),
    ("no end", 1002, [frame(TEXT, PING_IN, fin=False), frame(TEXT, PING_IN)]),
    ("a ping in parts", 1002, [frame(PING, b"x", fin=False)]),
    ("a long ping", 1002, [frame(PING, b"x" * 126)]),
    ("a close of one byte", 1002, [frame(CLOSE, b"x")]),
]


@pytest.mark.parametrize(("name", "code", "frames"), BROKEN, ids=[name for name, *_ in BROKEN])
async def test_what_breaks_the_rules_ends_its_connection_with_a_code_and_no_other(name, code, frames):
    async with raw() as other, raw() as client:
        # What came before is answered, in the same packet too; what comes after is not even read.
        client.send(frame(TEXT, message(1, "ping")), *frames, frame(TEXT, message(2, "ping")))
        was = await client.until_close()
        other.say(3, "ping")
        still = await other.next_message()

    assert (was.messages, was.code, still["id"]) == (PONGS, code, 3)


LIVES_ON = [
    (b"{", -32700),
    (b"[]", -32600),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
    (b'"\\ud800"', -32700),
]


@pytest.mark.parametrize(("sent", "code"), LIVES_ON)
async def test_what_is_no_message_is_answered_and_the_connection_lives_on(sent, code):
    async with raw() as client:
        client.send(frame(TEXT, sent), frame(TEXT, PING_IN))
        refused, answered = await client.next_message(), await client.next_message()

    assert (refused["error"]["code"], refused["id"], [answered]) == (code, None, PONGS)


async def test_a_ping_is_answered_with_its_own_payload_in_a_turn_too():
    async with raw() as client:
        client.say(1, "thread/start", threadId="t")
        client.say(2, "turn/start", threadId="t", input=[{"type": "text", "text": "listen"}])
        client.send(frame(PING, b"are you there"))
        while (heard := await client.next_frame())[0] != PONG:
            pass

    assert heard == (PONG, b"are you there")


ENDS = [(b"", None, ""), (b"\x03\xe8", 1000, ""), (b"\x03\xe9away", 1001, "away"), (b"\x0f\xa0own", 4000, "own")]


@pytest.mark.parametrize(("payload", "code", "reason"), ENDS)
async def test_a_close_is_echoed_and_what_came_before_it_is_answered(payload, code, reason):
    async with raw() as client:
        client.send(frame(TEXT, PING_IN), frame(CLOSE, payload), frame(TEXT, message(2, "ping")))
        was = await client.until_close()

    assert was == (PONGS, code, reason)


async def test_a_connection_that_is_cut_off_harms_nobody():
    async with raw() as client:
        client.send(frame(TEXT, PING_IN)[:5])


async def test_who_does_not_answer_a_ping_is_cut_off():
    async with raw(ping_seconds=0.05) as client:
        asked = await client.next_frame()
        was = await client.until_close()

    assert (asked, was) == ((PING, b""), ([], None, ""))


async def test_whoever_says_anything_between_two_pings_is_there():
    tcp = Tcp()
    link = Link(ServerProtocol(state=State.OPEN), tcp)
    await link.start(Ear())
    said = []
    for heard in (frame(PONG), frame(TEXT, PING_IN), b"\x81", b""):
        link._beat()
        said += tcp.given("write")
        tcp.told.clear()
        if heard:
            link.data_received(heard)
    link._beat()
    aborted = tcp.given("abort")
    link.connection_lost(None)

    assert said == [[b"\x89\0"]] * 4
    assert aborted == [[]]


async def test_the_end_of_the_server_is_1001_for_everybody():
    serving = listening(make_server({}), LOOPBACK)
    url = await serving.__aenter__()
    async with await RawSocket.open(url) as one, await RawSocket.open(url) as two:
        await one.greet()
        ending = asyncio.create_task(serving.__aexit__(None, None, None))
        ends = []
        for client in (one, two):
            was = await client.until_close()
            client.send(frame(CLOSE, b"\x03\xe9"))
            ends.append((was.messages, was.code))
        await ending

    assert ends == [([], 1001)] * 2


async def test_a_turn_that_does_not_end_in_time_ends_before_its_connection():
    serving = listening(make_server({"shutdown_ms": 0}), LOOPBACK)
    url = await serving.__aenter__()
    async with await RawSocket.open(url) as client:
        await client.greet()
        client.say(1, "thread/start", threadId="t")
        client.say(2, "turn/start", threadId="t", input=[{"type": "text", "text": "listen"}])
        while (await client.next_message()).get("id") != 2:
            pass
        ending = asyncio.create_task(serving.__aexit__(None, None, None))
        was = await client.until_close()
        client.send(frame(CLOSE))
        await ending

    ended = [message["params"]["turn"] for message in was.messages if message["method"] == "turn/completed"]
    assert [(turn["status"], turn["endReason"]) for turn in ended] == [("interrupted", "shutdown")]
    assert was.code == 1001


async def test_a_client_that_never_closes_does_not_keep_the_server(monkeypatch):
    monkeypatch.setattr("turnwire.transports.websocket.link._LINGER_SECONDS", 0.1)
    serving = listening(make_server({}), LOOPBACK)
    url = await serving.__aenter__()
    async with await RawSocket.open(url) as client:
        await client.greet()
        await asyncio.wait_for(serving.__aexit__(None, None, None), 60)
        was = await client.until_close()

    assert was == ([], 1001, "")
