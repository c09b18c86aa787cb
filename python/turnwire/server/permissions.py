"""What the permission mode of a thread says of an operation: it runs, it is declined, or people are asked (APPR-14).

What only reads runs in every mode; in `readOnly` nothing else does, whether its agent asks or not (APPR-15).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from msgspec import UNSET, UnsetType

from turnwire.agents.base import AgentFailed, Question
from turnwire.errors import Issue
from turnwire.server.offers import PERMISSION_MODES
from turnwire.wire import Approval, Thread, ToolMetadata

__all__ = ["Permits", "answer_of", "demand_permitted", "mode_issues", "reference_policy", "side_effect_of"]

Permits: TypeAlias = Callable[[Thread, Approval], Awaitable[bool]]
"""See `Host.permits`."""

# The side effects of what changes nothing.
_HARMLESS = ("none", "read")

_log = logging.getLogger("turnwire.server")


def mode_issues(pointer: str, mode: str | UnsetType | None) -> Iterator[Issue]:
    """APPR-16: what is wrong with a mode that a client asks for; null clears."""
    if mode not in (UNSET, None, *PERMISSION_MODES):
        yield Issue(pointer, "is no mode that this server knows", ", ".join(PERMISSION_MODES))


async def answer_of(thread: Thread, question: Question, approval: Approval, permits: Permits) -> str | None:
    """What the mode of a thread answers, `accept` or `decline`; None where people are to be asked."""
    mode = thread.permission_mode
    if mode not in PERMISSION_MODES:
        return None
    if question.side_effect in _HARMLESS:
        return "accept"
    if mode == "readOnly":
        return "decline"
    if mode == "acceptEdits" and _is_edit(thread, approval):
        return "accept"
    if mode == "auto" and await _lets_through(thread, approval, permits):
        return "accept"
    return None


def side_effect_of(metadata: ToolMetadata | UnsetType) -> str | UnsetType:
    """What a tool declares that it may change."""
    return UNSET if metadata is UNSET else metadata.side_effect


def demand_permitted(thread: Thread, side_effect: str | UnsetType = UNSET, *, accepted: bool = False) -> None:
    """Keeps an operation from running that may change something where nothing is to be changed.

    Raises:
        AgentFailed: it may not run.
    """
    if thread.permission_mode == "readOnly" and side_effect not in _HARMLESS and not accepted:
        raise AgentFailed("The thread is read-only, and this could change something.", code="toolFailed")


def reference_policy(thread: Thread, approval: Approval) -> bool:
    """The policy that `turnwire serve` has for the mode `auto`: tools, and files of the workspace, unless they are said
    to be risky; commands and connections are asked about."""
    return approval.risk != "high" and (approval.kind == "tool" or _is_edit(thread, approval))


def _is_edit(thread: Thread, approval: Approval) -> bool:
    """Whether it changes files of the workspace and nothing else; links are followed, so that none leads out of it."""
    if approval.kind != "file" or approval.target is UNSET or thread.cwd is UNSET:
        return False
    try:
        workspace = Path(thread.cwd).resolve(strict=True)
        return workspace in (workspace / approval.target).resolve().parents
    except (OSError, ValueError, RuntimeError):
        # No such directory, no path at all, or links in a circle.
        return False


async def _lets_through(thread: Thread, approval: Approval, permits: Permits) -> bool:
    try:
        return await permits(thread, approval)
    except Exception:  # noqa: BLE001 - the host is foreign code
        # Where its policy says nothing, people are asked.
        _log.exception("the host could not say whether an operation of %s may run", thread.id)
        return False
