"""Two clients of one server that approve operations, and lie: a house keeps the truth beside what they say.

An accept is valid when it has the nonce of its request, a decision that is offered, and comes while that waits. What
the server ran is counted by what it recorded and announced.
"""

import asyncio
import random
from collections import Counter
from typing import Any, NamedTuple

import msgspec

from turnwire.agents.builtin import builtin_agent
from turnwire.server import DefaultHost, Server

__all__ = ["LIES", "Asked", "House"]

THREADS = 5
ACCEPTS = ("accept", "acceptForTurn", "acceptForSession")
_GARBAGE = (None, 0, True, [], {}, "", "yes", "ACCEPT", "accept ", {"decision": "accept"})


class Asked(NamedTuple):
    """One operation that somebody was asked about: its number, and how it can be answered."""

    number: int
    approval_id: str
    nonce: str
    # The id of the request, by client.
    requests: dict[int, Any]


class House:
    """A server, its two clients, and the account of who said what."""

    def __init__(self, seed: int) -> None:
        self.clients = (0, 1)
        # The operations that ran; those with a valid accept, and those where that was the first that was said.
        self.ran: Counter[int] = Counter()
        self.accepted: set[int] = set()
        self.first_accepted: set[int] = set()
        self.faults: list[str] = []
        self.known: dict[str, Asked] = {}
        self.waiting: dict[str, Asked] = {}
        self._chance = random.Random(seed)
        self._touched: set[int] = set()
        self._server = Server(DefaultHost(builtin_agent("scripted")))
        self._sessions = [self._server.connect(lambda data, client=n: self._hear(client, data)) for n in self.clients]
        self._ids = 0
        self._operations = 0
        self._replies: dict[Any, asyncio.Future[Any]] = {}
        self._seen: set[tuple[str, str]] = set()
        # Set while something waits.
        self._news = asyncio.Event()

    async def begin(self) -> None:
        """Both clients hear all threads; the second says that it approves too."""
        for client in self.clients:
            info = {"name": "liar", "version": "1"}
            await self._ask(client, "initialize", protocolVersion=1, clientInfo=info, capabilities={"approvals": True})
        for number in range(THREADS):
            policy = self._chance.choice(["decline", "pause"])
            await self._ask(0, "thread/start", threadId=f"t{number}", approvalPolicy=policy)
            await self._ask(1, "thread/resume", threadId=f"t{number}")

    async def end(self) -> None:
        """What was accepted last is done, and everything stops."""
        for _ in range(20):
            await self.rest()
        for session in self._sessions:
            await session.close()
        await self._server.close()

    async def lie(self) -> str:
        """Says one thing of some approval; which kind of lie it was."""
        if len(self.waiting) < THREADS:
            self.start()
        name = self._chance.choice(LIES)
        candidates = list(self.waiting.values()) or list(self.known.values())
        if candidates:
            getattr(self, f"_{name}")(self._chance.choice(self.clients), self._chance.choice(candidates))
        if self._chance.random() < 0.7:
            await self.rest()
        return name

    async def rest(self) -> None:
        """Lets the server do what it can do now."""
        for _ in range(8):
            await asyncio.sleep(0)

    async def some_waiting(self) -> Asked:
        """An approval that nobody has answered."""
        async with asyncio.timeout(100):
            await self._news.wait()
        return next(iter(self.waiting.values()))

    def start(self) -> None:
        """A turn with an operation of its own in some thread, unless one runs there."""
        self._operations += 1
        text = f'approve op{self._operations} {{"n":{self._operations}}}'
        thread = f"t{self._chance.randrange(THREADS)}"
        self._send(
            0, {"method": "turn/start", "params": {"threadId": thread, "input": [{"type": "text", "text": text}]}}
        )

    def answer(self, client: int, asked: Asked, decision: Any, **changes: Any) -> None:
        """An answer to the request of this client; `changes` are the lie."""
        result = {"decision": decision, "nonce": asked.nonce, **changes}
        if client in asked.requests:
            self._note(asked, result)
            self._respond(client, asked.requests[client], result=result)

    def resolve(self, client: int, asked: Asked, decision: Any, **changes: Any) -> None:
        """An answer out of band."""
        answer = {"decision": decision, "nonce": asked.nonce, **changes}
        self._note(asked, answer)
        self._send(
            client, {"method": "approval/resolve", "params": {"approvalId": asked.approval_id, "answer": answer}}
        )

    def _note(self, asked: Asked, answer: dict[str, Any]) -> None:
        valid = answer.get("nonce") == asked.nonce and answer.get("decision") in ACCEPTS
        if valid and asked.approval_id in self.waiting:
            self.accepted.add(asked.number)
            if asked.number not in self._touched and "optionId" not in answer:
                self.first_accepted.add(asked.number)
        self._touched.add(asked.number)

    # The lies, and now and then the truth.

    def _truth(self, client: int, asked: Asked) -> None:
        say = self._chance.choice([self.answer, self.resolve])
        say(client, asked, self._chance.choice([*ACCEPTS, "decline", "cancel"]))

    def _wrong_nonce(self, client: int, asked: Asked) -> None:
        others = [other.nonce for other in self.known.values() if other.number != asked.number] or ["x"]
        half = asked.nonce[: len(asked.nonce) // 2]
        nonce = self._chance.choice(
            ["", half, asked.nonce + "x", asked.nonce.swapcase() + "-", "x" * 40, self._chance.choice(others)]
        )
        self._chance.choice([self.answer, self.resolve])(client, asked, "accept", nonce=nonce)

    def _garbage_nonce(self, client: int, asked: Asked) -> None:
        self._chance.choice([self.answer, self.resolve])(client, asked, "accept", nonce=self._chance.choice(_GARBAGE))

    def _garbage_decision(self, client: int, asked: Asked) -> None:
        self._chance.choice([self.answer, self.resolve])(client, asked, self._chance.choice(_GARBAGE))

    def _not_offered(self, client: int, asked: Asked) -> None:
        say = self._chance.choice([self.answer, self.resolve])
        say(client, asked, self._chance.choice(["acceptAlways", "declineAlways", "acceptForever"]))

    def _wrong_option(self, client: int, asked: Asked) -> None:
        # The decision is offered, and not under this id; where it is, it is an accept.
        self._chance.choice([self.answer, self.resolve])(client, asked, "accept", optionId="decline")

    def _twice(self, client: int, asked: Asked) -> None:
        self.answer(client, asked, "decline")
        self.answer(client, asked, "decline")
        self._respond(client, asked.requests.get(client, 1), result={"decision": "accept", "nonce": asked.nonce})

    def _late(self, client: int, asked: Asked) -> None:
        closed = [other for other in self.known.values() if other.approval_id not in self.waiting]
        if closed:
            late = self._chance.choice(closed)
            self._chance.choice([self.answer, self.resolve])(client, late, "accept")

    def _of_another(self, client: int, asked: Asked) -> None:
        other = self._chance.choice(list(self.known.values()))
        if other.number != asked.number and client in other.requests:
            # The nonce of one in the answer to the other.
            result = {"decision": "accept", "nonce": asked.nonce}
            self._touched.add(other.number)
            self._respond(client, other.requests[client], result=result)

    def _of_nobody(self, client: int, asked: Asked) -> None:
        mark = self._chance.choice([10**6, "s-1", -1, "", 1.5, None])
        self._respond(client, mark, result={"decision": "accept", "nonce": asked.nonce})

    def _error(self, client: int, asked: Asked) -> None:
        if client in asked.requests:
            self._touched.add(asked.number)
            error = {"code": self._chance.choice([-32603, -32601, 1, 0]), "message": "accept"}
            self._respond(client, asked.requests[client], error=error)

    def _no_answer(self, client: int, asked: Asked) -> None:
        if client in asked.requests:
            self._touched.add(asked.number)
            self._respond(client, asked.requests[client], result=self._chance.choice(_GARBAGE))

    def _unknown_id(self, client: int, asked: Asked) -> None:
        answer = {"decision": "accept", "nonce": asked.nonce}
        wrong = self._chance.choice([asked.approval_id + "x", "", f"op{asked.number}", asked.approval_id.upper()])
        self._send(client, {"method": "approval/resolve", "params": {"approvalId": wrong, "answer": answer}})

    def _interrupt(self, client: int, asked: Asked) -> None:
        self._expect_no_more()
        self._send(client, {"method": "turn/interrupt", "params": {"threadId": f"t{asked.number % THREADS}"}})

    def _defer(self, client: int, asked: Asked) -> None:
        self.answer(client, asked, "defer")

    def _resume_wrongly(self, client: int, asked: Asked) -> None:
        answer = {"decision": "accept", "nonce": self._chance.choice(["", "x", asked.nonce[::-1]])}
        decisions = [{"approvalId": asked.approval_id, "answer": answer}] * self._chance.randint(1, 2)
        for number in range(THREADS):
            params = {"threadId": f"t{number}", "resume": {"decisions": decisions}}
            self._send(client, {"method": "turn/start", "params": params})

    def _discard(self, client: int, asked: Asked) -> None:
        # What is paused is in the way of others; whoever waited with it does not any more.
        del asked
        self._expect_no_more()
        for number in range(THREADS):
            if self._chance.random() < 0.3:
                self._send(client, {"method": "turn/interrupt", "params": {"threadId": f"t{number}"}})

    def _expect_no_more(self) -> None:
        """A turn that is interrupted may end before what was accepted in it runs."""
        self._touched.update(range(1, self._operations + 1))
        self.first_accepted.intersection_update(self.ran)

    def _hear(self, client: int, data: bytes) -> None:
        message = msgspec.json.decode(data)
        method, params = message.get("method"), message.get("params", {})
        if method == "approval/request":
            self._take(client, message["id"], params["approval"])
        elif method == "approval/resolved":
            self.waiting.pop(params["approvalId"], None)
            if not self.waiting:
                self._news.clear()
        elif method in ("item/started", "item/completed") and params["item"]["type"] == "toolCall":
            self._count(params)
        elif method is None and message.get("id") in self._replies:
            self._replies.pop(message["id"]).set_result(message)
        if message.get("error", {}).get("code") == -32603:
            self.faults.append(data.decode())

    def _take(self, client: int, mark: Any, approval: dict[str, Any]) -> None:
        known = self.known.get(approval["approvalId"])
        if known is None:
            number = int(approval["operation"].removeprefix("op"))
            known = Asked(number, approval["approvalId"], approval["binding"]["nonce"], {})
            self.known[known.approval_id] = self.waiting[known.approval_id] = known
            self._news.set()
        known.requests[client] = mark

    def _count(self, params: dict[str, Any]) -> None:
        """An operation that began: whatever is told of it later is the same, and each client hears it."""
        item = params["item"]
        place = (params["threadId"], item["id"])
        if item.get("executionStarted") is True and place not in self._seen:
            self._seen.add(place)
            self.ran[int(item["toolName"].removeprefix("op"))] += 1

    def _respond(self, client: int, mark: Any, **members: Any) -> None:
        self._sessions[client].receive(msgspec.json.encode({"jsonrpc": "2.0", "id": mark, **members}))

    def _send(self, client: int, message: dict[str, Any]) -> int:
        self._ids += 1
        self._sessions[client].receive(msgspec.json.encode({"jsonrpc": "2.0", "id": self._ids, **message}))
        return self._ids

    async def _ask(self, client: int, method: str, **params: Any) -> Any:
        # It may be answered within the call.
        reply = self._replies[self._ids + 1] = asyncio.get_running_loop().create_future()
        self._send(client, {"method": method, "params": params})
        message = await asyncio.wait_for(reply, 100)
        assert "result" in message, message
        return message["result"]


LIES = (
    "truth",
    "wrong_nonce",
    "garbage_nonce",
    "garbage_decision",
    "not_offered",
    "wrong_option",
    "twice",
    "late",
    "of_another",
    "of_nobody",
    "error",
    "no_answer",
    "unknown_id",
    "interrupt",
    "defer",
    "resume_wrongly",
    "discard",
)
