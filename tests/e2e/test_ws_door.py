"""Who comes in by a WebSocket, and what everybody else is answered before the upgrade (WS-2, WS-3, WS-5)."""

import asyncio
import base64

import pytest

from e2e.stdio_server import make_server
from e2e.ws_raw import CLOSE, PING, RawSocket, ask, cut_off, frame, upgrade
from turnwire.server.websocket import NotAllowed, listening
from turnwire.transports.websocket import Door, Listener, check_origin, check_token, listener
from turnwire.transports.websocket.bearer import bearer_of, is_token

LOOPBACK = ("127.0.0.1", 0)
TOKEN = "a-token.of~some/length+and="


def hidden(token):
    return "turnwire.bearer." + base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")


BEARERS = [
    # Authorization, Sec-WebSocket-Protocol, path, status, selected
    (None, None, "/", 401, None),
    (f"Bearer {TOKEN}", None, "/", 101, None),
    (f"bearer   {TOKEN} ", "turnwire.v1", "/rpc", 101, "turnwire.v1"),
    (f"Bearer {TOKEN}x", None, "/", 401, None),
    (f"Bearer {TOKEN[:-1]}", None, "/", 401, None),
    ("Bearer", None, "/", 401, None),
    (f"Basic {TOKEN}", None, "/", 401, None),
    (TOKEN, None, "/", 401, None),
    (None, f"turnwire.v1, {hidden(TOKEN)}", "/", 101, "turnwire.v1"),
    (None, f"{hidden(TOKEN)}, turnwire.v1", "/", 101, "turnwire.v1"),
    (None, f"turnwire.v1, {hidden(TOKEN + 'x')}", "/", 401, None),
    (None, "turnwire.v1, turnwire.bearer.!", "/", 401, None),
    (None, "turnwire.v1, turnwire.bearer.", "/", 401, None),
    (None, "turnwire.v1", "/", 401, None),
    # Two tokens are none, even where one of them is right.
    ("Bearer x", f"turnwire.v1, {hidden(TOKEN)}", "/", 401, None),
    # The subprotocol of the token is none of the protocol.
    (None, hidden(TOKEN), "/", 400, None),
    (f"Bearer {TOKEN}", "graphql-ws", "/", 400, None),
    # WS-2: "never in the URL".
    (None, None, f"/?token={TOKEN}", 401, None),
    (None, None, f"/{TOKEN}?access_token={TOKEN}", 401, None),
]


@pytest.mark.parametrize(("authorization", "subprotocols", "path", "status", "selected"), BEARERS)
async def test_a_token_opens_the_door_and_nothing_else_does(authorization, subprotocols, path, status, selected):
    given = {"Authorization": authorization, "Sec_WebSocket_Protocol": subprotocols}
    headers = {name: value for name, value in given.items() if value is not None}
    async with listening(make_server({}), LOOPBACK, token=TOKEN) as url:
        answer = await ask(url, upgrade(path=path, **headers))

    assert (answer.status, answer.headers.get("sec-websocket-protocol")) == (status, selected)
    assert ("www-authenticate" in answer.headers) == (status == 401)
    assert TOKEN not in str(answer)


ORIGINS = [
    ("https://evil.example", 403),
    ("null", 403),
    ("http://127.0.0.1:1", 403),
    ("http://localhost", 403),
    ("https://app.example.evil.example", 403),
    ("http://app.example", 403),
    ("https://app.example", 101),
    ("https://APP.example", 101),
    ("vscode-webview://1a2b", 101),
    ("http://127.0.0.1:{port}", 101),
    ("https://localhost:{port}", 101),
    (None, 101),
]


@pytest.mark.parametrize(("origin", "status"), ORIGINS)
async def test_pages_of_foreign_origins_stay_outside(origin, status):
    allowed = [check_origin("https://app.example"), check_origin("VSCODE-webview://1a2b")]
    async with listening(make_server({}), LOOPBACK, origins=allowed) as url:
        # A name that was bound anew to this machine says its own name, and is foreign all the same.
        headers = {} if origin is None else {"Origin": origin.format(port=url.rpartition(":")[2]), "Host": origin[8:]}
        answer = await ask(url, upgrade(**headers))

    assert answer.status == status


async def test_of_two_origins_both_must_be_allowed():
    async with listening(make_server({}), LOOPBACK, origins=["https://app.example"]) as url:
        answer = await ask(url, upgrade("Origin: https://evil.example", Origin="https://app.example"))

    assert answer.status == 403


REQUESTS = [
    (upgrade(without="Upgrade"), 426),
    (upgrade(without="Connection"), 426),
    (upgrade(without="Sec-WebSocket-Key"), 400),
    (upgrade(Sec_WebSocket_Version="12"), 400),
    (upgrade(without="Upgrade", path="/healthz"), 200),
    (upgrade(without="Upgrade", path="/readyz?verbose"), 200),
    (upgrade(path="/healthz", Origin="https://evil.example"), 200),
]


