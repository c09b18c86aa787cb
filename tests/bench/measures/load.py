"""Pings over stdio: 64 in flight against loops that check nothing, one in flight, and 100,000 at once."""

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from measures.processes import INITIALIZE, SERVE, start
from measures.rows import Row

from interop.environment import Missing, vv_agent

PEERS = Path(__file__).parent.parent / "peers"
DEPTH = 64
# A block is a few milliseconds.
BATCHES = 20
BLOCKS = 101
AT_ONCE = 100_000
SHARE_OF_BARE = 0.5
PEAK_MB = 40


class Target(NamedTuple):
    """A server, and the cheapest request that it answers with a result."""

    argv: tuple[str, ...]
    initialize: bytes
    ping: bytes


OURS = Target(SERVE, INITIALIZE, b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n')
LOOP = Target((sys.executable, str(PEERS / "bare_chunk_loop.py")), INITIALIZE, OURS.ping)
CONSTANT = Target((sys.executable, str(PEERS / "constant_loop.py")), INITIALIZE, OURS.ping)


def rows() -> Iterator[Row]:
    bare, ours = rates(LOOP, OURS)
    share = ours / bare
    yield Row(
        f"pings, {DEPTH} in flight, against a bare chunk loop with the same decoder ({BLOCKS} alternating blocks)",
        f"{share:.2f} ({ours:,.0f}/s)",
        f"≥ {SHARE_OF_BARE}",
        share >= SHARE_OF_BARE,
    )
    ceiling, ours = rates(CONSTANT, OURS)
    yield Row("the same against a loop that reads no JSON and answers a constant", f"{ours / ceiling:.2f}")
    _, alone = rates(LOOP, OURS, depth=1)
    yield Row("pings, 1 in flight", f"{alone:,.0f}/s")
    yield from against_vv_agent()
    yield from at_once()


def rates(one: Target, other: Target, depth: int = DEPTH) -> tuple[float, float]:
    """Requests answered a second by each of two servers, `depth` in flight.

    Both run, and short blocks alternate. The tenth percentile counts: on a machine that does other things too, most
    blocks are interrupted, and what interrupts them says nothing of the servers.
    """
    with running(one) as first, running(other) as second:
        times = [(block(first, one, depth), block(second, other, depth)) for _ in range(BLOCKS)]
    a, b = (statistics.quantiles(column, n=10)[0] for column in zip(*times, strict=True))
    return depth * BATCHES / a, depth * BATCHES / b


@contextmanager
def running(target: Target) -> "Iterator[subprocess.Popen[bytes]]":
    """A server after its handshake and its first requests."""
    with start(target.argv) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(target.initialize)
        read_results(server.stdout.fileno(), 1)
        block(server, target, 1)
        yield server
        server.stdin.close()


def block(server: "subprocess.Popen[bytes]", target: Target, depth: int) -> float:
    """Seconds for a few batches: the next goes out when the last one is answered."""
    assert server.stdin is not None
    assert server.stdout is not None
    sink, source = server.stdin.fileno(), server.stdout.fileno()
    batch = b"".join(target.ping % number for number in range(1, depth + 1))
    started = time.perf_counter()
    for _ in range(BATCHES):
        os.write(sink, batch)
        read_results(source, depth)
    return time.perf_counter() - started


def read_results(source: int, count: int) -> None:
    """Read so many answers, each of which must be a result.

    Raises:
        RuntimeError: the server answers with an error, or ends.
    """
    lines = results = 0
    rest = b""
    while lines < count:
        data = rest + os.read(source, 1 << 20)
        if data == rest:
            raise RuntimeError(f"the server ended after {lines} of {count} answers")
        whole, _, rest = data.rpartition(b"\n")
        lines += whole.count(b"\n") + bool(whole)
        results += whole.count(b'"result"')
    if results != lines:
        raise RuntimeError(f"{lines - results} of {lines} answers are no results")


def against_vv_agent() -> Iterator[Row]:
    what = f"`model/list`, {DEPTH} in flight, against that of vv-agent 0.29.0"
    try:
        argv, server = vv_agent()
    except Missing as reason:
        yield Row(what, f"not measured: {reason}")
        return
    hello = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"bench","version":"1"}}}\n'
    theirs = Target((*argv, server), hello, b'{"jsonrpc":"2.0","id":%d,"method":"model/list","params":{}}\n')
    vv_rate, our_rate = rates(theirs, Target(SERVE, INITIALIZE, theirs.ping))
    yield Row(what, f"{our_rate / vv_rate:.0f} times as many")


def at_once() -> Iterator[Row]:
    """Everything is written without a pause, while the answers are read as they come."""
    with start(OURS.argv) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        stream = INITIALIZE + b"".join(OURS.ping % number for number in range(1, AT_ONCE + 1))
        writer = threading.Thread(target=server.stdin.write, args=(stream,), daemon=True)
        started = time.perf_counter()
        writer.start()
        read_results(server.stdout.fileno(), AT_ONCE + 1)
        elapsed = time.perf_counter() - started
        peak_mb = peak_kb(server.pid) / 1024
        server.stdin.close()
    yield Row(f"{AT_ONCE:,} pings at once", f"all answered in {elapsed:.2f} s", "no error", holds=True)
    yield Row("the same: largest resident memory", f"{peak_mb:.1f} MB", f"≤ {PEAK_MB} MB", peak_mb <= PEAK_MB)


def peak_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0])
