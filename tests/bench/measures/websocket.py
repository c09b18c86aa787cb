"""Pings over a WebSocket, 64 in flight, against an echo by the library whose frames these are."""

import socket
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from measures.load import BATCHES, DEPTH, peak_kb
from measures.processes import INITIALIZE, SERVE, start
from measures.rows import Row
from websockets.frames import Frame, Opcode

ECHO = (sys.executable, str(Path(__file__).parent.parent / "peers" / "websocket_echo.py"))
OURS = (*SERVE, "--ws", "127.0.0.1:0")
BLOCKS = 51
PEAK_MB = 40
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
PONG = b'{"jsonrpc":"2.0","id":1,"result":{}}'
UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Asked(NamedTuple):
    """A connection, and what is to come back for each ping."""

    connection: socket.socket
    answer: bytes
    pid: int


def rows() -> Iterator[Row]:
    with upgraded(ECHO, PING) as echo, upgraded(OURS, PONG) as ours:
        ours.connection.sendall(masked(INITIALIZE))
        read_message(ours.connection)
        times = [(block(echo), block(ours)) for _ in range(BLOCKS)]
        peak_mb = peak_kb(ours.pid) / 1024
    # As over stdio, the tenth percentile counts.
    theirs, own = (DEPTH * BATCHES / statistics.quantiles(column, n=10)[0] for column in zip(*times, strict=True))
    what = f"pings over a WebSocket, {DEPTH} in flight, against an echo by `websockets` ({BLOCKS} alternating blocks)"
    yield Row(what, f"{own / theirs:.2f} ({own:,.0f}/s)", "≥ 1", own >= theirs)
    yield Row("the same: largest resident memory", f"{peak_mb:.1f} MB", f"≤ {PEAK_MB} MB", peak_mb <= PEAK_MB)


@contextmanager
def upgraded(argv: tuple[str, ...], answer: bytes) -> Iterator[Asked]:
    """A connection to a server that says where it listens."""
    with start(argv) as server:
        assert server.stdout is not None
        host, _, port = server.stdout.readline().decode().rpartition("/")[2].rpartition(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(UPGRADE)
            read_exactly(connection, ending=b"\r\n\r\n")
            yield Asked(connection, frame(answer), server.pid)
        server.terminate()


def block(asked: Asked) -> float:
    """Seconds for a few batches: the next goes out when the last one is answered.

    Raises:
        RuntimeError: an answer is none.
    """
    batch, answers = masked(PING) * DEPTH, asked.answer * DEPTH
    started = time.perf_counter()
    for _ in range(BATCHES):
        asked.connection.sendall(batch)
        if read_exactly(asked.connection, len(answers)) != answers:
            raise RuntimeError("an answer is none of a ping")
    return time.perf_counter() - started


def masked(message: bytes) -> bytes:
    return Frame(Opcode.TEXT, message).serialize(mask=True)


def frame(message: bytes) -> bytes:
    return Frame(Opcode.TEXT, message).serialize(mask=False)


def read_message(connection: socket.socket) -> bytes:
    """One message of more than 125 bytes and less than 64 KiB."""
    return read_exactly(connection, int.from_bytes(read_exactly(connection, 4)[2:], "big"))


def read_exactly(connection: socket.socket, size: int = 0, *, ending: bytes = b"") -> bytes:
    """So many bytes, or all up to an ending.

    Raises:
        RuntimeError: the connection ends before.
    """
    data = b""
    while len(data) < size or not data.endswith(ending):
        more = connection.recv(size - len(data) if size else 1)
        if not more:
            raise RuntimeError(f"the connection ended after {data!r}")
        data += more
    return data
