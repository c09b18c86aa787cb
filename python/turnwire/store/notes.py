"""What a store keeps of no single thread: rules that were saved or removed, and what was deleted under a key.

Notes are added and never changed; a later one may make an earlier one idle. What no note needs is left out when so
many have gathered that it is worth it, so that a store that lives long does not grow with what it has forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from turnwire import wire

__all__ = ["Deletion", "Gone", "Note", "most", "needed", "rules_of"]

# REC-5: where no thread ends the life of a key, so many are kept. As many removals of rules are, so that whoever copied
# a rule to another directory hears that it was removed.
_KEPT = 10_000
# So many idle notes are not worth the work.
_SLACK = 1_000


class Gone(NamedTuple):
    """A thread that was deleted. A thread that is there and was created at another time is another one."""

    thread_id: str
    created_at: int


class Deletion(msgspec.Struct, frozen=True, rename="camel"):
    """One request: its key, the digest of its params, and its threads, the one that was named first."""

    key: str
    digest: str
    threads: list[Gone]

    @property
    def thread_ids(self) -> list[str]:
        """What the request deleted."""
        return [gone.thread_id for gone in self.threads]


class Note(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """One of them. A rule, the id of a rule that was removed, or a deletion; nothing of these from another version."""

    rule: wire.ApprovalRule | None = None
    removed_rule: str | None = None
    deletion: Deletion | None = None


def rules_of(notes: Sequence[Note]) -> list[wire.ApprovalRule]:
    """The rules that hold, oldest first."""
    removed = {note.removed_rule for note in notes}
    return [note.rule for note in notes if note.rule is not None and note.rule.id not in removed]


def needed(notes: Sequence[Note]) -> list[int]:
    """The places of those that still say something; what another version wrote may."""
    holding = {rule.id for rule in rules_of(notes)}
    removals = [place for place, note in enumerate(notes) if note.removed_rule is not None]
    deletions = [place for place, note in enumerate(notes) if note.deletion is not None]
    idle = {*removals[:-_KEPT], *deletions[:-_KEPT]}
    idle |= {place for place, note in enumerate(notes) if note.rule is not None and note.rule.id not in holding}
    return [place for place in range(len(notes)) if place not in idle]


def most(count: int) -> int:
    """How many notes there may be where so many are needed."""
    # A rule that comes and goes leaves one that is needed and one that is not.
    return count + count // 2 + _SLACK
