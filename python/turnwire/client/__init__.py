"""The client: typed calls, handlers for what the server sends, a backlog for what nobody handles, and one that comes
back after a loss."""

from turnwire.client.backoff import Backoff, with_retry
from turnwire.client.client import Client, Message, default_limits
from turnwire.client.process import ProcessNotStarted, ProcessTransport
from turnwire.client.reconnecting import Change, ReconnectingClient

__all__ = [
    "Backoff",
    "Change",
    "Client",
    "Message",
    "ProcessNotStarted",
    "ProcessTransport",
    "ReconnectingClient",
    "default_limits",
    "with_retry",
]
