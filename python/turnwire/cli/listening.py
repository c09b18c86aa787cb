"""`turnwire serve --ws`: where it listens, who comes in, and each way in which that fails as one line and a code."""

import argparse
import asyncio
from collections.abc import Callable
from importlib import import_module

from turnwire.cli import Streams
from turnwire.cli.command import demand_absent
from turnwire.cli.exits import Exit, Stop
from turnwire.cli.tokens import add_token_flags, token_of
from turnwire.server import Server

__all__ = ["add_listening_flags", "serve_on_websockets"]


def add_listening_flags(parser: argparse.ArgumentParser, where: "argparse._MutuallyExclusiveGroup") -> None:
    """`--ws` among the places to serve at, and the flags that go with it."""
    where.add_argument("--ws", type=_address, metavar="HOST:PORT", help="on WebSockets; PORT 0 is any that is free")
    group = parser.add_argument_group("with --ws")
    add_token_flags(group)
    group.add_argument(
        "--origin", action="append", metavar="ORIGIN", help="let pages of this origin in, as often as wanted"
    )


def serve_on_websockets(options: argparse.Namespace, streams: Streams) -> Callable[[Server], None] | None:
    """What serves at the address that the words name, and prints its URL; None where they name none.

    Raises:
        Stop: the words are wrong.
    """
    if options.ws is None:
        demand_absent(options, "token_file", "token_env", "origin", why="on stdio; add --ws HOST:PORT")
        return None
    # Imported where it is asked for, since it needs a package that most do without.
    listens = import_module("turnwire.server.websocket")
    token, origins = token_of(options, streams), [_origin(each) for each in options.origin or ()]

    def serve(server: Server) -> None:
        def tell(url: str) -> None:
            print(f"listening on {url}", file=streams.stdout, flush=True)

        host, port = options.ws
        try:
            asyncio.run(listens.serve_websocket(server, options.ws, token=token, origins=origins, tell=tell))
        except listens.NotAllowed as fault:
            raise Stop(Exit.USAGE, f"{fault}; add --token-file FILE or --token-env NAME") from None
        except OSError as fault:
            reason_of = import_module("turnwire.transports.websocket").reason_of
            raise Stop(Exit.UNREACHED, f"cannot listen at {host}:{port}: {reason_of(fault)}") from None

    return serve


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:4500")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _origin(text: str) -> str:
    try:
        checked: str = import_module("turnwire.transports.websocket.door").check_origin(text)
    except ValueError as fault:
        raise Stop(Exit.USAGE, str(fault)) from None
    return checked
