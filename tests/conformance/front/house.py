"""`python -m conformance.front NAME HOST:PORT [TOKEN]`, or `serving` in a thread: fronts that share one server."""

import asyncio
import contextlib
import signal
import sys
import threading

from conformance.front.server import Front
from turnwire.agents.builtin import builtin_agent
from turnwire.server import DefaultHost, Server, default_limits

# Low enough that a message beyond it is quickly sent.
MESSAGE_BYTES = 256 * 1024


class House:
    """All connections of one server."""

    def __init__(self, kind, *, token="", host="127.0.0.1", port=0):
        self.kind, self.token, self.host, self.port = kind, token, host, port
        self.message_bytes = MESSAGE_BYTES
        self.fronts = set()
        # What broken servers share among connections that must not.
        self.shared = {}

    async def serve(self, ready, stop):
        """Until it is told to stop."""
        limits = default_limits(message_bytes=MESSAGE_BYTES, shutdown_ms=300)
        self.server = Server(DefaultHost(builtin_agent("scripted")), limits=limits)
        self.tasks, self.closing = set(), asyncio.Event()
        listening = await self.listen()
        self.port = next(iter(listening.sockets)).getsockname()[1]
        ready()
        await stop.wait()
        await self.part()
        listening.close()
        await self.server.close()

    async def listen(self):
        loop = asyncio.get_running_loop()
        return await loop.create_server(lambda: self.kind(self), self.kind.place(self.host), self.port)

    async def part(self):
        """End every connection."""
        await self.kind.shut_down(self)

    def in_a_moment(self, front, message):
        """Hand a message on when others have had their say."""
        asyncio.get_running_loop().call_later(0.05, Front.message, front, message)

    def come(self, front):
        """Serve a connection that was upgraded."""
        self.fronts.add(front)
        task = asyncio.get_running_loop().create_task(self.server.serve(front, stop=self.closing))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


def serving(kind, token=""):
    """The URL of a house of such fronts, while the block lasts."""
    return opened(House(kind, token=token))


@contextlib.contextmanager
def opened(house):
    """The URL of a house whose loop runs in a thread while the block lasts."""
    is_ready, loop = threading.Event(), asyncio.new_event_loop()
    stop = asyncio.Event()

    def run():
        asyncio.set_event_loop(loop)
        loop.run_until_complete(house.serve(is_ready.set, stop))
        for front in list(house.fronts):
            front.tcp.abort()
        for task in list(house.tasks):
            task.cancel()
        loop.run_until_complete(asyncio.gather(*house.tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    thread = threading.Thread(target=run, name="front", daemon=True)
    thread.start()
    assert is_ready.wait(30), "a port of this machine is there at once"
    try:
        yield f"ws://127.0.0.1:{house.port}"
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(30)


def main(kind, host, port, token):
    """As a process, until SIGTERM."""
    if not kind.may_listen(host, token):
        sys.exit(f"{host} can be reached from other machines, so a token is needed")

    async def run():
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        await House(kind, token=token, host=host, port=port).serve(lambda: None, stop)

    asyncio.run(run())
