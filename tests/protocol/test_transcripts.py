"""The transcripts are lawful, and one that is not would be seen."""

import copy
import json
import re

import pytest

from protocol.families import PROTOCOL, table
from protocol.transcript import Line, complaints, read

FOLDER = PROTOCOL / "transcripts"
PATHS = sorted(path for path in FOLDER.iterdir() if path.name != "README.md")
APPROVED = "a-turn-with-an-approval"
STOPPED = "a-turn-that-is-interrupted"
ERRORS = "each-kind-of-error"

# What needs a server in trouble, or a principal, a host or an agent that refuses.
NOT_SHOWN = {
    "agentUnsupported",
    "experimentalRequired",
    "hostError",
    "internalError",
    "notSettled",
    "overloaded",
    "parseError",
    "shuttingDown",
    "threadArchived",
    "unauthorized",
}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_transcript_is_lawful(path):
    assert path.suffix == ".jsonl"
    assert complaints(read(path)) == []


def test_every_other_error_is_shown():
    messages = [line.msg for path in PATHS for line in read(path) if isinstance(line.msg, dict)]
    shown = {msg["error"]["data"]["code"] for msg in messages if "error" in msg}

    assert {row["name"] for row in table("errors")["errors"]} - shown == NOT_SHOWN


def test_readme_lists_every_transcript():
    listed = re.findall(r"\]\(([^)]+)\)", (FOLDER / "README.md").read_text(encoding="utf-8"))

    assert sorted(listed) == [path.name for path in PATHS]


# --- the tests of the tests -------------------------------------------------------------------------------------------


class Spoilt:
    """A transcript that is spoilt step by step, its lines found by method and item, or by the id of the answer."""

    def __init__(self, name):
        self.lines = copy.deepcopy(read(FOLDER / f"{name}.jsonl"))

    def at(self, method, item=None):
        for index, (_, msg) in enumerate(self.lines):
            if isinstance(msg, dict) and msg.get("method") == method:
                params = msg.get("params", {})
                if item is None or item in {params.get("itemId"), params.get("item", {}).get("id")}:
                    return index
        raise LookupError(method)

    def params(self, method, item=None):
        return self.lines[self.at(method, item)].msg["params"]

    def answer(self, number):
        return next(i for i, (dir_, msg) in enumerate(self.lines) if dir_ == "s2c" and msg.get("id") == number)

    def drop(self, index):
        del self.lines[index]

    def repeat(self, index):
        self.lines.insert(index, copy.deepcopy(self.lines[index]))

    def move(self, index, to):
        self.lines.insert(to, self.lines.pop(index))

    def say(self, index, msg):
        self.lines.insert(index, Line("s2c", {"jsonrpc": "2.0", **msg}))


