"""Whole conversations: each message is valid for its place, and the order of them keeps the clauses.

A line is {"dir": "c2s" | "s2c", "msg": …}. `complaints` reads a transcript from its first line to its last and says
what is wrong, each with its line and its clause; a transcript that is lawful has none.
"""

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from protocol.families import bundle, table
from protocol.oracle import Fault, Oracle

__all__ = ["Line", "complaints", "read"]

METHODS = {row["name"]: row for row in table("methods")["methods"]}
THREADS = table("states")["machines"]["thread"]["transitions"]
# What a client sends may be wrong only where the server says so.
REFUSALS = {-32700, -32600, -32601, -32602, -32002}
FIRST = {"turn/interrupt", "thread/delete", "shutdown"}
DELTAS = {"item/agentMessage/delta", "item/reasoning/delta", "item/commandExecution/outputDelta"}


class Line(NamedTuple):
    """One message and who sent it."""

    dir: str
    msg: Any


def read(path: Path) -> list[Line]:
    """The lines of a transcript; each is compact JSON with exactly the two members."""
    lines = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        value = json.loads(text)
        compact = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        assert text == compact, f"{path.name}:{number}: not compact JSON"
        assert list(value) == ["dir", "msg"], f"{path.name}:{number}: a line has dir and msg"
        assert value["dir"] in {"c2s", "s2c"}, f"{path.name}:{number}: dir is c2s or s2c"
        lines.append(Line(**value))
    return lines


def complaints(lines: list[Line]) -> list[str]:
    """Everything that is wrong with a conversation, in the order of its lines."""
    talk = _Talk(lines)
    found = [f"line {number}: {said}" for number, line in enumerate(lines, 1) for said in talk.hear(line)]
    return [*found, *(f"at the end: {said}" for said in talk.end())]


@functools.cache
def _oracle(type_name: str) -> Oracle:
    return Oracle({"$defs": bundle()["$defs"], "$ref": f"#/$defs/{type_name}"})


def _faults(type_name: str, value: Any) -> Iterator[str]:
    fault = _first_fault(type_name, json.dumps(value))
    if fault is not None:
        yield f"{type_name}: {fault.rule} at {fault.pointer or 'the root'}"


@functools.cache
def _first_fault(type_name: str, text: str) -> Fault | None:
    return _oracle(type_name).first_fault(json.loads(text))


class _Talk:
    """What has been said so far on one connection."""

    def __init__(self, lines: list[Line]) -> None:
        self._refused = _refused(lines)
        self._asked: dict[str, dict[tuple[str, Any], str]] = {"c2s": {}, "s2c": {}}
        self._threads: dict[str, _Thread] = {}
        self._deaf: set[str] = set()
        self._can: dict[str, Any] = {}

    def hear(self, line: Line) -> Iterator[str]:
        """What is wrong with the next line."""
        if line.dir == "c2s" and _key(line.msg) in self._refused:
            self._remember(line)
            return
        faults = list(_faults(_root(line), line.msg))
        yield from faults
        if faults:
            return
        if "method" not in line.msg:
            yield from self._reply(line)
        elif "id" in line.msg:
            yield from self._request(line)
        elif line.dir == "s2c":
            yield from self._notification(line.msg["method"], line.msg.get("params", {}))

    def end(self) -> Iterator[str]:
        """What is still open when the conversation is over."""
        for (_, id_), method in self._asked["c2s"].items():
            yield f"RPC-19: {method} with id {id_!r} was never answered"
        for thread in self._threads.values():
            yield from thread.end()

    def _remember(self, line: Line) -> None:
        if isinstance(line.msg, dict) and "id" in line.msg:
            self._asked[line.dir][_key(line.msg)] = line.msg.get("method", "")

    def _request(self, line: Line) -> Iterator[str]:
        method, params = line.msg["method"], line.msg.get("params", {})
        self._remember(line)
        if line.dir == "c2s":
            if method == "initialize":
                self._can = params.get("capabilities", {})
                self._deaf = set(self._can.get("optOutNotifications", ()))
            return
        wanted = METHODS[method].get("capability")
        if wanted is not None and not self._can.get(wanted):
            yield f"LIFE-18: the client did not declare {wanted}"
        if method == "approval/request":
            yield from self._thread(params["approval"]["threadId"]).asked(params["approval"])

    def _reply(self, line: Line) -> Iterator[str]:
        asked = self._asked["s2c" if line.dir == "c2s" else "c2s"]
        method = asked.pop(_key(line.msg), None)
        if method is None:
            if line.dir == "s2c" and line.msg.get("id") is not None:
                yield f"RPC-6: nobody asked with id {line.msg['id']!r}"
            return
        if "error" in line.msg:
            yield from _error_faults(method, line.msg["error"])
            return
        yield from _faults(METHODS[method]["result"], line.msg["result"])
        turn = line.msg["result"].get("turn")
        if method in FIRST and turn is not None and turn["id"] not in self._thread(turn["threadId"]).ended:
            yield f"TURN-7: {method} was answered before the turn ended"
        elif turn is not None and method not in FIRST and turn["id"] in self._thread(turn["threadId"]).begun:
            yield f"THR-22: {method} was answered after what it caused"

    def _notification(self, method: str, params: dict[str, Any]) -> Iterator[str]:
        if method not in METHODS:
            yield f"RPC-23: {method} is no notification of the protocol"
            return
        if method in self._deaf:
            yield f"LIFE-12: {method} was opted out of"
        thread_id = params.get("threadId") or params["thread"]["id"]
        yield from self._thread(thread_id).hear(method, params)

    def _thread(self, thread_id: str) -> "_Thread":
        return self._threads.setdefault(thread_id, _Thread(self._deaf))


