"""What is recorded of a thread and not announced: where its agent stands, what it was given, what came of requests.

Each is the payload of an event whose type begins with `record/`. None is ever changed; a reader that does not know one
passes over it.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from turnwire import wire

__all__ = [
    "RECORDS",
    "CompactedRecord",
    "ContextRecord",
    "DiscardedRecord",
    "FilesRecord",
    "HeldRecord",
    "KeptEvent",
    "KeyRecord",
    "OutputRecord",
    "PrunedRecord",
    "QueuedRecord",
    "SavedRecord",
    "SteeredRecord",
    "TakenRecord",
    "TextRecord",
]


class HeldRecord(msgspec.Struct, frozen=True, rename="camel"):
    """Whether a person holds the thread, also while a turn goes on (THR-12)."""

    held: bool


class ContextRecord(msgspec.Struct, frozen=True, rename="camel"):
    """The context that the application gives along, as a whole (THR-24)."""

    context: dict[str, wire.ContextEntry]


class CompactedRecord(msgspec.Struct, frozen=True, rename="camel"):
    """What stands for everything up to and with an item, in the context of the agent (THR-14)."""

    item_id: str
    summary: str


class FilesRecord(msgspec.Struct, frozen=True, rename="camel"):
    """The files of a directory were kept as they were at this place, under a name that its keeper knows (THR-8)."""

    cwd: str
    kept: str


class TextRecord(msgspec.Struct, frozen=True, rename="camel"):
    """More text of an item that is not completed yet (ITEM-10: "the text so far is recorded")."""

    item_id: str
    text: str


class SavedRecord(msgspec.Struct, frozen=True, rename="camel"):
    """Where the agent of a turn stands, in its own words; what a resumed turn goes on from."""

    turn_id: str
    state: Any


class OutputRecord(msgspec.Struct, frozen=True, rename="camel"):
    """What the final output of a turn must fit; the turn that resumes it is held to it too."""

    turn_id: str
    schema: dict[str, Any]


class DiscardedRecord(msgspec.Struct, frozen=True, rename="camel"):
    """A paused turn that will not be resumed (TURN-14: "`turn/interrupt` discards it")."""

    turn_id: str


class KeyRecord(msgspec.Struct, frozen=True, rename="camel"):
    """What a request came to that was recorded under an idempotency key, and the digest of its params (REC-5)."""

    method: str
    key: str
    digest: str
    result: msgspec.Raw


class QueuedRecord(msgspec.Struct, frozen=True, rename="camel"):
    """Who put an entry into the queue, where the transport knows: its turn is started in that name."""

    entry_id: str
    principal: str


class SteeredRecord(msgspec.Struct, frozen=True, rename="camel"):
    """Input that was given to a turn and not taken yet (TURN-5); the userMessage item will have this id."""

    turn_id: str
    item_id: str
    input: list[wire.InputPart]
    mode: str


class TakenRecord(msgspec.Struct, frozen=True, rename="camel"):
    """An entry of the queue whose turn is about to start; until it does, the entry is not lost."""

    entry: wire.QueueEntry


class KeptEvent(msgspec.Struct, frozen=True, rename="camel"):
    """An event that was pruned, as far as the thread still shows it; `seq` is its place in every list."""

    seq: int
    at: int
    type: str
    payload: msgspec.Raw
    idempotency_key: str | UnsetType = UNSET


class PrunedRecord(msgspec.Struct, frozen=True, rename="camel"):
    """Stands for the events that were pruned: the last one's number and hash, how many, and what they come to."""

    seq: int
    hash: str
    events: int
    pruned_at: int
    summary: list[KeptEvent]


# What is recorded and not announced.
RECORDS: dict[str, type[msgspec.Struct]] = {
    "record/held": HeldRecord,
    "record/context": ContextRecord,
    "record/compacted": CompactedRecord,
    "record/files": FilesRecord,
    "record/text": TextRecord,
    "record/saved": SavedRecord,
    "record/output": OutputRecord,
    "record/discarded": DiscardedRecord,
    "record/key": KeyRecord,
    "record/queued": QueuedRecord,
    "record/steered": SteeredRecord,
    "record/taken": TakenRecord,
    "record/pruned": PrunedRecord,
}
