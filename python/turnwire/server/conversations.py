"""What an agent is given of earlier turns: the items of the thread, and what compacting left of those before (THR-14).

The record stays whole: compacting adds to it, and says from where on the items still count.
"""

from msgspec import UNSET, UnsetType

from turnwire.agents.base import Conversation
from turnwire.server.thread import LiveThread
from turnwire.store.records import CompactedRecord

__all__ = ["compact", "conversation_of"]


def conversation_of(thread: LiveThread, *, before: str | UnsetType = UNSET) -> Conversation:
    """What was said in the thread before a turn, or so far."""
    compacted = thread.history.compacted()
    items = [item for item in thread.history.items.values() if item.turn_id != before and item.status != "inProgress"]
    if compacted is None:
        return Conversation(items=items)
    place = thread.history.place(compacted.item_id)
    later = [item for item in items if thread.history.place(item.id) > place]
    return Conversation(summary=compacted.summary, items=later)


def compact(thread: LiveThread, conversation: Conversation, summary: str) -> bool:
    """Records that a summary stands for a conversation from now on; whether there was anything that it could stand
    for. What was taken back meanwhile is not brought back by it."""
    known = [item.id for item in conversation.items if item.id in thread.history.items]
    earlier = thread.history.compacted()
    end = known[-1] if known else None if earlier is None else earlier.item_id
    if end is None:
        return False
    thread.record("record/compacted", CompactedRecord(item_id=end, summary=summary))
    return True
