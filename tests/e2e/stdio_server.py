"""A server process for the tests: the two built-in agents, bounds as JSON in the first argument."""

import asyncio
import json
import sys

from turnwire.agents.builtin import builtin_agent
from turnwire.server import DefaultHost, Server, default_limits, serve_stdio
from turnwire.store.base import Store
from turnwire.wire import Model

MODELS = [Model(id="script-1", title="Script", default=True)]


def make_server(limits: dict[str, int], *, store: Store | None = None) -> Server:
    agents = builtin_agent("scripted"), builtin_agent("echo")
    return Server(DefaultHost(*agents, models=MODELS), store=store, limits=default_limits(**limits))


if __name__ == "__main__":
    asyncio.run(serve_stdio(make_server(json.loads(sys.argv[1]))))
