"""The way from a client to a server: one WebSocket, opened when it is started."""

import asyncio
import logging
import os
import ssl
from collections.abc import Sequence

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus, InvalidURI
from websockets.http11 import Response
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import WebSocketURI, parse_uri

from turnwire.errors import RemoteProtocolError
from turnwire.events import CloseReason
from turnwire.transports.base import Receiver, SlowReader
from turnwire.transports.websocket.bearer import SUBPROTOCOL, check_token
from turnwire.transports.websocket.link import PING_SECONDS, Link

__all__ = ["UpgradeRefused", "WebSocketTransport", "quiet_logger", "reason_of"]

# That of the whole handshake, from the name to the upgrade.
_OPENING_SECONDS = 10.0
_MESSAGE_BYTES = 16 * 1024 * 1024


class UpgradeRefused(RemoteProtocolError):  # noqa: N818 - says what happened
    """The other side answers, and does not become a WebSocket of the protocol; `status` is that of its answer."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class WebSocketTransport:
    """A `Transport` to the server at a `ws:` or `wss:` URL."""

    slow_reader: SlowReader = "pause"

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        message_bytes: int = _MESSAGE_BYTES,
        ping_seconds: float = PING_SECONDS,
    ) -> None:
        """`token` goes along in the header; `message_bytes` bounds what the server may send.

        Raises:
            ValueError: the URL is none of a WebSocket, or has a user in it; or the token is none.
        """
        self.url = url
        self._uri = _parsed(url)
        self._token = None if token is None else check_token(token)
        self._message_bytes = message_bytes
        self._ping_seconds = ping_seconds
        self._link: Link | None = None
        self._is_closed = False

    async def last_words(self) -> list[str]:
        """How the server ended the connection, where it said so: sentences for an error message."""
        told = None if self._link is None else self._link.close_told
        return [] if told is None else [f"the server closed the WebSocket with {told}"]

    async def start(self, receiver: Receiver) -> None:
        """See `Transport.start`.

        Raises:
            OSError: nobody is there, or nobody answers in time, or the server has no time now (503).
            UpgradeRefused: it answers with anything else, or its certificate is not to be trusted.
        """
        protocol, tcp = await self._open()
        self._link = Link(protocol, tcp, ping_seconds=self._ping_seconds)
        await self._link.start(receiver)
        if self._is_closed:
            self._link.close()

    def write(self, lines: Sequence[bytes]) -> None:
        """See `Transport.write`."""
        if self._link is not None:
            self._link.write(lines)

    def pause_reading(self) -> None:
        """See `Transport.pause_reading`."""
        if self._link is not None:
            self._link.pause_reading()

    def resume_reading(self) -> None:
        """See `Transport.resume_reading`."""
        if self._link is not None:
            self._link.resume_reading()

    def close(self) -> None:
        """See `Transport.close`."""
        self._is_closed = True
        if self._link is not None:
            self._link.close()

    def abort(self, reason: CloseReason) -> None:
        """See `Transport.abort`."""
        self._is_closed = True
        if self._link is not None:
            self._link.abort(reason)

    async def _open(self) -> tuple[ClientProtocol, asyncio.Transport]:
        opening = _Opening(self.url, self._uri, self._token, self._message_bytes)
        context = ssl.create_default_context() if self._uri.secure else None
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(_OPENING_SECONDS):
                await loop.create_connection(lambda: opening, self._uri.host, self._uri.port, ssl=context)
                return await asyncio.shield(opening.opened)
        except TimeoutError:
            raise TimeoutError(f"no answer from {self.url} within {_OPENING_SECONDS:g} s") from None
        except ssl.SSLCertVerificationError as error:
            # It will be no other the next time.
            raise UpgradeRefused(f"cannot connect to {self.url}: {error.verify_message}") from error
        except OSError as error:
            raise ConnectionError(f"cannot connect to {self.url}: {reason_of(error)}") from error
        finally:
            opening.finish()


def quiet_logger() -> logging.Logger:
    """A logger for the frames that says nothing below a warning: at the level DEBUG it would tell tokens."""
    logger = logging.getLogger("turnwire.websocket")
    logger.setLevel(logging.WARNING)
    return logger


def reason_of(error: OSError) -> str:
    """Why there is no connection, or no place to listen at, in a few words."""
    if isinstance(error, ssl.SSLError) or error.errno is None:
        return str(error)
    # Where the kernel refuses, asyncio's own words say less.
    return os.strerror(error.errno) if error.errno > 0 else error.strerror or str(error)


class _Opening(asyncio.Protocol):
    """The handshake, until the server has answered."""

    def __init__(self, url: str, uri: WebSocketURI, token: str | None, message_bytes: int) -> None:
        self._url = url
        self._protocol = ClientProtocol(
            uri, subprotocols=[Subprotocol(SUBPROTOCOL)], max_size=message_bytes, logger=quiet_logger()
        )
        self._token = token
        self._tcp: asyncio.Transport | None = None
        self._is_open = False
        self.opened: asyncio.Future[tuple[ClientProtocol, asyncio.Transport]] = (
            asyncio.get_running_loop().create_future()
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport), "a connection reads and writes"
        self._tcp = transport
        request = self._protocol.connect()
        if self._token is not None:
            request.headers["Authorization"] = f"Bearer {self._token}"
        self._protocol.send_request(request)
        self._tcp.write(b"".join(self._protocol.data_to_send()))

    def data_received(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        self._judge()

    def eof_received(self) -> None:
        self._protocol.receive_eof()
        self._judge()

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(ConnectionResetError("the connection was cut off") if exc is None else exc)

    def finish(self) -> None:
        """Wait no more; a connection that has not become a WebSocket is cut off."""
        if not self._is_open:
            self.opened.cancel()
            if self._tcp is not None:
                self._tcp.abort()

    def _judge(self) -> None:
        if self.opened.done() or self._tcp is None:
            return
        error = self._protocol.handshake_exc
        if error is not None:
            self._fail(_refused(self._url, error))
        elif self._protocol.state is State.OPEN:
            # The answer to the upgrade; what came with it are frames.
            assert isinstance(self._protocol.events.pop(0), Response), "the answer comes first"
            # Nothing more is to be heard here: the next protocol of the socket hears it.
            self._tcp.pause_reading()
            self._is_open = True
            self.opened.set_result((self._protocol, self._tcp))

    def _fail(self, error: Exception) -> None:
        if not self.opened.done():
            self.opened.set_exception(error)


def _parsed(url: str) -> WebSocketURI:
    try:
        uri = parse_uri(url)
    except (InvalidURI, ValueError):
        raise ValueError(f"{url!r} is no URL of a WebSocket, such as ws://127.0.0.1:4500") from None
    if uri.user_info is not None:
        # WS-2: the token comes "never in the URL", and what else may open a door has no better place there.
        raise ValueError("the URL has a user in it; a token goes along in the header")
    return uri


def _refused(url: str, error: Exception) -> Exception:
    if isinstance(error.__cause__, EOFError):
        return ConnectionResetError("it closed the connection before it answered")
    if not isinstance(error, InvalidStatus):
        return UpgradeRefused(f"what answers at {url} is no WebSocket of the protocol: {error}")
    status, body = error.response.status_code, bytes(error.response.body or b"")
    lines = body.decode("utf-8", "replace").strip().splitlines()
    said = f"it answers {status}{f': {lines[0][:200]}' if lines else ''}"
    # A server that has no time now may have some later, which `OSError` says to who reconnects.
    return ConnectionRefusedError(said) if status == 503 else UpgradeRefused(f"cannot connect to {url}: {said}", status)
