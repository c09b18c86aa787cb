"""Bytes in and out, and close. A transport knows nothing of JSON; the peer is the only one that talks to it."""

from turnwire.transports.base import Receiver, Transport, Witness

__all__ = ["Receiver", "Transport", "Witness"]
