"""Ten thousand messages that are nearly lawful: one reply where one is due, no crash, no hang, no growth."""

import asyncio
import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from e2e.mutations import Mutant, lawful, mutants
from e2e.talk import SERVER

COUNT = 10_000
WARM = 1_000
BATCH = 100
GROWTH_KB = 2048
INTRODUCTION = {"protocolVersion": 1, "clientInfo": {"name": "fuzz"}}


def _request(request_id, method, params):
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


JUDGED = [
    _request("j1", "thread/start", {"threadId": "judged"}),
    _request(
        "j2",
        "turn/start",
        {"threadId": "judged", "input": [{"type": "text", "text": "text 1"}], "outputSchema": {"type": "integer"}},
    ),
]


class Place:
    """A server process, and what it answered between two barriers."""

    def __init__(self, process):
        self.process = process
        self.barriers = 0

    async def talk(self, lines):
        """The messages that came in answer to these lines, all of which are handled then."""
        self.barriers += 1
        barrier = json.dumps({"jsonrpc": "2.0", "id": f"barrier{self.barriers}", "method": "ping"}).encode()
        self.process.stdin.write(b"".join(line + b"\n" for line in (*lines, barrier)))
        heard = []
        async with asyncio.timeout(30):
            while True:
                message = json.loads(await self.process.stdout.readline())
                if message.get("id") == f"barrier{self.barriers}":
                    return heard
                heard.append(message)

    async def tidy(self, heard):
        """Takes away the threads that were made, so that only what leaks grows."""
        threads = {message["params"]["thread"]["id"] for message in heard if message.get("method") == "thread/started"}
        lines = [json.dumps(_request(f"d-{one}", "thread/delete", {"threadId": one})).encode() for one in threads]
        heard = await self.talk(lines)
        while not {f"d-{one}" for one in threads} <= {str(message.get("id")) for message in heard}:
            heard += await self.talk([])

    def rss_kb(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])


@pytest.mark.timeout(300)
async def test_one_reply_where_one_is_due_and_no_growth():
    seed = _commit()
    print(f"seed {seed}")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(SERVER), "{}"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=2**24,
        # The C library gives large blocks back at once, so that what is measured is what the server holds.
        env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"},
    )
    place = Place(process)
    await place.talk([json.dumps(_request("hello", "initialize", INTRODUCTION)).encode()])
    # What is loaded when it is first needed, and the largest answers, are no growth when they come again: every method
    # is called once by its examples, and a turn runs that needs a validator.
    for number, message in enumerate(lawful()):
        await place.tidy(await place.talk([json.dumps({**message, "id": f"w{number}"}).encode()]))
    await place.tidy(await place.talk([json.dumps(request).encode() for request in JUDGED]))
    sizes, faults = [], []
    for batch in _batches(random.Random(seed)):
        faults += await _faults(place, batch)
        sizes.append(place.rss_kb())
    # A large answer comes and goes: what leaks is what is never given back.
    grown = min(sizes[-10:]) - max(sizes[: WARM // BATCH])
    process.stdin.close()
    _, errors = await process.communicate()

    assert faults == []
    assert (process.returncode, errors.decode()) == (0, "")
    assert grown <= GROWTH_KB, f"{grown} KB"


def test_a_server_that_swallows_a_request_is_found():
    mutant = Mutant(b'{"jsonrpc":"2.0","id":"m1","method":"ping"}', "m1", 1)

    assert _compare([mutant], []) == ["'m1': 0 replies, not 1: " + repr(mutant.line)]
    assert _compare([mutant], [{"id": "m1", "result": {}}]) == []


async def _faults(place, batch):
    heard = await place.talk([mutant.line for mutant in batch])
    # What a coroutine answers may come behind the barrier, and what a process of its own judges well behind it.
    for pause in [0.0] * 50 + [0.2] * 150:
        if not _compare(batch, heard):
            break
        await asyncio.sleep(pause)
        heard += await place.talk([])
    faults = _compare(batch, heard)
    await place.tidy(heard)
    return faults


def _compare(batch, heard):
    replies = Counter(json.dumps(message["id"]) for message in heard if "id" in message and "method" not in message)
    expected = Counter(json.dumps(mutant.reply_id) for mutant in batch if mutant.due == 1)
    either = Counter(json.dumps(mutant.reply_id) for mutant in batch if mutant.due is None)
    faults = []
    for reply_id in replies | expected:
        low, high = expected[reply_id], expected[reply_id] + either["null"]
        if not low <= replies[reply_id] <= high:
            lines = [mutant.line for mutant in batch if json.dumps(mutant.reply_id) == reply_id and mutant.due != 0]
            faults.append(
                f"{json.loads(reply_id)!r}: {replies[reply_id]} replies, not {low}: {b' | '.join(lines[:3])!r}"
            )
    return faults


def _batches(rng):
    found = mutants(rng, COUNT)
    while batch := [mutant for _, mutant in zip(range(BATCH), found, strict=False)]:
        yield batch


def _commit():
    """The seed is the commit, so that a run can be had again; without one it is a number like any other."""
    try:
        found = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, cwd=Path(__file__).parent, check=True)
    except (OSError, subprocess.CalledProcessError):
        return 1
    return int(found.stdout[:12], 16)
