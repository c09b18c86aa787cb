"""The server: `Server` around a `Host`, over any transport."""

from turnwire.server.app import Server
from turnwire.server.host import DefaultHost, FileProvider, Host, HostError, TurnRequest
from turnwire.server.limits import default_limits
from turnwire.server.stdio import serve_stdio
from turnwire.server.traces import MemoryTraces, TraceProvider

__all__ = [
    "DefaultHost",
    "FileProvider",
    "Host",
    "HostError",
    "MemoryTraces",
    "Server",
    "TraceProvider",
    "TurnRequest",
    "default_limits",
    "serve_stdio",
]
