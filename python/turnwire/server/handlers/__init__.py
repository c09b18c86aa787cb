"""The methods that are served: each method's module is imported when the method is first called.

A module has HANDLERS, and CONSTANTS for methods whose result is always the same where no params are given.

A route is what a method comes down to on a connection whose gates it has passed: how its params are read, and who
answers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from inspect import iscoroutinefunction
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw

from turnwire.codec import decode_params
from turnwire.errors import experimental_required, method_not_found
from turnwire.server.call import Handler
from turnwire.server.offers import EXPERIMENTAL_MEMBERS, GATED_MEMBERS
from turnwire.wire import METHODS

__all__ = ["MODULES", "Route", "route_of"]

MODULES: dict[str, str] = {
    "initialize": "lifecycle",
    "ping": "lifecycle",
    "shutdown": "lifecycle",
    "thread/start": "threads",
    "thread/resume": "threads",
    "thread/read": "threads",
    "thread/unsubscribe": "threads",
    "thread/update": "thread_changes",
    "thread/archive": "thread_changes",
    "thread/unarchive": "thread_changes",
    "thread/delete": "thread_changes",
    "thread/pause": "thread_changes",
    "thread/unpause": "thread_changes",
    "thread/compact": "thread_changes",
    "thread/fork": "forks",
    "thread/rewind": "rewinds",
    "thread/list": "lists",
    "thread/turns/list": "lists",
    "thread/items/list": "lists",
    "thread/events/list": "events",
    "turn/start": "turns",
    "turn/steer": "turns",
    "turn/interrupt": "turns",
    "turn/enqueue": "queue",
    "turn/queue/list": "queue",
    "turn/queue/remove": "queue",
    "turn/queue/reorder": "queue",
    "turn/queue/update": "queue",
    "turn/queue/resume": "queue",
    "review/start": "reviews",
    "approval/resolve": "requests",
    "userInput/resolve": "requests",
    "approvalRules/list": "rules",
    "approvalRules/remove": "rules",
    "model/list": "models",
    "trace/read": "traces",
    "schema/export": "exports",
}
"""Method → the module of this package whose HANDLERS serve it."""


class Route(NamedTuple):
    """A method that is served on this connection."""

    handler: Handler
    read: Callable[[Raw | None], Any]
    # Whether the handler is a coroutine.
    waits: bool
    # Whether it changes anything, so that it is refused during a shutdown (LIFE-16).
    changes: bool
    # The result without params as JSON, where that is always the same; None where it is not.
    constant: bytes | None


@cache
def route_of(method: str, *, experimental: bool, offered: frozenset[str]) -> Route:
    """The route of a method where these capabilities are offered, for clients that opted in to what is experimental and
    for those that did not.

    Raises:
        Refusal: methodNotFound, or experimentalRequired.
    """
    row = METHODS.get(method)
    if row is None or row.kind != "request" or row.sender == "server":
        raise method_not_found(method)
    if row.stability == "experimental" and not experimental:
        raise experimental_required(method)
    if row.capability is not None and row.capability not in offered:
        raise method_not_found(method, capability=row.capability)
    module = import_module(f"{__name__}.{MODULES[method]}")
    handler = module.HANDLERS[method]
    gated = GATED_MEMBERS.get(row.params or "", {})

    def read(params: Raw | None) -> Any:
        if gated and params is not None:
            _demand_offered(row.params or "", gated, params, experimental=experimental, offered=offered)
        return decode_params(method, params)

    constants = getattr(module, "CONSTANTS", {})
    constant = msgspec.json.encode(constants[method]) if method in constants else None
    return Route(handler, read, iscoroutinefunction(handler), row.durable, constant)


def _demand_offered(
    type_name: str, gated: dict[str, str], params: Raw, *, experimental: bool, offered: frozenset[str]
) -> None:
    """The gates of members come before params are judged, as those of methods do."""
    try:
        given = _members(params)
    except msgspec.DecodeError:
        # No object: what is wrong with it is for `decode_params` to say.
        return
    for member, capability in gated.items():
        if member in given:
            if f"{type_name}.{member}" in EXPERIMENTAL_MEMBERS and not experimental:
                raise experimental_required(f"{type_name}.{member}")
            if capability not in offered:
                raise method_not_found(f"{type_name}.{member}", capability=capability)


_members = msgspec.json.Decoder(dict[str, Raw]).decode
