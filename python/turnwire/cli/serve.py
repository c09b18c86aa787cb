"""`turnwire serve`: the reference server on stdin and stdout, with an agent that needs no model."""

import argparse
import asyncio

from msgspec import UNSET, UnsetType

from turnwire.agents.builtin import BUILTIN, builtin_agent
from turnwire.cli import Streams
from turnwire.cli.command import Parser, named_value
from turnwire.cli.exits import Exit, Stop
from turnwire.server import DefaultHost, Server, default_limits, serve_stdio
from turnwire.wire import Limits

__all__ = ["run"]

_HELLO = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"me"}}}'


def run(name: str, argv: list[str], streams: Streams) -> int:
    """Serve until the end of input or SIGTERM; 0 then.

    Raises:
        Stop: the words are wrong, or a standard stream is not there.
    """
    options = _parser(name, streams).parse_args(argv)
    agents = [builtin_agent(agent) for agent in dict.fromkeys([options.agent, *BUILTIN])]
    server = Server(DefaultHost(*agents), limits=default_limits(**dict(options.limit)))
    try:
        asyncio.run(serve_stdio(server))
    except OSError as fault:
        raise Stop(Exit.UNREACHED, f"stdin or stdout cannot be used: {fault.strerror or fault}") from None
    return Exit.DONE


def _parser(name: str, streams: Streams) -> Parser:
    parser = Parser(
        name,
        streams,
        summary="Run the reference server: one connection on stdin and stdout, a JSON message a line.",
        usage="[--stdio] [--agent NAME] [--limit NAME=VALUE …]",
        example=f"echo '{_HELLO}' | turnwire serve --agent scripted",
    )
    parser.add_argument("--stdio", action="store_true", help="on stdin and stdout, which is the default")
    parser.add_argument(
        "--agent", choices=tuple(BUILTIN), default="scripted", help="the default agent (default: scripted)"
    )
    parser.add_argument(
        "--limit",
        type=_limit,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="one that `initialize` states, or none",
    )
    return parser


def _limit(text: str) -> tuple[str, int | UnsetType]:
    name, value = named_value(text)
    limits = dict(zip(Limits.__struct_encode_fields__, Limits.__struct_fields__, strict=True))
    limits.pop("fsync")
    if name not in limits:
        raise argparse.ArgumentTypeError(f"there is no limit {name}; there are {', '.join(limits)}")
    if value == "none":
        return limits[name], UNSET
    if not value.isdecimal():
        raise argparse.ArgumentTypeError(f"{name} is a whole number or none, not {value!r}")
    return limits[name], int(value)
