"""An agent that does what a test gives it to do, and a house that it lives in."""

from collections.abc import Awaitable, Callable
from typing import Any

from e2e.conftest import House
from turnwire.agents.base import Agent, TurnContext
from turnwire.agents.builtin import builtin_agent
from turnwire.server import DefaultHost, Server, default_limits
from turnwire.wire import AgentSupport

__all__ = ["Own", "own"]


class Own(Agent):
    """Its turns are the coroutine function `work`."""

    id = "own"
    supports = AgentSupport(steer=True, fork=True, rewind=True)

    def __init__(self, work: Callable[[TurnContext], Awaitable[None]]) -> None:
        self.work = work

    async def run(self, turn: TurnContext) -> None:
        await self.work(turn)


def own(house: House, work: Any, *, host: type[DefaultHost] = DefaultHost, **members: Any) -> House:
    """The house with a server whose default agent does `work`, or is it."""
    agent = work if isinstance(work, Agent) else Own(work)

    def make(store: Any) -> Server:
        limits = default_limits(**house.limits)
        return Server(host(agent, builtin_agent("scripted"), **members), store=store, limits=limits)

    house.make = make
    return house
