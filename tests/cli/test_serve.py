"""`serve`: the reference server as a process, with the bounds and the agent that it is given."""

import json
import signal
import subprocess

import pytest

from cli.running import TURNWIRE, environment, heed_interrupts, program
from turnwire.cli.exits import Exit

HELLO = {"protocolVersion": 1, "clientInfo": {"name": "test"}}


def line(request_id: int, method: str, params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}).encode() + b"\n"


def greeting(*flags: str) -> dict[str, object]:
    done = program("serve", *flags, stdin=line(1, "initialize", HELLO))

    assert (done.code, done.err) == (Exit.DONE, "")
    return json.loads(done.out)["result"]


@pytest.mark.parametrize(
    ("flags", "agent"), [((), "scripted"), (("--stdio",), "scripted"), (("--agent", "echo"), "echo")]
)
def test_first_agent_is_the_one_that_was_asked_for(flags, agent):
    assert greeting(*flags)["agents"][0]["id"] == agent


def test_limits_are_said_and_kept():
    lines = line(1, "initialize", HELLO) + line(2, "ping", {"deep": [[[[[[[[]]]]]]]]})
    done = program("serve", "--limit", "depth=8", "--limit", "shutdownMs=none", stdin=lines)
    said, refused = map(json.loads, done.out.splitlines())

    assert (said["result"]["limits"]["depth"], "shutdownMs" in said["result"]["limits"]) == (8, False)
    assert refused["error"]["data"]["limit"] == 8


@pytest.mark.parametrize(
    ("flags", "offered"),
    [((), {}), (("--files", "git"), {"files": True}), (("--files", "git", "--state-dir", "kept"), {"files": True})],
)
def test_files_are_kept_where_that_is_asked_for(flags, offered, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert greeting(*flags)["capabilities"]["rewind"] == offered


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--limit", "nope=1"], "there is no limit nope; there are messageBytes, depth, "),
        (["--limit", "depth=x"], "depth is a whole number or none, not 'x'"),
        (["--limit", "depth"], "'depth' is not NAME=VALUE"),
        (["--agent", "nobody"], "argument --agent: invalid choice: 'nobody'"),
        (["--ws"], "argument --ws: expected one argument"),
    ],
)
def test_wrong_use_is_one_line(argv, said):
    done = program("serve", *argv)

    assert (done.code, done.out, said in done.line) == (Exit.USAGE, "", True)


def test_files_do_for_pipes(tmp_path):
    source, answers = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(line(1, "initialize", HELLO) + line(2, "ping", {}))
    with source.open("rb") as stdin, answers.open("wb") as stdout:
        done = subprocess.run([*TURNWIRE, "serve"], stdin=stdin, stdout=stdout, check=False, env=environment())

    answered = [json.loads(each)["id"] for each in answers.read_text().splitlines()]

    assert (done.returncode, answered) == (Exit.DONE, [1, 2])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, Exit.DONE), (signal.SIGINT, Exit.INTERRUPTED)])
def test_signal_ends_it_without_a_traceback(number, code):
    process = subprocess.Popen(
        [*TURNWIRE, "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - there are no threads here
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(line(1, "initialize", HELLO))
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(number)
    _, err = process.communicate(timeout=60)

    assert (process.returncode, err) == (code, b"")
