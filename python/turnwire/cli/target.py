"""A server that a command talks to: started, greeted, and every way in which that can fail as one line and a code."""

import argparse
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgspec
from msgspec import Raw

from turnwire._version import __version__
from turnwire.cli.command import add_target_flags, positive
from turnwire.cli.exits import Exit, Stop
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


@asynccontextmanager
async def connected(kind: type[_Client], argv: Sequence[str] | None, options: Any) -> AsyncIterator[_Client]:
    """A client of the server; `argv` None means our own. The server ends with the block.

    Raises:
        Stop: the server does not start, does not speak the protocol, ends too early, or answers with an error.
    """
    if argv is not None and not argv:
        raise Stop(Exit.USAGE, "no server behind `--`; leave out the `--` for the reference server")
    env = {**os.environ, **dict(options.env)}
    try:
        async with await kind.spawn(argv or OWN_SERVER, cwd=options.cwd, env=env, within=options.timeout) as client:
            try:
                yield client
            except RequestTimeout as fault:
                said = f"; it wrote what is no message: {client.faults[0].message}" if client.faults else ""
                raise Stop(Exit.UNREACHED, f"{fault}{said}") from None
    except ProcessNotStarted as fault:
        raise Stop(Exit.UNREACHED, f"{fault}; the command behind `--` starts the server") from None
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
