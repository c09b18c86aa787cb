"""The link of a WebSocket by itself, on a socket that keeps what it is told: any cut, any moment, any end."""

import asyncio
import contextlib
import random
import ssl

import pytest
from websockets.client import ClientProtocol
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.uri import parse_uri

from e2e.ws_raw import BINARY, CLOSE, CONT, PING, PONG, TEXT, RawSocket, ask, frame, upgrade
from runtime.test_transports import Ear
from turnwire.transports.websocket import Door, Link, Listener, UpgradeRefused, WebSocketTransport, client, link

MESSAGES = [b"a", "é😀".encode(), b"x" * 200, b"", b"y" * 70_000]
STREAM = (
    *[frame(TEXT, MESSAGES[0]), frame(PING, b"p"), frame(TEXT, MESSAGES[1][:3], fin=False), frame(PONG)],
    *[frame(CONT, fin=False), frame(CONT, MESSAGES[1][3:]), frame(TEXT, MESSAGES[2]), frame(TEXT)],
    *[frame(TEXT, MESSAGES[4][:66_000], fin=False), frame(CONT, MESSAGES[4][66_000:])],
)


def distrusted():
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_message = "self-signed certificate"
    return error


class Tcp:
    """A socket of which nothing is known but what it was told, in order; `unread` bytes wait for its other end."""

    def __init__(self):
        self.told = []
        self.unread = 0
        self.aborted = asyncio.Event()

    def abort(self):
        self.told.append(("abort",))
        self.aborted.set()

    def get_write_buffer_size(self):
        return self.unread

    def __getattr__(self, name):
        def tell(*given):
            self.told.append((name, *given))
            return True

        return tell

    def given(self, name):
        return [given for found, *given in self.told if found == name]

    @property
    def written(self):
        return b"".join(data for (data,) in self.given("write"))


def opcodes(written):
    """Of the frames of a server, which are short here."""
    found = []
    while written:
        assert written[1] < 126
        found.append(written[0] & 15)
        written = written[2 + written[1] :]
    return found


async def begun(protocol=None):
    tcp, ear = Tcp(), Ear()
    made = Link(protocol or ServerProtocol(state=State.OPEN, max_size=1 << 20), tcp)
    await made.start(ear)
    await asyncio.sleep(0)
    return made, tcp, ear


@pytest.mark.parametrize("seed", range(30))
async def test_any_cut_of_a_stream_gives_the_same_messages(seed):
    chance = random.Random(seed)
    made, tcp, ear = await begun()
    stream = b"".join(STREAM)
    while stream:
        size = chance.choice((1, 2, 3, 10, 1000, 65536, 1 << 20))
        made.data_received(stream[:size])
        stream = stream[size:]
    made.connection_lost(None)

    assert ear.heard == [*MESSAGES, ("lost", None)]
    assert tcp.written == b"\x8a\x01p"


@pytest.mark.parametrize("seed", range(300))
async def test_no_bytes_do_more_than_end_it(seed):
    chance = random.Random(seed)
    made, tcp, ear = await begun()
    for _ in range(20):
        whole = chance.choice((*STREAM, frame(BINARY, b"x"), frame(CLOSE, b"\x03\xe8"), chance.randbytes(30)))
        at = chance.randrange(len(whole))
        made.data_received(chance.choice((whole, whole[:at], whole[:at] + chance.randbytes(1) + whole[at + 1 :])))
        made.write([b"said"])
        made.close() if chance.random() < 0.05 else None
    made.close()
    before = len(tcp.given("write"))
    made.connection_lost(None)
    made.write([b"after the end"])

    assert len(tcp.given("write")) == before
    assert [heard for heard in ear.heard if not isinstance(heard, bytes)] == [("lost", None)]
    # RFC 6455: pongs may stand behind a close, nothing else does.
    said = opcodes(tcp.written)
    assert CLOSE in said
    assert set(said[said.index(CLOSE) + 1 :]) <= {PONG}


