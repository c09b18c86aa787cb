"""`replay`: the same server says the same; another is told by the first thing that it says otherwise."""

import io
import json
import subprocess
import sys

import pytest

from turnwire.cli import main
from turnwire.conformance.likeness import Difference, Likeness

HELLO = {"protocolVersion": 1, "clientInfo": {"name": "host", "version": "1"}, "capabilities": {"approvals": True}}


def asked(identifier, method, **params):
    return {"dir": "c2s", "msg": {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}}


def replayed(path, server, *words):
    stdout, stderr = io.StringIO(), io.StringIO()
    code = main(["replay", str(path), *words, "--", *server], io.StringIO(), stdout, stderr)
    return code, stdout.getvalue(), stderr.getvalue()


@pytest.fixture
def recording(judge, fixture_argv, tmp_path):
    """A conversation with a turn that asks and is answered, as the judge has had it."""
    judge(fixture_argv(), select=("appr.accept-executes",), transcripts=tmp_path / "runs")
    return next((tmp_path / "runs").glob("*-appr.accept-executes.jsonl"))


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_same_server_says_the_same_with_other_names(recording, fixture_argv):
    heard = sum(frame["dir"] == "s2c" for frame in lines(recording))

    code, stdout, stderr = replayed(recording, fixture_argv())

    assert (0, f"{recording}: {heard} messages of the server, all as recorded\n", "") == (code, stdout, stderr)
    nonces = {json.loads(f["raw"])["params"]["approval"]["binding"].get("nonce") for f in lines(recording)
              if "approval/request" in f["raw"] and "nonce" in f["raw"] and f["dir"] == "s2c"}  # fmt: skip
    assert nonces - {None}, "the recording has a nonce, which only the client of now can know"


@pytest.mark.parametrize(
    ("mutant", "said"),
    [
        ("greeting-without-server-info", "the reply to 1000 differs at /result/serverInfo"),
        ("approval-resolved-twice", "another message comes"),
        ("approval-not-resolved", "another message comes"),
        ("parse-error-dies", ""),
    ],
)
def test_another_server_differs_at_the_first_place(mutant, said, recording, fixture_argv):
    code, stdout, stderr = replayed(recording, fixture_argv("--mutant", mutant), "--timeout-scale", "0.3")

    assert (1 if said else 0, "") == (code, stderr)
    assert said in stdout
    assert 3 == stdout.count("\n") or not said


def test_a_server_that_ends_is_told_of(recording):
    code, stdout, _ = replayed(recording, (sys.executable, "-c", ""))

    assert 1 == code
    assert "a message does not come" in stdout
    assert "the server has ended" in stdout


def test_methods_are_passed_over(recording, fixture_argv, tmp_path):
    changed = [frame for frame in lines(recording) if "thread/started" not in frame["raw"]]
    path = tmp_path / "changed.jsonl"
    path.write_text("".join(json.dumps(frame) + "\n" for frame in changed), encoding="utf-8")

    assert 1 == replayed(path, fixture_argv())[0]
    assert 0 == replayed(path, fixture_argv(), "--ignore", "thread/started")[0]


def test_a_recording_may_end_before_the_server_has_told_all(recording, fixture_argv, tmp_path):
    kept = lines(recording)
    end = next(index for index, frame in enumerate(kept) if "turn/completed" in frame["raw"])
    path = tmp_path / "cut.jsonl"
    path.write_text("".join(json.dumps(frame) + "\n" for frame in kept[:end]), encoding="utf-8")

    assert 0 == replayed(path, fixture_argv())[0]


def test_it_is_a_program(fixture_argv, tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps(asked(1, "initialize", **HELLO)) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "turnwire", "replay", str(path), "--", *fixture_argv()]

    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert 1 == done.returncode
    assert "the server says more than was recorded" in done.stdout


@pytest.mark.parametrize(
    ("text", "server", "code", "said"),
    [
        ("{}", ("cat",), 2, "a frame has `dir`"),
        ("", ("cat",), 2, "holds no message"),
        ('{"dir":"c2s","msg":{}}', ("no-such-server",), 3, "no-such-server"),
        ('{"dir":"c2s","msg":{}}', (), 2, "no server given"),
    ],
)
def test_a_mistake_is_one_line(text, server, code, said, tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text(text)

    found, stdout, stderr = replayed(path, server)

    assert (code, "") == (found, stdout)
    assert said in stderr
    assert 1 == stderr.count("\n")


@pytest.mark.parametrize(
    ("recorded", "live", "difference"),
    [
        ({"id": "a"}, {"id": "b"}, None),
        ({"id": "a", "threadId": "a"}, {"id": "b", "threadId": "b"}, None),
        ({"id": "a", "threadId": "a"}, {"id": "b", "threadId": "c"}, Difference("/threadId", "a", "c")),
        ({"id": "a", "turnId": "b"}, {"id": "c", "turnId": "c"}, Difference("/turnId", "b", "c")),
        ({"id": "a", "of": ["a"]}, {"id": "b", "of": ["b"]}, None),
        ({"text": "a"}, {"text": "b"}, Difference("/text", "a", "b")),
        ({"createdAt": 1}, {"createdAt": 2}, None),
        ({"createdAt": 1}, {"createdAt": "now"}, Difference("/createdAt", 1, "now")),
        ({"n": 1}, {"n": True}, Difference("/n", 1, True)),
        ({"a": 1}, {}, Difference("/a", 1, "absent")),
        ({}, {"a": [1]}, Difference("/a", "absent", [1])),
        ([1, 2], [1], Difference("", [1, 2], [1])),
        ({"seq": 1}, {"seq": 2}, None),
    ],
)
def test_likeness(recorded, live, difference):
    assert difference == Likeness({"seq"}).difference(recorded, live)


def test_the_client_speaks_of_what_is_there_now():
    likeness = Likeness()
    likeness.difference({"id": "thr-1", "nonce": "x"}, {"id": "thr-9", "nonce": "y"})

    assert {"threadId": "thr-9", "of": ["y", "z"], "n": 1} == likeness.translated(
        {"threadId": "thr-1", "of": ["x", "z"], "n": 1}
    )
