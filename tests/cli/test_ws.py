"""`serve --ws` as a process, and `call` and `debug send-message` with a server that is there already."""

import asyncio
import contextlib
import json
import os
import signal

import pytest

from cli.running import TURNWIRE, environment, heed_interrupts, program
from e2e.ws_raw import CLOSE, RawSocket, ask, frame, upgrade
from turnwire.cli.exits import Exit
from turnwire.client import Client
from turnwire.errors import ConnectionClosed, RemoteError
from turnwire.wire import ApprovalAnswer, TextPart, ThreadStartParams, TurnStartParams

WITHIN = 60.0


class Process:
    """A server that listens."""

    def __init__(self, process, url):
        self.process = process
        self.url = url

    async def ended(self, number=None):
        """How it ends, after a signal or by itself."""
        if number is not None:
            self.process.send_signal(number)
        out, err = await asyncio.wait_for(self.process.communicate(), WITHIN)
        return self.process.returncode, out, err


@contextlib.asynccontextmanager
async def serving(*argv, **variables):
    process = await asyncio.create_subprocess_exec(
        *[*TURNWIRE, "serve", "--ws", "127.0.0.1:0", *argv],
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(**variables),
        preexec_fn=heed_interrupts,
    )
    try:
        said, _, url = (await asyncio.wait_for(process.stdout.readline(), WITHIN)).decode().rpartition(" ")
        assert said == "listening on"
        yield Process(process, url.strip())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def command(*argv, **variables):
    return await asyncio.to_thread(program, *argv, **variables)


CALLS = [
    (("call", "ping"), "{}\n"),
    (("call", "thread/start", '{"threadId":"t"}', "--format", "json"), '{"thread":{"id":"t",'),
    (("debug", "send-message", "text Hello"), "Hello\ncompleted\n"),
]


@pytest.mark.parametrize("place", ["env", "file"])
async def test_commands_talk_to_a_server_that_is_there(place, tmp_path):
    (tmp_path / "token").write_text("from-a-file\r\n")
    token = {"env": ("--token-env", "TOKEN"), "file": ("--token-file", str(tmp_path / "token"))}[place]
    async with serving(*token, TOKEN="from-the-environment") as server:
        done = [await command(*argv, "--ws", server.url, *token, TOKEN="from-the-environment") for argv, _ in CALLS]
        refused = await command("call", "ping", "--ws", server.url)

    assert [(one.code, one.err) for one in done] == [(Exit.DONE, "")] * len(CALLS)
    assert [one.out.startswith(begins) for one, (_, begins) in zip(done, CALLS, strict=True)] == [True] * len(CALLS)
    assert (refused.code, "answers 401" in refused.line) == (Exit.UNREACHED, True)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, Exit.DONE), (signal.SIGINT, Exit.INTERRUPTED)])
async def test_a_signal_closes_every_connection_with_1001_and_ends_it_without_a_traceback(number, code):
    async with (
        serving() as server,
        await RawSocket.open(server.url) as one,
        await RawSocket.open(server.url) as two,
    ):
        await one.greet()
        ending = asyncio.create_task(server.ended(number))
        ends = []
        for client in (one, two):
            ends.append((await client.until_close()).code)
            client.send(frame(CLOSE))
        ended = await ending

    assert (ends, ended) == ([1001, 1001], (code, b"", b""))


async def test_a_server_that_drains_lets_its_turns_end_and_begins_nothing():
    asked, answer = asyncio.Event(), asyncio.Event()

    async def decide(params):
        asked.set()
        await answer.wait()
        return ApprovalAnswer(decision="accept", nonce=params.approval.binding.nonce)

    async with serving("--limit", "shutdownMs=60000") as server, await Client.connect(server.url) as client:
        client.on_request("approval/request", decide)
        await client.initialize()
        thread_id = (await client.thread_start(ThreadStartParams())).thread.id
        await client.turn_start(TurnStartParams(thread_id=thread_id, input=[TextPart(text="approve rm\ntext done")]))
        await asyncio.wait_for(asked.wait(), WITHIN)
        ending = asyncio.create_task(server.ended(signal.SIGTERM))
        while (await ask(server.url, upgrade(path="/readyz"))).status != 503:
            pass
        with pytest.raises(RemoteError, match="shuttingDown"):
            await client.thread_start(ThreadStartParams())
        outside = await ask(server.url, upgrade())
        answer.set()
        turn = (await client.next_message("turn/completed", within=WITHIN)).params.turn
        with pytest.raises(ConnectionClosed):
            await client.next_message("thread/closed", within=WITHIN)
        ended = await ending

    assert (turn.status, turn.final_output, outside.status, ended) == ("completed", "done", 503, (Exit.DONE, b"", b""))


async def test_a_shutdown_that_is_asked_for_is_answered_and_ends_the_server_for_all():
    async with serving() as server, await RawSocket.open(server.url) as other:
        await other.greet()
        done = await command("call", "shutdown", "--ws", server.url)
        was = await other.until_close()
        other.send(frame(CLOSE))
        ended = await server.ended()

    assert (done.code, done.out, was, ended) == (Exit.DONE, "{}\n", ([], 1001, ""), (Exit.DONE, b"", b""))


