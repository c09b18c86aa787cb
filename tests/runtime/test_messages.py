"""One message in, one event or one refusal out: the rules of RPC-*, a row each."""

from typing import Any

import msgspec
import pytest

from turnwire.codec import Limits, decode_params
from turnwire.connection import Connection
from turnwire.errors import Refusal
from turnwire.events import Event, NotificationReceived, Refused, RequestReceived

LIMITS = Limits(message_bytes=20_000, depth=8, id_length=512)
LARGEST = 2**53 - 1
NOTHING = "nothing"


def events_of(message: bytes, limits: Limits = LIMITS) -> list[Event]:
    return Connection("server", limits).receive_data(message + b"\n")


def outcome(message: bytes, limits: Limits = LIMITS) -> Any:
    """A request or notification as (kind, id, method), a refusal as (code, id), nothing as `NOTHING`."""
    events = events_of(message, limits)
    if not events:
        return NOTHING
    (event,) = events
    match event:
        case RequestReceived():
            return "request", event.id, event.method
        case NotificationReceived():
            return "notification", event.method
        case Refused(reply=b""):
            return event.code, NOTHING
        case Refused():
            reply = msgspec.json.decode(event.reply)
            assert reply["error"]["code"] == event.code
            return event.code, reply["id"]
    raise AssertionError(f"no row expects {event}")


def nested(levels: int) -> bytes:
    """A request whose deepest value is `levels` deep, the envelope included."""
    return b'{"jsonrpc":"2.0","id":1,"method":"m","params":%b%b}' % (
        b'{"a":' * (levels - 1) + b"1",
        b"}" * (levels - 1),
    )


def request(request_id: str, params: str = "{}") -> bytes:
    return f'{{"jsonrpc":"2.0","id":{request_id},"method":"m","params":{params}}}'.encode()


LAWFUL = [
    pytest.param(
        b'{"jsonrpc":1,"id":1,"method":"m","jsonrpc":"2.0"}', ("request", 1, "m"), id="RPC-14: of versions too"
    ),
    pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"m"}', ("request", 1, "m"), id="a request without params"),
    pytest.param(request("0"), ("request", 0, "m"), id="RPC-2: zero"),
    pytest.param(request("-1"), ("request", -1, "m"), id="RPC-2: negative"),
    pytest.param(request(str(LARGEST)), ("request", LARGEST, "m"), id="RPC-2: the largest"),
    pytest.param(request(str(-LARGEST)), ("request", -LARGEST, "m"), id="RPC-2: the smallest"),
    pytest.param(request('""'), ("request", "", "m"), id="RPC-2: the empty string"),
    pytest.param(request('"1"'), ("request", "1", "m"), id="RPC-4: a string that looks like a number"),
    pytest.param(request('"é😀"'), ("request", "é😀", "m"), id="RPC-2: astral characters"),
    pytest.param(request('"%s"' % ("😀" * 512)), ("request", "😀" * 512, "m"), id="RPC-2: 512 code points"),
    pytest.param(request(r'"😀"'), ("request", "😀", "m"), id="a surrogate pair"),
    pytest.param(request("1", r'{"a":"\\ud800"}'), ("request", 1, "m"), id="an escaped backslash is no surrogate"),
    pytest.param(b' \t{"jsonrpc":"2.0","id":1,"method":"m"} \r', ("request", 1, "m"), id="STDIO-7: space around"),
    pytest.param(b'{"id":1,"x":[1],"method":"m","jsonrpc":"2.0"}', ("request", 1, "m"), id="RPC-13: unknown members"),
    pytest.param(
        b'{"jsonrpc":"2.0","id":{},"id":1,"method":2,"method":"m"}', ("request", 1, "m"), id="RPC-14: the last key wins"
    ),
    pytest.param(
        b'{"jsonrpc":"2.0","\\u0069d":7,"m\\u0065thod":"m"}',
        ("request", 7, "m"),
        id="keys that are spelled with escapes",
    ),
    pytest.param(
        b'{"jsonrpc":"2.0","id":1,"method":"m","result":1}', ("request", 1, "m"), id="a result beside a method"
    ),
    pytest.param(
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":[]}', ("request", 1, "m"), id="params are judged later"
    ),
    pytest.param(b'{"jsonrpc":"2.0","method":"m","params":7}', ("notification", "m"), id="RPC-18: a notification"),
    pytest.param(nested(LIMITS.depth), ("request", 1, "m"), id="RPC-22: at the depth"),
    pytest.param(request("1", '{"a":"%s"}' % ("[" * 500)), ("request", 1, "m"), id="brackets in a string are no depth"),
    pytest.param(request("1", r'{"a":"\"%s"}' % ("[" * 500)), ("request", 1, "m"), id="nor behind an escaped quote"),
    pytest.param(request("1", "[" + "[]," * 500 + "{}]"), ("request", 1, "m"), id="many brackets are no depth"),
    pytest.param(request("1", '{"a":%s}' % ("1" * 4300)), ("request", 1, "m"), id="RPC-10: 4,300 digits"),
    pytest.param(request("1", '{"a":-%s}' % ("1" * 4300)), ("request", 1, "m"), id="a sign is no digit"),
    pytest.param(request("1", '{"a":"%s"}' % ("1" * 9000)), ("request", 1, "m"), id="digits in a string"),
    pytest.param(request("1", '{"a":0.%s}' % ("1" * 9000)), ("request", 1, "m"), id="digits of a fraction"),
    pytest.param(request("1", '{"a":%s.5}' % ("1" * 9000)), ("request", 1, "m"), id="digits before a fraction"),
    pytest.param(request("1", '{"a":%se1}' % ("1" * 9000)), ("request", 1, "m"), id="digits before an exponent"),
]

