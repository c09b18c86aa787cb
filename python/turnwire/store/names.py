"""What a thread is called on the disk: readable, the same on every file system, and never two threads alike."""

import re
from hashlib import sha256

__all__ = ["name_of"]

_STRANGE = re.compile(r"[^a-z0-9]+")
# Long enough to recognise a thread by, short enough for every file system.
_READABLE = 40
_DIGITS = 32


def name_of(thread_id: str) -> str:
    """Ids may hold `/` and `:` and differ by case only, so half of a digest tells them apart."""
    readable = _STRANGE.sub("-", thread_id.lower())[:_READABLE].strip("-")
    return f"{readable}-{sha256(thread_id.encode()).hexdigest()[:_DIGITS]}"
