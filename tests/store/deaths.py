"""Where a process may die: before, in the middle of, or after the n-th call of what matters, in a forked child."""

import os
import signal
from collections.abc import Callable
from typing import Any

from turnwire.server.hub import Hub
from turnwire.store.database import Database
from turnwire.store.files import Files
from turnwire.store.jsonl import JsonlStore
from turnwire.store.sqlite import SqliteStore

__all__ = ["MOMENTS", "POINTS", "count_calls", "die_at"]

MOMENTS = ("before", "after")
_STORES = (JsonlStore, SqliteStore)
_FILE_STEPS = ("write", "sync", "sync_directory", "replace", "remove", "open_to_append", "cut")
# What a store does, what it tells the disk, and what a server says of it.
POINTS = {
    "append": [(store, name) for store in _STORES for name in ("append", "create", "adopt", "delete", "note")],
    "force": [(store, "force") for store in _STORES] + [(Files, "sync"), (Files, "sync_directory")],
    "announce": [(Hub, "announce")],
    "step": [*((Files, name) for name in _FILE_STEPS), (Database, "change"), (Database, "rows")],
}


def die_at(point: str, number: int, moment: str) -> None:
    """From here on this process, a child of the tests, dies at the `number`-th call of the point."""
    calls = 0

    def reached(act: Callable[[], Any]) -> Any:
        nonlocal calls
        calls += 1
        if calls == number and moment == "before":
            _die()
        result = act()
        if calls == number and moment == "after":
            _die()
        return result

    _wrap(point, reached)


def count_calls(point: str) -> Callable[[], int]:
    """How often a point was reached from here on."""
    calls = 0

    def reached(act: Callable[[], Any]) -> Any:
        nonlocal calls
        calls += 1
        return act()

    _wrap(point, reached)
    return lambda: calls


def _wrap(point: str, reached: Callable[[Callable[[], Any]], Any]) -> None:
    for owner, name in POINTS[point]:
        original = getattr(owner, name)

        def wrapped(self: Any, *args: Any, _original: Any = original, **named: Any) -> Any:
            return reached(lambda: _original(self, *args, **named))

        setattr(owner, name, wrapped)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
