"""The endpoint as a server: one thread a connection, on the loopback, gone when the judge is done with it."""

import contextlib
import itertools
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from turnwire.conformance.endpoint.events import (
    MODEL,
    Event,
    chat_events,
    chat_whole,
    encoded,
    response_events,
    response_whole,
)
from turnwire.conformance.endpoint.replies import Reply, reply_to

__all__ = ["hosted"]

# A server sends its whole context with every request; one that sends more than this is mistaken.
BODY_BYTES = 64 * 1024 * 1024
STREAMS = {"/responses": response_events, "/chat/completions": chat_events}
WHOLES = {"/responses": response_whole, "/chat/completions": chat_whole}


@contextlib.contextmanager
def hosted() -> Iterator[str]:
    """Serve while the context lasts; gives the base URL, to which `/responses` or `/chat/completions` is added."""
    server = _Server(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="model endpoint", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # A reply that hangs must not hold up the end of the judge.
    block_on_close = False

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.serials = itertools.count(1)
        self.over = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever has hung up wants no answer, and the judge's stderr is not for that."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the library's
        """Keep quiet: stderr is for progress."""

    def do_GET(self) -> None:
        """The list of models, which some servers ask for first."""
        model = {"id": MODEL, "object": "model", "created": 0, "owned_by": "turnwire"}
        self._whole(200, {"object": "list", "data": [model], "models": []})

    def do_POST(self) -> None:
        """One answer of the model."""
        length = int(self.headers.get("content-length") or 0)
        path = next((path for path in STREAMS if self.path.partition("?")[0].endswith(path)), "")
        if not path or not 0 < length <= BODY_BYTES:
            self._whole(404 if not path else 413, _error("there is nothing here"))
            return
        try:
            body = json.loads(self.rfile.read(length))
        except ValueError:
            self._whole(400, _error("the body is no JSON"))
            return
        reply, serial = reply_to(body), next(self.server.serials)
        self._wait(reply.silence)
        if reply.status != 200:
            self._whole(reply.status, _error("".join(reply.pieces)))
        elif isinstance(body, dict) and body.get("stream"):
            self._stream(reply, STREAMS[path](reply, serial))
        else:
            self._whole(200, WHOLES[path](reply, serial))

    def _whole(self, status: int, value: Any) -> None:
        raw = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _stream(self, reply: Reply, events: Iterator[Event]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        said = 0
        with contextlib.suppress(OSError):  # a server that is interrupted hangs up
            for event in events:
                raw = encoded(event)
                self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
                said += "delta" in event[0] or _has_text(event[1])
                if reply.is_cut and said:
                    self.close_connection = True
                    return
                self._wait(reply.pause if said else 0.0)
            self.wfile.write(b"0\r\n\r\n")

    def _wait(self, seconds: float) -> None:
        if seconds:
            self.server.over.wait(seconds)


def _has_text(data: Any) -> bool:
    choices = data.get("choices") if isinstance(data, dict) else None
    return bool(choices and choices[0]["delta"].get("content"))


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "turnwire_check", "code": None, "param": None}}
