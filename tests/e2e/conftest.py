"""Servers to talk to: in this process over memory, and as a process over stdio."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import pytest_asyncio

from e2e.stdio_server import make_server
from e2e.talk import Talk
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
    made = House()
    if request.param != "memory":
        made.host["store"] = open_store(request.param, tmp_path_factory.mktemp("state"), fsync="never")
    yield made
    await made.close()


class House:
    """One server. `limits` and `host` (a store) count for a server that is not made yet."""

    def __init__(self) -> None:
        self.limits: dict[str, int] = {}
        self.host: dict[str, Any] = {}
        self.talks: list[Talk] = []
        self._server: Any = None

    @property
    def server(self) -> Any:
        if self._server is None:
            self._server = make_server(self.limits, **self.host)
        return self._server

    async def connect(self, **members: Any) -> Talk:
        talk = await Talk.over_memory(self.server, **members)
        self.talks.append(talk)
        return talk

    async def close(self) -> None:
        for talk in self.talks:
            await talk.close()
        await self.server.close()
