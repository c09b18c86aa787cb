"""The stores by the name that the command line gives them; one is imported when it is chosen."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

from turnwire.store.base import Store

__all__ = ["STORES", "DurableStore", "open_store"]

STORES = {
    "jsonl": ("turnwire.store.jsonl", "JsonlStore"),
    "sqlite": ("turnwire.store.sqlite", "SqliteStore"),
}


class DurableStore(Store, Protocol):
    """A store that survives its process. What follows is for the tools that keep a record, not for the server."""

    def shorten(self, thread_id: str, pruned: bytes, count: int) -> None:
        """Puts one event in the place of the first `count` events; those after it keep their bytes.

        Raises:
            BadEvent: the next event does not follow it; nothing was changed.
            KeyError, ThreadHeld, ThreadDamaged: as in `claim`.
        """

    def note_lines(self) -> Sequence[bytes]:
        """The notes in the bytes in which they are stored, those of another version too."""

    def take_notes(self, lines: Sequence[bytes]) -> None:
        """Adds notes of another store, but for those that this one has."""


def open_store(kind: str, directory: str | os.PathLike[str], **options: Any) -> DurableStore:
    """Opens a state directory, or begins one; `options` are `fsync` and `tell`, see `JsonlStore`.

    Raises:
        ValueError: there is no such store or policy, or the directory is one of another kind.
        OSError: the directory cannot be used.
    """
    if os.name != "posix":
        raise OSError("a record needs the file locks of a POSIX system; without a state directory nothing is kept")
    if kind not in STORES:
        raise ValueError(f"a store is one of {', '.join(STORES)}, not {kind!r}")
    module, name = STORES[kind]
    opened: DurableStore = getattr(import_module(module), name)(directory, **options)
    return opened
