"""The server of the soak, a process of its own: one record, connections over pipes and in memory, till input ends.

`python tests/soak/house.py SOCKET STATE SEED`: a client sends the ends of two pipes, and is served over them as on
stdio, where a slow reader is waited for. Beside them as many clients in memory talk with it. What came of those, and
what the server still holds when everybody has gone, is printed as JSON.
"""

import asyncio
import gc
import json
import socket
import sys
from collections import Counter
from pathlib import Path

# Where the tests are imported from.
sys.path.insert(0, str(Path(__file__).parent.parent))

from soak.clients import KINDS, Report, live
from turnwire.agents.builtin import builtin_agent
from turnwire.peer import Peer
from turnwire.server import DefaultHost, Server, default_limits
from turnwire.server.session import Session
from turnwire.server.thread import LiveThread
from turnwire.server.turn import TurnRun
from turnwire.server.waiting import Waiting
from turnwire.store.base import Store
from turnwire.store.history import History
from turnwire.store.opening import open_store
from turnwire.store.threadfile import ThreadFile
from turnwire.transports.memory import MemoryTransport, memory_pair
from turnwire.transports.stdio import StdioTransport

# Small ones, so that the bounds are met often.
LIMITS = {"requests": 32, "output_messages": 128, "queue_entries": 8, "approval_grace_ms": 200}
IN_MEMORY = 16
# What comes and goes with connections, threads and turns.
_PASSING = (Session, Peer, LiveThread, TurnRun, Waiting, History, ThreadFile, MemoryTransport, StdioTransport)


class Door:
    """A way to reach the server without leaving its process."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._served: set[asyncio.Task[None]] = set()

    async def open(self) -> MemoryTransport:
        mine, its = memory_pair()
        self.serve(its)
        return mine

    def serve(self, transport: MemoryTransport | StdioTransport) -> None:
        serving = asyncio.get_running_loop().create_task(self._server.serve(transport))
        self._served.add(serving)
        serving.add_done_callback(self._served.discard)

    async def emptied(self) -> None:
        """Returns when no connection is served any more."""
        while self._served:
            await asyncio.wait(self._served)


async def main(path: str, state: str, seed: str) -> None:
    store = open_store("jsonl", state, fsync="terminal")
    server = Server(DefaultHost(builtin_agent("scripted")), store=store, limits=default_limits(**LIMITS))
    door = Door(server)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen(64)
    listening.setblocking(False)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(0, stop.set)
    reports = [Report() for _ in range(IN_MEMORY)]
    living = [
        loop.create_task(live(door.open, KINDS[number % len(KINDS)], f"{seed}m{number}", stop=stop, report=report))
        for number, report in enumerate(reports)
    ]
    accepting = loop.create_task(accept(listening, door))
    print("ready", flush=True)
    await asyncio.gather(*living)
    del living
    await door.emptied()
    left = left_in(store)
    accepting.cancel()
    await server.close()
    print(json.dumps({"reports": [report.__dict__ for report in reports], "left": left}), flush=True)


def left_in(store: Store) -> dict[str, int]:
    """How much of what comes and goes is there, by its kind."""
    gc.collect()
    found = Counter(type(one).__name__ for one in gc.get_objects() if type(one) in _PASSING)
    found["thread in the store"] = len(list(store.headers()))
    return dict(+found)


async def accept(listening: socket.socket, door: Door) -> None:
    while True:
        found, _ = await asyncio.get_running_loop().sock_accept(listening)
        found.setblocking(True)
        _, (reading, writing), _, _ = socket.recv_fds(found, 1, 2)
        found.close()
        door.serve(StdioTransport(reading, writing))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3]))
