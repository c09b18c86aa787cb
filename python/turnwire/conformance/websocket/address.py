"""Where a server listens and how it is asked in: a URL, headers, and the HTTP that comes before the frames."""

import base64
import contextlib
import hashlib
import ipaddress
import os
import socket
import ssl
import time
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from turnwire.conformance.model import TargetFault

__all__ = [
    "ANY_PORT",
    "OFFER",
    "Address",
    "Answer",
    "accept_key",
    "ask",
    "connect",
    "new_key",
    "parse_address",
    "upgrade_request",
    "upgraded",
]

# RFC 6455, section 1.3: what both sides know and no other protocol would say.
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
# In a URL, the command and the environment of a server that is started: a port that the judge chooses.
ANY_PORT = "{port}"
OFFER = "Sec-WebSocket-Protocol"
PORTS = {"ws": 80, "wss": 443}
HEAD_BYTES = 64 * 1024
CHUNK = 256 * 1024
SWITCHING = 101
UNAUTHORIZED = 401


class Address(NamedTuple):
    """A server that listens, and what lets the judge in."""

    url: str
    host: str
    port: int
    path: str = "/"
    is_secure: bool = False
    headers: tuple[tuple[str, str], ...] = ()
    token: str | None = None
    # What is offered in the name of the protocol; empty: nothing.
    subprotocol: str = ""
    # The words that bring the token along once more, for a report, which must not have the token itself.
    words: tuple[str, ...] = ()
    # The URL as it was given, which may leave the port open.
    pattern: str = ""

    @property
    def has_any_port(self) -> bool:
        """Whether the judge chooses the port."""
        return ANY_PORT in self.pattern

    def at(self, port: int) -> "Address":
        """The same with a port that was chosen."""
        found = parse_address(self.pattern.replace(ANY_PORT, str(port)))
        return self._replace(url=found.url, port=found.port, path=found.path)

    @property
    def authority(self) -> str:
        """Host and port as a URL and the header Host have them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS["wss" if self.is_secure else "ws"] else f"{host}:{self.port}"

    @property
    def is_here(self) -> bool:
        """Whether it is an address of this machine alone."""
        with contextlib.suppress(ValueError):
            return ipaddress.ip_address(self.host).is_loopback
        return self.host == "localhost"

    @property
    def ticket(self) -> tuple[tuple[str, str], ...]:
        """The headers that let the judge in."""
        token = (("Authorization", f"Bearer {self.token}"),) if self.token else ()
        return (*self.headers, *token)

    @property
    def offer(self) -> tuple[tuple[str, str], ...]:
        """The header that says which protocol is meant, where there is a name for it."""
        return ((OFFER, self.subprotocol),) if self.subprotocol else ()


class Answer(NamedTuple):
    """What a server says before it is a WebSocket, and what followed on the same connection."""

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    rest: bytes

    def header(self, name: str) -> str:
        """The values of a header, with commas between them; empty where it has none."""
        return ", ".join(value for known, value in self.headers if known.lower() == name.lower())

    def __str__(self) -> str:
        return f"{self.status} {self.reason}".strip()


def parse_address(url: str) -> Address:
    """The address that a `ws:` or `wss:` URL names.

    Raises:
        ValueError: it is none; the message is a sentence for its author.
    """
    try:
        parts = urlsplit(url.replace(ANY_PORT, "0"))
        port = parts.port
    except ValueError:
        raise ValueError(f"{url!r} is no URL of a WebSocket, such as ws://127.0.0.1:4500") from None
    if parts.scheme not in PORTS or not parts.hostname or parts.fragment or any(letter <= " " for letter in url):
        raise ValueError(f"{url!r} is no URL of a WebSocket, such as ws://127.0.0.1:4500")
    if parts.username is not None or parts.password is not None:
        raise ValueError("the URL has a user in it; a token goes along in the header (--token-env NAME)")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    is_secure = parts.scheme == "wss"
    return Address(url, parts.hostname, port or PORTS[parts.scheme], path, is_secure, pattern=url)


def upgrade_request(
    address: Address, key: str, headers: Sequence[tuple[str, str]], *, host: str = "", path: str = ""
) -> bytes:
    """The request that asks for a WebSocket; `host` and `path` stand in place of those of the address."""
    lines = [
        f"GET {path or address.path} HTTP/1.1",
        f"Host: {host or address.authority}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13",
        *(f"{name}: {value}" for name, value in headers),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def new_key() -> str:
    """A key that no request had before."""
    return base64.b64encode(os.urandom(16)).decode()


def accept_key(key: str) -> str:
    """What a server that understood the request makes of its key."""
    # No secret hangs on it: RFC 6455 names this digest.
    return base64.b64encode(hashlib.sha1(key.encode() + GUID, usedforsecurity=False).digest()).decode()


def connect(address: Address, seconds: float) -> socket.socket:
    """A connection to the server, blocking, with so long for each step.

    Raises:
        TargetFault: there is none; the message says why.
    """
    where = f"target not reached: cannot connect to {address.url}"
    try:
        sock = socket.create_connection((address.host, address.port), seconds)
    except TimeoutError:
        raise TargetFault(f"{where}: nobody takes the connection within {seconds:g} s") from None
    except OSError as error:
        said = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error.strerror or error)
        raise TargetFault(f"{where}: {said}") from None
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not address.is_secure:
        return sock
    try:
        return ssl.create_default_context().wrap_socket(sock, server_hostname=address.host)
    except (OSError, ValueError) as error:
        sock.close()
        raise TargetFault(f"{where}: no TLS: {error}") from None


def _read_answer(sock: socket.socket, address: Address, seconds: float, *, to_its_end: bool = False) -> Answer:
    """The head of an HTTP answer and what came with it, or all of what comes until the server closes.

    Raises:
        TargetFault: nothing of the kind comes in time.
    """
    deadline = time.monotonic() + seconds
    heard = b""
    where = f"target not reached: {address.url}"
    while b"\r\n\r\n" not in heard or to_its_end:
        sock.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            chunk = sock.recv(CHUNK)
        except TimeoutError:
            if to_its_end and b"\r\n\r\n" in heard:
                break
            raise TargetFault(f"{where} does not answer the upgrade within {seconds:g} s") from None
        except OSError:
            chunk = b""
        if not chunk:
            break
        heard += chunk
        if len(heard) > HEAD_BYTES and b"\r\n\r\n" not in heard:
            break
    head, blank, rest = heard.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ", 2)
    if not blank or len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdecimal():
        said = f"it says {head[:60]!r}" if head else "it closes the connection"
        raise TargetFault(f"{where} does not answer the upgrade as HTTP: {said}")
    headers = tuple((name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in lines))
    return Answer(int(words[1]), words[2] if len(words) > 2 else "", headers, rest)


def ask(address: Address, request: bytes, seconds: float, *, to_its_end: bool = False) -> Answer:
    """What is answered to one request over a connection of its own.

    Raises:
        TargetFault: nobody is there, or nothing of the kind comes in time.
    """
    with connect(address, seconds) as sock:
        with contextlib.suppress(OSError):  # what it says tells more than that it did not read all
            sock.sendall(request)
        return _read_answer(sock, address, seconds, to_its_end=to_its_end)


def upgraded(address: Address, seconds: float) -> tuple[socket.socket, bytes]:
    """A socket on which frames go from here on, and the first bytes of them.

    Raises:
        TargetFault: the server is not there, or does not become a WebSocket.
    """
    key = new_key()
    sock = connect(address, seconds)
    try:
        with contextlib.suppress(OSError):  # what it says tells more than that it did not read all
            sock.sendall(upgrade_request(address, key, (*address.ticket, *address.offer)))
        answer = _read_answer(sock, address, seconds)
    except TargetFault:
        sock.close()
        raise
    if fault := _refusal(answer, address, key):
        sock.close()
        raise TargetFault(f"target not reached: {address.url} {fault}")
    return sock, answer.rest


def _refusal(answer: Answer, address: Address, key: str) -> str:
    if answer.status == UNAUTHORIZED:
        brings = any(name.lower() == "authorization" for name, _ in address.ticket)
        asks = "does not take this token" if brings else "asks for a token, which --token-env NAME brings"
        return f"{asks}: it answers {answer}"
    if answer.status != SWITCHING:
        return f"does not become a WebSocket: it answers {answer}"
    if answer.header("Upgrade").lower() != "websocket" or "upgrade" not in answer.header("Connection").lower():
        return "answers 101 and does not say that it becomes a WebSocket"
    if answer.header("Sec-WebSocket-Accept") != accept_key(key):
        return "answers 101 with a Sec-WebSocket-Accept that is not of this request"
    if (selected := answer.header(OFFER)) not in ("", address.subprotocol):
        return f"selects the subprotocol {selected}, which was not offered"
    return ""
