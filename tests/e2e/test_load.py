"""Much at once: a reader that reads late, a client that asks without end, and many threads (LIM-3, LIM-4, TURN-17)."""

import asyncio
import json
import os
import sys

from e2e.talk import SERVER
from turnwire.wire import ThreadListParams

HELLO = {"protocolVersion": 1, "clientInfo": {"name": "late"}}


class Late:
    """A client on the pipes of a server process that reads when it is told to, and not a byte before."""

    def __init__(self, process, output):
        self.process = process
        self.output = output
        self.heard = []

    @classmethod
    async def spawn(cls, **limits):
        argv = [sys.executable, str(SERVER), json.dumps(limits)]
        # A stream of asyncio would read ahead.
        read, write = os.pipe()
        process = await asyncio.create_subprocess_exec(*argv, stdin=asyncio.subprocess.PIPE, stdout=write)
        os.close(write)
        return cls(process, os.fdopen(read, "rb"))

    def send(self, number, method, **params):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    async def until(self, is_it):
        """All messages up to and with the one that is meant."""
        while True:
            self.heard.append(json.loads(await asyncio.to_thread(self.output.readline)))
            if is_it(self.heard[-1]):
                return self.heard[-1]

    async def close(self):
        self.process.stdin.close()
        ended = await asyncio.wait_for(self.process.wait(), 60)
        self.output.close()
        return ended


def _memory_of(pid):
    with open(f"/proc/{pid}/statm", "rb") as file:  # noqa: PTH123 - a file of the kernel
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def test_who_reads_late_loses_deltas_and_nothing_else():
    late = await Late.spawn(output_messages=32, output_bytes=65536)
    late.send(0, "initialize", **HELLO)
    late.send(1, "thread/start", threadId="t")
    await late.until(lambda message: message.get("id") == 1)
    before = _memory_of(late.process.pid)
    late.send(2, "turn/start", threadId="t", input=[{"type": "text", "text": "flood 4000 1000\nslow 3 10\nnotice end"}])
    await asyncio.sleep(1.5)
    grown = _memory_of(late.process.pid) - before
    await late.until(lambda message: message.get("method") == "turn/completed")
    recorded = [message for message in late.heard if "seq" in message.get("params", {})]
    deltas = [message["params"] for message in late.heard if message.get("method") == "item/agentMessage/delta"]
    texts = {
        message["params"]["item"]["id"]: message["params"]["item"]["text"]
        for message in recorded
        if message["method"] == "item/completed" and message["params"]["item"]["type"] == "agentMessage"
    }

    assert [len(text) for text in texts.values()] == [4_000_000, len("1 2 3 ")]
    assert 0 < sum(len(delta["delta"]) for delta in deltas) < 4_000_006
    for delta in deltas:
        text = texts[delta["itemId"]]
        assert text[delta["offset"] :].startswith(delta["delta"])
    # The text is held once as it grows and once as it is written; what is sent is not held beside it.
    assert grown < 40 * 1024 * 1024
    assert await late.close() == 0


async def test_a_client_that_asks_without_end_is_answered_without_end():
    late = await Late.spawn(output_messages=32, requests=8)
    late.send(0, "initialize", **HELLO)
    late.send(1, "thread/start", threadId="t")
    await late.until(lambda message: message.get("id") == 1)
    count = 20_000
    for number in range(2, count):
        late.send(number, "thread/read" if number % 2 else "turn/interrupt", threadId="t")
    late.send(count, "ping")
    reading = asyncio.ensure_future(late.until(lambda message: message.get("id") == count))
    await late.process.stdin.drain()
    await reading
    answered = [message["id"] for message in late.heard if "method" not in message]
    names = {message["error"]["data"]["code"] for message in late.heard if "error" in message}

    # Those that wait for their handler may be answered behind those that do not.
    missing = set(range(count + 1)) - set(answered)
    assert len(answered) == len(set(answered))
    assert len(missing) <= 8
    assert names <= {"noActiveTurn", "overloaded"}
    assert await late.close() == 0


async def test_turns_of_many_threads_at_once_are_told_apart(house):
    talk = await house.connect()
    count = 150
    threads = [await talk.thread(thread_id=f"t{number}") for number in range(count)]
    turns = await asyncio.gather(*(talk.turn(thread_id, f"slow 2 50\ntext {thread_id}") for thread_id in threads))
    ended = {}
    while len(ended) < count:
        params = await talk.heard("turn/completed")
        ended[params.turn.id] = params
    await talk.client.ping()
    listed = (await talk.client.thread_list(ThreadListParams(limit=100))).total_matched

    assert {turn.id: (turn.thread_id, turn.thread_id) for turn in turns} == {
        turn_id: (params.thread_id, params.turn.final_output) for turn_id, params in ended.items()
    }
    assert listed == count
