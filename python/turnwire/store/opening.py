"""The stores by the name that the command line gives them; one is imported when it is chosen."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from turnwire.store.base import Store

__all__ = ["STORES", "open_store"]

STORES = {
    "jsonl": ("turnwire.store.jsonl", "JsonlStore"),
    "sqlite": ("turnwire.store.sqlite", "SqliteStore"),
}


def open_store(kind: str, directory: str | os.PathLike[str], **options: Any) -> Store:
    """Opens a state directory, or begins one; `options` are `fsync` and `tell`, see `JsonlStore`.

    Raises:
        ValueError: there is no such store or policy, or the directory is one of another kind.
        OSError: the directory cannot be used.
    """
    if kind not in STORES:
        raise ValueError(f"a store is one of {', '.join(STORES)}, not {kind!r}")
    module, name = STORES[kind]
    opened: Store = getattr(import_module(module), name)(directory, **options)
    return opened
