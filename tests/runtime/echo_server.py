"""A small server over stdio, for tests of the transport and the client: `python echo_server.py [what to do first]`.

It answers `ping` and `initialize`, gives `echo` its params back, sleeps in `sleep`, notifies as often as `flood` says,
asks the client what `ask` says, and prints to stdout, which must reach stderr.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from turnwire.codec import decode_params, encode_result
from turnwire.errors import method_not_found
from turnwire.events import CloseReason, NotificationReceived, Refused, RequestReceived
from turnwire.peer import Peer, Reply
from turnwire.transports.stdio import StdioTransport

RESULT = {
    "protocolVersion": 1,
    "minimumProtocolVersion": 1,
    "downgraded": False,
    "serverInfo": {"name": "echo", "version": "1"},
    "userAgent": "echo/1",
    "capabilities": {},
    "limits": {},
    "agents": [],
    "extensions": [],
    "schema": {"id": "x", "version": "1.0", "digest": "0" * 64},
}


class Echo:
    """See the module."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer

    def handle_request(self, request: RequestReceived) -> Reply:
        if request.method in ("ping", "initialize"):
            decode_params(request.method, request.params)
            return encode_result(request.id, RESULT if request.method == "initialize" else {})
        serve = {"echo": self._echo, "sleep": self._sleep, "flood": self._flood, "ask": self._ask, "die": self._die}
        if request.method not in serve:
            raise method_not_found(request.method)
        params = msgspec.json.decode(request.params)
        return serve[request.method](request, params)

    def handle_notification(self, notification: NotificationReceived) -> None:
        print("notified", notification.method, flush=True)

    def handle_refused(self, refused: Refused) -> None:
        print("refused", refused.code, flush=True)

    def handle_closed(self, reason: CloseReason) -> None:
        print("closed", reason, flush=True)

    def _echo(self, request: RequestReceived, params: Any) -> Reply:
        return encode_result(request.id, params)

    async def _sleep(self, request: RequestReceived, params: Any) -> bytes:
        await asyncio.sleep(params["seconds"])
        return encode_result(request.id, params)

    def _flood(self, request: RequestReceived, params: Any) -> Reply:
        for number in range(params["count"]):
            self._peer.notify("flooded", {"number": number, "padding": "x" * params.get("padding", 0)})
        return encode_result(request.id, params)

    async def _ask(self, request: RequestReceived, params: Any) -> bytes:
        answer = await self._peer.request_raw(params["method"], params["params"])
        return encode_result(request.id, answer)

    def _die(self, request: RequestReceived, params: Any) -> Reply:
        del request
        sys.stderr.write("last words\n")
        os._exit(params["status"])


async def main() -> None:
    transport = StdioTransport.claim()
    print("a banner", flush=True)
    peer = Peer("server", transport)
    await peer.run(Echo(peer))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["child", pid_file]:
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            Path(pid_file).write_text(str(child.pid), encoding="utf-8")
        case ["deaf"]:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        case ["garbage"]:
            sys.stdout.write("Listening on port 1\n")
            sys.exit(3)
    asyncio.run(main())
