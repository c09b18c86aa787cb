"""A server that leaves its frames to the asyncio half of `websockets`, as most servers leave theirs to a library."""

import asyncio
import contextlib
from http import HTTPStatus

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

from conformance.front.house import House
from conformance.front.server import SUBPROTOCOL


class LibraryLink:
    """The `Transport` of one connection."""

    slow_reader = "close"

    def __init__(self, connection):
        self.connection = connection
        self.lines = asyncio.Queue()
        self.ended = asyncio.Event()
        self.tasks = []

    async def start(self, receiver):
        self.tasks = [asyncio.create_task(self.read(receiver)), asyncio.create_task(self.speak())]

    async def read(self, receiver):
        """Hand messages on; what is binary is refused when all before it is answered."""
        with contextlib.suppress(ConnectionClosed):
            async for message in self.connection:
                if isinstance(message, bytes):
                    await self.end(1003)
                    break
                receiver.message_received(message.encode())
        self.tasks[1].cancel()
        receiver.connection_lost(None)

    async def speak(self):
        with contextlib.suppress(ConnectionClosed):
            while True:
                line = await self.lines.get()
                await self.connection.send(line, text=True)
                self.lines.task_done()

    async def end(self, code):
        # Answers are written in the next turns of the loop.
        await asyncio.sleep(0.01)
        await self.lines.join()
        await self.connection.close(code)

    def write(self, lines):
        for line in lines:
            self.lines.put_nowait(bytes(line))

    def pause_reading(self):
        """The library holds what nobody reads."""

    def resume_reading(self):
        """Nothing was paused."""

    def close(self):
        self.tasks.append(asyncio.create_task(self.end(1001)))

    def abort(self, reason):
        self.connection.transport.abort()


class Library(House):
    """All connections of one server."""

    def __init__(self):
        super().__init__(None)

    async def listen(self):
        return await serve(
            self.met,
            "127.0.0.1",
            0,
            subprotocols=[SUBPROTOCOL],
            process_request=self.asked,
            max_size=self.message_bytes,
            compression=None,
        )

    def asked(self, connection, request):
        """Answer what is not to become a WebSocket."""
        if request.path in ("/healthz", "/readyz"):
            return connection.respond(HTTPStatus.OK, "well\n")
        origin = request.headers.get("Origin", self.own)
        return None if origin == self.own else connection.respond(HTTPStatus.FORBIDDEN, "not from there\n")

    @property
    def own(self):
        return f"http://127.0.0.1:{self.port}"

    async def met(self, connection):
        await self.server.serve(LibraryLink(connection), stop=self.closing)

    async def part(self):
        self.closing.set()
