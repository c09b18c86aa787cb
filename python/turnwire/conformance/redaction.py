"""What a recording must not keep: credentials, and what the contract marks as a secret.

Equal secrets get equal stand-ins of the same length, so that a recording without them is judged as it would be with
them. Only what is kept is changed; what passes on is not.
"""

import re
from collections.abc import Collection, Iterator
from typing import Any

from turnwire.conformance.strict import dumps

__all__ = ["Redaction"]

# Members whose value is a credential in any protocol.
NAMES = frozenset(
    {"authorization", "proxyauthorization", "cookie", "setcookie", "password", "passphrase", "secret", "clientsecret"}
    | {"apikey", "xapikey", "token", "accesstoken", "refreshtoken", "idtoken", "bearertoken", "privatekey"}
)
# What looks like one wherever it stands: keys of model and code hosts, bearer tokens, JSON web tokens, private keys.
LOOKS = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\bgh[opsu]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bAKIA[0-9A-Z]{16}\b"
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}|(?<=Bearer )[A-Za-z0-9._~+/=-]{8,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*-----END [A-Z ]*PRIVATE KEY-----"
)


class Redaction:
    """The secrets of one recording and what stands for them."""

    def __init__(self, bundle: Any, names: Collection[str] = ()) -> None:
        marked = {_plain(name) for name in _secret(bundle)}
        self._names = NAMES | marked | {_plain(name) for name in names}
        self._stand_ins: dict[str, str] = {}

    def message(self, value: Any, member: str = "") -> Any:
        """A copy of a message without its secrets."""
        match value:
            case dict():
                return {name: self.message(inner, name) for name, inner in value.items()}
            case list():
                return [self.message(item, member) for item in value]
            case str() if value and _plain(member) in self._names:
                return self._stand_in(value)
            case str():
                return self.text(value)
            case _:
                return value

    def text(self, text: str) -> str:
        """A text, or a line that is no message, without what looks like a credential."""
        return LOOKS.sub(lambda found: self._stand_in(found[0]), text)

    def line(self, raw: bytes, message: Any) -> str:
        """A line of a recording, whether it is a message or cannot be read as one."""
        if isinstance(message, dict | list):
            return dumps(self.message(message)).decode()
        return self.text(raw.decode("utf-8", "backslashreplace"))

    def _stand_in(self, secret: str) -> str:
        number = len(self._stand_ins) + 1
        return self._stand_ins.setdefault(secret, f"redacted-{number}".ljust(len(secret), "."))


def _plain(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def _secret(schema: Any) -> Iterator[str]:
    """The members that a contract marks."""
    if isinstance(schema, dict):
        properties = schema.get("properties")
        for name, inner in properties.items() if isinstance(properties, dict) else ():
            if isinstance(inner, dict) and inner.get("x-secret") is True:
                yield name
        for inner in schema.values():
            yield from _secret(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _secret(inner)
