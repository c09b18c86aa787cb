"""The least that answers: reads a chunk, decodes each line, echoes its id, writes once. It checks nothing."""

import asyncio
import os
import sys

import msgspec


class Message(msgspec.Struct):
    """As much of a request as its reply needs."""

    id: int | str
    method: str


class Reply(msgspec.Struct, tag_field="jsonrpc", tag="2.0"):
    """A result without members."""

    id: int | str
    result: dict[str, str]


decode = msgspec.json.Decoder(Message).decode
encode = msgspec.json.Encoder().encode


class Loop(asyncio.Protocol):
    """Answers a whole chunk in one write, as Turnwire's peer does."""

    def __init__(self, output: asyncio.WriteTransport) -> None:
        self._output = output
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        self._output.write(b"".join([encode(Reply(decode(line).id, {})) + b"\n" for line in lines if line]))

    def eof_received(self) -> None:
        self._output.close()


class Output(asyncio.BaseProtocol):
    """Says when everything is written."""

    def __init__(self) -> None:
        self.done = asyncio.get_running_loop().create_future()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_result(exc)


async def main() -> None:
    loop = asyncio.get_running_loop()
    output, end = await loop.connect_write_pipe(Output, os.fdopen(1, "wb", buffering=0))
    await loop.connect_read_pipe(lambda: Loop(output), sys.stdin)
    await end.done


if __name__ == "__main__":
    asyncio.run(main())