REFUSED = [
    pytest.param(b'{"jsonrpc":"","id":1,"method":"m"}', (-32600, 1), id="RPC-1: the empty version"),
    pytest.param(b'{"jsonrpc":"","id":1,"method":"m","never":1}', (-32600, 1), id="RPC-1: the same with a member"),
    pytest.param(b'{"jsonrpc":"2.0","jsonrpc":"1.0","id":1,"method":"m"}', (-32600, 1), id="RPC-14: the last version"),
    pytest.param(b'{"id":1,', (-32700, None), id="RPC-9: a syntax error"),
    pytest.param(b"[1,", (-32700, None), id="RPC-9: a broken batch is no batch"),
    pytest.param(b"nul", (-32700, None), id="RPC-9: a broken word"),
    pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"m"}{}', (-32700, None), id="RPC-9: two values in a line"),
    pytest.param(request("1", '{"a":NaN}'), (-32700, None), id="RPC-9: NaN"),
    pytest.param(request("1", '{"a":-Infinity}'), (-32700, None), id="RPC-9: Infinity"),
    pytest.param(request("1", '{"a":01}'), (-32700, None), id="RPC-9: a leading zero"),
    pytest.param(request("1", '{"a":1,}'), (-32700, None), id="RPC-9: a trailing comma"),
    pytest.param(request("1", '{"a":"\t"}'), (-32700, None), id="RPC-9: a raw control character"),
    pytest.param(request("1", r'{"a":"\x"}'), (-32700, None), id="RPC-9: an escape that is none"),
    pytest.param(request("1").replace(b'"m"', b'"\xff"'), (-32700, None), id="RPC-9: invalid UTF-8"),
    pytest.param(request("1", '{"a":"b"}').replace(b'"b"', b'"\xff"'), (-32700, None), id="RPC-9: the same in params"),
    pytest.param(
        request("1", '{"a":"b"}').replace(b'"b"', b'"\xed\xa0\x80"'), (-32700, None), id="an encoded surrogate"
    ),
    pytest.param(b"\xff\xff", (-32700, None), id="RPC-9: no text at all"),
    pytest.param(b"\xef\xbb\xbf" + request("1"), (-32700, None), id="RPC-9: a byte order mark"),
    pytest.param(request("1", r'{"a":"\ud800"}'), (-32700, None), id="RPC-9: a lone high surrogate"),
    pytest.param(request("1", r'{"a":"\udc00"}'), (-32700, None), id="RPC-9: a lone low surrogate"),
    pytest.param(request(r'"\ud800"'), (-32700, None), id="RPC-9: a lone surrogate as id"),
    pytest.param(b"\0", (-32700, None), id="RPC-9: a NUL"),
    pytest.param(b"[]", (-32600, None), id="RPC-8: the empty batch"),
    pytest.param(b"[" + request("1") + b"]", (-32600, None), id="RPC-8: a batch"),
    pytest.param(b" [" + request("1") + b"]", (-32600, None), id="RPC-8: a batch behind space"),
    pytest.param(b"1", (-32600, None), id="a number"),
    pytest.param(b'"x"', (-32600, None), id="a string"),
    pytest.param(b"null", (-32600, None), id="null"),
    pytest.param(b"true", (-32600, None), id="true"),
    pytest.param(b"{}", (-32600, None), id="RPC-18: no member"),
    pytest.param(request("null"), (-32600, None), id="RPC-3: null"),
    pytest.param(request("true"), (-32600, None), id="RPC-3: a boolean"),
    pytest.param(request("1.0"), (-32600, None), id="RPC-3: a fraction"),
    pytest.param(request("1e2"), (-32600, None), id="RPC-3: an exponent"),
    pytest.param(request("[]"), (-32600, None), id="RPC-3: an array"),
    pytest.param(request("{}"), (-32600, None), id="RPC-3: an object"),
    pytest.param(request(str(LARGEST + 1)), (-32600, None), id="RPC-3: a larger integer"),
    pytest.param(request(str(-LARGEST - 1)), (-32600, None), id="RPC-3: a smaller integer"),
    pytest.param(request("1" * 4301), (-32600, None), id="RPC-3: a huge integer"),
    pytest.param(request('"%s"' % ("😀" * 513)), (-32600, None), id="RPC-3: 513 code points"),
    pytest.param(b'{"jsonrpc":"2.0","id":1,"id":null,"method":"m"}', (-32600, None), id="RPC-14: the last id is bad"),
    pytest.param(b'{"id":1,"method":"m"}', (-32600, 1), id="RPC-1: no version"),
    pytest.param(b'{"jsonrpc":"1.0","id":1,"method":"m"}', (-32600, 1), id="RPC-1: another version"),
    pytest.param(b'{"jsonrpc":2.0,"id":"a","method":"m"}', (-32600, "a"), id="RPC-1: a number as version"),
    pytest.param(b'{"method":"m"}', (-32600, None), id="RPC-1: a notification without a version"),
    pytest.param(b'{"jsonrpc":"1.0","method":"m"}', (-32600, None), id="RPC-1: a notification of another version"),
    pytest.param(b'{"jsonrpc":"2.0","id":7}', (-32600, 7), id="RPC-18: an id and nothing more"),
    pytest.param(b'{"jsonrpc":"2.0","id":7,"method":1}', (-32600, 7), id="RPC-18: a method that is no string"),
    pytest.param(b'{"jsonrpc":"2.0","id":7,"method":null,"result":1}', (-32600, 7), id="a null method is a method"),
    pytest.param(b'{"jsonrpc":"2.0","method":1}', (-32600, None), id="RPC-18: the same without an id"),
    pytest.param(b'{"jsonrpc":"2.0"}', (-32600, None), id="RPC-18: a version and nothing more"),
    pytest.param(nested(LIMITS.depth + 1), (-32600, 1), id="RPC-22: one beyond the depth"),
    pytest.param(nested(512), (-32600, 1), id="RPC-22: far beyond the depth"),
    pytest.param(nested(513), (-32600, None), id="RPC-7: so deep that it is not readable"),
    pytest.param(request("1", '{"a":%s}' % ("[" * 5000 + "]" * 5000)), (-32600, None), id="RPC-22: unreadably deep"),
    pytest.param(b"[" * 100_000, (-32600, None), id="RPC-22: unreadably deep, and never closed"),
    pytest.param(b'{"a":' * 100_000, (-32600, None), id="RPC-22: objects without end"),
    pytest.param(b'{"id":' + b"[" * 100_000, (-32600, None), id="RPC-22: an id without end"),
    pytest.param(request("1", '{"a":%s}' % ("1" * 4301)), (-32600, 1), id="RPC-10: 4,301 digits"),
    pytest.param(request("1", '{"a":[0,-%s]}' % ("1" * 4301)), (-32600, 1), id="RPC-10: 4,301 digits below zero"),
    pytest.param(
        request("1", '{"a":"' + "1" * 5000 + '","b":' + "1" * 4301 + "}"), (-32600, 1), id="behind a string of digits"
    ),
]

