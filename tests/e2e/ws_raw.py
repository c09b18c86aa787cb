"""A client that may do on the socket what no library lets it: any request, any frame, and not to read."""

import asyncio
import json
import socket
import struct
from typing import Any, NamedTuple, Self

__all__ = [
    "BINARY",
    "CLOSE",
    "CONT",
    "PING",
    "PONG",
    "TEXT",
    "Answer",
    "RawSocket",
    "Was",
    "ask",
    "cut_off",
    "frame",
    "upgrade",
]

CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
WITHIN = 60.0
HELLO = {"protocolVersion": 1, "clientInfo": {"name": "raw"}}


class Answer(NamedTuple):
    """What a server answers before it is a WebSocket."""

    status: int
    headers: dict[str, str]
    body: str


class Was(NamedTuple):
    """How a connection was closed, and what came before."""

    messages: list[dict[str, Any]]
    code: int | None
    reason: str = ""


def upgrade(*lines: str, path: str = "/", without: str = "", **headers: str) -> bytes:
    """The request of a client; headers by name with `_` for `-`, and lines as they are."""
    given = {
        "Host": "127.0.0.1",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "A" * 22 + "==",
        "Sec-WebSocket-Version": "13",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    given.pop(without, None)
    head = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items()), *lines, "", ""]
    return "\r\n".join(head).encode()


async def ask(url: str, request: bytes) -> Answer:
    """One request over a connection of its own; what is answered, and that the server ends it where it refuses."""
    async with await RawSocket.open(url, request) as raw:
        body = "" if raw.answer.status == 101 else (await asyncio.wait_for(raw.reader.read(), WITHIN)).decode()
        return raw.answer._replace(body=body.strip())


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True, masked: bool = True, reserved: int = 0) -> bytes:
    """A frame, lawful or not."""
    first = (0x80 if fin else 0) | reserved | opcode
    size = len(payload)
    if size < 126:
        form, length = size, b""
    elif size < 1 << 16:
        form, length = 126, struct.pack("!H", size)
    else:
        form, length = 127, struct.pack("!Q", size)
    # A mask of zeros is a mask.
    return bytes([first, form | (0x80 if masked else 0)]) + length + (bytes(4) if masked else b"") + payload


async def cut_off(url: str, sent: bytes) -> bytes:
    """What comes of these bytes until the server ends the connection."""
    host, _, port = url.removeprefix("ws://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(sent)
    try:
        return await asyncio.wait_for(reader.read(), WITHIN)
    except ConnectionResetError:
        return b""
    finally:
        writer.transport.abort()


class RawSocket:
    """One connection; `answer` is how the upgrade was answered."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Answer) -> None:
        self.reader = reader
        self.writer = writer
        self.answer = answer

    @classmethod
    async def open(cls, url: str, request: bytes | None = None, *, small: bool = False) -> "RawSocket":
        """`small` makes the buffers of the kernel and of the reader as small as they get."""
        host, _, port = url.removeprefix("ws://").rpartition(":")
        sock = socket.socket()
        if small:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.setblocking(False)
        await asyncio.get_running_loop().sock_connect(sock, (host, int(port)))
        reader, writer = await asyncio.open_connection(sock=sock, limit=4096 if small else 1 << 16)
        writer.write(upgrade() if request is None else request)
        head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WITHIN)).decode()
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        return cls(reader, writer, Answer(int(first.split()[1]), headers, ""))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.transport.abort()

    def send(self, *frames: bytes) -> None:
        """Several frames leave in one write."""
        self.writer.write(b"".join(frames))

    def say(self, number: int, method: str, **params: Any) -> None:
        self.send(frame(TEXT, message(number, method, **params)))

    async def greet(self) -> None:
        self.say(0, "initialize", **HELLO)
        assert (await self.next_message())["id"] == 0

    async def next_frame(self) -> tuple[int, bytes]:
        """A frame of the server: whole, and not masked."""
        first, second = await self._read(2)
        size = second
        if second > 125:
            size = int.from_bytes(await self._read(2 if second == 126 else 8), "big")
        assert first & 0xF0 == 0x80, "a server sends messages whole"
        return first & 15, await self._read(size)

    async def next_message(self) -> dict[str, Any]:
        opcode, payload = await self.next_frame()
        assert opcode == TEXT, payload
        read: dict[str, Any] = json.loads(payload)
        return read

    async def until_close(self) -> Was:
        """All that comes up to the close, after which the socket ends; no code where it ends without one."""
        messages = []
        while True:
            try:
                opcode, payload = await self.next_frame()
            except (asyncio.IncompleteReadError, ConnectionError):
                return Was(messages, None)
            if opcode == TEXT:
                messages.append(json.loads(payload))
            elif opcode == CLOSE:
                code = int.from_bytes(payload[:2], "big") if payload else None
                return Was(messages, code, payload[2:].decode())

    async def _read(self, size: int) -> bytes:
        return await asyncio.wait_for(self.reader.readexactly(size), WITHIN)


def message(number: int, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
