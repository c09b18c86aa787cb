"""The conversations of the other transports once more, over WebSockets: the same tests, whose servers listen."""

import contextlib
import inspect

import pytest

from e2e import test_approvals, test_conversations, test_inputs, test_lifecycle, test_queue, test_threads
from e2e.conftest import House, Lasting
from e2e.stdio_server import make_server
from e2e.talk import Talk
from turnwire.server.websocket import listening

TOKEN = "secret"
AGAIN = [test_approvals, test_conversations, test_inputs, test_lifecycle, test_queue, test_threads]


@pytest.fixture
async def connect():
    async with contextlib.AsyncExitStack() as stack:
        talks = []

        async def begin(*, limits=None, **members):
            url = await stack.enter_async_context(listening(make_server(limits or {}), ("127.0.0.1", 0), token=TOKEN))
            talks.append(await Talk.over_websocket(url, TOKEN, **members))
            return talks[-1]

        yield begin
        for talk in talks:
            talk.assert_lawful()
            await talk.close()


class Listening(House):
    """A house with a door to the street."""

    def __init__(self, opened):
        super().__init__(opened)
        self._stack = contextlib.AsyncExitStack()
        self._url = None

    async def connect(self, **members):
        if self._url is None:
            serving = listening(self.server, ("127.0.0.1", 0), token=TOKEN)
            self._url = await self._stack.enter_async_context(serving)
        self.talks.append(await Talk.over_websocket(self._url, TOKEN, **members))
        return self.talks[-1]

    async def restart(self):
        await self._shut()
        await super().restart()

    async def close(self):
        await self._shut()
        await super().close()

    async def _shut(self):
        for talk in self.talks:
            await talk.close()
        await self._stack.aclose()
        self._url = None


@pytest.fixture
async def house():
    lasting = Lasting()
    made = Listening(lambda: lasting)
    yield made
    await made.close()


def _again(module):
    """Those of its tests that talk to a server by way of a fixture. Two modules may have a test of one name."""
    prefix = module.__name__.rpartition(".")[2]
    for name, member in vars(module).items():
        if name.startswith("test_") and {"connect", "house"} & inspect.signature(member).parameters.keys():
            yield f"{prefix}_{name}", member


for _module in AGAIN:
    globals().update(_again(_module))
