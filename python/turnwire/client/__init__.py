"""The client: typed calls, handlers for what the server sends, a backlog for what nobody handles."""

from turnwire.client.client import Client, Message, default_limits
from turnwire.client.process import ProcessNotStarted, ProcessTransport

__all__ = ["Client", "Message", "ProcessNotStarted", "ProcessTransport", "default_limits"]