GOODBYES = [
    (None, 1001, lambda made: made.close()),
    (ClientProtocol(parse_uri("ws://a"), state=State.OPEN), 1000, lambda made: made.close()),
    (None, 1013, lambda made: made.abort("slowReader")),
]


@pytest.mark.parametrize(("protocol", "code", "goodbye"), GOODBYES)
async def test_each_side_has_its_own_goodbye_said_once(protocol, code, goodbye):
    made, tcp, _ear = await begun(protocol)
    goodbye(made)
    goodbye_again = len(tcp.given("write"))
    made.close()
    made.write([b"too late"])
    made.connection_lost(None)
    (said,) = tcp.given("write")

    assert goodbye_again == 1
    # A client masks what it sends.
    mask, payload = (said[0][2:6], said[0][6:]) if said[0][1] & 0x80 else (bytes(4), said[0][2:])
    assert code == int.from_bytes(bytes(byte ^ mask[at] for at, byte in enumerate(payload[:2])), "big")


async def test_who_was_told_1013_is_cut_off_by_the_second_call():
    made, tcp, _ear = await begun()
    made.abort("slowReader")
    once = tcp.given("abort")
    made.abort("slowReader")
    made.connection_lost(None)

    assert (once, tcp.given("abort")) == ([], [[]])


async def test_a_close_that_is_not_answered_in_time_is_the_end(monkeypatch):
    monkeypatch.setattr(link, "_LINGER_SECONDS", 0.01)
    made, tcp, _ear = await begun()
    made.close()
    await asyncio.wait_for(tcp.aborted.wait(), 60)
    made.connection_lost(None)


async def test_a_socket_that_is_lost_before_the_start_is_lost_behind_it():
    tcp, ear = Tcp(), Ear()
    made = Link(ServerProtocol(state=State.OPEN), tcp)
    made.connection_lost(None)
    await made.start(ear)
    heard = list(ear.heard)
    await asyncio.sleep(0)

    assert (heard, ear.heard) == ([], [("lost", None)])


async def test_what_came_before_the_start_is_heard_behind_it():
    protocol = ServerProtocol(state=State.OPEN)
    protocol.receive_data(frame(TEXT, b"early"))
    made, tcp, ear = await begun(protocol)
    made.connection_lost(None)

    assert ear.heard == [b"early", ("lost", None)]
    assert tcp.told[0] == ("pause_reading",)


async def test_pongs_that_nobody_reads_are_owed_within_bounds():
    made, tcp, ear = await begun()
    tcp.told.clear()
    made.data_received(frame(PING))
    tcp.unread = link._OWED_BYTES + 1
    made.data_received(frame(TEXT, b"no answer is due"))
    made.data_received(frame(PING))
    made.resume_reading()
    stalled = [name for name, *_ in tcp.told if name != "write"]
    tcp.told.clear()
    tcp.unread = 0
    made.resume_writing()
    made.connection_lost(None)

    assert set(stalled) == {"pause_reading"}
    assert tcp.told == [("resume_reading",)]
    assert ear.heard == [b"no answer is due", ("lost", None)]


async def test_a_receiver_that_reads_no_more_is_asked_before_it_is_read_again():
    made, tcp, _ear = await begun()
    tcp.told.clear()
    made.pause_reading()
    made.resume_writing()
    paused = list(tcp.told)
    made.resume_reading()
    made.connection_lost(None)

    assert paused == [("pause_reading",)] * 2
    assert tcp.told[2:] == [("resume_reading",)]


async def test_a_full_output_is_told_once_and_that_it_has_room_when_it_still_has():
    made, _tcp, ear = await begun()
    for name in ("pause", "resume", "pause", "resume", "resume"):
        getattr(made, f"{name}_writing")()
    told = list(ear.heard)
    await asyncio.sleep(0)
    made.connection_lost(None)

    assert (told, ear.heard) == (["pause"], ["pause", "resume", ("lost", None)])