class _Thread:
    """What subscribers of one thread have heard."""

    def __init__(self, deaf: set[str]) -> None:
        # The types of items whose text is heard only when they are completed.
        self._silent = {method.split("/")[1] for method in deaf if method in DELTAS}
        self.begun: set[str] = set()
        self.ended: set[str] = set()
        self._seq = -1
        self._status = "idle"
        self._open: dict[str, tuple[str, str]] = {}
        self._done: set[str] = set()
        self._text: dict[str, str] = {}
        self._approvals: dict[str, Any] = {}
        self._untold: str | None = None

    def hear(self, method: str, params: dict[str, Any]) -> Iterator[str]:
        """What is wrong with the next notification."""
        if "seq" in params:
            if params["seq"] <= self._seq:
                yield f"THR-17: seq {params['seq']} after {self._seq}"
            self._seq = params["seq"]
        turn_id = params.get("turnId")
        if turn_id is not None and (turn_id not in self.begun or turn_id in self.ended):
            yield f"TURN-9: {method} of turn {turn_id}, which does not run"
        match method:
            case "turn/started":
                yield from self._turn_started(params["turn"])
            case "turn/completed":
                yield from self._turn_completed(params["turn"])
            case "thread/status/changed":
                yield from self._status_changed(params["status"])
            case "item/started" | "item/completed":
                yield from self._item(method, params["item"])
            case _ if method in DELTAS:
                yield from self._delta(params["itemId"], params["offset"], params["delta"])
            case "approval/requested":
                yield from self._requested(params["approval"])

    def end(self) -> Iterator[str]:
        """What is still open."""
        for turn in sorted(self.begun - self.ended):
            yield f"TURN-9: turn {turn} was never completed"
        if self._untold is not None:
            yield f"TURN-9: thread/status/changed does not follow {self._untold}"

    def asked(self, approval: dict[str, Any]) -> Iterator[str]:
        """APPR-1, APPR-2: the request comes after the notification, with the same approval and a nonce."""
        shown = self._approvals.get(approval["approvalId"])
        binding = {member: value for member, value in approval["binding"].items() if member != "nonce"}
        if shown is None:
            yield "APPR-1: approval/request before approval/requested"
        elif shown != {**approval, "binding": binding} or "nonce" not in approval["binding"]:
            yield "APPR-2: the approval differs in more than the nonce"

    def _turn_started(self, turn: dict[str, Any]) -> Iterator[str]:
        if self.begun - self.ended or turn["id"] in self.begun:
            yield f"TURN-11: turn {turn['id']} starts beside another, or again"
        self.begun.add(turn["id"])

    def _turn_completed(self, turn: dict[str, Any]) -> Iterator[str]:
        if turn["id"] in self.ended or turn["id"] not in self.begun:
            yield f"TURN-9: turn {turn['id']} ends without having begun, or again"
        if self._open:
            yield f"TURN-9: {', '.join(self._open)} is not completed"
        self.ended.add(turn["id"])
        self._untold = "turn/paused" if turn["status"] == "paused" else "turn/completed"

    def _status_changed(self, status: str) -> Iterator[str]:
        event = self._untold or ("turn/started" if status == "active" else "thread/pause")
        if THREADS[self._status][event] != status:
            yield f"THR-16: {self._status} does not become {status} by {event}"
        self._status, self._untold = status, None

    def _item(self, method: str, item: dict[str, Any]) -> Iterator[str]:
        kind = (item["type"], item["turnId"])
        if method == "item/started":
            if item["id"] in self._open or item["id"] in self._done:
                yield f"ITEM-5: {item['id']} starts again"
            self._open[item["id"]] = kind
            self._text[item["id"]] = item.get("text", item.get("output", ""))
            return
        if self._open.pop(item["id"], None) != kind and item["status"] != "declined":
            yield f"ITEM-1: {item['id']} did not start so, or is completed again"
        if item["status"] == "inProgress":
            yield f"ITEM-4: {item['id']} is completed and in progress"
        final = item.get("text", item.get("output"))
        if final is not None and item["type"] not in self._silent and self._text.get(item["id"]) != final:
            yield f"ITEM-3: the deltas of {item['id']} are not its text"
        self._done.add(item["id"])

    def _delta(self, item_id: str, offset: int, delta: str) -> Iterator[str]:
        if item_id not in self._open:
            yield f"ITEM-2: a delta of {item_id}, which is not open"
            return
        if offset != len(self._text[item_id]):
            yield f"ITEM-3: offset {offset} of {item_id}, whose text is {len(self._text[item_id])} long"
        self._text[item_id] += delta

    def _requested(self, approval: dict[str, Any]) -> Iterator[str]:
        if self._open.get(approval["itemId"], ("",))[0] != "approval":
            yield f"APPR-1: approval/requested before its item {approval['itemId']} started"
        if "nonce" in approval["binding"]:
            yield "APPR-2: the nonce is in the notification"
        self._approvals[approval["approvalId"]] = approval


