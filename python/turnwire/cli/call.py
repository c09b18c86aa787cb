"""`turnwire call`: one request to a server that is started for it, or is there already, and its result as JSON."""

import asyncio
from typing import Any

import msgspec
from msgspec import Raw

from turnwire.cli import Streams
from turnwire.cli.command import Parser, split_target
from turnwire.cli.exits import Exit, Stop
from turnwire.cli.files import read_bytes
from turnwire.cli.target import add_client_flags, connected, greet
from turnwire.client import Client
from turnwire.wire import METHODS, ClientCapabilities

__all__ = ["run"]

INDENT = {"text": 2, "json": -1}


def run(name: str, argv: list[str], streams: Streams) -> int:
    """Send one request and print its result.

    Raises:
        Stop: the words or the params are wrong, the server cannot be talked to, or it answers with an error.
    """
    words, target = split_target(argv)
    options = _parser(name, streams).parse_args(words)
    row = METHODS.get(options.method)
    if row is not None and (row.kind != "request" or row.sender == "server"):
        raise Stop(Exit.USAGE, f"{options.method} is a {row.kind} of the {row.sender}; `call` sends requests only")
    result = asyncio.run(_call(options, _params(options.params, streams), target, streams))
    streams.stdout.write(msgspec.json.format(result, indent=INDENT[options.format]).decode() + "\n")
    return Exit.DONE


def _parser(name: str, streams: Streams) -> Parser:
    parser = Parser(
        name,
        streams,
        summary="Start a server, initialize it, send one request, print the result, and end the server.",
        usage="METHOD [JSON] [options] [--ws URL | -- COMMAND [ARGUMENT …]]",
        example='turnwire call thread/start \'{"title": "Fix the login test"}\' -- turnwire serve --agent scripted',
    )
    parser.add_argument("method", metavar="METHOD", help="any name; what the server does not know it says")
    parser.add_argument("params", nargs="?", metavar="JSON", help="an object; @FILE reads a file, - reads stdin")
    parser.add_argument("--format", choices=tuple(INDENT), default="text", help="indented, or one line (default: text)")
    add_client_flags(parser)
    return parser


def _params(given: str | None, streams: Streams) -> Raw | None:
    if given is None:
        return None
    file = given.removeprefix("@") if given.startswith("@") else "-" if given == "-" else ""
    text = read_bytes(file, streams) if file else given.encode("utf-8", "surrogateescape")
    try:
        is_object = isinstance(msgspec.json.decode(text), dict)
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise Stop(Exit.USAGE, f"the params are not JSON: {fault}; the shell needs them in single quotes") from None
    except RecursionError:
        raise Stop(Exit.USAGE, "the params are nested too deeply") from None
    if not is_object:
        raise Stop(Exit.USAGE, "the params are not a JSON object")
    # A message is one line, whatever line ends the file has.
    return Raw(msgspec.json.format(text, indent=-1))


async def _call(options: Any, params: Raw | None, target: list[str] | None, streams: Streams) -> bytes:
    async with connected(Client, target, options, streams) as client:
        greeting = await greet(client, ClientCapabilities(), options)
        # A second initialize would be refused.
        result = greeting if options.method == "initialize" else await client.call_raw(options.method, params)
        return bytes(result)
