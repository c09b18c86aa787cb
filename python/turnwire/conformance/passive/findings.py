"""What the fold has come to: which rules had something to judge, and what broke them.

Memory is bounded however long a conversation is: ids that are over are remembered for a long while, not for ever.
"""

from typing import NamedTuple

__all__ = ["Breach", "Findings", "Recent"]

# A turn has some dozens of items; an id that comes again does so within the hours that this many ids last.
REMEMBERED = 65_536


class Breach(NamedTuple):
    """One rule that does not hold: its check, what would have been lawful, and what came instead."""

    check: str
    expected: str
    actual: str


class Findings:
    """The rules of one conversation. A rule that was never judged is not kept, it is only not broken.

    By a contract that promises only some rules nobody is held to the others: `promised` are its own, None all of them.
    `lifted` are those that do not hold in this conversation.
    """

    def __init__(self, promised: frozenset[str] | None = None, lifted: frozenset[str] = frozenset()) -> None:
        self._judged: set[str] = set()
        self._breaches: list[Breach] = []
        self._promised = promised
        self._lifted = lifted

    @property
    def judged(self) -> set[str]:
        """The rules that had something to judge."""
        return self._judged if self._promised is None else self._judged & self._promised

    def judge(self, *checks: str) -> None:
        """Note that these rules have something to judge."""
        self._judged.update(checks)

    def broke(self, check: str, expected: str, actual: str) -> None:
        """Note that this rule does not hold."""
        self._judged.add(check)
        if check not in self._lifted and (self._promised is None or check in self._promised):
            self._breaches.append(Breach(check, expected, actual))

    def expect_in_time(self, what: str, began: int | None, ended: int | None) -> None:
        """TURN-21: an end is not before its beginning; a dialect may give no times."""
        if began is None or ended is None:
            return
        self.judge("turn.timestamps-monotonic")
        if ended < began:
            self.broke("turn.timestamps-monotonic", f"a completedAt of {what} from {began} on", str(ended))

    def take(self) -> list[Breach]:
        """The breaches since the last time."""
        taken, self._breaches = self._breaches, []
        return taken


class Recent:
    """The latest ids that were seen, each with a word about it."""

    def __init__(self, size: int = REMEMBERED) -> None:
        self._size = size
        self._words: dict[str, str] = {}

    def __contains__(self, identifier: str) -> bool:
        return identifier in self._words

    def get(self, identifier: str) -> str:
        """The word about an id; empty when it was not seen."""
        return self._words.get(identifier, "")

    def add(self, identifier: str, word: str) -> None:
        """Remember an id, and forget the oldest where there are too many."""
        self._words[identifier] = word
        if len(self._words) > self._size:
            del self._words[next(iter(self._words))]
