"""The protocol on a WebSocket, one message a text frame (WS-1), for servers and for clients.

The frames are those of the sans-IO half of `websockets`; nothing of it is imported before this package is.
"""

from turnwire.transports.websocket.bearer import check_token
from turnwire.transports.websocket.client import UpgradeRefused, WebSocketTransport, reason_of
from turnwire.transports.websocket.door import Door, check_origin
from turnwire.transports.websocket.link import Link
from turnwire.transports.websocket.listener import Listener

__all__ = [
    "Door",
    "Link",
    "Listener",
    "UpgradeRefused",
    "WebSocketTransport",
    "check_origin",
    "check_token",
    "reason_of",
]
