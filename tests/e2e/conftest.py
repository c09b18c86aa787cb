"""Servers to talk to: in this process over memory, and as a process over stdio."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import pytest_asyncio

from e2e.stdio_server import make_server
from e2e.talk import Talk
from turnwire.store.base import Store
from turnwire.store.memory import MemoryStore
from turnwire.store.opening import STORES, open_store

Connect = Callable[..., Awaitable[Talk]]


@pytest_asyncio.fixture(params=["memory", "stdio"])
async def connect(request: pytest.FixtureRequest) -> AsyncIterator[Connect]:
    """Begins the one conversation of a server of its own, over either transport; the test ends with its end."""
    talks: list[Talk] = []
    servers: list[Any] = []

    async def begin(*, limits: dict[str, int] | None = None, **members: Any) -> Talk:
        if request.param == "stdio":
            talk = await Talk.over_stdio(json.dumps(limits or {}), **members)
        else:
            servers.append(make_server(limits or {}))
            talk = await Talk.over_memory(servers[-1], **members)
        talks.append(talk)
        return talk

    yield begin
    for talk in talks:
        talk.assert_lawful()
        await talk.close()
    for server in servers:
        await server.close()


@pytest_asyncio.fixture(params=["memory", *STORES])
async def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator["House"]:
    """A server in this process to which several connections come, with each kind of store."""
    lasting, directory = Lasting(), tmp_path_factory.mktemp("state")
    kind = request.param
    made = House(lambda: lasting if kind == "memory" else open_store(kind, directory, fsync="never"))
    yield made
    await made.close()


class Lasting(MemoryStore):
    """A memory that outlives its server, as a directory does."""

    def close(self) -> None:
        """Nothing is lost."""


class House:
    """One server. `limits` and `host` (agents, a store) count for a server that is not made yet."""

    def __init__(self, opened: Callable[[], Store]) -> None:
        self.limits: dict[str, int] = {}
        self.host: dict[str, Any] = {}
        # Makes the server, where a test brings its own host.
        self.make: Callable[[Store], Any] | None = None
        self._opened = opened
        self.talks: list[Talk] = []
        self._server: Any = None

    @property
    def server(self) -> Any:
        if self._server is None:
            if self.make is not None:
                self._server = self.make(self._opened())
            else:
                self._server = make_server(self.limits, **{"store": self._opened(), **self.host})
        return self._server

    def session_of(self, talk: Talk) -> Any:
        """The server's side of a connection."""
        sessions = list(self.server._state.hub._listeners)
        return sessions[self.talks.index(talk)]

    async def restart(self) -> None:
        """The server ends, and the next connection comes to another one over the same store."""
        for talk in self.talks:
            await talk.close()
        self.talks.clear()
        await self.server.close()
        self._server = None

    async def connect(self, **members: Any) -> Talk:
        talk = await Talk.over_memory(self.server, **members)
        self.talks.append(talk)
        return talk

    async def close(self) -> None:
        for talk in self.talks:
            await talk.close()
        await self.server.close()