SILENT = [
    pytest.param(b"", NOTHING, id="STDIO-8: an empty line"),
    pytest.param(b" \t\r", NOTHING, id="STDIO-8: a line of spaces"),
    pytest.param(b'{"jsonrpc":"2.0","id":9,"result":1}', NOTHING, id="RPC-17: a response that nobody waits for"),
    pytest.param(
        b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}', NOTHING, id="RPC-17: an error to null"
    ),
    pytest.param(b'{"id":1,"result":1}', NOTHING, id="RPC-17: a response without a version"),
    pytest.param(b'{"result":1}', NOTHING, id="RPC-17: a response without an id"),
    pytest.param(b'{"jsonrpc":"2.0","id":1.5,"error":7}', NOTHING, id="RPC-17: a response with a bad id"),
    pytest.param(nested(9).replace(b'"id":1,', b""), (-32600, NOTHING), id="RPC-15: a notification that is too deep"),
    pytest.param(nested(9).replace(b'"method":"m","params"', b'"result"'), NOTHING, id="RPC-17: a response, too deep"),
]


@pytest.mark.parametrize(("message", "expected"), [*LAWFUL, *REFUSED, *SILENT])
def test_outcome(message: bytes, expected: Any) -> None:
    assert outcome(message) == expected


def without_outcome(rows: list[Any]) -> list[Any]:
    return [pytest.param(row.values[0], id=row.id) for row in rows]


