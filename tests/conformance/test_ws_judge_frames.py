"""The judge's own frames against those of a library: each reads what the other writes, and names what is wrong."""

import random

import pytest
from websockets.frames import Frame as Theirs
from websockets.frames import Opcode
from websockets.protocol import Protocol, Side

from turnwire.conformance.websocket.address import accept_key, parse_address, upgrade_request
from turnwire.conformance.websocket.frames import (
    BINARY,
    CLOSE,
    CONT,
    PING,
    PONG,
    TEXT,
    Frame,
    FrameReader,
    closing,
    encode_frame,
)

SIZES = (0, 1, 125, 126, 127, 65_535, 65_536, 70_000)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("is_last", [True, False])
def test_a_library_reads_what_we_write(size, is_last):
    payload = random.Random(size).randbytes(size)
    server = Protocol(Side.SERVER, max_size=None)

    server.receive_data(encode_frame(BINARY, payload, is_last=is_last))

    assert [Theirs(Opcode.BINARY, payload, fin=is_last)] == server.events_received()


@pytest.mark.parametrize("opcode", [TEXT, BINARY, PING, PONG, CLOSE])
def test_we_read_what_a_library_writes_cut_anywhere(opcode):
    sizes = [size for size in SIZES if opcode < CLOSE or size < 126]
    payloads = [random.Random(size).randbytes(size) for size in sizes]
    stream = b"".join(Theirs(Opcode(opcode), payload).serialize(mask=False) for payload in payloads)
    reader, heard, place, draw = FrameReader(), [], 0, random.Random(opcode)
    while place < len(stream):
        size = draw.choice([1, 2, 3, 10_000])
        heard += reader.feed(stream[place : place + size])
        place += size

    assert [Frame(opcode, payload) for payload in payloads] == heard
    assert [] == reader.faults


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (encode_frame(TEXT, b"abc"), "a masked frame"),
        (encode_frame(TEXT, b"abc", is_masked=False, reserved=0x40), "a frame with reserved bits"),
        (encode_frame(5, b"abc", is_masked=False), "a frame with the opcode 5"),
        (encode_frame(PING, b"abc", is_masked=False, is_last=False), "a control frame in fragments"),
        (encode_frame(PING, b"a" * 126, is_masked=False), "a control frame of 126 bytes"),
        (b"\x81\x7e\x00\x03abc", "a length in more bytes than it needs"),
        (b"\x81\x7f\x00\x00\x00\x00\x00\x00\x00\x03abc", "a length in more bytes than it needs"),
    ],
    # A mask is another one each time, so a frame is no name.
    ids=["masked", "reserved", "opcode", "fragment", "long", "two-bytes", "eight-bytes"],
)
def test_what_a_server_must_not_is_named(data, fault):
    reader = FrameReader()

    (frame,) = reader.feed(data)

    assert [fault] == reader.faults
    assert frame.payload.startswith(b"a")


def test_a_frame_that_is_not_whole_is_none():
    assert [] == FrameReader().feed(encode_frame(CONT, b"abc", is_masked=False)[:-1])


@pytest.mark.parametrize(("code", "payload"), [(None, b""), (1000, b"\x03\xe8"), (1002, b"\x03\xea")])
def test_a_close_has_its_code_first(code, payload):
    assert payload == closing(code)


def test_the_key_is_answered_as_the_example_of_the_rfc_has_it():
    assert "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" == accept_key("dGhlIHNhbXBsZSBub25jZQ==")


@pytest.mark.parametrize(
    ("url", "host", "line"),
    [
        ("ws://127.0.0.1:4500", "127.0.0.1:4500", "GET / HTTP/1.1"),
        ("ws://[::1]:4500/a/b?c=d", "[::1]:4500", "GET /a/b?c=d HTTP/1.1"),
        ("ws://example.org", "example.org", "GET / HTTP/1.1"),
        ("wss://example.org:443/x", "example.org", "GET /x HTTP/1.1"),
        ("wss://example.org:80", "example.org:80", "GET / HTTP/1.1"),
    ],
)
def test_a_url_is_asked_for_as_http_has_it(url, host, line):
    lines = upgrade_request(parse_address(url), "key", ()).decode().split("\r\n")

    assert [line, f"Host: {host}"] == lines[:2]


@pytest.mark.parametrize(
    ("url", "is_here"),
    [("ws://127.0.0.1:1", True), ("ws://[::1]:1", True), ("ws://localhost:1", True), ("ws://192.0.2.1:1", False)],
)
def test_it_is_known_what_is_on_this_machine(url, is_here):
    assert is_here == parse_address(url).is_here


def test_a_port_that_is_open_is_put_where_it_stands():
    address = parse_address("ws://127.0.0.1:{port}/at/{port}").at(4500)

    assert ("ws://127.0.0.1:4500/at/4500", 4500, "/at/4500") == (address.url, address.port, address.path)
