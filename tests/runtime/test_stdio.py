"""The protocol on standard streams of every kind, in a process of its own."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from turnwire.transports.stdio import StdioTransport

SERVER = [sys.executable, str(Path(__file__).with_name("echo_server.py"))]
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
PONG = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'


def run(stdin: Any, stdout: Any = subprocess.PIPE) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(SERVER, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, timeout=100, check=False)


def piped(data: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(SERVER, input=data, capture_output=True, timeout=100, check=False)


@pytest.mark.parametrize(
    ("data", "answers"),
    [
        pytest.param(b"", b"", id="nothing"),
        pytest.param(PING + b"\n", PONG, id="a line"),
        pytest.param(PING, PONG, id="STDIO-9: without a line end"),
        pytest.param(b"\n" + PING + b"\r\n \n" + PING + b"\n", PONG * 2, id="STDIO-7, STDIO-8"),
        pytest.param((PING + b"\n") * 20_000, PONG * 20_000, id="many"),
    ],
)
def test_pipes_and_files_are_served_alike(tmp_path: Path, data: bytes, answers: bytes) -> None:
    source, sink = tmp_path / "in", tmp_path / "out"
    source.write_bytes(data)
    with source.open("rb") as stdin, sink.open("wb") as stdout:
        filed = run(stdin, stdout)
    through_pipes = piped(data)

    assert (through_pipes.returncode, through_pipes.stdout) == (0, answers)
    assert (filed.returncode, sink.read_bytes()) == (0, answers)


def test_devices_are_served() -> None:
    with Path(os.devnull).open("rb") as stdin:
        assert (run(stdin).returncode, run(stdin).stdout) == (0, b"")
    with Path(os.devnull).open("wb") as stdout:
        done = subprocess.run(SERVER, input=PING, stdout=stdout, stderr=subprocess.PIPE, timeout=100, check=False)
    assert done.returncode == 0


def test_stdout_carries_the_protocol_only() -> None:
    done = piped(PING + b'\n{"jsonrpc":"2.0","method":"hello"}\n{\n')

    assert [line.count(b"jsonrpc") for line in done.stdout.splitlines()] == [1, 1]
    assert done.stderr.splitlines() == [b"a banner", b"notified hello", b"refused -32700", b"closed eof"]


@pytest.mark.parametrize(
    ("closed", "status", "stdout"),
    [("2>&-", 0, PONG * 2), ("<&-", 1, b""), (">&-", 1, b"")],
)
def test_a_standard_stream_that_is_not_there(closed: str, status: int, stdout: bytes) -> None:
    line = " ".join([*SERVER, closed])
    done = subprocess.run(line, shell=True, input=(PING + b"\n") * 2, capture_output=True, timeout=100, check=False)

    assert (done.returncode, done.stdout) == (status, stdout)
    assert (b"Bad file descriptor" in done.stderr) == (status == 1)


def test_a_long_message_comes_and_goes_whole() -> None:
    text = "é😀\u2028" * 400_000
    line = msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "echo", "params": {"text": text}}) + b"\n"
    done = piped(line)

    assert msgspec.json.decode(done.stdout)["result"] == {"text": text}


def test_bytes_may_come_one_at_a_time() -> None:
    line = '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"é😀"}}\n'.encode()
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for byte in line:
            server.stdin.write(bytes([byte]))
            server.stdin.flush()
        assert msgspec.json.decode(server.stdout.readline())["result"] == {"text": "é😀"}
        server.stdin.close()


def test_when_the_reader_has_gone_the_process_ends_and_says_nothing() -> None:
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(PING + b"\n")
        server.stdin.flush()
        assert server.stdout.readline() == PONG
        server.stdout.close()
        assert server.wait(timeout=100) == 0
        assert server.stderr.read().splitlines() == [b"a banner", b"closed lost"]


def test_a_reader_that_never_reads_does_not_keep_the_process_after_the_end_of_input() -> None:
    flood = b'{"jsonrpc":"2.0","id":1,"method":"flood","params":{"count":2000,"padding":1000}}\n'
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdin is not None
        server.stdin.write(flood)
        server.stdin.close()

        assert server.wait(timeout=100) == 0


async def test_a_slow_reader_gets_everything() -> None:
    server = await asyncio.create_subprocess_exec(
        *SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, limit=1 << 24
    )
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"flood","params":{"count":5000,"padding":100}}\n')
    await asyncio.sleep(0.2)
    numbers = [msgspec.json.decode(await server.stdout.readline())["params"]["number"] for _ in range(5000)]
    server.stdin.close()

    assert numbers == list(range(5000))
    assert await server.wait() == 0


class Leaving:
    """See `Receiver`: it writes when there is room again, in the moment in which the other side goes."""

    def __init__(self, transport: StdioTransport, reading: int) -> None:
        self.lost = 0
        self.left = False
        self._transport = transport
        self._reading = reading

    def resume_writing(self) -> None:
        self.left = True
        os.close(self._reading)
        self._transport.write([b"nobody reads this"])

    def connection_lost(self, error: Exception | None) -> None:
        self.lost += 1

    def _nothing(self, *_args: object) -> None: ...

    data_received = message_received = eof_received = pause_writing = _nothing


async def test_an_output_ends_once_however_it_ends() -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: faults.append(context["message"]))
    (reading, output), (source, closing) = os.pipe(), os.pipe()
    transport = StdioTransport(source, output)
    receiver = Leaving(transport, reading)
    await transport.start(receiver)
    transport.write([b"x" * 200_000])
    while not receiver.left:
        os.read(reading, 65536)
        await asyncio.sleep(0.01)
    transport.close()
    transport.abort("closed")
    transport.abort("closed")
    await asyncio.sleep(0.01)
    os.close(closing)

    assert (receiver.lost, faults) == (1, [])


async def test_an_output_that_is_closed_and_cut_off_ends_once() -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: faults.append(context["message"]))
    (reading, output), (source, closing) = os.pipe(), os.pipe()
    transport = StdioTransport(source, output)
    receiver = Leaving(transport, reading)
    await transport.start(receiver)
    transport.close()
    transport.abort("closed")
    await asyncio.sleep(0.01)
    os.close(closing)
    os.close(reading)

    assert (receiver.lost, faults) == (1, [])


def test_an_end_of_input_behind_what_is_not_read_is_noticed() -> None:
    flood = b'{"jsonrpc":"2.0","id":1,"method":"flood","params":{"count":20000,"padding":1000}}\n'
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdin is not None
        descriptor = server.stdin.fileno()
        os.write(descriptor, flood)
        os.set_blocking(descriptor, False)
        written = fill(descriptor, (PING + b"\n") * 1000)
        server.stdin.close()

        assert written > 1024 * 1024
        assert server.wait(timeout=100) == 0


def fill(descriptor: int, data: bytes) -> int:
    """Writes until nobody takes anything for a second, and something was taken; how much."""
    written, last = 0, time.monotonic()
    while written <= 1024 * 1024 or time.monotonic() - last < 1:
        try:
            # A whole line again, wherever the last write was cut.
            written += os.write(descriptor, data[written % len(PING + b"\n") :])
            last = time.monotonic()
        except BlockingIOError:
            time.sleep(0.01)
    return written


def test_a_client_that_reads_late_gets_everything_behind_the_end_of_input() -> None:
    flood = b'{"jsonrpc":"2.0","id":1,"method":"flood","params":{"count":2000,"padding":1000}}\n'
    pings = 100_000
    reader, writer = os.pipe()
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.DEVNULL) as server:
        os.close(writer)
        assert server.stdin is not None
        feeding = threading.Thread(target=feed, args=(server.stdin, flood + (PING + b"\n") * pings))
        feeding.start()
        lines = 0
        with os.fdopen(reader, "rb") as output:
            time.sleep(1.5)
            for line in output:
                lines += b'"result"' in line
        feeding.join()

        assert (lines, server.wait(timeout=100)) == (pings + 1, 0)


def feed(stdin: Any, data: bytes) -> None:
    stdin.write(data)
    stdin.close()
