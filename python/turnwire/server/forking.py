"""A thread from a point of another (THR-7): turns and items under new ids, each saying what it is a copy of.

The copy has no queue, nothing that waits and no key. A turn of which not all is copied, or that is not over, ends
`interrupted` in the copy; nothing else is made up.
"""

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from turnwire.errors import not_found
from turnwire.server.ids import new_id, now_ms
from turnwire.server.thread import LiveThread
from turnwire.store.history import History
from turnwire.wire import (
    Approval,
    ForkOrigin,
    ItemCompletedParams,
    ItemStartedParams,
    Thread,
    Turn,
    TurnCompletedParams,
    TurnStartedParams,
)

__all__ = ["copy_into", "cut_of", "forked_header"]

# What only the end of a turn says.
_AT_THE_END = (
    *("completed_at", "end_reason", "usage", "budget", "error", "final_output", "structured_output", "review"),
    *("pending", "untaken", "evidence"),
)

# What only the end of an item says.
_RESULTS = (
    *("result", "resolution", "review", "duration_ms", "error_code", "error_message", "exit_code", "output"),
    *("success", "content_items", "structured_content"),
)


def cut_of(history: History, item_id: str | None) -> str | None:
    """The last item to copy: the one that is named, or the last that is completed; None where there is none.

    Raises:
        Refusal: notFound.
    """
    if item_id is None:
        done = [item.id for item in history.items.values() if item.status != "inProgress"]
        return done[-1] if done else None
    if item_id not in history.items:
        raise not_found("item", item_id)
    return item_id


def forked_header(source: Thread, thread_id: str, item_id: str | None) -> Thread:
    """The header with which the new thread begins."""
    now = now_ms()
    return replace(
        source,
        id=thread_id,
        status="idle",
        paused_by=UNSET,
        active_turn=UNSET,
        parent_thread_id=UNSET,
        forked_from=ForkOrigin(thread_id=source.id, item_id=UNSET if item_id is None else item_id),
        archived_at=UNSET,
        created_at=now,
        updated_at=now,
        version=1,
        seq=1,
    )


def copy_into(thread: LiveThread, source: History, item_id: str) -> None:
    """Records what the source has up to and with this item."""
    thread.give_context(source.context)
    end = source.place(item_id)
    ids: dict[str, str] = {}
    for turn in source.turns.values():
        if source.place(turn.id) <= end:
            _copy_turn(thread, source, turn, ids, end=end)
    compacted = source.compacted(by=end)
    if compacted is not None:
        thread.record("record/compacted", replace(compacted, item_id=ids[compacted.item_id]))


def _copy_turn(thread: LiveThread, source: History, turn: Turn, ids: dict[str, str], *, end: int) -> None:
    items: list[Any] = list(source.items_of(turn.id))
    kept = [item for item in items if source.place(item.id) <= end]
    ids[turn.id] = new_id("turn")
    ids.update((item.id, new_id("item")) for item in kept)
    moved = replace(
        turn,
        id=ids[turn.id],
        thread_id=thread.id,
        forked_from=turn.id,
        resumes=ids.get(turn.resumes, UNSET) if turn.resumes is not UNSET else UNSET,
    )
    begun = replace(moved, status="running", **dict.fromkeys(_AT_THE_END, UNSET))
    thread.record("turn/started", TurnStartedParams(thread_id=thread.id, turn=begun, seq=thread.seq))
    for item in kept:
        _copy_item(thread, item, ids)
    whole = len(kept) == len(items) and turn.completed_at is not UNSET and turn.status != "paused"
    ended = moved if whole else replace(begun, status="interrupted", completed_at=_time_of(kept, turn))
    if whole and turn.evidence is not UNSET:
        ended = replace(ended, evidence=replace(turn.evidence, seq=thread.seq, head_hash=thread.head_hash))
    thread.record("turn/completed", TurnCompletedParams(thread_id=thread.id, turn=ended, seq=thread.seq))


def _copy_item(thread: LiveThread, item: Any, ids: dict[str, str]) -> None:
    moved = _moved(thread, item, ids)
    if not (item.status == "declined" and item.type != "approval"):
        # ITEM-1: what was denied has no start; everything else has one, before anything came of it.
        begun = replace(moved, status="inProgress", completed_at=UNSET, **_before(item))
        params = ItemStartedParams(thread_id=thread.id, turn_id=moved.turn_id, item=begun, seq=thread.seq)
        thread.record("item/started", params)
    if item.status == "inProgress":
        moved = replace(moved, status="interrupted", completed_at=now_ms())
    done = ItemCompletedParams(thread_id=thread.id, turn_id=moved.turn_id, item=moved, seq=thread.seq)
    thread.record("item/completed", done)


def _moved(thread: LiveThread, item: Any, ids: dict[str, str]) -> Any:
    parent = item.parent_item_id
    moved = replace(
        item,
        id=ids[item.id],
        thread_id=thread.id,
        turn_id=ids[item.turn_id],
        parent_item_id=UNSET if parent is UNSET else ids.get(parent, UNSET),
        forked_from=item.id,
    )
    if item.type == "userInput":
        place = {"thread_id": thread.id, "turn_id": moved.turn_id, "item_id": moved.id}
        return replace(moved, user_input=replace(item.user_input, **place))
    return replace(moved, approval=_moved_approval(thread, item.approval, ids)) if item.type == "approval" else moved


def _moved_approval(thread: LiveThread, approval: Approval, ids: dict[str, str]) -> Approval:
    subject = approval.subject_item_id
    return replace(
        approval,
        thread_id=thread.id,
        turn_id=ids[approval.turn_id],
        item_id=ids[approval.item_id],
        subject_item_id=UNSET if subject is UNSET else ids.setdefault(subject, new_id("item")),
    )


def _before(item: Any) -> dict[str, Any]:
    """The members of an item that only its end brings, as they were at its start."""
    before: dict[str, Any] = {name: UNSET for name in _RESULTS if hasattr(item, name)}
    if item.type in ("agentMessage", "reasoning"):
        before["text"] = ""
    return before


def _time_of(items: list[Any], turn: Turn) -> int:
    """When the last of these ended; the start of the turn where none did."""
    ends: list[int] = [item.completed_at for item in items if item.completed_at is not UNSET]
    return max([turn.started_at, *ends])
