"""A server process for the tests: two agents, bounds as JSON in the first argument, a state directory in the second."""

import asyncio
import json
import sys

from turnwire.agents.builtin import builtin_agent
from turnwire.server import DefaultHost, Server, default_limits, serve_stdio
from turnwire.store.base import Store
from turnwire.store.jsonl import JsonlStore
from turnwire.wire import Model

MODELS = [Model(id="script-1", title="Script", default=True)]


def make_server(limits: dict[str, int], *, store: Store | None = None) -> Server:
    agents = builtin_agent("scripted"), builtin_agent("echo")
    return Server(DefaultHost(*agents, models=MODELS), store=store, limits=default_limits(**limits))


if __name__ == "__main__":
    directory = sys.argv[2] if len(sys.argv) > 2 else None
    kept = None if directory is None else JsonlStore(directory)
    asyncio.run(serve_stdio(make_server(json.loads(sys.argv[1]), store=kept)))
