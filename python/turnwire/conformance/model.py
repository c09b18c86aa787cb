"""The words of a judgement: what a check is, how it ends, and what is kept of it.

Everything here is a frozen value. A check function says what it saw by returning or by raising one of the four
exceptions below; only the runner turns that into a verdict, by the level of the clause.
"""

from enum import StrEnum

import msgspec

__all__ = [
    "Attempt",
    "Check",
    "Level",
    "NotApplicable",
    "NotExercised",
    "Outcome",
    "Scenario",
    "TargetFault",
    "Unmet",
    "Verdict",
]


class Level(StrEnum):
    """The keyword of the clause, as RFC 2119 reads it."""

    MUST = "must"
    SHOULD = "should"
    MAY = "may"


class Verdict(StrEnum):
    """How a check ended. Only `pass` is green; `not-verified` never is."""

    PASS = "pass"  # noqa: S105 - a verdict, no password
    FAIL = "fail"
    WARN = "warn"
    NON_STRICT = "non-strict"
    SKIP = "skip"
    NOT_VERIFIED = "not-verified"
    FLAKY = "flaky"
    ERROR = "error"
    XFAIL = "xfail"
    XPASS = "xpass"


class Scenario(StrEnum):
    """What a check stands on, which decides who may share a process with it."""

    SESSION = "session"  # an initialized process, shared with others as long as all is well
    HANDSHAKE = "handshake"  # a process before initialize, shared by checks that leave it so
    ALONE = "alone"  # processes of its own: it ends them, or initializes them its own way
    TRACE = "trace"  # no process: reads every frame that the run has recorded


class Check(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row of the catalogue; `says` is the sentence of the clause, word for word."""

    id: str
    level: Level
    clause: str
    says: str
    url: str
    since: str
    scenario: Scenario
    summary: str
    mutants: tuple[str, ...]
    tier: int = 0
    gate: str = ""
    transports: tuple[str, ...] = ("stdio", "ws")
    timing: bool = False
    requires: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    removed: str = ""

    @property
    def layer(self) -> str:
        """The part before the first dot: `rpc`, `stdio`, `life`."""
        return self.id.partition(".")[0]


class Attempt(msgspec.Struct, frozen=True):
    """One run of a check function, before its level is weighed."""

    verdict: Verdict
    duration_ms: int
    note: str = ""
    expected: str = ""
    actual: str = ""
    excerpt: tuple[str, ...] = ()
    stderr: tuple[str, ...] = ()


class Outcome(msgspec.Struct, frozen=True):
    """A check and how it ended: the last attempt decides, unless attempts differ."""

    check: Check
    verdict: Verdict
    attempts: tuple[Attempt, ...] = ()
    note: str = ""

    @property
    def last(self) -> Attempt:
        """The attempt that a reader is shown; an empty one when nothing ran."""
        return self.attempts[-1] if self.attempts else Attempt(self.verdict, 0, note=self.note)


class Unmet(Exception):  # noqa: N818 - what it says is a finding, not an error of ours
    """The clause does not hold: what would have been lawful, and what came instead."""

    def __init__(self, expected: str, actual: str, excerpt: tuple[str, ...] = ()) -> None:
        super().__init__(f"expected {expected}; saw {actual}")
        self.expected = expected
        self.actual = actual
        self.excerpt = excerpt


class NotApplicable(Exception):  # noqa: N818 - a verdict, not an error
    """The check does not concern this server: not offered, or ruled out by the profile."""


class NotExercised(Exception):  # noqa: N818 - a verdict, not an error
    """The check could not be put to the test, for the reason given. Never green."""


class TargetFault(Exception):  # noqa: N818 - whose fault it is, is its name
    """The target could not be started, reached or kept talking; the message is for its author."""
