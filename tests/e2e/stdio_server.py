"""A server process for the tests: two agents, bounds as JSON in the first argument, then a state directory and what
keeps it."""

import asyncio
import json
import sys
from collections.abc import Sequence

from turnwire.agents.base import Agent
from turnwire.agents.builtin import builtin_agent
from turnwire.server import DefaultHost, Server, default_limits, serve_stdio
from turnwire.server.permissions import reference_policy
from turnwire.store.base import Store
from turnwire.store.opening import open_store
from turnwire.wire import Model

MODELS = [Model(id="script-1", title="Script", default=True)]


def make_server(limits: dict[str, int], *, store: Store | None = None, agents: Sequence[Agent] = ()) -> Server:
    """The agents that are given come first, so that one of them is the default."""
    known = *agents, builtin_agent("scripted"), builtin_agent("echo")
    host = DefaultHost(*known, models=MODELS, permits=reference_policy)
    return Server(host, store=store, limits=default_limits(**limits))


if __name__ == "__main__":
    directory, kind, *_ = [*sys.argv[2:], *["", "jsonl"][len(sys.argv[2:]) :]]
    kept = open_store(kind, directory) if directory else None
    asyncio.run(serve_stdio(make_server(json.loads(sys.argv[1]), store=kept)))
