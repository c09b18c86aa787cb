"""Input that is steered to a turn while it runs: it waits here until the agent takes it (TURN-5)."""

import asyncio
from typing import Any

from turnwire.agents.base import Steered
from turnwire.server.items import Items
from turnwire.store.records import SteeredRecord
from turnwire.wire import UntakenInput, UserMessageItem

__all__ = ["Inbox"]


class Inbox:
    """The input of one turn that was not taken yet, oldest first."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, Steered]] = []
        # Taken while a step was aborted, and not yet seen by the agent.
        self._unseen: list[Steered] = []
        self._arrived = asyncio.Event()
        self._injected = False
        # The step that injected input aborts, where one runs.
        self.step: asyncio.Future[Any] | None = None

    def put(self, given: SteeredRecord) -> None:
        """Keeps input for the agent."""
        self._waiting.append((given.item_id, Steered(given.input, given.mode)))
        self._arrived.set()
        if given.mode == "inject" and self.step is not None:
            self._injected = True
            self.step.cancel()

    def take(self, items: Items) -> list[Steered]:
        """All that waits; each piece shows as a userMessage item."""
        taken = self._unseen
        self._unseen = []
        return taken + self._show(items)

    def take_aborting(self, items: Items) -> None:
        """As `take`, for a step that begins again: its agent sees the input when it next asks."""
        self._unseen += self._show(items)

    def was_injected(self) -> bool:
        """Whether input that came since the last call aborts the step."""
        injected, self._injected = self._injected, False
        return injected

    async def arrival(self) -> None:
        """Waits until there is something to take."""
        while not (self._waiting or self._unseen):
            self._arrived.clear()
            await self._arrived.wait()

    def untaken(self) -> list[UntakenInput]:
        """What the turn will not take any more."""
        return [UntakenInput(input=list(steered.input), mode=steered.mode) for _, steered in self._waiting]

    def _show(self, items: Items) -> list[Steered]:
        waiting, self._waiting = self._waiting, []
        for item_id, steered in waiting:
            items.show(UserMessageItem(**items.common(item_id), input=list(steered.input), mode=steered.mode))
        return [steered for _, steered in waiting]
