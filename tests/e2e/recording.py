"""What goes over a connection, in order and in both directions, as each side could see it on the wire."""

import json
from typing import Any, NamedTuple


class Frame(NamedTuple):
    """One message: `c2s` or `s2c`."""

    way: str
    message: dict[str, Any]


class RecordingTransport:
    """A transport that passes everything on and keeps it in `trace`. Also the receiver of the one inside."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.slow_reader = inner.slow_reader
        self.trace: list[Frame] = []
        self._rest = b""

    async def start(self, receiver: Any) -> None:
        self._receiver = receiver
        await self.inner.start(self)

    def write(self, lines: Any) -> None:
        for line in lines:
            self.trace.append(Frame("c2s", json.loads(line)))
        self.inner.write(lines)

    def data_received(self, chunk: bytes) -> None:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            if line.strip():
                self.trace.append(Frame("s2c", json.loads(line)))
        self._receiver.data_received(chunk)

    def message_received(self, message: bytes) -> None:
        self.trace.append(Frame("s2c", json.loads(message)))
        self._receiver.message_received(message)

    def __getattr__(self, name: str) -> Any:
        # The rest of both protocols: what a peer calls goes inside, what a transport calls goes to the receiver.
        if name.startswith("_"):
            raise AttributeError(name)
        outward = name in ("pause_reading", "resume_reading", "close", "abort")
        return getattr(self.inner if outward else self._receiver, name)
