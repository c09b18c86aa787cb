"""The agents of this package by name; each is imported when it first answers a turn."""

from __future__ import annotations

from importlib import import_module

from turnwire.agents.base import TurnContext
from turnwire.wire import AgentInfo, AgentSupport

__all__ = ["BUILTIN", "BuiltinAgent", "builtin_agent"]

# Name → title, module, version of the script grammar.
BUILTIN: dict[str, tuple[str, str, int | None]] = {
    "scripted": ("Scripted", "turnwire.agents.scripted", 1),
    "echo": ("Echo", "turnwire.agents.echo", None),
}


class BuiltinAgent:
    """See `Agent`."""

    def __init__(self, info: AgentInfo, module: str, script: int | None) -> None:
        self.info = info
        self.script = script
        self._module = module

    async def run(self, turn: TurnContext) -> None:
        await import_module(self._module).run(turn)


def builtin_agent(name: str) -> BuiltinAgent:
    """The agent of this name.

    Raises:
        KeyError: there is none.
    """
    title, module, script = BUILTIN[name]
    return BuiltinAgent(
        AgentInfo(id=name, title=title, supports=AgentSupport(steer=True, fork=True, rewind=True)), module, script
    )
