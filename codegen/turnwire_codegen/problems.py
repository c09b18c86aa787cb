"""Every fault has a place: a file, a JSON pointer or a line, what is wrong and what to do.

A `Place` walks down a document beside the code that reads it and collects; nothing is raised, so one run tells all.
"""

from typing import Literal

import msgspec

__all__ = ["Finding", "Place", "Problem", "Severity", "Verdict", "has_errors"]

Severity = Literal["error", "warning"]
Verdict = Literal["kept", "runtime", "degraded"]


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One fault of an input. `where` is a JSON pointer, or `line:column` while a file is not yet JSON."""

    severity: Severity
    file: str
    where: str
    what: str
    fix: str

    def __str__(self) -> str:
        """One line, whatever the names in it are made of."""
        said = f"{self.file}:{self.where}: {self.what}; {self.fix}"
        return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in said)


class Finding(msgspec.Struct, frozen=True):
    """What became of the part of a schema at a pointer.

    The types keep it; or the validator checks it at run time; or it is degraded: nothing of what is generated knows it.
    """

    pointer: str
    verdict: Verdict
    what: str = ""


class Place(msgspec.Struct, frozen=True):
    """Where a reader stands, with the list into which all places of one run report."""

    file: str
    found: list[Problem]
    pointer: str = "#"

    def __truediv__(self, step: str | int) -> "Place":
        """One step down: a member name or an index."""
        escaped = str(step).replace("~", "~0").replace("/", "~1")
        return Place(self.file, self.found, f"{self.pointer}/{escaped}")

    def error(self, what: str, fix: str) -> None:
        """Report a fault that stops the run: nothing is written."""
        self.found.append(Problem(severity="error", file=self.file, where=self.pointer, what=what, fix=fix))

    def warn(self, what: str, fix: str) -> None:
        """Report a fault with which the run goes on."""
        self.found.append(Problem(severity="warning", file=self.file, where=self.pointer, what=what, fix=fix))


def has_errors(problems: list[Problem]) -> bool:
    """Whether nothing may be written."""
    return any(problem.severity == "error" for problem in problems)
