"""The ceiling: reads a chunk, splits its lines, answers each with a constant line, writes once. It checks nothing."""

import asyncio
import os
import sys


class Loop(asyncio.Protocol):
    """Answers a whole chunk in one write, as Turnwire's peer does, with no JSON read at all."""

    def __init__(self, output: asyncio.WriteTransport) -> None:
        self._output = output
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        self._output.write(b"".join([b'{"jsonrpc":"2.0","id":1,"result":{}}\n' for line in lines if line]))

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
