"""The least that answers on a WebSocket by the library's own server: what it gets goes back, and is not read."""

import asyncio
import contextlib

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed


async def echo(connection: ServerConnection) -> None:
    with contextlib.suppress(ConnectionClosed):
        async for message in connection:
            await connection.send(message)


async def main() -> None:
    async with serve(echo, "127.0.0.1", 0, compression=None) as server:
        host, port = server.sockets[0].getsockname()
        print(f"listening on ws://{host}:{port}", flush=True)
        await server.wait_closed()


if __name__ == "__main__":
    asyncio.run(main())
