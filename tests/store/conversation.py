"""A conversation with a real server, recorded: turns that complete, fail, are declined, stopped, paused and resumed."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from turnwire.agents.builtin import builtin_agent
from turnwire.server import DefaultHost, Server, default_limits
from turnwire.store.base import Store
from turnwire.store.memory import MemoryStore

__all__ = ["Client", "converse", "recorded", "server_over", "steps"]

THREAD = "talk"
# Beyond this a message counts as one that never comes; a busy machine takes its time.
_PATIENCE = 100.0


class Client:
    """A connection to a server in this process. Approvals are answered with `decisions`, in order; then not at all."""

    def __init__(self, server: Server) -> None:
        self.heard: list[dict[str, Any]] = []
        self.decisions: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.listener: Callable[[dict[str, Any]], None] | None = None
        self._news = asyncio.Event()
        self._session = server.connect(self._hear)
        self._ids = 0

    async def begin(self) -> None:
        """The handshake."""
        client = {"name": "store tests", "version": "1"}
        await self.ask("initialize", protocolVersion=1, clientInfo=client, capabilities={"approvals": True})

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a request; an error is a failed test."""
        reply = await self.reply(method, **params)
        assert "result" in reply, reply
        return reply["result"]

    async def reply(self, method: str, **params: Any) -> dict[str, Any]:
        """What comes of a request, a result or an error."""
        self._ids += 1
        mark = self._ids
        self._send({"id": mark, "method": method, "params": params})
        return await self.until(lambda message: message.get("id") == mark and "method" not in message)

    async def turn(self, script: str, *decisions: str) -> dict[str, Any]:
        """A turn to its end."""
        self.decisions += decisions
        turn = (await self.ask("turn/start", threadId=THREAD, input=[{"type": "text", "text": script}]))["turn"]
        return await self.ended(turn["id"])

    async def ended_in(self, thread_id: str, turn_id: str) -> dict[str, Any]:
        """How a turn of another thread ended, when that has said what it does now."""
        return await self.ended(turn_id, thread_id)

    async def ended(self, turn_id: str, thread_id: str = THREAD) -> dict[str, Any]:
        """How a turn ended, when its thread has said what it does now."""
        ended = await self.until(
            lambda message: message.get("method") == "turn/completed" and message["params"]["turn"]["id"] == turn_id
        )
        seq = ended["params"]["seq"]
        await self.until(
            lambda message: (
                message.get("method") == "thread/status/changed"
                and message["params"]["threadId"] == thread_id
                and message["params"]["seq"] > seq
            )
        )
        return ended["params"]["turn"]

    async def until(self, wanted: Any) -> dict[str, Any]:
        """The first message that is wanted, heard already or to come."""
        async with asyncio.timeout(_PATIENCE):
            while True:
                for message in self.heard:
                    if wanted(message):
                        return message
                self._news.clear()
                await self._news.wait()

    async def close(self) -> None:
        await self._session.close()

    def _hear(self, data: bytes) -> None:
        message = msgspec.json.decode(data)
        self.heard.append(message)
        if self.listener is not None:
            self.listener(message)
        self._news.set()
        if message.get("method") == "approval/request":
            self.requests.append(message)
            if self.decisions:
                asyncio.get_running_loop().call_soon(self._decide, message, self.decisions.pop(0))

    def _decide(self, message: dict[str, Any], decision: str) -> None:
        nonce = message["params"]["approval"]["binding"]["nonce"]
        self._send({"id": message["id"], "result": {"decision": decision, "nonce": nonce}})

    def _send(self, message: dict[str, Any]) -> None:
        self._session.receive(msgspec.json.encode({"jsonrpc": "2.0", **message}))


async def steps(count: int = 200) -> None:
    """So many steps of the loop: a server has done by then what it can do without a disk, however slow the machine."""
    for _ in range(count):
        await asyncio.sleep(0)


def server_over(store: Store, **limits: int) -> Server:
    """A server of the scripted agent; `limits` are other bounds than its own."""
    return Server(DefaultHost(builtin_agent("scripted")), store=store, limits=default_limits(**limits))


async def converse(
    store: Store, *, rest: Sequence[str] = (), heard: Callable[[dict[str, Any]], None] | None = None
) -> None:
    """Talks with a server over `store` until everything has happened once, then sends the scripts of `rest`. `heard` is
    called with each message in the moment in which it comes."""
    server = server_over(store)
    client = Client(server)
    client.listener = heard
    await client.begin()
    await client.ask("thread/start", threadId=THREAD, title="A talk", approvalPolicy="pause")
    assert (await client.turn("text Hello there, this is a sentence.\nusage 3 4"))["status"] == "completed"
    assert (await client.turn('tool look {"at":1}\nthink hm\nplan one; two\nnotice look'))["status"] == "completed"
    assert (await client.turn('approve build {"x":1}\ntext built', "accept"))["status"] == "completed"
    assert (await client.turn("approve drop\ntext went on", "decline"))["status"] == "completed"
    assert (await client.turn("text a\nfail it is over"))["status"] == "failed"
    assert (await client.turn("approve stop", "cancel"))["status"] == "interrupted"
    assert (await client.turn("text before\napprove later\ntext after", "defer"))["status"] == "paused"
    waiting = (await client.ask("thread/resume", threadId=THREAD))["pending"][0]["approval"]
    answer = {"decision": "accept", "nonce": waiting["binding"]["nonce"]}
    decision = {"approvalId": waiting["approvalId"], "answer": answer}
    resumed = await client.ask("turn/start", threadId=THREAD, resume={"decisions": [decision]})
    assert (await client.ended(resumed["turn"]["id"]))["status"] == "completed"
    for script in rest:
        await client.turn(script)
    await client.close()
    await server.close()


async def recorded() -> list[bytes]:
    """The stored lines of that conversation."""
    lines: list[bytes] = []

    class Keeping(MemoryStore):
        def close(self) -> None:
            lines.extend(self.lines(THREAD))

    await converse(Keeping())
    return lines
