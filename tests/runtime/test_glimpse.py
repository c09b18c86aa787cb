"""Whose response a message is of which only the beginning is known; a wrong guess would end somebody else's request."""

import pytest

from turnwire.codec import Limits
from turnwire.connection import Connection
from turnwire.errors import RemoteProtocolError
from turnwire.events import Refused, ResponseReceived
from turnwire.glimpse import response_id

HEADS = [
    (b'{"jsonrpc":"2.0","id":7,"result":{"data":[', 7),
    (b' {"jsonrpc" : "2.0" , "id" : "a\\"b" , "error" : {', 'a"b'),
    (b'{"id":-1,"jsonrpc":"2.0","result":"xxxx', -1),
    (b'{"id":7,"trace":true,"result":', 7),
    (b'{"id":7,"method":"approval/request","params":{', None),
    (b'{"method":"approval/request","id":7,"params":{', None),
    (b'{"id":7,"params":{"result":', None),
    (b'{"jsonrpc":"2.0","result":{"id":7,"result":', None),
    (b'{"id":{"id":7,"result":', None),
    (b'{"id":"7","result":', "7"),
    (b'{"id":null,"error":', None),
    (b'{"id":1.5,"result":', None),
    (b'{"id":"\\ud800","result":', None),
    (b'[{"id":7,"result":', None),
    (b'x{"id":7,"result":', None),
    (b'{"id":7', None),
    (b'"id":7,"result":{', None),
    (b"", None),
]


@pytest.mark.parametrize(("head", "found"), HEADS)
def test_a_response_is_known_by_its_beginning(head, found):
    assert response_id(head) == found


@pytest.mark.parametrize("frames", [False, True])
def test_a_response_that_is_too_long_ends_its_request_and_no_other(frames):
    connection = Connection("client", Limits(message_bytes=60))
    calls = [connection.send_request("ping")[0] for _ in range(3)]
    line = b'{"jsonrpc":"2.0","id":%d,"result":"%s"}' % (calls[1], b"x" * 60)
    events = connection.receive_message(line) if frames else connection.receive_data(line + b"\n")
    (event,) = events

    assert (type(event), event.id, type(event.error)) == (ResponseReceived, calls[1], RemoteProtocolError)
    assert "the response to ping has more than 60 bytes" in str(event.error)
    assert [connection.give_up(call) is not None for call in calls] == [True, False, True]


@pytest.mark.parametrize("line", [b'{"jsonrpc":"2.0","id":1,"method":"approval/request"}', b'{"id":9,"result":"'])
def test_what_is_too_long_and_no_answer_ends_nothing(line):
    connection = Connection("client", Limits(message_bytes=60))
    call, _ = connection.send_request("ping")
    events = connection.receive_data(line.ljust(80, b" ") + b"\n")

    assert [type(event) for event in events] == [Refused]
    assert connection.give_up(call) is not None
