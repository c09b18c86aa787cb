"""Servers that listen and cannot be judged, or go wrong on the way: each has its own line, exit code, and time."""

import contextlib
import os
import socket
import sys
import threading

import pytest

from cli.running import run
from conformance.front import VARIANTS
from conformance.front.faults_frames import mutant, nothing
from conformance.front.frames import CLOSE
from conformance.front.house import serving
from conformance.front.server import Front
from turnwire.conformance.websocket.address import parse_address

IMPATIENT = 0.02
PLAIN = VARIANTS["plain"]
SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
REFUSED = b"HTTP/1.1 %b\r\nContent-Length: 0\r\n\r\n"
ANSWERS = {
    "silent": (None, "does not answer the upgrade within 0.4 s"),
    "closes": (b"", "does not answer the upgrade as HTTP: it closes the connection"),
    "is-another": (b"SSH-2.0-OpenSSH_9.6\r\n", "does not answer the upgrade as HTTP: it says b'SSH-2.0-OpenSSH_9.6"),
    "endless": (b"HTTP/1.1 200 OK\r\n" + b"X-More: 1\r\n" * 20_000, "does not answer the upgrade as HTTP"),
    "not-found": (REFUSED % b"404 Not Found", "does not become a WebSocket: it answers 404 Not Found"),
    "a-page": (REFUSED % b"200 OK", "does not become a WebSocket: it answers 200 OK"),
    "busy": (REFUSED % b"503 Service Unavailable", "does not become a WebSocket: it answers 503 Service Unavailable"),
    "wants-a-token": (
        REFUSED % b"401 Unauthorized",
        "asks for a token, which --token-env NAME brings: it answers 401 Unauthorized",
    ),
    "says-nothing-of-it": (b"HTTP/1.1 101 Why Not\r\n\r\n", "answers 101 and does not say that it becomes a WebSocket"),
    "of-another-key": (
        SWITCHED + b"Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n",
        "answers 101 with a Sec-WebSocket-Accept that is not of this request",
    ),
}


