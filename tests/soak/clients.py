"""Clients that are too many, too fast, too slow, or gone: each keeps account of what it asked and what was answered.

A connection that ends as it should has an answer to every request. One that is cut off owes nothing to anybody; the
server may end none by itself, since on stdio a slow reader is waited for (LIM-4).
"""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from turnwire.transports.base import Transport

__all__ = ["KINDS", "Report", "live"]

# A reader as fast as it can be; one that takes its time; one that stops for a while; one that dies without a word.
KINDS = ("busy", "slow", "stalled", "dying")
_BURST = 60
# Beyond this a request counts as one that is never answered; a busy machine takes its time.
_PATIENCE = 240.0
Connect = Callable[[], Awaitable[Transport]]
_encode = msgspec.json.Encoder().encode


class Report:
    """What became of the connections of one client."""

    def __init__(self) -> None:
        self.asked = 0
        self.answered = 0
        self.connections = 0
        # How connections ended: cut off by the client, closed by it when everything was answered, ended by the server.
        self.cut = 0
        self.closed = 0
        self.ended = 0
        self.codes: dict[str, int] = {}
        # What must not be: each is a sentence.
        self.faults: list[str] = []


class Line:
    """See `Receiver`: one connection as a client has it."""

    def __init__(self, transport: Transport, report: Report, chance: random.Random) -> None:
        self.transport = transport
        self.due: dict[int, str] = {}
        self.ended = asyncio.get_running_loop().create_future()
        self.news = asyncio.Event()
        self._report = report
        self._chance = chance
        self._rest = b""
        self._ids = 0
        # What came of the requests that somebody waits for.
        self._awaited: dict[int, str] = {}
        self._room = asyncio.Event()
        self._room.set()

    def data_received(self, chunk: bytes) -> None:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._hear(msgspec.json.decode(line))
        self.news.set()

    def message_received(self, message: bytes) -> None:
        raise AssertionError("there are no frames here")

    def eof_received(self) -> None:
        self._end()

    def connection_lost(self, error: Exception | None) -> None:
        self._end()

    def pause_writing(self) -> None:
        self._room.clear()

    def resume_writing(self) -> None:
        self._room.set()

    async def ask(self, method: str, **params: Any) -> None:
        """Sends a request; it is answered some time."""
        self._ids += 1
        self.due[self._ids] = method
        self._report.asked += 1
        self.transport.write([_encode({"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params})])
        if not self._room.is_set():
            await asyncio.wait((asyncio.ensure_future(self._room.wait()), self.ended), return_when="FIRST_COMPLETED")

    async def call(self, method: str, **params: Any) -> str:
        """As `ask`, when it is answered: `result`, or the code of the error; "" where the server was gone before."""
        mark = self._ids + 1
        self._awaited[mark] = ""
        await self.ask(method, **params)
        await self._until(lambda: mark not in self.due)
        return self._awaited.pop(mark)

    async def settle(self) -> bool:
        """Waits until everything is answered; whether it was, before the server was gone.

        Raises:
            TimeoutError: it was not, and patience is over.
        """
        await self._until(lambda: not self.due)
        return not self.due

    async def _until(self, answered: Callable[[], bool]) -> None:
        async with asyncio.timeout(_PATIENCE):
            while not answered() and not self.ended.done():
                self.news.clear()
                await self.news.wait()

    def _end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)
        self.news.set()

    def _hear(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self._take_answer(message)
        elif message["method"] == "approval/request" and self._chance.random() < 0.8:
            nonce = message["params"]["approval"]["binding"]["nonce"]
            decision = self._chance.choice(["accept", "decline"])
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": {"decision": decision, "nonce": nonce}}
            self.transport.write([_encode(answer)])

    def _take_answer(self, message: dict[str, Any]) -> None:
        if message["id"] is None:
            # Of a line that was no request.
            return
        if self.due.pop(message["id"], None) is None:
            self._report.faults.append(f"an answer to {message['id']}, which was not due")
        self._report.answered += 1
        code = str(message["error"]["code"]) if "error" in message else "result"
        self._report.codes[code] = self._report.codes.get(code, 0) + 1
        if message["id"] in self._awaited:
            self._awaited[message["id"]] = code


async def live(connect: Connect, kind: str, name: str, *, stop: asyncio.Event, report: Report) -> None:
    """One client, over one connection after the other, until `stop`; its name is the seed of all that it does. It
    leaves no thread behind: a server that keeps all threads would rightly grow."""
    chance = random.Random(name)
    left: dict[str, int] = {}
    while left or not stop.is_set():
        report.connections += 1
        line = Line(await connect(), report, chance)
        await line.transport.start(line)
        thread_id = f"{name}-{report.connections}"
        try:
            await line.ask("initialize", protocolVersion=1, clientInfo=_about(kind), capabilities=_ABLE)
            await _clear(line, left)
            await _visit(line, kind, thread_id, chance, stop)
            if await line.settle():
                report.closed += 1
            else:
                report.ended += 1
                report.faults.append(f"{kind}: the server ended it; not answered: {dict(Counter(line.due.values()))}")
            line.transport.close()
        except _Cut:
            report.cut += 1
            left[thread_id] = 2
            line.transport.abort("closed")
        except TimeoutError:
            report.faults.append(f"{kind}: not answered in time: {dict(Counter(line.due.values()))}")
            line.transport.abort("closed")


class _Cut(Exception):  # noqa: N818 - what a dying client does is no error
    """The client ends in the middle of its visit."""


def _about(kind: str) -> dict[str, str]:
    return {"name": kind, "version": "1"}


async def _clear(line: Line, left: dict[str, int]) -> None:
    """Deletes what earlier visits left when they were cut; by thread, how often it is still to be looked for: what was
    sent before the cut may be read after it."""
    for thread_id in list(left):
        left[thread_id] -= 1
        if await _delete(line, thread_id) == "result" or not left[thread_id]:
            del left[thread_id]


async def _delete(line: Line, thread_id: str) -> str:
    """Deletes a thread, however often that has to be asked for; what came of it."""
    while True:
        came = await line.call("thread/delete", threadId=thread_id)
        if came not in _AGAIN:
            return came


async def _visit(line: Line, kind: str, thread_id: str, chance: random.Random, stop: asyncio.Event) -> None:
    """One thread from its start to its end.

    Raises:
        _Cut: the client ends before.
    """
    await line.ask("thread/start", threadId=thread_id)
    for _ in range(chance.randint(1, 6)):
        if stop.is_set():
            break
        if kind == "stalled":
            line.transport.pause_reading()
        for _ in range(chance.randint(1, _BURST)):
            await _ask_something(line, thread_id, chance)
        if kind == "stalled":
            await asyncio.sleep(chance.uniform(0, 0.5))
            line.transport.resume_reading()
        if kind == "slow":
            await _read_slowly(line, chance)
        if kind == "dying" and chance.random() < 0.4:
            raise _Cut
        await asyncio.sleep(chance.uniform(0, 0.2))
    # A request in a full queue is refused, and this one is not to be.
    if await line.settle():
        await _delete(line, thread_id)


# overloaded and notSettled: ask again.
_AGAIN = ("-32001", "-32010")
_ABLE = {"approvals": True}
_SCRIPTS = (
    "text " + "word " * 60,
    'tool look {"at":1}\ntext looked',
    "approve build\ntext built",
    "sleep 50\ntext later",
    "fail it is over",
)


async def _ask_something(line: Line, thread_id: str, chance: random.Random) -> None:
    text = [{"type": "text", "text": chance.choice(_SCRIPTS)}]
    which = chance.randrange(12)
    if which < 4:
        await line.ask(chance.choice(["turn/start", "turn/enqueue"]), threadId=thread_id, input=text)
    elif which < 6:
        await line.ask("turn/interrupt", threadId=thread_id)
    elif which < 8:
        await line.ask("thread/items/list", threadId=thread_id, limit=chance.randint(1, 500))
    elif which == 8:
        await line.ask("thread/list", limit=10)
    elif which == 9:
        await line.ask("thread/resume", threadId=thread_id, afterSeq=0)
    elif which == 10:
        line.transport.write([chance.choice([b"garbage", b'{"jsonrpc":"2.0"}', b"[" * 200, b'{"id":1'])])
    else:
        await line.ask("ping")


async def _read_slowly(line: Line, chance: random.Random) -> None:
    for _ in range(5):
        line.transport.pause_reading()
        await asyncio.sleep(chance.uniform(0, 0.1))
        line.transport.resume_reading()
        await asyncio.sleep(0.002)
