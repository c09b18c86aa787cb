"""A client in a process of its own kind: it talks with a server that may die at any moment, and remembers every line.

Whatever it has read was announced; whatever comes after the death of the server is not.
"""

import os
import select
import time
from typing import Any

import msgspec

__all__ = ["Witness"]

_PATIENCE = 50.0


class Witness:
    """Reads and writes two descriptors until the other side is gone."""

    def __init__(self, reading: int, writing: int) -> None:
        self.heard: list[dict[str, Any]] = []
        self._reading = reading
        self._writing = writing
        self._rest = b""
        self._ids = 0
        self.gone = False

    def ask(self, method: str, **params: Any) -> int:
        """Sends a request; the id that its answer will have."""
        self._ids += 1
        self.send({"id": self._ids, "method": method, "params": params})
        return self._ids

    def send(self, message: dict[str, Any]) -> None:
        """Sends anything, unless nobody is there any more."""
        try:
            os.write(self._writing, msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n")
        except BrokenPipeError:
            self.gone = True

    def listen(self, until: Any, *, seconds: float = _PATIENCE) -> bool:
        """Reads until something was heard, the server is gone or the time is over; whether it was heard."""
        end = time.monotonic() + seconds
        while not any(until(message) for message in self.heard):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._reading], [], [], left)[0]:
                return False
            data = os.read(self._reading, 1 << 16)
            if not data:
                self.gone = True
                return any(until(message) for message in self.heard)
            *lines, self._rest = (self._rest + data).split(b"\n")
            for line in lines:
                self._hear(msgspec.json.decode(line))
        return True

    def result(self, mark: int) -> Any:
        """What came of a request; None where nothing did."""
        return next((message.get("result") for message in self.heard if message.get("id") == mark), None)

    def announced(self) -> dict[tuple[str, int], tuple[str, Any]]:
        """What was announced by thread and number: the method, and the params as they were sent."""
        found = {}
        for message in self.heard:
            params = message.get("params", {})
            if "seq" in params and "method" in message:
                thread_id = params.get("threadId") or params["thread"]["id"]
                found[thread_id, params["seq"]] = message["method"], params
        return found

    def _hear(self, message: dict[str, Any]) -> None:
        self.heard.append(message)
        if message.get("method") == "approval/request":
            approval = message["params"]["approval"]
            decision = "accept" if approval["operation"] == "build" else "decline"
            self.send({"id": message["id"], "result": {"decision": decision, "nonce": approval["binding"]["nonce"]}})

    def close(self) -> None:
        """Both descriptors."""
        os.close(self._reading)
        os.close(self._writing)