@contextlib.contextmanager
def answering(answer):
    """A URL at which every request gets these bytes; None is nothing at all, for as long as the client stays."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            with contextlib.suppress(OSError):  # the end of the block
                while True:
                    client, _ = listening.accept()
                    with client, contextlib.suppress(OSError):  # a client that has heard enough
                        client.recv(65536)
                        client.sendall(answer or b"")
                        if answer is None:
                            client.recv(1)

        threading.Thread(target=serve, daemon=True).start()
        yield f"ws://127.0.0.1:{listening.getsockname()[1]}"
        with contextlib.suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)


def unreached(judged, said):
    assert 3 == judged.exit_code
    assert said in judged.stderr
    assert 1 == judged.stderr.count("\n")
    assert "" == judged.stdout


@pytest.mark.parametrize("kind", ANSWERS)
def test_what_is_no_websocket_has_its_own_line(kind, judge):
    answer, said = ANSWERS[kind]
    with answering(answer) as url:
        judged = judge((), address=parse_address(url), timeout_scale=IMPATIENT if answer is None else 1.0)

    unreached(judged, f"target not reached: {url} {said}")


def test_nobody_is_there(judge):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

    judged = judge((), address=parse_address(f"ws://127.0.0.1:{port}"))

    unreached(judged, f"target not reached: cannot connect to ws://127.0.0.1:{port}: Connection refused")


def test_a_server_without_tls_is_no_wss(judge):
    with answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as url:
        judged = judge((), address=parse_address(url.replace("ws:", "wss:")))

    unreached(judged, "no TLS")


def test_a_token_that_is_not_taken_is_named_and_not_said(judge):
    with serving(PLAIN, "the-token-0123") as url:
        judged = judge((), address=parse_address(url)._replace(token="another-0123"))

    unreached(judged, "does not take this token: it answers 401 Unauthorized")
    assert "0123" not in judged.stderr


def says(text):
    """Says this in place of everything."""
    return mutant(say=lambda self, line: Front.say(self, text), message=lambda self, message: self.say(b""))


def closes(self, message):
    """Closes on whoever speaks."""
    self.send(CLOSE, (1008).to_bytes(2, "big") + b"not you")
    self.linger()


GREETINGS = {
    "silent": (mutant(message=nothing), "no answer to initialize: nothing of the kind within 0.4 s"),
    "closes": (mutant(message=closes), "no answer to initialize: it closed the connection with 1008 (not you)"),
    "cuts": (mutant(message=lambda self, message: self.tcp.abort()), "it cut the connection off, without a close"),
    "another-protocol": (
        mutant(selected=lambda self, offered: "another.v1"),
        "selects the subprotocol another.v1, which was not offered",
    ),
    "a-banner": (says(b"INFO listening"), "within 0.4 s; it said 'INFO listening'"),
}


@pytest.mark.parametrize("kind", GREETINGS)
def test_a_server_that_does_not_greet_has_its_own_line(kind, judge):
    front, said = GREETINGS[kind]
    with serving(front) as url:
        judged = judge((), address=parse_address(url), timeout_scale=IMPATIENT if "0.4" in said else 1.0)

    unreached(judged, said)


def asked_for_ping(change):
    """Goes wrong at a ping, and not before."""
    return mutant(message=lambda self, line: change(self, line) if b'"ping"' in line else Front.message(self, line))


ROGUES = {
    "hangs": (asked_for_ping(nothing), "nothing of the kind within 1 s"),
    "closes": (asked_for_ping(closes), "it closed the connection with 1008 (not you)"),
    "cuts": (asked_for_ping(lambda self, line: self.tcp.abort()), "it cut the connection off, without a close"),
}


@pytest.mark.parametrize("kind", ROGUES)
def test_a_connection_that_goes_wrong_fails_its_check_only(kind, judge):
    front, said = ROGUES[kind]
    with serving(front) as url:
        judged = judge((), address=parse_address(url), select=("life.ping", "thread.read-own"), timeout_scale=0.1)

    assert {"life.ping": "fail", "thread.read-own": "pass"} == judged.verdicts
    assert said in judged.row("life.ping")["actual"]


# A server that the judge starts

SERVE = (sys.executable, "-m", "turnwire", "serve", "--ws", "127.0.0.1:{port}")
CHOSEN = parse_address("ws://127.0.0.1:{port}")


def python(script):
    return (sys.executable, "-S", "-E", "-c", script)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("/no/such/program",), "target not started: no such program: /no/such/program"),
        (python("raise RuntimeError('no model')"), "it ended with exit code 1 and listened nowhere; stderr ends: "),
        (python("import time; time.sleep(60)"), "Connection refused; it was started 0.4 s ago"),
    ],
    ids=["missing", "ends", "listens-nowhere"],
)
def test_a_server_that_does_not_come_to_listen_has_its_own_line(argv, said, judge):
    unreached(judge(argv, address=CHOSEN, timeout_scale=IMPATIENT if "0.4" in said else 1.0), said)


def test_a_server_is_not_taken_for_the_one_that_listens_there_already(judge):
    with serving(PLAIN) as url:
        judged = judge(SERVE, address=parse_address(url))

    unreached(judged, f"target not started: somebody listens at {url} already")


def test_a_server_that_was_started_is_gone_at_the_end(judge, tmp_path):
    file = tmp_path / "pid"
    script = f"import os, sys; open({str(file)!r}, 'w').write(str(os.getpid())); os.execv(sys.argv[1], sys.argv[1:])"

    judged = judge((*python(script), *SERVE), address=CHOSEN, select=("life.ping",))

    assert {"life.ping": "pass"} == judged.verdicts
    with pytest.raises(ProcessLookupError):
        os.kill(int(file.read_text()), 0)


def test_a_server_that_logs_without_end_is_held_up_nowhere(judge):
    script = (
        "import subprocess, sys, threading\n"
        "threading.Thread(target=lambda: [print('log ' * 1000, file=sys.stderr) for _ in range(3000)]).start()\n"
        "sys.exit(subprocess.call(sys.argv[1:]))"
    )

    judged = judge((*python(script), *SERVE), address=CHOSEN, select=("life.ping",))

    assert {"life.ping": "pass"} == judged.verdicts, judged.stderr


# Words

WRONG = [
    (("--ws", "http://127.0.0.1:1"), "'http://127.0.0.1:1' is no URL of a WebSocket, such as ws://127.0.0.1:4500"),
    (("--ws", "ws://127.0.0.1:port"), "is no URL of a WebSocket"),
    (("--ws", "ws://me:secret@127.0.0.1:1"), "the URL has a user in it; a token goes along in the header"),
    (("--ws", "ws://127.0.0.1:{port}"), "{port} is for a server that is started; give its command, or the port"),
    (("--ws", "ws://127.0.0.1:1", "--cwd", "."), "--cwd is of no use with --ws and no command"),
    (("--ws", "ws://127.0.0.1:1", "--jobs", "2"), "--jobs is of no use with --ws"),
    (("--ws", "ws://127.0.0.1:1", "--header", "no colon"), "'no colon' is not NAME: VALUE"),
    (("--ws", "ws://127.0.0.1:1", "--header", "A: b\r\nC: d"), "is not NAME: VALUE"),
    (("--ws", "ws://127.0.0.1:1", "--token-env", "NO_SUCH_NAME"), "the variable NO_SUCH_NAME is not set"),
    (("--ws", "ws://127.0.0.1:1", "--"), "no server given"),
    (("--header", "A: b", "--", "server"), "--header is of no use without --ws URL"),
    (("--token-env", "HOME", "--", "server"), "--token-env is of no use without --ws URL"),
    (("--select", "ws.ping-pong", "--", "server"), "ws.ping-pong is about WebSockets; --ws URL says where"),
]


@pytest.mark.parametrize(("words", "said"), WRONG)
def test_words_that_are_wrong_are_said_to_be(words, said):
    done = run("check", "server", *words)

    assert (2, True) == (done.code, said in done.line), done.line


def test_a_header_lets_in_and_is_not_told():
    with serving(PLAIN, "the-token-0123") as url:
        words = ("--ws", url, "--header", "Authorization: Bearer the-token-0123", "--select", "ws.auth-before-upgrade")
        done = run("check", "server", *words)

    assert (0, "") == (done.code, done.err)
    assert "1 check, 1 pass" in done.out


def test_a_failure_is_repeated_by_its_own_words(monkeypatch):
    monkeypatch.setenv("A_TOKEN", "the-token-0123")
    with serving(mutant(ping=nothing), "the-token-0123") as url:
        words = ("--ws", url, "--token-env", "A_TOKEN", "--timeout-scale", "0.05", "--select", "ws.ping-pong")
        done = run("check", "server", *words)

    assert 1 == done.code
    assert f"turnwire check server --select ws.ping-pong --ws {url} --token-env A_TOKEN\n" in done.out
    assert "0123" not in done.out


@pytest.mark.parametrize(
    ("identifier", "transports"), [("ws.ping-pong", "ws"), ("stdio.crlf", "stdio"), ("life.ping", "stdio+ws")]
)
def test_the_list_says_over_what(identifier, transports):
    lines = [line for line in run("check", "list").out.splitlines() if line.startswith(f"{identifier} ")]

    assert [transports] == [line.split()[3] for line in lines]
    over = {"ws": "WebSockets", "stdio": "stdin and stdout", "stdio+ws": "stdin and stdout and WebSockets"}
    assert f"over     {over[transports]}\n" in run("check", "explain", identifier).out
