"""The sans-IO connection: requests sent and answered, the end, and that no split of a stream matters."""

import itertools
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwire.codec import Limits, encode_known_result
from turnwire.connection import Connection
from turnwire.errors import (
    ConnectionClosed,
    LocalProtocolError,
    PendingFull,
    RemoteError,
    RemoteProtocolError,
    not_initialized,
)
from turnwire.events import Closed, RequestReceived, ResponseReceived
from turnwire.wire import EmptyResult

# Messages of each kind, some of them bad, one longer than the limit; joined in any order they make a stream.
PIECES = [
    b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    b'{"jsonrpc":"2.0","id":"\xc3\xa9\xe2\x80\xa8","method":"ping","params":{"a":[{}]}}\r\n',
    b'{"jsonrpc":"2.0","method":"initialized"}\n',
    b'{"jsonrpc":"2.0","id":1,"result":{}}\n',
    b'{"jsonrpc":"2.0","id":1.5,"method":"x"}\n',
    b"{broken\n",
    b"\xff\n",
    b"[]\n",
    b"\n",
    b"  \r\n",
    b"x" * 150 + b"\n",
    b"[[[[[[[[[[1]]]]]]]]]]\n",
]
NOT_INITIALIZED = (
    b'{"code":-32002,"message":"The connection is not initialized; send initialize first.",'
    b'"data":{"code":"notInitialized","retryable":false}}'
)
SMALL = Limits(message_bytes=120, depth=4)


def told(events: list[Any]) -> list[Any]:
    """Events as values that compare by content."""
    return [(type(event), *map(_content, msgspec.structs.astuple(event))) for event in events]


def _content(member: Any) -> Any:
    return bytes(member) if isinstance(member, msgspec.Raw) else member


@given(
    pieces=st.lists(st.sampled_from(PIECES), max_size=12),
    cuts=st.lists(st.integers(0, 900)),
    torn=st.sampled_from([0, 1]),
)
def test_any_split_of_a_stream_gives_the_same_events(pieces: list[bytes], cuts: list[int], torn: int) -> None:
    stream = b"".join(pieces)
    stream = stream[: len(stream) - torn]
    places = sorted({cut for cut in cuts if cut < len(stream)} | {0, len(stream)})
    split, whole = Connection("server", SMALL), Connection("server", SMALL)
    in_pieces = [event for a, b in itertools.pairwise(places) for event in split.receive_data(stream[a:b])]

    assert told(in_pieces + split.receive_eof()) == told(whole.receive_data(stream) + whole.receive_eof())


def sent(method: str = "ping") -> tuple[Connection, int]:
    connection = Connection("client")
    call_id, _ = connection.send_request(method)
    return connection, call_id


def test_a_request_is_answered_once() -> None:
    connection, call_id = sent()
    answer = b'{"jsonrpc":"2.0","id":%d,"result":{}}\n' % call_id

    (event,) = connection.receive_data(answer + answer)
    assert told([event]) == [(ResponseReceived, call_id, "ping", b"{}", None)]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b'"error":{"code":-32002,"message":"no","data":{"code":"notInitialized","retryable":false}}', RemoteError),
        (b'"error":{"code":-32002,"message":"no"},"jsonrpc":"1.0"', RemoteError),
        (b'"error":null', RemoteProtocolError),
        (b'"error":{"code":1,"message":"no"},"result":1', RemoteProtocolError),
        (b'"result":%b1%b' % (b"[" * 200, b"]" * 200), RemoteProtocolError),
        (b'"result":%b' % (b"1" * 5000), RemoteProtocolError),
    ],
)
def test_an_answer_that_is_an_error_or_garbage(answer: bytes, error: type[Exception]) -> None:
    connection, call_id = sent()

    (event,) = connection.receive_data(b'{"id":%d,%b}\n' % (call_id, answer))
    assert isinstance(event, ResponseReceived)
    assert type(event.error) is error


