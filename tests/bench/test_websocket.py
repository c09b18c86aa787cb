"""The measure of WebSockets counts answers, and nothing that is none."""

import socket
import sys
import threading
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from measures import websocket

WRONG = websocket.PONG.replace(b"result", b"errors")


@pytest.mark.parametrize(
    ("answer", "count", "message"),
    [
        (WRONG, websocket.DEPTH, "an answer is none of a ping"),
        (websocket.PONG, websocket.DEPTH - 1, "the connection ended after"),
    ],
)
def test_a_server_that_does_not_answer_fails_the_measure(answer: bytes, count: int, message: str) -> None:
    near, far = socket.socketpair()

    def serve() -> None:
        websocket.read_exactly(far, len(websocket.masked(websocket.PING)) * websocket.DEPTH)
        far.sendall(websocket.frame(answer) * count)
        far.shutdown(socket.SHUT_WR)

    server = threading.Thread(target=serve)
    server.start()
    with near, pytest.raises(RuntimeError, match=message):
        websocket.block(websocket.Asked(near, websocket.frame(websocket.PONG), 0))
    server.join()
    far.close()
