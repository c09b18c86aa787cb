"""Too much for a server, for minutes: `python tests/soak/run.py [--minutes 10] [--seed N]`, or `make soak`.

32 clients, half of them over pipes as on stdio and half in memory, ask more than is good. Every request is answered,
or its connection was cut by its own client; and what the server holds does not grow.
"""

import argparse
import asyncio
import json
import os
import socket
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

# Where the tests are imported from.
sys.path.insert(0, str(Path(__file__).parent.parent))

from soak.clients import KINDS, Report, live
from turnwire.transports.stdio import StdioTransport

HOUSE = Path(__file__).parent / "house.py"
OVER_PIPES = 16
# Over the last two thirds of the time.
SLOPE_MB_A_MINUTE = 1.0


class Outcome(NamedTuple):
    """What a soak came to."""

    asked: int
    answered: int
    connections: int
    cut: int
    codes: dict[str, int]
    faults: list[str]
    # The resident memory of the server in MB, as it was measured, one a second.
    memory: list[float]
    stderr: str
    code: int


def main(argv: list[str]) -> int:
    """Prints what it came to; 1 where a request was not answered or memory grew."""
    parser = argparse.ArgumentParser(description="Overload a server for minutes, and see that it stays what it was.")
    parser.add_argument("--minutes", type=float, default=10, help="how long (default: 10)")
    parser.add_argument("--seed", type=int, default=1, help="of everything that the clients do")
    options = parser.parse_args(argv)
    outcome = asyncio.run(soak(options.minutes * 60, options.seed, tell=lambda said: print(said, file=sys.stderr)))
    grows = slope(outcome.memory)
    print(f"{outcome.asked:,} requests of {outcome.connections:,} connections, {outcome.answered:,} answered")
    print(f"{outcome.cut:,} connections cut by their clients; answers: {outcome.codes}")
    print(f"memory {outcome.memory[0]:.1f} MB, {max(outcome.memory):.1f} MB at most, {outcome.memory[-1]:.1f} MB")
    print(f"slope over the last two thirds: {grows:+.2f} MB a minute (at most {SLOPE_MB_A_MINUTE})")
    for fault in [*outcome.faults, *outcome.stderr.splitlines()]:
        print(f"fault: {fault}")
    return int(bool(outcome.faults or outcome.stderr or outcome.code) or grows > SLOPE_MB_A_MINUTE)


async def soak(seconds: float, seed: int, *, tell: Any = None) -> Outcome:
    """Lets all clients live for so long; returns when everybody has gone."""
    with TemporaryDirectory() as place:
        argv = (sys.executable, str(HOUSE), f"{place}/door", f"{place}/state", str(seed))
        pipe = asyncio.subprocess.PIPE
        server = await asyncio.create_subprocess_exec(*argv, stdin=pipe, stdout=pipe, stderr=pipe)
        try:
            return await _overload(server, f"{place}/door", seconds, seed, tell)
        finally:
            if server.returncode is None:
                server.kill()
                await server.wait()


async def _overload(server: asyncio.subprocess.Process, door: str, seconds: float, seed: int, tell: Any) -> Outcome:
    assert server.stdin is not None, "it is a pipe"
    assert server.stdout is not None, "it is a pipe"
    assert server.stderr is not None, "it is a pipe"
    stderr = asyncio.ensure_future(server.stderr.read())
    if await server.stdout.readline() != b"ready\n":
        raise RuntimeError((await stderr).decode())
    stop = asyncio.Event()
    reports = [Report() for _ in range(OVER_PIPES)]
    living = [
        asyncio.ensure_future(
            live(lambda: _connect(door), KINDS[number % len(KINDS)], f"{seed}p{number}", stop=stop, report=report)
        )
        for number, report in enumerate(reports)
    ]
    memory = await _watch(server.pid, seconds, tell)
    stop.set()
    await asyncio.gather(*living)
    server.stdin.close()
    said = await server.stdout.read()
    code = await server.wait()
    for members in json.loads(said) if code == 0 else ():
        report = Report()
        report.__dict__.update(members)
        reports.append(report)
    return _sum(reports, memory, (await stderr).decode(), code)


async def _connect(path: str) -> StdioTransport:
    """The near ends of two pipes; the far ends go to the server."""
    (to_read, its_output), (its_input, to_write) = os.pipe(), os.pipe()
    with socket.socket(socket.AF_UNIX) as door:
        door.setblocking(False)
        await asyncio.get_running_loop().sock_connect(door, path)
        socket.send_fds(door, [b"!"], [its_input, its_output])
    os.close(its_input)
    os.close(its_output)
    return StdioTransport(to_read, to_write)


async def _watch(pid: int, seconds: float, tell: Any) -> list[float]:
    memory = []
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        await asyncio.sleep(1)
        memory.append(resident_mb(pid))
        if tell is not None and len(memory) % 60 == 0:
            tell(f"{len(memory)} s, {memory[-1]:.1f} MB")
    return memory


def resident_mb(pid: int) -> float:
    """What the process holds now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def slope(memory: list[float]) -> float:
    """MB a minute, by the line through the last two thirds of what was measured a second apart."""
    later = memory[len(memory) // 3 :]
    return statistics.linear_regression(range(len(later)), later).slope * 60


def _sum(reports: list[Report], memory: list[float], stderr: str, code: int) -> Outcome:
    codes: Counter[str] = Counter()
    for report in reports:
        codes.update(report.codes)
    return Outcome(
        sum(report.asked for report in reports),
        sum(report.answered for report in reports),
        sum(report.connections for report in reports),
        sum(report.cut for report in reports),
        dict(codes.most_common()),
        [fault for report in reports for fault in report.faults],
        memory,
        stderr,
        code,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