@pytest.mark.parametrize("result", [b"null", b"0", b'""', b"[]", b'{"error":1}'])
def test_any_json_is_a_result(result: bytes) -> None:
    connection, call_id = sent()

    (event,) = connection.receive_data(b'{"jsonrpc":"2.0","id":%d,"result":%b,"error":null}\n' % (call_id, result))
    assert told([event]) == [(ResponseReceived, call_id, "ping", result, None)]


@pytest.mark.parametrize("other", ['"1"', "2", "1.0", "true", "null"])
def test_the_answer_to_another_id_is_ignored(other: str) -> None:
    connection, _ = sent()

    assert connection.receive_data(f'{{"jsonrpc":"2.0","id":{other},"result":1}}\n'.encode()) == []


def test_ids_count_up_and_belong_to_their_caller() -> None:
    connection = Connection("server")
    first, _ = connection.send_request("ping")
    second, line = connection.send_request("ping", {"a": 1})

    (event,) = connection.receive_data(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % first)
    assert isinstance(event, RequestReceived)
    assert (second, msgspec.json.decode(line)["id"]) == (first + 1, second)


def test_a_bound_of_requests_that_wait() -> None:
    connection = Connection("client", pending_limit=2)
    first, _ = connection.send_request("ping")
    connection.send_request("ping")
    with pytest.raises(PendingFull, match="2 requests wait"):
        connection.send_request("ping")
    connection.give_up(first)

    assert connection.send_request("ping")[0] == first + 2


def test_deadlines_are_values() -> None:
    connection = Connection("client")
    late, _ = connection.send_request("ping", deadline=20.0)
    connection.send_request("ping")
    soon, _ = connection.send_request("ping", deadline=10.0)
    assert connection.next_deadline() == 10.0
    assert [call.id for call in connection.take_expired(9.9)] == []
    assert [call.id for call in connection.take_expired(10.0)] == [soon]
    assert connection.next_deadline() == 20.0

    assert connection.receive_data(b'{"jsonrpc":"2.0","id":%d,"result":1}\n' % soon) == []
    assert [call.id for call in connection.take_expired(99.0)] == [late]
    assert connection.next_deadline() is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (Connection("client").send_request("ping")[1], b'{"jsonrpc":"2.0","id":1,"method":"ping"}'),
        (
            Connection("client").send_request("x/y", msgspec.Raw(b'{"a" : 1}'))[1],
            b'{"jsonrpc":"2.0","id":1,"method":"x/y","params":{"a" : 1}}',
        ),
        (Connection("client").send_notification("n", {}), b'{"jsonrpc":"2.0","method":"n","params":{}}'),
        (Connection("server").send_result("é", EmptyResult()), '{"jsonrpc":"2.0","id":"é","result":{}}'.encode()),
        (encode_known_result(7, b"{}"), b'{"jsonrpc":"2.0","id":7,"result":{}}'),
        (encode_known_result("7", b"[1]"), b'{"jsonrpc":"2.0","id":"7","result":[1]}'),
        (Connection("server").send_result(-1, None), b'{"jsonrpc":"2.0","id":-1,"result":null}'),
        (
            Connection("server").send_error(None, not_initialized()),
            b'{"jsonrpc":"2.0","id":null,"error":%b}' % NOT_INITIALIZED,
        ),
    ],
)
def test_what_is_sent(line: bytes, expected: bytes) -> None:
    assert line == expected


@pytest.mark.parametrize("end", [Connection.receive_eof, Connection.close])
def test_after_the_end_nothing_comes_and_nothing_is_asked(end: Any) -> None:
    connection = Connection("server")
    assert [type(event) for event in end(connection)] == [Closed]

    assert end(connection) == []
    assert connection.is_closed
    with pytest.raises(LocalProtocolError, match="closed"):
        connection.receive_data(b"{}\n")
    with pytest.raises(LocalProtocolError, match="closed"):
        connection.receive_message(b"{}")
    with pytest.raises(ConnectionClosed, match="ping was not sent"):
        connection.send_request("ping")
    assert connection.send_result(1, {}) == b'{"jsonrpc":"2.0","id":1,"result":{}}'