@pytest.mark.parametrize(("halves", "end"), [(True, "write_eof"), (False, "close")])
async def test_a_connection_that_fails_is_closed_by_halves_where_that_can_be(halves, end):
    made, tcp, _ear = await begun()
    tcp.can_write_eof = lambda: halves
    made.data_received(frame(BINARY, b"x"))
    made.connection_lost(None)

    assert [name for name, *_ in tcp.told if name in ("write_eof", "close")] == [end]


async def test_both_have_said_that_they_close_so_it_is_closed():
    made, tcp, _ear = await begun()
    made.data_received(frame(CLOSE, b"\x03\xe8"))
    made.connection_lost(None)

    assert [name for name, *_ in tcp.told if name in ("write_eof", "close")] == ["close"]


FAILURES = [
    (OSError(111, "Connect call failed"), ConnectionError, "Connection refused"),
    (OSError(-2, "Name or service not known"), ConnectionError, "Name or service not known"),
    (OSError("Multiple exceptions: [Errno 111]"), ConnectionError, "Multiple exceptions"),
    (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER]"), ConnectionError, "WRONG_VERSION_NUMBER"),
    (distrusted(), UpgradeRefused, "self-signed certificate"),
]


@pytest.mark.parametrize(("error", "kind", "said"), FAILURES)
async def test_what_keeps_a_client_from_its_server_is_said_in_few_words(error, kind, said, monkeypatch):
    async def fail(*_args, **_options):
        raise error

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", fail)
    with pytest.raises(kind, match=said) as told:
        await WebSocketTransport("wss://nowhere.example").start(Ear())

    assert str(told.value).startswith("cannot connect to wss://nowhere.example: ")


async def test_what_comes_behind_a_bad_frame_is_not_heard():
    made, _tcp, ear = await begun()
    made.data_received(frame(TEXT, b"before") + frame(BINARY, b"x") + frame(TEXT, b"behind"))
    made.connection_lost(None)

    assert ear.heard == [b"before", ("lost", None)]


async def test_a_server_that_does_not_answer_in_time_is_said_to_be_silent_and_left(monkeypatch):
    monkeypatch.setattr(client, "_OPENING_SECONDS", 0.05)
    left = asyncio.Event()

    async def say_nothing(reader, writer):
        with contextlib.suppress(ConnectionError):
            await reader.read()
        left.set()
        writer.close()

    silent = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    url = f"ws://127.0.0.1:{silent.sockets[0].getsockname()[1]}"
    with pytest.raises(TimeoutError, match=rf"no answer from {url} within 0.05 s"):
        await WebSocketTransport(url).start(Ear())
    await asyncio.wait_for(left.wait(), 60)
    silent.close()


async def test_a_client_that_is_closed_while_it_opens_closes_when_it_is_open():
    ended = asyncio.Event()

    async def serve(link):
        ear = Ear()
        ear.connection_lost = lambda _error: ended.set()
        await link.start(ear)
        await ended.wait()

    listener = Listener(Door(), serve, message_bytes=100)
    host, port = await listener.open("127.0.0.1", 0)
    transport = WebSocketTransport(f"ws://{host}:{port}")
    starting = asyncio.ensure_future(transport.start(Ear()))
    await asyncio.sleep(0)
    transport.close()
    await starting
    await asyncio.wait_for(ended.wait(), 60)
    await listener.close()


async def test_nothing_is_kept_of_those_who_have_gone():
    async def serve(link):
        await link.start(Ear())

    listener = Listener(Door(), serve, message_bytes=100)
    host, port = await listener.open("127.0.0.1", 0)
    url = f"ws://{host}:{port}"
    refused = await ask(url, upgrade(without="Upgrade"))
    async with await RawSocket.open(url) as raw:
        known = len(listener._sockets)
        raw.send(frame(CLOSE))
        await raw.until_close()
    async with asyncio.timeout(60):
        while listener._sockets or listener._served:  # noqa: ASYNC110 - nobody tells when one leaves
            await asyncio.sleep(0.01)
    await listener.close()

    assert (refused.status, known >= 1) == (426, True)
