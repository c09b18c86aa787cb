"""The sum of one conversation or of many: which rules were judged, the first breach of each, and how many followed."""

from collections import deque
from typing import Any

import msgspec

from turnwire.conformance.passive.conversation import Conversation
from turnwire.conformance.passive.findings import Breach
from turnwire.conformance.trace import clip

__all__ = ["Folded", "Found"]

EXCERPT_LINES = 6


class Found(msgspec.Struct, frozen=True):
    """The first breach of a rule, and the lines up to it."""

    breach: Breach
    excerpt: tuple[str, ...]


class Folded:
    """What conversations came to; feed it one after the other."""

    def __init__(self) -> None:
        self.judged: set[str] = set()
        self.first: dict[str, Found] = {}
        self.more: dict[str, int] = {}
        self._latest: deque[tuple[str, bytes]] = deque(maxlen=EXCERPT_LINES)

    def begin(self) -> None:
        """Another conversation starts; its lines stand by themselves."""
        self._latest.clear()

    def hear(self, talk: Conversation, message: Any, raw: bytes, *, sent: bool, mark: str = "") -> None:
        """One message with its line; `mark` says where the line stands."""
        self._latest.append((f"{mark}{'→' if sent else '←'} ", raw))
        if sent:
            talk.client_said(message, raw)
        else:
            self._keep(talk.server_said(message))

    def finish(self, talk: Conversation) -> None:
        """The conversation is over."""
        self._keep(talk.end())
        self.judged |= talk.judged

    def _keep(self, breaches: list[Breach]) -> None:
        for breach in breaches:
            if breach.check in self.first:
                self.more[breach.check] = self.more.get(breach.check, 0) + 1
            else:
                excerpt = tuple(f"{lead}{clip(raw)}" for lead, raw in self._latest)
                self.first[breach.check] = Found(breach, excerpt)
