"""The bearer token of a WebSocket at the command line: from a file or the environment, never from the words.

What is typed is seen by every process of the machine, and kept in histories.
"""

import argparse
import os
from importlib import import_module

from turnwire.cli import Streams
from turnwire.cli.exits import Exit, Stop

__all__ = ["add_token_flags", "token_of"]


def add_token_flags(group: "argparse._ArgumentGroup") -> None:
    """The flags that say where the token is."""
    where = group.add_mutually_exclusive_group()
    where.add_argument("--token-file", metavar="FILE", help="the bearer token is in FILE; - reads stdin")
    where.add_argument("--token-env", metavar="NAME", help="the bearer token is in this variable of the environment")


def token_of(options: argparse.Namespace, streams: Streams) -> str | None:
    """The token that the words lead to; None where they name none.

    Raises:
        Stop: it is not there, or is no token.
    """
    if options.token_env is not None:
        place, text = f"the variable {options.token_env}", os.environ.get(options.token_env)
        if text is None:
            raise Stop(Exit.USAGE, f"{place} is not set; it is to hold the token")
    elif options.token_file is not None:
        place = options.token_file
        # It has more to import than a start may cost.
        files = import_module("turnwire.cli.files")
        text = files.read_bytes(place, streams).decode("utf-8", "replace").strip()
    else:
        return None
    # Imported where it is asked for, since it needs a package that most do without.
    bearer = import_module("turnwire.transports.websocket.bearer")
    try:
        token: str = bearer.check_token(text)
    except ValueError as fault:
        raise Stop(Exit.USAGE, f"{place} holds no token: {fault}") from None
    return token
