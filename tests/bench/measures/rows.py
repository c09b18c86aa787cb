"""A row of the table, and how the table is printed."""

from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """One figure; `holds` is None where there is no bound."""

    what: str
    measured: str
    bound: str = ""
    holds: bool | None = None


def table(rows: Iterable[Row]) -> str:
    """The rows in Markdown."""
    verdicts = {None: "", True: "yes", False: "**no**"}
    lines = ["| what | measured | bound | holds |", "|---|---|---|---|"]
    lines += [f"| {row.what} | {row.measured} | {row.bound} | {verdicts[row.holds]} |" for row in rows]
    return "\n".join(lines)
