"""A server that a command talks to: started, greeted, and every way in which that can fail as one line and a code."""

import argparse
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any, TypeVar

import msgspec
from msgspec import Raw

from turnwire._version import __version__
from turnwire.cli import Streams
from turnwire.cli.command import add_target_flags, demand_absent, positive
from turnwire.cli.exits import Exit, Stop
from turnwire.cli.tokens import add_token_flags, token_of
from turnwire.client import Client, ProcessNotStarted
from turnwire.errors import ConnectionClosed, RemoteError, RemoteProtocolError, RequestTimeout
from turnwire.wire import PROTOCOL_MAJOR, ClientCapabilities, ClientInfo, InitializeParams

__all__ = ["OWN_SERVER", "add_client_flags", "connected", "error_line", "greet"]

# What answers where no server is given: our own, whose agent needs no model.
OWN_SERVER = (sys.executable, "-m", "turnwire", "serve", "--agent", "scripted")

_Client = TypeVar("_Client", bound=Client)


def add_client_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of every command that talks to one server."""
    group = add_target_flags(parser)
    group.add_argument(
        "--timeout", type=positive, default=120.0, metavar="S", help="seconds for an answer (default: 120)"
    )
    group.add_argument("--experimental", action="store_true", help="opt in to the experimental part of the protocol")
    remote = parser.add_argument_group("a server that is there already, in place of the command")
    remote.add_argument("--ws", metavar="URL", help="its URL, such as ws://127.0.0.1:4500")
    add_token_flags(remote)


@asynccontextmanager
async def connected(
    kind: type[_Client], argv: Sequence[str] | None, options: Any, streams: Streams
) -> AsyncIterator[_Client]:
    """A client of the server; `argv` None means that of `--ws`, or our own. One that was started ends with the block.

    Raises:
        Stop: the words are wrong, or the server does not start or is not there, does not speak the protocol, ends too
            early, or answers with an error.
    """
    opening = _spawning(kind, argv, options) if options.ws is None else _calling(kind, argv, options, streams)
    try:
        async with await _opened(opening) as client:
            try:
                yield client
            except RequestTimeout as fault:
                said = f"; it wrote what is no message: {client.faults[0].message}" if client.faults else ""
                raise Stop(Exit.UNREACHED, f"{fault}{said}") from None
    except RemoteError as error:
        raise Stop(Exit.FINDINGS, error_line(error)) from None
    except (ConnectionClosed, RemoteProtocolError) as fault:
        raise Stop(Exit.UNREACHED, str(fault)) from None


async def greet(client: Client, capabilities: ClientCapabilities, options: Any) -> Raw:
    """Send `initialize`; the result as it came.

    Raises:
        Stop: the server refuses.
    """
    if options.experimental:
        capabilities = msgspec.structs.replace(capabilities, experimental=True)
    info = ClientInfo(name="turnwire", version=__version__)
    params = InitializeParams(protocol_version=PROTOCOL_MAJOR, client_info=info, capabilities=capabilities)
    try:
        return await client.call_raw("initialize", params)
    except RemoteError as error:
        raise Stop(Exit.UNREACHED, f"the server refuses initialize: {error_line(error)}") from None


def error_line(error: RemoteError) -> str:
    """Code, name, message and data of an error answer, on one line."""
    particulars = {name: value for name, value in error.data.items() if name not in ("code", "retryable")}
    data = msgspec.json.encode(particulars).decode() if particulars else ""
    return " ".join(f"{error.code} {error.name}: {error.message} {data}".split())


async def _opened(opening: Awaitable[_Client]) -> _Client:
    try:
        return await opening
    except ProcessNotStarted as fault:
        raise Stop(Exit.UNREACHED, f"{fault}; the command behind `--` starts the server") from None
    except OSError as fault:
        raise Stop(Exit.UNREACHED, str(fault)) from None


def _spawning(kind: type[_Client], argv: Sequence[str] | None, options: Any) -> Awaitable[_Client]:
    if argv is not None and not argv:
        raise Stop(Exit.USAGE, "no server behind `--`; leave out the `--` for the reference server")
    demand_absent(options, "token_file", "token_env", why="without --ws URL")
    env = {**os.environ, **dict(options.env)}
    return kind.spawn(argv or OWN_SERVER, cwd=options.cwd, env=env, within=options.timeout)


def _calling(kind: type[_Client], argv: Sequence[str] | None, options: Any, streams: Streams) -> Awaitable[_Client]:
    if argv is not None:
        raise Stop(Exit.USAGE, "there is one server: give --ws URL, or a command behind `--`")
    demand_absent(options, "env", "cwd", why="with --ws: the server runs already")
    token = token_of(options, streams)
    # Imported where it is asked for, since it needs a package that most do without.
    transports = import_module("turnwire.transports.websocket")
    try:
        transport = transports.WebSocketTransport(options.ws, token=token)
    except ValueError as fault:
        raise Stop(Exit.USAGE, str(fault)) from None
    return kind.over(transport, within=options.timeout)
