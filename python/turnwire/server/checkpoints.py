"""Files as they were (THR-8): kept at the start of each turn and where its agent asks for it, taken back by a rewind.

Kept is what a `FileProvider` of the host keeps; the record says by which name, and at which place of the thread.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from turnwire.server.host import FileProvider, HostError
from turnwire.server.thread import LiveThread
from turnwire.store.history import History
from turnwire.store.records import FilesRecord

__all__ = ["keep_files", "take_back_files"]

# Items whose work may change files.
_WORK = ("fileChange", "commandExecution", "toolCall", "mcpToolCall", "dynamicToolCall", "subagent")
# Tools that say that they change nothing of the workspace.
_HARMLESS = ("none", "read")


async def keep_files(thread: LiveThread, provider: FileProvider) -> FilesRecord | None:
    """Keeps the files of a thread; None where it has no directory.

    Raises:
        HostError: they could not be kept.
    """
    cwd = thread.header.cwd
    if cwd is UNSET:
        return None
    kept = FilesRecord(cwd=cwd, kept=await provider.keep(cwd))
    thread.record("record/files", kept)
    return kept


async def take_back_files(thread: LiveThread, provider: FileProvider, item_id: str) -> None:
    """Makes the files what they were after an item: those that were kept first after it.

    Raises:
        HostError: they cannot be brought back, or were not kept before something else may have changed them.
    """
    history, cwd = thread.history, thread.header.cwd
    if cwd is UNSET:
        raise HostError("The thread has no directory whose files could be taken back.", code="noDirectory")
    place = history.place(item_id)
    later = (one for one in history.files if one.seq > place and item_id not in one.open)
    kept = next((one for one in later if one.files.cwd == cwd), None)
    if _may_have_changed(history, after=place, before=None if kept is None else kept.seq):
        raise HostError(
            "The files were not kept right after this item. Rewind to the end of a turn.", code="filesNotKept"
        )
    if kept is None:
        # Nothing was done after it; that there is a repository is said all the same.
        await provider.keep(cwd)
        return
    await provider.restore(cwd, kept.files.kept)


def _may_have_changed(history: History, *, after: int, before: int | None) -> bool:
    later = (item for item in history.items.values() if history.place(item.id) > after)
    return any(_works(item) and (before is None or history.place(item.id) < before) for item in later)


def _works(item: Any) -> bool:
    if item.type not in _WORK or item.status == "declined":
        return False
    metadata = getattr(item, "tool_metadata", UNSET)
    return metadata is UNSET or metadata.side_effect not in _HARMLESS
