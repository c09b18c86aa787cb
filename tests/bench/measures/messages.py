"""A thousand messages of the protocol, no two alike, made by a seed: what every language reads and writes."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from turnwire.conformance.walker import Walker
from turnwire.schemas import Schemas
from turnwire.wire import METHODS

__all__ = ["COUNT", "as_lines", "messages"]

COUNT = 1_000
SEED = 1
TYPES = ("ServerNotification", "ClientRequest")
BUNDLE = Path(__file__).parents[3] / "protocol" / "bundle.json"


@cache
def messages() -> tuple[tuple[str, dict[str, Any]], ...]:
    """As many notifications of the server as requests of the client, each with the name of its type."""
    bundle = json.loads(BUNDLE.read_text(encoding="utf-8"))
    walker = Walker(bundle, Schemas(bundle), SEED)
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    while len(found) < COUNT:
        name = TYPES[len(found) % len(TYPES)]
        value = walker.value(name)
        # A tag that nobody knows is read the slow way; real messages have one when a server is newer than its client.
        if value["method"] in METHODS:
            found[json.dumps(value)] = name, value
    return tuple(found.values())


def as_lines(given: tuple[tuple[str, dict[str, Any]], ...]) -> str:
    """What the roundtrip programs read: a line for each."""
    return "".join(json.dumps({"type": name, "value": value}) + "\n" for name, value in given)
