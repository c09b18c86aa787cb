"""Whether to color, and the few colors there are. Nothing but the look depends on it."""

import os
from typing import TextIO

__all__ = ["COLOR_CHOICES", "Paint", "paint_for"]

COLOR_CHOICES = ("auto", "always", "never")
CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


class Paint:
    """Colors words, or leaves them as they are."""

    def __init__(self, *, is_on: bool) -> None:
        self.is_on = is_on

    def __call__(self, style: str, text: str) -> str:
        """The text in a style: bold, dim, red, green, yellow, cyan."""
        return f"\x1b[{CODES[style]}m{text}\x1b[0m" if self.is_on and text else text


def paint_for(choice: str, stream: TextIO) -> Paint:
    """`auto` colors on a terminal, unless NO_COLOR is set or the terminal is dumb."""
    is_fit = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Paint(is_on=choice == "always" or (choice == "auto" and is_fit))
