"""How every command reads its words: one parser, one way to say that they are wrong.

A command module has `run(name, argv, streams) -> int`; `name` is the command as typed, `argv` what followed it.
"""

import argparse
import os
from collections.abc import Sequence
from typing import NoReturn

from turnwire.cli import Streams
from turnwire.cli.exits import EXIT_CODES, Exit, Stop

__all__ = ["Parser", "add_target_flags", "demand_absent", "named_value", "positive", "split_target"]


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Of a fixed width: to ask the terminal for its own, argparse imports what costs more than the rest of a parser."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=100)


class Parser(argparse.ArgumentParser):
    """argparse that writes to the streams it is given and never ends the process."""

    def __init__(self, name: str, streams: Streams, *, summary: str, usage: str, example: str) -> None:
        super().__init__(
            prog=f"turnwire {name}",
            usage=f"%(prog)s {usage}",
            description=summary,
            epilog=f"example:\n  {example}\n\n{EXIT_CODES}",
            formatter_class=_Formatter,
            allow_abbrev=False,
        )
        self._streams = streams

    def error(self, message: str) -> NoReturn:
        """Refuse the words.

        Raises:
            Stop: always.
        """
        raise Stop(Exit.USAGE, f"{message}; see `{self.prog} --help`")

    def print_help(self, file: object = None) -> None:
        """Print to the stdout of the command; argparse itself would take that of the process."""
        del file
        self._streams.stdout.write(self.format_help())

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Leave after the help; argparse would end the process.

        Raises:
            Stop: always.
        """
        assert (status, message) == (0, None), "argparse comes here after the help only, errors go by way of `error`"
        raise Stop(Exit.DONE)


def add_target_flags(parser: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    """How a server is started: the same flags wherever one is. Returns their group, for more of them."""
    group = parser.add_argument_group("the server")
    group.add_argument("--env", type=named_value, action="append", default=[], metavar="NAME=VALUE", help="set for it")
    group.add_argument("--cwd", type=_directory, metavar="DIR", help="where it runs (default: here)")
    return group


def split_target(argv: Sequence[str]) -> tuple[list[str], list[str] | None]:
    """Part the command's own words from the argv of a server, which stands behind the first `--`.

    None means that there is no `--`; an empty list that nothing follows it.
    """
    words = list(argv)
    if "--" not in words:
        return words, None
    at = words.index("--")
    return words[:at], words[at + 1 :]


def demand_absent(options: argparse.Namespace, *names: str, why: str) -> None:
    """Refuse flags that say nothing beside others; `why` goes on behind "is of no use".

    Raises:
        Stop: one of them was given.
    """
    for name in names:
        if getattr(options, name) not in (None, []):
            raise Stop(Exit.USAGE, f"--{name.replace('_', '-')} is of no use {why}")


def named_value(text: str) -> tuple[str, str]:
    """Read NAME=VALUE.

    Raises:
        argparse.ArgumentTypeError: there is no name or no `=`.
    """
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def positive(text: str) -> float:
    """Read a number above 0.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return number


def _directory(text: str) -> str:
    # pathlib would be a noticeable part of every start.
    if not os.path.isdir(text):  # noqa: PTH112 - see above
        raise argparse.ArgumentTypeError(f"{text!r} is no directory")
    return os.path.abspath(text)  # noqa: PTH100 - see above
