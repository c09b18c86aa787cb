"""A server as a process: one connection on stdin and stdout, which ends with its input or by SIGTERM."""

from __future__ import annotations

import asyncio
import signal
import sys

from turnwire.server.app import Server
from turnwire.transports.stdio import StdioTransport

__all__ = ["serve_stdio"]


async def serve_stdio(server: Server) -> None:
    """Serves stdin and stdout until the end of input, or until SIGTERM (STDIO-13 to STDIO-16).

    Raises:
        OSError: a standard stream is not there.
    """
    transport = StdioTransport.claim()
    stop = asyncio.Event()
    if sys.platform != "win32":
        # There, a process is ended without being asked.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await server.serve_last(transport, stop=stop)
