"""`tap`: what passes through is untouched, recorded and judged."""

import json
import os
import subprocess
import sys

import pytest

TAP = (sys.executable, "-m", "turnwire", "tap")
HELLO = {"protocolVersion": 1, "clientInfo": {"name": "host", "version": "1"}, "capabilities": {}}


def line(**members):
    return json.dumps({"jsonrpc": "2.0", **members}).encode() + b"\n"


ASKED = [
    line(id=1, method="initialize", params=HELLO),
    line(method="initialized"),
    b"\xff not JSON\r\n",
    line(id="é", method="ping"),
    line(id=2, method="thread/list"),
]


@pytest.fixture(autouse=True)
def directory_of_its_own(tmp_path, monkeypatch):
    """Nobody stands in for {scratch} here, so a server keeps its state below the directory that it is started in."""
    monkeypatch.chdir(tmp_path)


def tapped(server, *words, said):
    return subprocess.run([*TAP, *words, "--", *server], input=said, capture_output=True, timeout=60, check=False)


def test_bytes_pass_untouched_and_are_recorded(fixture_argv, tmp_path):
    said, file = b"".join(ASKED), tmp_path / "run.jsonl"
    bare = subprocess.run(fixture_argv(), input=said, capture_output=True, timeout=60, check=True)

    done = tapped(fixture_argv(), "--out", str(file), said=said)

    assert (0, bare.stdout, b"") == (done.returncode, done.stdout, done.stderr)
    frames = [json.loads(row) for row in file.read_text(encoding="utf-8").splitlines()]
    assert len(ASKED) + bare.stdout.count(b"\n") == len(frames)
    heard = [frame["raw"].encode() for frame in frames if frame["dir"] == "s2c"]
    assert bare.stdout.split(b"\n")[:-1] == heard
    judged = subprocess.run([sys.executable, "-m", "turnwire", "check", "trace", str(file)], check=False, timeout=60)
    assert 0 == judged.returncode


def test_a_breach_is_told_and_passed_on_all_the_same(fixture_argv):
    done = tapped(fixture_argv("--mutant", "answers-twice"), said=b"".join(ASKED))

    assert 1 == done.returncode
    assert 2 == done.stdout.count(b'"id":2,')
    assert b"rpc.reply-once: expected one reply to each request; saw one more with id 2\n" in done.stderr


def test_an_end_without_a_line_feed_is_kept(tmp_path):
    file = tmp_path / "run.jsonl"
    half = b'{"jsonrpc":"2.0"'

    done = tapped(("cat",), "--out", str(file), said=half)

    assert half == done.stdout
    assert ["c2s", "s2c"] == [json.loads(row)["dir"] for row in file.read_text().splitlines()]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "no server given"),
        (("--", "no-such-server"), 3, "target not started: no-such-server: No such file or directory"),
        (("--profile", "no-such", "--", "cat"), 2, "no-such"),
        (("--out", "no/such/place", "--", "cat"), 2, "no/such/place: cannot be written: No such file or directory"),
    ],
)
def test_a_mistake_is_one_line(words, code, said):
    done = subprocess.run([*TAP, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)

    assert (code, True) == (done.returncode, said in done.stderr.decode())
    assert 1 == done.stderr.count(b"\n")


def test_the_server_is_told_to_end_when_the_tap_is():
    server = (sys.executable, "-c", "import os, time; print(os.getpid(), flush=True); time.sleep(60)")
    with subprocess.Popen(
        [*TAP, "--", *server], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as tap:
        child = int(tap.stdout.readline())
        tap.terminate()
        tap.wait(30)

    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_every_byte_passes_as_it_is():
    """Both ways at once: all bytes in every order of two, without any line in mind."""
    said = b"".join(bytes([first, second]) for first in range(256) for second in range(256))

    done = tapped(("cat",), said=said)

    assert said == done.stdout


def test_a_recording_keeps_no_secrets(fixture_argv, judge, tmp_path):
    secret, file = "sk-abcdefghijklmnopqrstuv", tmp_path / "run.jsonl"
    asked = [
        *ASKED[:2],
        line(id=3, method="thread/start", params={"title": f"my key is {secret}", "apiKey": "hunter2"}),
    ]

    done = tapped(fixture_argv(), "--out", str(file), "--redact", said=b"".join(asked))

    kept = file.read_text(encoding="utf-8")
    assert secret.encode() in done.stdout
    assert (False, False, True) == (secret in kept, "hunter2" in kept, "my key is redacted-" in kept)
