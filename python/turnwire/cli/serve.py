"""`turnwire serve`: the reference server on stdin and stdout or on WebSockets, with an agent that needs no model."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
from collections.abc import Iterator
from importlib import import_module

from msgspec import UNSET, UnsetType

from turnwire import wire
from turnwire.agents.builtin import BUILTIN, builtin_agent
from turnwire.cli import Streams
from turnwire.cli.command import Parser, demand_absent, named_value
from turnwire.cli.exits import Exit, Stop, fault_of
from turnwire.cli.listening import add_listening_flags, serve_on_websockets
from turnwire.server import DefaultHost, FileProvider, MemoryTraces, Server, default_limits, serve_stdio
from turnwire.store.base import Store
from turnwire.store.opening import STORES, open_store
from turnwire.wire import Limits

__all__ = ["run"]

_FSYNC = ("always", "terminal", "never")

_HELLO = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"me"}}}'


def run(name: str, argv: list[str], streams: Streams) -> int:
    """Serve until the end of input, SIGTERM, or the shutdown that a client asks for; 0 then.

    Raises:
        Stop: the words are wrong, the state directory cannot be used, a standard stream is not there, or the address
            cannot be listened at.
    """
    options = _parser(name, streams).parse_args(argv)
    serve = serve_on_websockets(options, streams) or _serve_on_stdio
    agents = [builtin_agent(agent) for agent in dict.fromkeys([options.agent, *BUILTIN])]
    store = _store(options, streams)
    with _files(options) as files:
        host = DefaultHost(*agents, files=files, traces=MemoryTraces(), permits=_permits)
        server = Server(host, store=store, limits=default_limits(**dict(options.limit)))
        serve(server)
    return Exit.DONE


def _parser(name: str, streams: Streams) -> Parser:
    parser = Parser(
        name,
        streams,
        summary="Run the reference server: one connection on stdin and stdout, a JSON message a line; or with --ws as"
        " many\nWebSockets as come, a JSON message a text frame. Its URL is the first line on stdout.",
        usage="[--stdio | --ws HOST:PORT] [--agent NAME] [--state-dir DIR] [--store STORE] [--fsync WHEN]"
        " [--files git] [--limit NAME=VALUE …] [--token-file FILE] [--origin ORIGIN …]",
        example=f"echo '{_HELLO}' | turnwire serve --agent scripted",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--stdio", action="store_true", help="on stdin and stdout, which is the default")
    add_listening_flags(parser, where)
    parser.add_argument(
        "--agent", choices=tuple(BUILTIN), default="scripted", help="the default agent (default: scripted)"
    )
    parser.add_argument("--state-dir", metavar="DIR", help="keep the threads here, in files that outlive the server")
    parser.add_argument(
        "--store", choices=("memory", *STORES), help="what keeps them (default: memory; jsonl with --state-dir)"
    )
    parser.add_argument(
        "--fsync", choices=_FSYNC, help="which events are forced to the disk at once (default: terminal)"
    )
    parser.add_argument(
        "--files", choices=("git",), help="keep the files of threads beside their repositories, so that they rewind too"
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


def _serve_on_stdio(server: Server) -> None:
    try:
        asyncio.run(serve_stdio(server))
    except OSError as fault:
        raise Stop(Exit.UNREACHED, f"stdin or stdout cannot be used: {fault.strerror or fault}") from None


def _store(options: argparse.Namespace, streams: Streams) -> Store | None:
    """The store that the words name; None for the memory of the process."""
    kind = options.store or ("memory" if options.state_dir is None else "jsonl")
    if kind == "memory":
        demand_absent(options, "state_dir", "fsync", why="in memory; name a state directory and a store that lasts")
        return None
    if options.state_dir is None:
        raise Stop(Exit.USAGE, f"the store {kind} needs a place; add --state-dir DIR")
    try:
        return open_store(
            kind,
            options.state_dir,
            fsync=options.fsync or "terminal",
            tell=streams.tell,
        )
    except OSError as fault:
        raise Stop(Exit.USAGE, f"the state directory cannot be used: {fault_of(fault)}") from None


@contextlib.contextmanager
def _files(options: argparse.Namespace) -> Iterator[FileProvider | None]:
    """What keeps the files of threads: for as long as their record, or for as long as the process."""
    if options.files is None:
        yield None
        return
    # Imported where it is asked for, since it costs a start what most do not need.
    with import_module("turnwire.server.git").git_files(options.state_dir) as files:
        yield files


def _permits(thread: wire.Thread, approval: wire.Approval) -> bool:
    """What runs without asking in the mode `auto`."""
    # Imported when it is first asked, as all of the work with threads is.
    permitted: bool = import_module("turnwire.server.permissions").reference_policy(thread, approval)
    return permitted


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