# Each row: a transcript, what is done to it, and what must be said of it.
SPOILS = {
    "item never completed": (APPROVED, lambda t: t.drop(t.at("item/completed", "item_5")), "TURN-9: item_5 is not"),
    "turn never completed": (APPROVED, lambda t: t.drop(t.at("turn/completed")), "TURN-9: turn turn_1 was never"),
    "turn completed twice": (APPROVED, lambda t: t.repeat(t.at("turn/completed")), "TURN-9: turn turn_1 ends without"),
    "turn started twice": (APPROVED, lambda t: t.repeat(t.at("turn/started")), "TURN-11"),
    "event after the end": (
        APPROVED,
        lambda t: t.move(t.at("turn/usage/updated"), t.at("turn/completed")),
        "TURN-9: turn/usage/updated of turn turn_1",
    ),
    "status not told": (
        APPROVED,
        lambda t: t.drop(t.at("turn/completed") + 1),
        "TURN-9: thread/status/changed does not follow",
    ),
    "status of another machine": (
        APPROVED,
        lambda t: t.lines[t.at("turn/completed") + 1].msg["params"].update(status="active"),
        "THR-16: active does not become active",
    ),
    "sequence goes back": (APPROVED, lambda t: t.params("turn/usage/updated").update(seq=3), "THR-17: seq 3"),
    "answer after what it caused": (
        APPROVED,
        lambda t: t.move(t.answer(2), t.at("turn/started")),
        "THR-22: turn/start",
    ),
    "request never answered": (APPROVED, lambda t: t.drop(t.answer(4)), "RPC-19: thread/read with id 4"),
    "request answered twice": (APPROVED, lambda t: t.repeat(t.answer(4)), "RPC-6: nobody asked with id 4"),
    "id of another type": (
        APPROVED,
        lambda t: t.lines[t.answer(4)].msg.update(id="4"),
        "RPC-6: nobody asked with id '4'",
    ),
    "delta before its item": (
        APPROVED,
        lambda t: t.move(t.at("item/agentMessage/delta"), t.at("item/started", "item_19")),
        "ITEM-2: a delta of item_19",
    ),
    "delta lost": (APPROVED, lambda t: t.drop(t.at("item/agentMessage/delta")), "ITEM-3: offset 11 of item_19"),
    "offset in another unit": (
        APPROVED,
        lambda t: t.lines[t.at("item/agentMessage/delta") + 1].msg["params"].update(offset=22),
        "ITEM-3: offset 22",
    ),
    "text is another": (
        APPROVED,
        lambda t: t.params("item/completed", "item_2")["item"].update(text="Something else."),
        "ITEM-3: the deltas of item_2",
    ),
    "item starts twice": (APPROVED, lambda t: t.repeat(t.at("item/started", "item_5")), "ITEM-5: item_5 starts again"),
    "item changes its turn": (
        APPROVED,
        lambda t: t.params("item/started", "item_1")["item"].update(turnId="turn_9"),
        "ITEM-1: item_1",
    ),
    "completed in progress": (
        APPROVED,
        lambda t: t.params("item/completed", "item_5")["item"].update(status="inProgress"),
        "ITEM-4: item_5",
    ),
    "approval without its item": (
        APPROVED,
        lambda t: t.drop(t.at("item/started", "item_4")),
        "APPR-1: approval/requested",
    ),
    "asked before it is told": (
        APPROVED,
        lambda t: t.drop(t.at("approval/requested")),
        "APPR-1: approval/request before",
    ),
    "nonce told to all": (
        APPROVED,
        lambda t: t.params("approval/requested")["approval"]["binding"].update(nonce="n" * 16),
        "APPR-2: the nonce",
    ),
    "another approval in the request": (
        APPROVED,
        lambda t: t.params("approval/request")["approval"].update(title="Run anything"),
        "APPR-2: the approval differs",
    ),
    "client that was never to be asked": (
        APPROVED,
        lambda t: t.params("initialize")["capabilities"].update(approvals=False),
        "LIFE-18: the client did not declare approvals",
    ),
    "opted out": (
        APPROVED,
        lambda t: t.params("initialize")["capabilities"]["optOutNotifications"].append("turn/completed"),
        "LIFE-12: turn/completed",
    ),
    "notification of another shape": (
        APPROVED,
        lambda t: t.params("turn/started")["turn"].pop("status"),
        "ServerNotification: required at /params/turn",
    ),
    "notification that is not known": (
        APPROVED,
        lambda t: t.say(2, {"method": "turn/paused", "params": {"threadId": "thr_login"}}),
        "RPC-23: turn/paused",
    ),
    "result of another shape": (
        APPROVED,
        lambda t: t.lines[t.answer(4)].msg["result"].pop("thread"),
        "ThreadReadResult: required at the root",
    ),
    "params that should have been refused": (
        APPROVED,
        lambda t: t.params("thread/read").update(threadId=5),
        "ClientRequest: type at /params/threadId",
    ),
    "interrupt answered too early": (
        STOPPED,
        lambda t: t.move(t.answer(4), t.at("turn/completed")),
        "TURN-7: turn/interrupt",
    ),
    "error that the method has not": (
        ERRORS,
        lambda t: (
            t.lines[t.answer(12)].msg["error"].update(code=-32024, data={"code": "noActiveTurn", "retryable": False})
        ),
        "ERR-2: thread/read has no error noActiveTurn",
    ),
    "error with the number of another": (
        ERRORS,
        lambda t: t.lines[t.answer(12)].msg["error"].update(code=-32009),
        "ERR-2: -32009 does not agree",
    ),
    "error that may be retried": (
        ERRORS,
        lambda t: t.lines[t.answer(21)].msg["error"]["data"].update(retryable=True),
        "ERR-2: -32020 does not agree",
    ),
}


@pytest.mark.parametrize(("name", "spoil", "said"), SPOILS.values(), ids=SPOILS)
def test_spoilt_transcript_is_reported(name, spoil, said):
    spoilt = Spoilt(name)
    spoil(spoilt)

    assert said in "\n".join(complaints(spoilt.lines))


@pytest.mark.parametrize(
    "text",
    ['{"dir": "c2s", "msg": {}}', '{"msg":{},"dir":"c2s"}', '{"dir":"up","msg":{}}', '{"dir":"c2s"}'],
)
def test_line_of_another_form_is_reported(tmp_path, text):
    path = tmp_path / "a.jsonl"
    path.write_text(text)

    with pytest.raises(AssertionError, match=r"a\.jsonl:1: "):
        read(path)


def test_line_that_is_no_json_is_reported(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("{")

    with pytest.raises(json.JSONDecodeError):
        read(path)
