"""Who comes in: origins, names, tokens, judged before the upgrade; and the health of a server (WS-2, WS-3, WS-5)."""

import base64
from collections.abc import Iterable

from turnwire.conformance.checks.expect import own_messages
from turnwire.conformance.checks.ws_talk import address_of
from turnwire.conformance.model import NotApplicable, Unmet
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.websocket.address import OFFER, Answer, ask, new_key, upgrade_request

__all__: list[str] = []

SUBPROTOCOL = "turnwire.v1"
# What a server that speaks something else would be offered.
STRANGE = "turnwire-check.strange"
IN, OK, UNAUTHORIZED, FORBIDDEN = 101, 200, 401, 403
Headers = tuple[tuple[str, str], ...]


@check("ws.origin-rejected")
def origin_rejected(subject: Subject) -> None:
    """A page of a foreign origin gets 403; a page that the server's own address could have served comes in."""
    address = address_of(subject)
    foreign = [
        "https://foreign.example",
        f"http://foreign.example:{address.port}",
        f"http://{address.authority}.foreign.example",
        f"http://foreign.example/http://{address.authority}",
        "null",
    ]
    for origin in foreign:
        _answered(subject, FORBIDDEN, f"the origin {origin}", (*address.ticket, ("Origin", origin)))
    if address.is_here and address.host != "localhost":
        own = f"{'https' if address.is_secure else 'http'}://{address.authority}"
        _answered(subject, IN, f"its own origin {own}", (*address.ticket, ("Origin", own)))


@check("ws.host-rebinding")
def host_rebinding(subject: Subject) -> None:
    """A name that a page has bound to the server's address opens nothing: its origin is foreign all the same."""
    address = address_of(subject)
    name = f"rebound.example:{address.port}"
    headers = (*address.ticket, ("Origin", f"http://{name}"))
    _answered(subject, FORBIDDEN, f"an origin that is the Host it calls, {name}", headers, host=name)


@check("ws.auth-before-upgrade")
def auth_before_upgrade(subject: Subject) -> None:
    """No token, a wrong one and two of them get 401 before the upgrade."""
    token, others = _token(subject)
    bearer = f"Bearer {token}"
    cases: dict[str, tuple[str, ...]] = {
        "no token": (),
        "a token that is not the one": ("Bearer turnwire-check",),
        "the token and a letter more": (f"{bearer}x",),
        "the token but for its last letter": (bearer[:-1],),
        "an empty token": ("Bearer ",),
        "the token by another scheme": (f"Basic {token}",),
        "two tokens": (bearer, "Bearer turnwire-check"),
        "the token twice": (bearer, bearer),
    }
    for name, brought in cases.items():
        headers = (*others, *(("Authorization", value) for value in brought))
        _answered(subject, UNAUTHORIZED, name, headers)
    _answered(subject, IN, "the token", (*others, ("Authorization", bearer)))


@check("ws.token-not-in-url")
def token_not_in_url(subject: Subject) -> None:
    """The token opens nothing where it stands in the URL."""
    token, others = _token(subject)
    path = address_of(subject).path
    for name in ("token", "access_token", "authorization"):
        query = f"{path}{'&' if '?' in path else '?'}{name}={token}"
        _answered(subject, UNAUTHORIZED, f"a URL with ?{name}=", others, path=query)


@check("ws.token-in-subprotocol")
def token_in_subprotocol(subject: Subject) -> None:
    """A browser brings the token in a subprotocol; that of the protocol is selected, never that of the token."""
    token, others = _token(subject)
    answer = _answered(subject, IN, "the token in a subprotocol", (*others, _offer(SUBPROTOCOL, _hidden(token))))
    _selected(answer, "the token in a subprotocol")
    for name, offered in (("a wrong token in a subprotocol", f"{token}x"), ("an empty one in a subprotocol", "")):
        _answered(subject, UNAUTHORIZED, name, (*others, _offer(SUBPROTOCOL, _hidden(offered))))
    both = (*others, ("Authorization", f"Bearer {token}"), _offer(SUBPROTOCOL, _hidden(token)))
    _answered(subject, UNAUTHORIZED, "the token in the header and in a subprotocol", both)


@check("ws.subprotocol")
def subprotocol(subject: Subject) -> None:
    """Where subprotocols are offered, that of the protocol is selected, whatever its place among them."""
    own_messages(subject)
    ticket = address_of(subject).ticket
    for offered in ((SUBPROTOCOL,), (STRANGE, SUBPROTOCOL), (SUBPROTOCOL, STRANGE)):
        said = f"the subprotocols {', '.join(offered)}"
        _selected(_answered(subject, IN, said, (*ticket, _offer(*offered))), said)


@check("ws.health")
def health(subject: Subject) -> None:
    """Whoever asks, with a token or without, hears that the server lives and is ready."""
    own_messages(subject)
    address = address_of(subject)
    for path in ("/healthz", "/readyz"):
        request = f"GET {path} HTTP/1.1\r\nHost: {address.authority}\r\nConnection: close\r\n\r\n"
        answer = ask(address, request.encode(), subject.target.timeouts.reply)
        if answer.status != OK:
            raise Unmet(f"200 to GET {path}", str(answer))


def _answered(
    subject: Subject, status: int, name: str, headers: Iterable[tuple[str, str]], *, host: str = "", path: str = ""
) -> Answer:
    """What an upgrade with these headers is answered.

    Raises:
        Unmet: it is not answered with this status.
    """
    address = address_of(subject)
    given = tuple(headers)
    offer = () if any(name == OFFER for name, _ in given) else address.offer
    request = upgrade_request(address, new_key(), (*given, *offer), host=host, path=path)
    answer = ask(address, request, subject.target.timeouts.reply)
    if answer.status != status:
        raise Unmet(f"{status} to an upgrade with {name}", str(answer))
    return answer


def _selected(answer: Answer, said: str) -> None:
    if (selected := answer.header(OFFER)) != SUBPROTOCOL:
        shown = "none" if not selected else "that of the token" if "bearer" in selected else selected
        raise Unmet(f"the subprotocol {SUBPROTOCOL} selected after {said}", shown)


def _token(subject: Subject) -> tuple[str, Headers]:
    """The token that lets the judge in, and the headers beside it.

    Raises:
        NotApplicable: it was given none, or the contract is another one, which has its own ways to bring it.
    """
    own_messages(subject)
    ticket = address_of(subject).ticket
    brought = [value.partition(" ")[2] for name, value in ticket if _is_bearer(name, value)]
    if len(brought) != 1:
        raise NotApplicable("no token was given, so none is asked for")
    return brought[0], tuple((name, value) for name, value in ticket if not _is_bearer(name, value))


def _is_bearer(name: str, value: str) -> bool:
    return name.lower() == "authorization" and value.lower().startswith("bearer ")


def _offer(*names: str) -> tuple[str, str]:
    return OFFER, ", ".join(names)


def _hidden(token: str) -> str:
    return "turnwire.bearer." + base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")
