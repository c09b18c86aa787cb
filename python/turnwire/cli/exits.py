"""Exit codes, the same for every command, and the one exception that carries them.

A mistake of the user or of the other side is a `Stop`: one line for people and a code for programs, never a traceback.
"""

import os
from enum import IntEnum

__all__ = ["EXIT_CODES", "Exit", "Stop", "fault_of"]


class Exit(IntEnum):
    """What a command found out, as its process says it."""

    DONE = 0
    FINDINGS = 1
    USAGE = 2
    UNREACHED = 3
    UNVERIFIED = 4
    FAULT = 5
    INTERRUPTED = 130


EXIT_CODES = """\
exit codes:
  0    done
  1    findings: an error answer, not conformant, stale or invalid
  2    wrong usage or configuration
  3    the target could not be started or reached
  4    required checks were not verified
  5    a fault of turnwire itself
  130  interrupted
"""


class Stop(Exception):  # noqa: N818 - it ends a command; whose fault it is, is its code
    """Ends the command with a line on stderr that says what, where and what to do; no line when it is empty."""

    def __init__(self, code: Exit, message: str = "") -> None:
        super().__init__(message)
        self.code = code


def fault_of(fault: OSError) -> str:
    """What a `Stop` says of a file: which it is and what is wrong, without the number that the system gives it."""
    if fault.strerror is None:
        return str(fault)
    return f"{os.fspath(fault.filename)}: {fault.strerror}" if fault.filename is not None else fault.strerror
