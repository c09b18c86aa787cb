"""What a server holds of threads that nobody uses any more: their headers, which lists show, and nothing else.

Each thread is started, has a turn and is let go, in a server that is a process of its own.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from measures.rows import Row

from store.conversation import Client, server_over
from turnwire.store.opening import open_store

THREADS = 20_000
# Everything that is made once is there by then, and free lists are full.
FIRST = 2_000
BYTES_A_THREAD = 2_048
USED = 'text Hello\ntool look {"at":1}'


def rows() -> Iterator[Row]:
    """JSONL and SQLite."""
    for kind in ("jsonl", "sqlite"):
        argv = (sys.executable, "-c", f"from measures.memory import measure; measure({kind!r})")
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        said = subprocess.run(argv, env=env, check=True, capture_output=True, text=True).stdout
        first, last = (int(size) for size in said.split())
        each = (last - first) / THREADS
        yield Row(
            f"{kind}: {THREADS:,} threads, each used and let go: memory that a thread leaves",
            f"{each:,.0f} bytes ({(last - first) / 1e6:.0f} MB)",
            f"≤ {BYTES_A_THREAD:,} bytes",
            each <= BYTES_A_THREAD,
        )


def measure(kind: str) -> None:
    """Prints how many bytes this process held after the first threads, and after all."""
    asyncio.run(_use_all(kind))


async def _use_all(kind: str) -> None:
    with TemporaryDirectory() as place, closing(open_store(kind, place, fsync="never")) as store:
        client = Client(server_over(store))
        await client.begin()
        for number in range(FIRST + THREADS):
            if number == FIRST:
                print(resident())
            await use(client, f"t{number}")
        await client.ask("thread/list", limit=1)
        print(resident())


async def use(client: Client, thread_id: str) -> None:
    """A thread from its start to where nobody listens any more."""
    await client.ask("thread/start", threadId=thread_id, title="A thread", cwd="/home/somebody/project")
    turn = (await client.ask("turn/start", threadId=thread_id, input=[{"type": "text", "text": USED}]))["turn"]
    await client.ended_in(thread_id, turn["id"])
    await client.ask("thread/unsubscribe", threadId=thread_id)
    client.heard.clear()


def resident() -> int:
    """The bytes that this process holds in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
