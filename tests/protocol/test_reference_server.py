"""The reference server, heard by the same reader as the transcripts: a whole conversation, lawful to its last line."""

import json
import subprocess
import sys

import pytest

from architecture.tree import environment
from protocol.transcript import Line, complaints

CAPABILITIES = {"approvals": True, "toolProgress": True, "optOutNotifications": ["item/reasoning/delta"]}
EVERYTHING = """\
think The cookie \U0001f36a has another name.
plan look; mend; test
tool search {"query": "cookie"}
approve run_tests {"path": "tests/login"}
notice The network is slow.
usage 1840 212
text All tests \U0001f600\U0001f600 of the login pass."""


class Talk:
    """A client that notes down every line, and answers each approval with the decision that it has."""

    def __init__(self, process):
        self.lines = []
        self.decision = "accept"
        self._process = process

    def tell(self, msg):
        self.lines.append(Line("c2s", {"jsonrpc": "2.0", **msg}))
        self._process.stdin.write(json.dumps(self.lines[-1].msg) + "\n")
        self._process.stdin.flush()

    def ask(self, method, **params):
        """The answer to a request, whatever comes before it."""
        number = len(self.lines)
        self.tell({"id": number, "method": method, "params": params})
        return self.until(lambda msg: msg.get("id") == number and "method" not in msg)

    def until(self, is_it):
        while not is_it(msg := json.loads(self._process.stdout.readline())):
            self._hear(msg)
        self._hear(msg)
        return msg.get("result", msg)

    def _hear(self, msg):
        self.lines.append(Line("s2c", msg))
        if msg.get("method") == "approval/request" and self.decision is not None:
            nonce = msg["params"]["approval"]["binding"]["nonce"]
            self.tell({"id": msg["id"], "result": {"decision": self.decision, "nonce": nonce}})

    def turn(self, thread_id, text):
        """A turn from its start to the status that follows its end."""
        self.ask("turn/start", threadId=thread_id, input=[{"type": "text", "text": text}])
        self.until(lambda msg: msg.get("method") == "turn/completed")
        return self.until(lambda msg: msg.get("method") == "thread/status/changed")


@pytest.fixture
def talk():
    command = [sys.executable, "-m", "turnwire", "serve", "--agent", "scripted"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment()
    ) as process:
        talk = Talk(process)
        talk.ask("initialize", protocolVersion=1, clientInfo={"name": "reader-of-order"}, capabilities=CAPABILITIES)
        yield talk
        process.stdin.close()


@pytest.fixture
def thread_id(talk):
    return talk.ask("thread/start", title="Fix the login test")["thread"]["id"]


def lawful(talk, *methods):
    """No complaint about what was said; and what the conversation is about was said in it."""
    said = [line.msg.get("method") for line in talk.lines]

    assert [method for method in methods if method not in said] == []
    assert complaints(talk.lines) == []


def test_turn_with_everything(talk, thread_id):
    talk.turn(thread_id, EVERYTHING)
    for method in ("thread/items/list", "thread/turns/list", "thread/read"):
        talk.ask(method, threadId=thread_id)

    lawful(talk, "item/agentMessage/delta", "approval/resolved", "turn/plan/updated", "turn/usage/updated")


@pytest.mark.parametrize("decision", ["decline", "cancel"])
def test_approval_that_is_not_given(talk, thread_id, decision):
    talk.decision = decision
    talk.turn(thread_id, "approve run_tests\ntext Done.")

    lawful(talk, "approval/resolved")


def test_turn_that_pauses_and_goes_on(talk, thread_id):
    talk.decision = "defer"
    talk.turn(thread_id, "approve run_tests\ntext Done.")
    (pending,) = talk.ask("thread/resume", threadId=thread_id)["pending"]
    answer = {"decision": "accept", "nonce": pending["approval"]["binding"]["nonce"]}
    decisions = [{"approvalId": pending["approval"]["approvalId"], "answer": answer}]
    talk.ask("turn/start", threadId=thread_id, resume={"decisions": decisions})
    status = talk.until(lambda msg: msg.get("params", {}).get("status") == "idle")

    assert status["params"]["threadId"] == thread_id
    lawful(talk, "turn/completed")


def test_interrupt_while_an_approval_waits_and_while_it_speaks(talk, thread_id):
    talk.decision = None
    for script, heard in (("approve run_tests", "approval/request"), ("slow 500 5", "item/agentMessage/delta")):
        turn = talk.ask("turn/start", threadId=thread_id, input=[{"type": "text", "text": script}])["turn"]
        talk.until(lambda msg, heard=heard: msg.get("method") == heard)
        steered = [{"type": "text", "text": "Only the test, please."}]
        talk.ask("turn/steer", threadId=thread_id, expectedTurnId=turn["id"], input=steered)
        assert talk.ask("turn/interrupt", threadId=thread_id, turnId=turn["id"])["settled"]

    lawful(talk, "approval/resolved", "turn/completed")


def test_turn_that_fails_and_requests_that_are_refused(talk, thread_id):
    talk.turn(thread_id, "fail The model is gone.")
    refused = [
        talk.ask("thread/read", threadId="thr_nowhere"),
        talk.ask("thread/list", cursor="not-ours"),
        talk.ask("turn/start", threadId=thread_id, input=[]),
        talk.ask("turn/steer", threadId=thread_id, expectedTurnId="turn_1", input=[{"type": "text", "text": "a"}]),
        talk.ask("no/such/method"),
    ]

    assert [msg["error"]["data"]["code"] for msg in refused] == [
        "notFound",
        "cursorInvalid",
        "invalidParams",
        "noActiveTurn",
        "methodNotFound",
    ]
    lawful(talk, "turn/completed")
