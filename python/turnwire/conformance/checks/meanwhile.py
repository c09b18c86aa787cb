"""What is done while a turn runs: it lasts for as long as that takes, so no check hangs on how fast a machine is.

A turn that nothing waits for is LONG and is stopped, or goes with its process. One that must end by itself has a pace;
where it was over too early, all is done again with a slower one.
"""

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar

from turnwire.conformance.checks.work import Work
from turnwire.conformance.model import NotExercised
from turnwire.conformance.pointer import pick
from turnwire.conformance.turns import Turn

__all__ = ["LONG", "expect_amidst", "expect_open", "expect_still", "meanwhile"]

Found = TypeVar("Found")

# Five minutes.
LONG = "slow 6000 50"
# Milliseconds between the words of a turn that ends by itself; the last one leaves time to wait for its end too.
PACES = (40, 400, 1500)


class _OverAlready(NotExercised):
    """The turn had come to its end before what should be done meanwhile was done."""


def meanwhile(attempt: Callable[[int], Found]) -> Found:
    """What an attempt finds with a turn of some pace, the slowest one if need be.

    Raises:
        NotExercised: even that turn was over too early.
    """
    for pace in PACES[:-1]:
        with contextlib.suppress(_OverAlready):
            return attempt(pace)
    return attempt(PACES[-1])


def expect_still(asked: Work, thread: str, since: int) -> None:
    """Go on only if no turn of this thread has ended by itself since a mark in `probe.arrived`.

    Raises:
        NotExercised: one has; `meanwhile` begins again with a slower one.
    """
    ends = [pick(params, "/turn/status") for params in asked.told("turn/completed", thread, since)]
    if ends and ends[0] in ("completed", "failed"):
        raise _OverAlready("the turn was over before what should be done meanwhile had been done")


def expect_open(shown: Any, kind: str) -> Any:
    """The open item of a type in an answer to thread/resume; that none is there is judged by another check.

    Raises:
        NotExercised: there is none; `meanwhile` begins again with a slower turn.
    """
    found = [item for item in pick(shown, "/items") or () if pick(item, "/type") == kind]
    if not found or pick(found[-1], "/status") != "inProgress":
        raise _OverAlready(f"no {kind} was open any more when its thread was resumed")
    return found[-1]


def expect_amidst(turn: Turn, words: int) -> None:
    """Go on only if a turn that says so many words has not said the last one.

    Raises:
        NotExercised: it has; `meanwhile` begins again with a slower one.
    """
    if len(turn.told("item/agentMessage/delta")) >= words:
        raise _OverAlready("the turn had said all that it says before what should be done meanwhile had been done")
