"""Who may come in: what a server answers to a request before it becomes a WebSocket (WS-2, WS-3).

A page of a foreign origin is turned away whatever name it calls us by: its origin is compared with our address, never
with the Host that it sends, so a name that was bound anew to this machine opens nothing.
"""

from collections.abc import Sequence
from http import HTTPStatus
from typing import NamedTuple

from turnwire.transports.websocket.bearer import bearer_of, is_token

__all__ = ["Door", "Verdict", "check_origin"]


class Verdict(NamedTuple):
    """An HTTP status and a line for people."""

    status: HTTPStatus
    text: str
    headers: Sequence[tuple[str, str]] = ()


class Door(NamedTuple):
    """What a server asks of whoever wants to come in: the token, if there is one, and an origin among these."""

    token: str | None = None
    origins: frozenset[str] = frozenset()

    def refusal(
        self, *, origins: Sequence[str], authorization: Sequence[str], subprotocols: Sequence[str]
    ) -> Verdict | None:
        """Why a client does not come in; None when it does. Each argument has the values of a header, as they came."""
        if any(origin.lower() not in self.origins for origin in origins):
            return Verdict(HTTPStatus.FORBIDDEN, "Pages of this origin are not let in; the server allows an --origin.")
        if self.token is not None and not is_token(bearer_of(authorization, subprotocols), self.token):
            challenge = ("WWW-Authenticate", 'Bearer realm="turnwire"')
            return Verdict(HTTPStatus.UNAUTHORIZED, "This server asks for its bearer token.", (challenge,))
        return None


def check_origin(text: str) -> str:
    """An origin as browsers write it.

    Raises:
        ValueError: it is none.
    """
    scheme, _, host = text.partition("://")
    is_bare = bool(scheme and host) and not any(letter in "/?#@*" or letter <= " " for letter in scheme + host)
    if text != "null" and not is_bare:
        raise ValueError(f"{text!r} is no origin; write it as a browser does, such as https://app.example")
    return text.lower()
