"""The bearer token: how a client brings it and a server compares it. It never stands in a URL (WS-2).

Programs bring it in the header; browsers, which cannot set one, in a subprotocol beside that of the protocol.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence

__all__ = ["SUBPROTOCOL", "bearer_of", "check_token", "is_token"]

SUBPROTOCOL = "turnwire.v1"
"""What a server that speaks the protocol selects among the subprotocols that it is offered."""

_IN_SUBPROTOCOL = "turnwire.bearer."
_SCHEME = "bearer"


def check_token(token: str) -> str:
    """The token itself.

    Raises:
        ValueError: it is empty, or has what no header carries.
    """
    if not token:
        raise ValueError("a token is not empty")
    if not all("!" <= letter <= "~" for letter in token):
        raise ValueError("a token has visible ASCII characters only")
    return token


def bearer_of(authorization: Sequence[str], subprotocols: Sequence[str]) -> str | None:
    """The token that a client brings; None where it brings none, or more than one."""
    brought = [words[1] for value in authorization if (words := _words(value))[0].lower() == _SCHEME]
    hidden = [name.removeprefix(_IN_SUBPROTOCOL) for name in subprotocols if name.startswith(_IN_SUBPROTOCOL)]
    brought += map(_decoded, hidden)
    return brought[0] if len(brought) == 1 else None


def is_token(brought: str | None, token: str) -> bool:
    """Whether it is the token, in a time that says nothing of either."""
    given = b"" if brought is None else brought.encode("utf-8", "surrogateescape")
    # Digests are equally long, whatever was brought.
    return hmac.compare_digest(hashlib.sha256(given).digest(), hashlib.sha256(token.encode()).digest())


def _words(value: str) -> tuple[str, str]:
    scheme, _, rest = value.strip().partition(" ")
    return scheme, rest.strip()


def _decoded(text: str) -> str:
    try:
        # A subprotocol has no room for the padding.
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
