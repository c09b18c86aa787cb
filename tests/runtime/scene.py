"""A peer on a line whose other end is the test: what was written, what the transport was told, what was heard."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from turnwire.codec import encode_result
from turnwire.events import CloseReason, NotificationReceived, Refused, RequestReceived
from turnwire.peer import Peer, PeerLimits, Reply
from turnwire.transports.base import Receiver, SlowReader


class Line:
    """A transport whose other end is the test."""

    def __init__(self, slow_reader: SlowReader = "pause") -> None:
        self.slow_reader: SlowReader = slow_reader
        self.writes: list[list[bytes]] = []
        self.calls: list[str] = []

    async def start(self, receiver: Receiver) -> None:
        self.receiver = receiver

    def write(self, lines: Sequence[bytes]) -> None:
        self.writes.append(list(lines))

    def pause_reading(self) -> None:
        self.calls.append("pause")

    def resume_reading(self) -> None:
        self.calls.append("resume")

    def close(self) -> None:
        self.calls.append("close")
        asyncio.get_running_loop().call_soon(self.receiver.connection_lost, None)

    def abort(self, reason: CloseReason) -> None:
        self.calls.append(f"abort {reason}")
        asyncio.get_running_loop().call_soon(self.receiver.connection_lost, None)

    @property
    def written(self) -> list[Any]:
        return [msgspec.json.decode(line) for lines in self.writes for line in lines]


class Scripted:
    """Answers by method name: what the test puts into `answers`, else the params that came."""

    def __init__(self) -> None:
        self.answers: dict[str, Callable[[RequestReceived], Reply]] = {}
        self.heard: list[Any] = []
        self.closing: Callable[[], Any] = lambda: None

    def handle_request(self, request: RequestReceived) -> Reply:
        self.heard.append(request.id)
        answer = self.answers.get(request.method)
        return encode_result(request.id, {}) if answer is None else answer(request)

    def handle_notification(self, notification: NotificationReceived) -> None:
        if notification.method == "bad":
            raise ValueError("this handler is broken")
        self.heard.append(notification.method)

    def handle_refused(self, refused: Refused) -> None:
        self.heard.append(refused.code)

    def handle_closed(self, reason: CloseReason) -> Any:
        self.heard.append(f"closed {reason}")
        return self.closing()


class Scene:
    """A peer, its endpoint, and the test's end of the line."""

    def __init__(self, line: Line, limits: PeerLimits) -> None:
        self.line = line
        self.endpoint = Scripted()
        self.peer = Peer("server", line, limits)
        self.running: asyncio.Task[None]
        self.reported: list[str] = []
        """What went to the loop's exception handler, and from there to stderr."""

    def hear(self, *messages: str) -> None:
        self.line.receiver.data_received("".join(message + "\n" for message in messages).encode())

    async def replies(self, count: int) -> list[Any]:
        while len(self.line.written) < count:  # noqa: ASYNC110 - a turn of the loop is what is waited for
            await asyncio.sleep(0)
        return self.line.written


@asynccontextmanager
async def scene(*, slow_reader: SlowReader = "pause", **limits: Any) -> AsyncIterator[Scene]:
    made = Scene(Line(slow_reader), PeerLimits(**limits))
    asyncio.get_running_loop().set_exception_handler(lambda _, context: made.reported.append(context["message"]))
    made.running = asyncio.create_task(made.peer.run(made.endpoint))
    await asyncio.sleep(0)
    yield made
    if not made.running.done():
        made.line.receiver.eof_received()
        async with asyncio.timeout(100):
            await made.running


def request(request_id: int, method: str = "m", padding: int = 0) -> str:
    return f'{{"jsonrpc":"2.0","id":{request_id},"method":"{method}","params":{{"p":"{"x" * padding}"}}}}'


def ids(replies: list[Any]) -> list[Any]:
    return [reply["id"] for reply in replies]


def codes(replies: list[Any]) -> list[Any]:
    return [reply["error"]["code"] if "error" in reply else "result" for reply in replies]


def later(handler: Callable[[RequestReceived], Reply]) -> Callable[[RequestReceived], Reply]:
    async def answering(received: RequestReceived) -> bytes:
        await asyncio.sleep(0)
        reply = handler(received)
        assert isinstance(reply, bytes)
        return reply

    return answering


async def asked(it: Scene, *, method: str = "ping", **options: Any) -> "asyncio.Task[Any]":
    call = asyncio.create_task(it.peer.request(method, **options))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return call
