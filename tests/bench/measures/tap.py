"""What `turnwire tap` adds to a round trip, against what a pair of `cat` in the same place adds."""

import shlex
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

from measures.processes import INITIALIZE, SERVE, start
from measures.rows import Row

ROUNDS = 400
TAP = (sys.executable, "-m", "turnwire", "tap", "--", *SERVE)
CATS = ("sh", "-c", f"cat | {shlex.join(SERVE)} | cat")
# Half of what two copies of every byte cost, and what a thread of ours may take to be woken.
SHARE, GRACE_MS = 0.5, 0.5


def rows() -> Iterator[Row]:
    direct, cats, tap = medians(ROUNDS)
    bound = SHARE * (cats - direct) + GRACE_MS
    yield Row(
        f"`tap`: added round trip of a ping (medians of {ROUNDS} alternating rounds; bare {direct:.2f} ms)",
        f"{tap - direct:.2f} ms",
        f"≤ half of {cats - direct:.2f} ms for a pair of `cat`, and {GRACE_MS} ms",
        tap - direct <= bound,
    )


def medians(rounds: int) -> tuple[float, float, float]:
    """Milliseconds of a round trip: with nothing between, with a pair of `cat`, with the tap."""
    servers = [start(argv) for argv in (SERVE, CATS, TAP)]
    times: list[list[float]] = [[] for _ in servers]
    try:
        for server in servers:
            answer(server, INITIALIZE)
        for number in range(rounds):
            # Each is first as often as the others, since who comes first wakes the machine.
            for turn in range(len(servers)):
                server, spent = servers[(number + turn) % 3], times[(number + turn) % 3]
                began = time.perf_counter()
                answer(server, b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % (number + 1))
                spent.append(1000 * (time.perf_counter() - began))
    finally:
        for server in servers:
            server.communicate(timeout=30)
    direct, cats, tap = (statistics.median(spent) for spent in times)
    return direct, cats, tap


def answer(server: "subprocess.Popen[bytes]", line: bytes) -> None:
    """Say a line and wait for one."""
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(line)
    heard = server.stdout.readline()
    assert b'"result"' in heard, f"no result: {heard[:80]!r}"
