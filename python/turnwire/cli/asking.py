"""Approvals at the command line: answered by a flag, asked at a terminal, and declined where nobody can be asked."""

import asyncio
import os
from collections.abc import Callable, Sequence

from msgspec import UNSET

from turnwire.cli import Streams
from turnwire.wire import Approval, ApprovalAnswer, ApprovalOption, ApprovalRequestParams

__all__ = ["Asker"]


class Asker:
    """Answers `approval/request`. APPR-4: nothing runs without a valid accept, so every doubt declines."""

    def __init__(self, streams: Streams, choice: str, show: Callable[[Approval], None]) -> None:
        """`choice` is approve, decline, or ask; `show` prints what is asked before the person is."""
        self._streams = streams
        self._choice = choice if choice != "ask" or streams.stdin.isatty() else "decline"
        self._show = show

    async def answer(self, asked: ApprovalRequestParams) -> ApprovalAnswer:
        """The answer of the flag or of the person, with the nonce that it belongs to."""
        approval = asked.approval
        options = approval.available_decisions
        if self._choice == "approve":
            decision = next((option.decision for option in options if option.decision.startswith("accept")), "decline")
        elif self._choice == "decline":
            decision = "decline"
        else:
            self._show(approval)
            decision = await self._ask(options)
        nonce = approval.binding.nonce
        return ApprovalAnswer(decision=decision, nonce="" if nonce is UNSET else nonce)

    async def _ask(self, options: Sequence[ApprovalOption]) -> str:
        """Ask until one of the numbers is typed; the end of input declines."""
        decisions = {str(number): option.decision for number, option in enumerate(options, 1)}
        prompt = "  ".join(f"[{number}] {option.label}" for number, option in enumerate(options, 1))
        while True:
            self._streams.stderr.write(f"{prompt}: ")
            self._streams.stderr.flush()
            line = await _typed(self._streams.stdin.fileno())
            if not line:
                return "decline"
            if line.strip() in decisions:
                return decisions[line.strip()]


async def _typed(terminal: int) -> str:
    """One line from a terminal. A thread that reads could not be interrupted, and the process would not end."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(terminal, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(terminal)
    return os.read(terminal, 4096).decode("utf-8", "replace")
