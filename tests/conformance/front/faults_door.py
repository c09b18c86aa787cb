"""Servers that let in whom they must not, or keep out who may come (WS-2, WS-3, WS-5); the name says how."""

from conformance.front.faults_frames import mutant
from conformance.front.server import HIDDEN, Front


def own(self):
    """The origin of the server itself."""
    return f"http://127.0.0.1:{self.house.port}"


def in_any(self, headers):
    """Everybody who brings something that has the token in it."""
    values = headers.get("authorization", []) + self.in_subprotocol(headers)
    return [value.rpartition(" ")[2] for value in values]


def turned_away_late(self, headers):
    """Lets everybody in, and closes on those who bring no token."""
    Front.accept(self, headers)
    if not Front.is_let_in(self, self.brought(headers), ""):
        self.fail(1008)


def foreign_turned_away_late(self, headers):
    """Lets every page in, and closes on the foreign ones."""
    Front.accept(self, headers)
    if not all(Front.is_own(self, origin, headers) for origin in headers.get("origin", [])):
        self.fail(1008)


def of_the_token(self, offered):
    """Selects what hides the token."""
    return next((name for name in offered if name.startswith(HIDDEN)), Front.selected(self, offered))


def any_in_subprotocol(self, tokens, query):
    """Takes whatever a browser brings."""
    return tokens == [self.house.token] or (len(tokens) == 1 and tokens[0] not in ("turnwire-check", ""))


def without_token(self, path):
    """Is ready for those who may come in only."""
    return 401 if path == "/readyz" else Front.health(self, path)


DOOR = {
    "origin-unread": mutant(is_own=lambda self, origin, headers: True),
    "origin-by-its-start": mutant(is_own=lambda self, origin, headers: origin.startswith(own(self))),
    "origin-null-allowed": mutant(is_own=lambda self, origin, headers: origin in ("null", own(self))),
    "origin-after-upgrade": mutant(accept=foreign_turned_away_late, refusal=lambda self, headers, query: 0),
    "own-origin-refused": mutant(is_own=lambda self, origin, headers: False),
    "origin-by-host": mutant(is_own=lambda self, origin, headers: origin == f"http://{headers['host'][0]}"),
    "token-unread": mutant(is_let_in=lambda self, tokens, query: True),
    "token-by-its-start": mutant(
        is_let_in=lambda self, tokens, query: len(tokens) == 1 and tokens[0].startswith(self.house.token)
    ),
    "token-of-any-scheme": mutant(brought=in_any),
    "two-tokens-taken": mutant(is_let_in=lambda self, tokens, query: self.house.token in tokens),
    "token-after-upgrade": mutant(accept=turned_away_late, is_let_in=lambda self, tokens, query: True),
    "token-in-url-taken": mutant(
        is_let_in=lambda self, tokens, query: tokens == [self.house.token] or query.endswith(f"={self.house.token}")
    ),
    "token-in-subprotocol-unread": mutant(in_subprotocol=lambda self, headers: []),
    "token-in-subprotocol-selected": mutant(selected=of_the_token),
    "token-in-subprotocol-unjudged": mutant(is_let_in=any_in_subprotocol),
    "subprotocol-unselected": mutant(selected=lambda self, offered: ""),
    "first-subprotocol-selected": mutant(selected=lambda self, offered: next(iter(offered), "")),
    "health-not-found": mutant(health=lambda self, path: 404 if path == "/healthz" else Front.health(self, path)),
    "ready-behind-the-token": mutant(health=without_token),
}