async def test_what_is_recorded_outlives_the_server(tmp_path):
    for count in (1, 2):
        async with serving("--state-dir", str(tmp_path / "state")) as server:
            for number in range(2):
                await command("call", "thread/start", json.dumps({"threadId": f"t{count}{number}"}), "--ws", server.url)
            done = await command("call", "thread/list", "--ws", server.url)
            server.process.kill()

    assert sorted(thread["id"] for thread in json.loads(done.out)["data"]) == ["t10", "t11", "t20", "t21"]


WRONG = [
    (("serve", "--ws"), "argument --ws: expected one argument"),
    (("serve", "--ws", "4500"), "'4500' is not HOST:PORT, such as 127.0.0.1:4500"),
    (("serve", "--ws", "a:b"), "'a:b' is not HOST:PORT"),
    (("serve", "--ws", "a:65536"), "'a:65536' is not HOST:PORT"),
    (("serve", "--stdio", "--ws", "127.0.0.1:0"), "not allowed with argument --stdio"),
    (("serve", "--ws", "0.0.0.0:0"), "0.0.0.0 can be reached from other machines, so a token is needed; add --token-"),
    (("serve", "--ws", "127.0.0.1:0", "--token-env", "ABSENT"), "the variable ABSENT is not set"),
    (("serve", "--ws", "127.0.0.1:0", "--token-env", "EMPTY"), "the variable EMPTY holds no token: a token is not em"),
    (
        ("serve", "--ws", "127.0.0.1:0", "--token-env", "SPLIT"),
        "the variable SPLIT holds no token: a token has visible",
    ),
    (("serve", "--ws", "127.0.0.1:0", "--token-file", "absent"), "absent: cannot be read: No such file"),
    (
        ("serve", "--ws", "127.0.0.1:0", "--token-file", "a", "--token-env", "A"),
        "not allowed with argument --token-file",
    ),
    (("serve", "--ws", "127.0.0.1:0", "--origin", "app.example"), "'app.example' is no origin"),
    (("serve", "--origin", "https://app.example"), "--origin is of no use on stdio; add --ws HOST:PORT"),
    (("serve", "--token-env", "TOKEN"), "--token-env is of no use on stdio; add --ws HOST:PORT"),
    (("call", "ping", "--ws", "http://127.0.0.1"), "'http://127.0.0.1' is no URL of a WebSocket"),
    (("call", "ping", "--ws", "ws://127.0.0.1", "--env", "A=b"), "--env is of no use with --ws"),
    (("call", "ping", "--ws", "ws://127.0.0.1", "--cwd", "."), "--cwd is of no use with --ws"),
    (("call", "ping", "--ws", "ws://127.0.0.1", "--", "true"), "there is one server: give --ws URL, or a command"),
    (("call", "ping", "--token-env", "TOKEN"), "--token-env is of no use without --ws URL"),
]


@pytest.mark.parametrize(("argv", "said"), WRONG)
def test_wrong_use_is_one_line(argv, said):
    done = program(*argv, EMPTY="", SPLIT="a b")

    assert (done.code, done.out, said in done.line) == (Exit.USAGE, "", True)


async def test_an_address_that_is_taken_is_one_line():
    async with serving() as server:
        done = await command("serve", "--ws", server.url.removeprefix("ws://"))

    assert (done.code, done.out) == (Exit.UNREACHED, "")
    assert done.line == f"turnwire: cannot listen at {server.url.removeprefix('ws://')}: Address already in use"


@pytest.mark.parametrize("argv", [("serve", "--ws", "127.0.0.1:0"), ("call", "ping", "--ws", "ws://127.0.0.1:1")])
def test_a_missing_package_is_named(argv, tmp_path):
    (tmp_path / "websockets.py").write_text("raise ModuleNotFoundError(name='websockets')")
    path = os.pathsep.join([str(tmp_path), *environment()["PYTHONPATH"].split(os.pathsep)])
    done = program(*argv, PYTHONPATH=path)

    assert done.code == Exit.USAGE
    assert done.line == "turnwire: the package websockets is not installed; run: pip install 'turnwire[websocket]'"


async def test_a_log_at_the_level_of_a_debugger_tells_no_token(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import logging\nlogging.basicConfig(level=logging.DEBUG)\n")
    path = os.pathsep.join([str(tmp_path), *environment()["PYTHONPATH"].split(os.pathsep)])
    token = ("--token-env", "TOKEN")
    async with serving(*token, TOKEN="a-secret-token", PYTHONPATH=path) as server:
        done = await command("call", "ping", "--ws", server.url, *token, TOKEN="a-secret-token", PYTHONPATH=path)
        _, _, err = await server.ended(signal.SIGTERM)

    assert (done.code, "DEBUG" in done.err + err.decode()) == (Exit.DONE, True)
    assert "a-secret-token" not in done.err + err.decode()
