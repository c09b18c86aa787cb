"""The way to a server under test: its process and three pipes, or a connection to where it listens.

A probe speaks over either and knows not which; what only one of them has, the checks of that transport ask for.
"""

import signal
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from turnwire.conformance.target import Process, Target
from turnwire.conformance.websocket.connection import Connection

__all__ = ["Channel", "opened"]


class Channel(Protocol):
    """What a process on stdin and stdout and a connection have in common. See `Process` for each of these."""

    target: Target
    stderr: deque[str]
    ended_output: bool
    listened: float

    @property
    def scratch(self) -> Path:
        """A directory that the server reaches too."""

    @property
    def untaken(self) -> int:
        """Bytes that are on the way to the server, as far as that is known here."""

    def write(self, data: bytes) -> None:
        """Queue lines, each of them a message."""

    def take_messages(self) -> list[tuple[bytes, bool]]:
        """What has been said since it was last asked, each with whether it was whole."""

    def pump(self, seconds: float) -> None:
        """Wait at most this long for anything to happen, and let it happen."""

    def leave_unread(self, seconds: float) -> None:
        """Read nothing for this long."""

    def close_input(self) -> None:
        """Say that no more comes."""

    def exit_code(self) -> int | None:
        """With which code the process ended; None while it runs, and of a connection."""

    def is_over(self) -> bool:
        """Whether it has ended."""

    def wait_exit(self, seconds: float) -> int | None:
        """Hear it until it has ended, or the time is up."""

    def ending(self) -> str:
        """How it ended, in words."""

    # What only a process has. A connection says NotApplicable where one would act on it.

    def close_output(self) -> None:
        """Hear no more."""

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process."""

    def resident_bytes(self) -> int | None:
        """The largest memory that the process has held; None where nobody tells."""

    def wanted_seconds(self) -> float | None:
        """Processor time that the process wanted; None where nobody tells."""

    def survivors(self) -> list[int]:
        """Processes that it started and that live on."""

    def stop(self) -> None:
        """End it, whatever it does."""


def opened(target: Target, scratch: Path | None = None, env: Mapping[str, str] | None = None) -> Channel:
    """A new way to the server: a process, or a connection, to which scratch directory and environment mean nothing.

    Raises:
        TargetFault: the server cannot be started, or is not there.
    """
    return Process(target, scratch, env) if target.address is None else Connection(target)