@pytest.mark.parametrize("message", without_outcome([*LAWFUL, *REFUSED, *SILENT]))
def test_the_connection_lives_on(message: bytes) -> None:
    connection = Connection("server", LIMITS)
    connection.receive_data(message + b"\n")

    (event,) = connection.receive_data(request("5") + b"\n")
    assert isinstance(event, RequestReceived)
    assert (5, "m", b"{}") == (event.id, event.method, bytes(event.params))


@pytest.mark.parametrize("message", without_outcome([*LAWFUL, *REFUSED]))
def test_a_frame_is_read_as_a_line_is(message: bytes) -> None:
    events = Connection("server", LIMITS).receive_message(message)

    assert told(events) == told(events_of(message))


def told(events: list[Event]) -> list[Any]:
    """Events as values that compare by content."""
    return [(type(event), *(_content(member) for member in msgspec.structs.astuple(event))) for event in events]


def _content(member: Any) -> Any:
    return bytes(member) if isinstance(member, msgspec.Raw) else member


@pytest.mark.parametrize(
    ("message", "limit"),
    [
        pytest.param(b"x" * 20_001, 20_000, id="STDIO-11: too long"),
        pytest.param(nested(9), 8, id="RPC-22: too deep"),
        pytest.param(request('"%s"' % ("x" * 513)), 512, id="RPC-3: a long id"),
    ],
)
def test_a_limit_that_was_passed_is_in_the_data(message: bytes, limit: int) -> None:
    (event,) = events_of(message)
    assert isinstance(event, Refused)

    data = msgspec.json.decode(event.reply)["error"]["data"]
    assert data == {"code": "invalidRequest", "retryable": False, "limit": limit}


def test_a_client_answers_nothing_unreadable() -> None:
    """A server that prints banners is not told so in its own stream."""
    (event,) = Connection("client", LIMITS).receive_data(b"Listening on port 1\n")

    assert (b"", -32700, b"Listening on port 1") == (event.reply, event.code, event.excerpt)


def test_a_client_answers_a_readable_request_that_is_not_served() -> None:
    (event,) = Connection("client", LIMITS).receive_data(b'{"id":3,"method":"m"}\n')

    assert msgspec.json.decode(event.reply)["id"] == 3


def test_a_frame_of_several_lines_is_passed_on_as_one() -> None:
    (event,) = Connection("server").receive_message(b'{"jsonrpc":"2.0","id":1,\n"method":"m","params":{\n"a":\n1}}')

    assert bytes(event.params) == b'{ "a": 1}'


@pytest.mark.parametrize("frame", [b"", b"\n", b"\n\n", b" \r\n"])
def test_a_blank_frame_is_passed_over(frame: bytes) -> None:
    assert Connection("server").receive_message(frame) == []


def test_a_frame_with_a_line_end_in_a_string_is_not_json() -> None:
    (event,) = Connection("server").receive_message(b'{"jsonrpc":"2.0","id":1,"method":"a\nb"}')

    assert event.code == -32700


@pytest.mark.parametrize(
    ("method", "params", "path", "expected"),
    [
        ("initialize", b"[]", "", "object"),
        ("initialize", b"null", "", "object"),
        ("initialize", b"7", "", "object"),
        ("initialize", b"{}", "", ""),
        ("initialize", None, "", ""),
        ("initialize", b'{"protocolVersion":"1","clientInfo":{"name":"a"}}', "/protocolVersion", "int"),
        ("initialize", b'{"protocolVersion":0,"clientInfo":{"name":"a"}}', "/protocolVersion", "int >= 1"),
        ("initialize", b'{"protocolVersion":1e400,"clientInfo":{"name":"a"}}', "/protocolVersion", ""),
        ("initialize", b'{"protocolVersion":1,"clientInfo":{"name":5}}', "/clientInfo/name", "str"),
        (
            "initialize",
            b'{"protocolVersion":1,"clientInfo":{"name":"a"},"capabilities":{"optOutNotifications":["a",1]}}',
            "/capabilities/optOutNotifications/1",
            "str",
        ),
        (
            "thread/start",
            b'{"additionalContext":{"a":{"kind":"application","value":"x"},"b/c":{"kind":"application","value":1}}}',
            "/additionalContext/b~1c/value",
            "str",
        ),
    ],
)
def test_params_of_the_wrong_kind(method: str, params: bytes | None, path: str, expected: str) -> None:
    with pytest.raises(Refusal) as refusal:
        decode_params(method, None if params is None else msgspec.Raw(params))

    (issue,) = refusal.value.data["issues"]
    assert (refusal.value.code, issue["path"], issue.get("expected", "")) == (-32602, path, expected)