def _error_faults(method: str, error: dict[str, Any]) -> Iterator[str]:
    rows = {row["name"]: row for row in table("errors")["errors"]}
    row = rows.get(error.get("data", {}).get("code"))
    if row is None or row["code"] != error["code"] or row["retryable"] != error["data"]["retryable"]:
        yield f"ERR-2: {error['code']} does not agree with its data"
    elif error["code"] not in REFUSALS and row["name"] not in METHODS[method]["errors"]:
        yield f"ERR-2: {method} has no error {row['name']}"


def _root(line: Line) -> str:
    """The type that a message must have; one root would do, but would not say where the fault is."""
    if not isinstance(line.msg, dict) or "method" not in line.msg:
        return "Response"
    side = "Client" if line.dir == "c2s" else "Server"
    return side + ("Request" if "id" in line.msg else "Notification")


def _key(msg: Any) -> tuple[str, Any]:
    # RPC-4: "the string "1" and the integer 1 are two ids"; what has no lawful id is known by the null of its reply.
    id_ = msg.get("id") if isinstance(msg, dict) else None
    lawful = isinstance(id_, str) or type(id_) is int
    return (type(id_).__name__, id_) if lawful else ("none", None)


def _refused(lines: list[Line]) -> set[tuple[str, Any]]:
    """The ids of what the server refused; what it refuses need not be valid."""
    return {
        _key(line.msg)
        for line in lines
        if line.dir == "s2c" and line.msg.get("error", {}).get("code") in REFUSALS and "method" not in line.msg
    }
