"""`debug send-message`: a turn as a person reads it, or as the notifications that came; approvals at the terminal."""

import io
import json
import os
import pty
import re
import subprocess

import pytest

from cli.running import TURNWIRE, environment, run
from cli.servers import python_server
from turnwire.cli import main
from turnwire.cli.exits import Exit


def say(text: str, *flags: str, stdin: bytes = b"") -> tuple[int, list[str], str]:
    done = run("debug", "send-message", text, *flags, stdin=stdin)
    return done.code, done.out.splitlines(), done.err


@pytest.mark.parametrize(
    ("script", "flags", "lines"),
    [
        ("text Hello, you", [], ["Hello, you", "completed"]),
        ("Hello", [], ["Hello", "completed"]),
        ("think Hm\ntext Ho", [], ["Hm", "Ho", "completed"]),
        ('tool search {"q": 1}', [], ['tool search {"q":1} → {"echo":{"q":1}}', "completed"]),
        ("usage 10 20", [], ["completed · 10 tokens in, 20 out"]),
        ("notice careful", [], ["info: careful", "completed"]),
        ("plan look; mend", [], ["[ ] look", "[ ] mend", "completed"]),
        (
            'approve deploy {"to": "x"}',
            ["--approve"],
            ["approval Call deploy: accept (answered)", 'tool deploy {"to":"x"} → {"echo":{"to":"x"}}', "completed"],
        ),
        (
            "approve deploy",
            ["--decline"],
            ["approval Call deploy: decline (answered)", "tool deploy {}: declined", "completed"],
        ),
        # Without a terminal nobody can be asked, and what nobody accepts does not run.
        (
            "approve deploy",
            [],
            ["approval Call deploy: decline (answered)", "tool deploy {}: declined", "completed"],
        ),
    ],
)
def test_turn_is_told_line_by_line(script, flags, lines):
    assert say(script, *flags) == (Exit.DONE, lines, "")


def test_turn_that_fails_is_a_finding():
    code, lines, _ = say("text a\nfail out of luck")

    assert (code, lines) == (Exit.FINDINGS, ["a", "failed · agentFailed: out of luck"])


def test_text_comes_from_stdin():
    assert say("-", stdin="text né\n".encode()) == (Exit.DONE, ["né", "completed"], "")


def test_agent_can_be_chosen():
    assert say("text said back", "--agent", "echo") == (Exit.DONE, ["text said back", "completed"], "")


def test_work_is_done_in_the_given_directory(tmp_path):
    code, lines, _ = say("write note.txt hello", "--approve", "--cwd", str(tmp_path))

    assert (code, lines[-1]) == (Exit.DONE, "completed")
    assert (tmp_path / "note.txt").read_text().strip() == "hello"


def test_json_is_every_notification_as_it_came():
    code, lines, _ = say("text Hello", "--format", "json")
    messages = [json.loads(line) for line in lines]
    methods = [message["method"] for message in messages]

    assert code == Exit.DONE
    assert methods.index("turn/started") < methods.index("item/agentMessage/delta") < methods.index("turn/completed")
    assert messages[methods.index("turn/completed")]["params"]["turn"]["finalOutput"] == "Hello"


def test_json_keeps_what_the_protocol_does_not_know():
    greeting = {"protocolVersion": 1}
    thread = {"id": "t", "status": "idle", "agent": "a", "createdAt": 1, "updatedAt": 1, "version": 1, "seq": 1}
    said = [{"type": "text", "text": "x"}]
    turn = {"id": "u", "threadId": "t", "status": "running", "input": said, "agent": "a", "startedAt": 1}
    ended = {"threadId": "t", "turn": {**turn, "status": "completed", "later": 1}, "seq": 2}
    notes = [{"method": "new/thing", "params": {"a": 1}}, {"method": "turn/completed", "params": ended}]
    body = (
        f"for result in ({greeting}, {{'thread': {thread}}}, {{'turn': {turn}}}): reply(next(lines), result)\n"
        f"for note in {notes}: print(json.dumps({{'jsonrpc': '2.0', **note}}), flush=True)\n"
        "for _ in lines: pass"
    )
    done = run("debug", "send-message", "x", "--format", "json", "--", *python_server(body))

    assert (done.code, [json.loads(line) for line in done.out.splitlines()]) == (Exit.DONE, notes)


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["x", "--agent", "nobody"], Exit.FINDINGS, "-32004 notFound: "),
        (["x", "--", "./absent"], Exit.UNREACHED, "cannot start './absent'"),
        (["x", "--approve", "--decline"], Exit.USAGE, "argument --decline: not allowed with argument --approve"),
        (
            ["x", "--", *python_server("reply(next(lines), {})\nreply(next(lines), {})\nfor _ in lines: pass")],
            Exit.UNREACHED,
            "the result of thread/start",
        ),
        (["x", "--", *python_server("reply(next(lines), {})\nnext(lines)")], Exit.UNREACHED, "the server exited"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_goes_wrong_is_one_line(argv, code, said):
    done = run("debug", "send-message", *argv)

    assert (done.code, done.out) == (code, "")
    assert said in done.line


@pytest.mark.parametrize(
    ("typed", "decision"),
    [(b"1\n", "accept"), (b"nonsense\n9\n2\n", "decline"), (b"\x04", "decline")],
    ids=["first", "second try", "end of input"],
)
def test_approval_is_asked_at_a_terminal(typed, decision):
    ours, theirs = pty.openpty()
    argv = [*TURNWIRE, "debug", "send-message", "approve deploy", "--color", "never"]
    process = subprocess.Popen(
        argv, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True
    )
    os.close(theirs)
    os.write(ours, typed)
    out, err = process.communicate(timeout=60)
    os.close(ours)

    assert process.returncode == Exit.DONE
    assert "approve? Call deploy\n" in out
    assert re.match(r"\[1\] \S.*  \[2\] \S.*: ", err)
    assert f"approval Call deploy: {decision} (answered)" in out


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("flags", "variables", "is_colored"),
    [
        ([], {}, True),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"TERM": "dumb"}, False),
        (["--color", "never"], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
    ],
)
def test_colors_are_for_terminals(monkeypatch, flags, variables, is_colored):
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    out = Terminal()
    code = main(["debug", "send-message", "notice x", *flags], io.StringIO(), out, io.StringIO())

    assert (code, "\x1b[" in out.getvalue()) == (Exit.DONE, is_colored)
