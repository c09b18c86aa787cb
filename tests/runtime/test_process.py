"""A server as a child: however it behaves, one clear error, and nothing of it left."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from turnwire.client import Client, ProcessNotStarted, ProcessTransport
from turnwire.errors import ConnectionClosed, RequestTimeout
from turnwire.wire import EmptyResult

SERVER = [sys.executable, str(Path(__file__).with_name("echo_server.py"))]


def is_alive(pid: int) -> bool:
    """Whether there is such a process, and it is not only waiting to be reaped."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def test_a_server_is_spoken_to_and_ends_with_its_client() -> None:
    async with await Client.spawn(SERVER, stderr="capture") as client:
        assert await client.ping() == EmptyResult()
        assert (await client.initialize()).server_info.name == "echo"
        transport = client._transport
        assert isinstance(transport, ProcessTransport)
        assert transport.pid is not None
        assert os.getpgid(transport.pid) != os.getpgid(0)

    assert transport.returncode == 0
    assert transport.stderr.splitlines() == ["a banner", "closed eof"]


async def test_requests_go_both_ways_over_pipes() -> None:
    async with await Client.spawn(SERVER, stderr="discard") as client:
        client.on_request("double", lambda params: {"number": params["number"] * 2})
        result = await client.call_raw("ask", {"method": "double", "params": {"number": 21}})

        assert bytes(result) == b'{"number":42}'


@pytest.mark.parametrize(
    ("argv", "cwd", "message"),
    [
        ([], None, "no command was given"),
        (["/no/such/server"], None, "cannot start '/no/such/server': No such file or directory"),
        (["/"], None, "cannot start '/': Permission denied"),
        (SERVER, "/no/such/directory", "No such file or directory"),
        ([SERVER[0], "a\0b"], None, "embedded null byte"),
    ],
)
async def test_a_command_that_cannot_be_run(argv: list[str], cwd: str | None, message: str) -> None:
    with pytest.raises(ProcessNotStarted, match=message):
        await Client.spawn(argv, cwd=cwd)


async def test_the_environment_and_the_directory_are_the_server_s(tmp_path: Path) -> None:
    code = "import os, sys; sys.exit(f'{os.getcwd()} {os.environ[\"A_VARIABLE\"]}')"
    environment = {"A_VARIABLE": "its value", **os.environ}
    client = await Client.spawn([sys.executable, "-c", code], cwd=str(tmp_path), env=environment, stderr="capture")
    async with client:
        with pytest.raises(ConnectionClosed, match="its value") as error:
            await client.ping()
        assert str(tmp_path) in str(error.value)


@pytest.mark.parametrize(
    ("method", "status", "words"),
    [
        ("die", 7, ["exited with status 7", "its stderr ends with: last words"]),
        ("die", 0, ["exited with status 0"]),
    ],
)
async def test_a_server_that_dies_leaves_its_last_words(method: str, status: int, words: list[str]) -> None:
    async with await Client.spawn(SERVER, stderr="capture") as client:
        with pytest.raises(ConnectionClosed) as error:
            await client.call_raw(method, {"status": status})

        assert [word for word in words if word not in str(error.value)] == []


async def test_a_server_that_prints_a_banner_and_exits() -> None:
    async with await Client.spawn([*SERVER, "garbage"], stderr="capture") as client:
        with pytest.raises(ConnectionClosed, match=r"exited with status 3; .*'Listening on port 1'"):
            await client.initialize()


async def test_a_server_that_is_killed() -> None:
    async with await Client.spawn([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]) as client:
        with pytest.raises(ConnectionClosed, match="was killed by signal 9"):
            await client.ping()


async def test_nothing_of_the_group_is_left(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    async with await Client.spawn([*SERVER, "child", str(pid_file)], stderr="discard") as client:
        await client.ping()
        child = int(pid_file.read_text(encoding="utf-8"))
        assert is_alive(child)

    async with asyncio.timeout(100):
        while is_alive(child):  # noqa: ASYNC110 - another process tells nobody of its end
            await asyncio.sleep(0.01)


async def test_a_server_that_heeds_nothing_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnwire.client.process._EXIT_SECONDS", 0.05)
    monkeypatch.setattr("turnwire.client.process._TERM_SECONDS", 0.05)
    async with await Client.spawn([*SERVER, "deaf"], stderr="discard") as client:
        with pytest.raises(RequestTimeout):
            await client.call("ping", within=0.3)
        transport = client._transport
        assert isinstance(transport, ProcessTransport)

    assert transport.returncode in (-15, -9)
    assert transport.pid is not None
    assert not is_alive(transport.pid)


async def test_a_client_that_does_not_read_loses_nothing_and_one_that_floods_is_answered() -> None:
    async with await Client.spawn(SERVER, stderr="discard") as client:
        await client.call_raw("flood", {"count": 5000, "padding": 50})
        numbers = [(await client.next_message("flooded")).params["number"] for _ in range(5000)]

        assert numbers == list(range(5000))


async def test_closing_twice_is_closing_once() -> None:
    client = await Client.spawn(SERVER, stderr="discard")
    await client.close()
    await client.close()

    with pytest.raises(ConnectionClosed):
        await client.ping()
