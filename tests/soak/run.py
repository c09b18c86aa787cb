"""Too much for a server, for minutes: `python tests/soak/run.py [--minutes 10] [--seed N]`, or `make soak MINUTES=30`.

32 clients, half of them over pipes as on stdio and half in memory, ask more than is good. Every request is answered,
or its connection was cut by its own client; what the server holds does not grow, and at the end it holds nothing.
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
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

# Where the tests are imported from.
sys.path.insert(0, str(Path(__file__).parent.parent))

from soak.clients import KINDS, Report, live
from turnwire.transports.stdio import StdioTransport
from turnwire.wire import ERRORS

HOUSE = Path(__file__).parent / "house.py"
OVER_PIPES = 16
# Over the last two thirds of the time.
SLOPE_MB_A_MINUTE = 1.0
_NAMES = {str(error.code): error.name for error in ERRORS.values()}

Watch = Callable[[Sequence[float], Sequence[Report]], bool]
"""Sees the memory and the clients over pipes once a second; whether it has seen enough."""


class Outcome(NamedTuple):
    """What a soak came to."""

    asked: int
    answered: int
    connections: int
    # How the connections ended: see `Report`.
    cut: int
    closed: int
    ended: int
    codes: dict[str, int]
    faults: list[str]
    # What the server still holds when everybody has gone, by its kind; nothing is what it should be.
    left: dict[str, int]
    # The resident memory of the server in MB, as it was measured, one a second.
    memory: list[float]
    stderr: str
    code: int


def main(argv: list[str]) -> int:
    """Prints what it came to; 1 where a request was not answered, something is left behind, or memory grew."""
    parser = argparse.ArgumentParser(description="Overload a server for minutes, and see that it stays what it was.")
    parser.add_argument("--minutes", type=float, default=10, help="how long (default: 10)")
    parser.add_argument("--seed", type=int, default=1, help="of everything that the clients do")
    options = parser.parse_args(argv)
    outcome = asyncio.run(soak(options.seed, _progress(options.minutes * 60)))
    print("\n".join(told(outcome)))
    failed = outcome.faults or outcome.left or outcome.stderr or outcome.code or outcome.ended
    return int(bool(failed) or slope(outcome.memory) > SLOPE_MB_A_MINUTE)


def told(outcome: Outcome) -> list[str]:
    """The report, line by line."""
    answers = [f"{count:,} {_NAMES.get(code, code)}" for code, count in outcome.codes.items()]
    by_the_minute = " ".join(f"{measured:.1f}" for measured in outcome.memory[60::60])
    first, most, last = outcome.memory[0], max(outcome.memory), outcome.memory[-1]
    return [
        f"{outcome.asked:,} requests of {outcome.connections:,} connections, {outcome.answered:,} answered",
        f"{outcome.closed:,} connections were closed by their clients when everything was answered",
        f"{outcome.cut:,} were cut off by their clients, with {outcome.asked - outcome.answered:,} requests open",
        f"{outcome.ended:,} were ended by the server, which waits for a slow reader here (LIM-4)",
        f"answers: {', '.join(answers)}; what is beyond the queue is overloaded (LIM-3)",
        f"memory: {first:.1f} MB, {most:.1f} MB at most, {last:.1f} MB; by the minute {by_the_minute}",
        f"slope over the last two thirds: {slope(outcome.memory):+.2f} MB a minute (at most {SLOPE_MB_A_MINUTE})",
        *(f"fault: {count} {kind} left when everybody had gone" for kind, count in outcome.left.items()),
        *(f"fault: {fault}" for fault in [*outcome.faults, *outcome.stderr.splitlines()]),
    ]


def _progress(seconds: float) -> Watch:
    """So long; on a terminal with a line that says how it goes."""
    began = time.monotonic()

    def watch(memory: Sequence[float], reports: Sequence[Report]) -> bool:
        passed = time.monotonic() - began
        if sys.stderr.isatty():
            answered = sum(report.answered for report in reports)
            said = f"{passed:.0f} of {seconds:.0f} s, {memory[-1]:.1f} MB, {answered:,} answers over pipes"
            sys.stderr.write(f"\r\x1b[K{said}" if passed < seconds else "\r\x1b[K")
            sys.stderr.flush()
        return passed >= seconds

    return watch


async def soak(seed: int, watch: Watch) -> Outcome:
    """Lets all clients live until `watch` has seen enough; returns when everybody has gone."""
    with TemporaryDirectory() as place:
        argv = (sys.executable, str(HOUSE), f"{place}/door", f"{place}/state", str(seed))
        pipe = asyncio.subprocess.PIPE
        server = await asyncio.create_subprocess_exec(*argv, stdin=pipe, stdout=pipe, stderr=pipe)
        try:
            return await _overload(server, f"{place}/door", seed, watch)
        finally:
            if server.returncode is None:
                server.kill()
                await server.wait()


async def _overload(server: asyncio.subprocess.Process, door: str, seed: int, watch: Watch) -> Outcome:
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
    memory = [resident_mb(server.pid)]
    while not watch(memory, reports):
        await asyncio.sleep(1)
        memory.append(resident_mb(server.pid))
    stop.set()
    await asyncio.gather(*living)
    server.stdin.close()
    said = await server.stdout.read()
    code = await server.wait()
    house = json.loads(said) if code == 0 else {"reports": [], "left": {}}
    for members in house["reports"]:
        report = Report()
        report.__dict__.update(members)
        reports.append(report)
    return _sum(reports, house["left"], memory, (await stderr).decode(), code)


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


def resident_mb(pid: int) -> float:
    """What the process holds now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def slope(memory: list[float]) -> float:
    """MB a minute, by the line through the last two thirds of what was measured a second apart."""
    later = memory[len(memory) // 3 :]
    return statistics.linear_regression(range(len(later)), later).slope * 60


def _sum(reports: Sequence[Report], left: dict[str, int], memory: list[float], stderr: str, code: int) -> Outcome:
    codes: Counter[str] = Counter()
    for report in reports:
        codes.update(report.codes)
    return Outcome(
        asked=sum(report.asked for report in reports),
        answered=sum(report.answered for report in reports),
        connections=sum(report.connections for report in reports),
        cut=sum(report.cut for report in reports),
        closed=sum(report.closed for report in reports),
        ended=sum(report.ended for report in reports),
        codes=dict(codes.most_common()),
        faults=[fault for report in reports for fault in report.faults],
        left=left,
        memory=memory,
        stderr=stderr,
        code=code,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
