"""Headers with which threads begin."""

from __future__ import annotations

from msgspec import UNSET

from turnwire.server.ids import new_id, now_ms
from turnwire.wire import Thread, ThreadStartParams

__all__ = ["FIRST", "child_header", "new_header"]

FIRST = 1
"""The event with which a record begins."""


def new_header(params: ThreadStartParams, agent: str) -> Thread:
    """The header of a thread that a client starts."""
    now = now_ms()
    return Thread(
        id=new_id("thread") if params.thread_id is UNSET else params.thread_id,
        status="idle",
        agent=agent,
        cwd=params.cwd,
        title=params.title,
        mode=params.mode,
        permission_mode=params.permission_mode,
        approval_policy=params.approval_policy,
        config=params.config,
        identity=params.identity,
        metadata=params.metadata,
        created_at=now,
        updated_at=now,
        version=1,
        seq=FIRST,
    )


def child_header(parent: Thread, agent: str) -> Thread:
    """The header of a thread in which an agent works for the turn of another: it may what that one may."""
    now = now_ms()
    return Thread(
        id=new_id("thread"),
        status="idle",
        agent=agent,
        cwd=parent.cwd,
        mode=parent.mode,
        permission_mode=parent.permission_mode,
        approval_policy=parent.approval_policy,
        config=parent.config,
        identity=parent.identity,
        parent_thread_id=parent.id,
        created_at=now,
        updated_at=now,
        version=1,
        seq=FIRST,
    )
