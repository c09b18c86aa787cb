"""The server: `Server` around a `Host`, over any transport."""

from turnwire.server.app import Server
from turnwire.server.host import DefaultHost, FileProvider, Host, HostError, TurnRequest
from turnwire.server.limits import default_limits
from turnwire.server.stdio import serve_stdio

__all__ = ["DefaultHost", "FileProvider", "Host", "HostError", "Server", "TurnRequest", "default_limits", "serve_stdio"]
