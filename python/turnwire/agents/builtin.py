"""The agents of this package by name; each is imported when it first answers a turn."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from turnwire.agents.base import Agent, Conversation, TurnContext
from turnwire.wire import AgentSupport

__all__ = ["BUILTIN", "BuiltinAgent", "builtin_agent"]

# Name → title, module, version of the script grammar.
BUILTIN: dict[str, tuple[str, str, int | None]] = {
    "scripted": ("Scripted", "turnwire.agents.scripted", 1),
    "echo": ("Echo", "turnwire.agents.echo", None),
}


class BuiltinAgent(Agent):
    """An agent whose module is imported when it first answers a turn."""

    supports = AgentSupport(steer=True, fork=True, rewind=True)

    def __init__(self, name: str, title: str, module: str, script: int | None) -> None:
        self.id = name
        self.title = title
        self.script = script
        self._module = module

    async def run(self, turn: TurnContext) -> None:
        await import_module(self._module).run(turn)

    async def compact(self, conversation: Conversation, run_config: Any) -> str | None:  # noqa: ARG002 - needs no model
        count = len(conversation.items)
        return f"{count} items" if count else None


def builtin_agent(name: str) -> BuiltinAgent:
    """The agent of this name.

    Raises:
        KeyError: there is none.
    """
    return BuiltinAgent(name, *BUILTIN[name])