@pytest.mark.parametrize(("request_bytes", "status"), REQUESTS)
async def test_what_is_no_upgrade_is_answered_and_ended(request_bytes, status):
    async with listening(make_server({}), LOOPBACK) as url:
        answer = await ask(url, request_bytes)

    assert (answer.status, answer.headers["connection"]) == (status, "close")


async def test_health_needs_no_token_and_tells_nothing():
    async with listening(make_server({}), LOOPBACK, token=TOKEN) as url:
        answers = [await ask(url, upgrade(without="Upgrade", path=path)) for path in ("/healthz", "/readyz")]

    assert [(answer.status, answer.body) for answer in answers] == [(200, "alive"), (200, "ready")]


async def test_a_server_that_drains_is_alive_and_not_ready():
    server = make_server({})
    settled = asyncio.Event()
    server.drain = settled.wait
    serving = listening(server, LOOPBACK)
    url = await serving.__aenter__()
    ending = asyncio.create_task(serving.__aexit__(None, None, None))
    await asyncio.sleep(0)
    answers = [await ask(url, upgrade(path=path)) for path in ("/healthz", "/readyz", "/")]
    settled.set()
    await ending

    assert [answer.status for answer in answers] == [200, 503, 503]


NO_REQUESTS = [
    b"HELO\r\n\r\n",
    b"\0" * 100 + b"\r\n\r\n",
    upgrade(*(f"X-{number}: y" for number in range(200))),
    upgrade("X: " + "y" * 10_000),
    upgrade(path="/" + "y" * 10_000),
]


@pytest.mark.parametrize("sent", NO_REQUESTS, ids=range(len(NO_REQUESTS)))
async def test_what_cannot_be_read_is_told_so_and_harms_nobody(sent):
    async with listening(make_server({}), LOOPBACK) as url:
        refused, answer = await ask(url, sent), await ask(url, upgrade())

    # Which it is of these the library says, by its version.
    assert (refused.status in (400, 414, 431), answer.status) == (True, 101)


IMPATIENT = [upgrade() + frame(PING), upgrade() + frame(3), upgrade() + frame(CLOSE)]


@pytest.mark.parametrize("sent", IMPATIENT)
async def test_who_does_not_wait_for_the_answer_is_cut_off_and_harms_nobody(sent):
    async with listening(make_server({}), LOOPBACK) as url:
        heard = await cut_off(url, sent)
        answer = await ask(url, upgrade())

    assert (heard, answer.status) == (b"", 101)


async def test_who_does_not_say_what_they_want_is_cut_off(monkeypatch):
    monkeypatch.setattr(listener, "_OPENING_SECONDS", 0.05)
    async with listening(make_server({}), LOOPBACK) as url:
        assert await cut_off(url, upgrade()[:-4]) == b""


ADDRESSES = [("127.0.0.1", None, True), ("localhost", None, True), ("0.0.0.0", None, False), ("0.0.0.0", "t", True)]


@pytest.mark.parametrize(("host", "token", "listens"), ADDRESSES)
async def test_without_a_token_only_this_machine_is_listened_to(host, token, listens):
    serving = listening(make_server({}), (host, 0), token=token)
    if listens:
        async with serving as url:
            assert url.startswith("ws://")
    else:
        with pytest.raises(NotAllowed, match="so a token is needed"):
            await serving.__aenter__()


async def test_a_connection_that_fails_takes_no_other_with_it(caplog):
    async def fail(link):
        raise RuntimeError("no")

    failing = Listener(Door(), fail, message_bytes=100)
    address, port = await failing.open(*LOOPBACK)
    for _ in range(2):
        async with await RawSocket.open(f"ws://{address}:{port}") as raw:
            assert (await raw.until_close()).code is None
    await failing.close()

    assert [record.message for record in caplog.records] == ["a connection failed"] * 2


TOKENS = [("", "a token is not empty"), ("a b", "visible"), ("é", "visible"), ("a\n", "visible")]


@pytest.mark.parametrize(("token", "said"), TOKENS)
def test_what_no_header_carries_is_no_token(token, said):
    with pytest.raises(ValueError, match=said):
        check_token(token)


@pytest.mark.parametrize(
    "text", ["", "app.example", "https://", "https://a/", "https://a?b", "https://u@a", "*", "a b://c"]
)
def test_what_no_browser_writes_is_no_origin(text):
    with pytest.raises(ValueError, match="is no origin"):
        check_origin(text)


@pytest.mark.parametrize(
    ("brought", "is_it"), [("t", True), ("T", False), ("", False), (None, False), ("\udcff", False)]
)
def test_a_token_is_equal_or_not(brought, is_it):
    assert is_token(brought, "t") == is_it


def test_a_token_is_compared_in_constant_time(monkeypatch):
    compared = []
    monkeypatch.setattr("hmac.compare_digest", lambda left, right: compared.append((len(left), len(right))))
    is_token("short", "a token that is much longer than the other")

    assert compared == [(32, 32)]


def test_a_token_that_is_no_text_is_none():
    assert bearer_of([], ["turnwire.v1", "turnwire.bearer._w"]) == ""
