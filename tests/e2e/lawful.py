"""The invariants of every conversation, asserted on the whole of its trace."""

import json
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema_rs

from turnwire.wire import METHODS

TRANSIENT = {row.name for row in METHODS.values() if row.kind == "notification" and not row.durable}
DELTAS = {name for name in TRANSIENT if name.lower().endswith("delta")}
TERMINAL = {"completed", "failed", "interrupted", "paused"}


def assert_lawful(trace: list[Any], *, hears_all: bool = True, whole: bool = True) -> None:
    """Every rule that holds whatever was said.

    `hears_all` says that the connection heard its turns from their start and opted out of nothing, `whole` that
    nothing runs at the end of the trace.
    """
    assert_schema(trace)
    assert_replies(trace)
    assert_sequence(trace)
    assert_response_first(trace)
    assert_nonces(trace)
    if not hears_all:
        return
    turns = Turns()
    for frame in trace:
        if frame.way == "s2c" and "method" in frame.message and "id" not in frame.message:
            turns.hear(frame.message["method"], frame.message["params"])
    if whole:
        turns.assert_over()


def assert_schema(trace: list[Any]) -> None:
    """RPC-23: every message of the server is valid by the schema for its method and place."""
    asked = {_key(frame.message): frame.message["method"] for frame in trace if _is_request(frame, "c2s")}
    for frame in trace:
        message = frame.message
        if frame.way == "c2s":
            continue
        assert message["jsonrpc"] == "2.0"
        if "method" in message:
            _assert_valid(METHODS[message["method"]].params, message.get("params", {}))
        elif "error" in message:
            _assert_valid("ErrorObject", message["error"])
        else:
            _assert_valid(METHODS[asked[_key(message)]].result, message["result"])


def assert_replies(trace: list[Any]) -> None:
    """RPC-19: every request of the client gets exactly one reply."""
    asked = Counter(_key(frame.message) for frame in trace if _is_request(frame, "c2s"))
    replies = [frame.message for frame in trace if frame.way == "s2c" and "method" not in frame.message]
    answered = Counter(_key(message) for message in replies if message["id"] is not None)

    assert asked == answered


def assert_sequence(trace: list[Any]) -> None:
    """THR-17: recorded notifications have a number that increases within the thread, transient ones none."""
    last: dict[str, int] = {}
    for method, params in _notifications(trace):
        if method in TRANSIENT:
            assert "seq" not in params, method
        else:
            thread_id = params.get("threadId") or params["thread"]["id"]
            assert params["seq"] > last.get(thread_id, 0), (method, params["seq"], last)
            last[thread_id] = params["seq"]
            if method == "thread/deleted":
                # Its id is free, and another thread begins anew.
                del last[thread_id]


def assert_response_first(trace: list[Any]) -> None:
    """THR-22: on the asking connection the response comes first, then what it caused."""
    asked = {_key(frame.message): frame.message["method"] for frame in trace if _is_request(frame, "c2s")}
    announced: set[str] = set()
    for way, message in trace:
        if way == "s2c" and message.get("method") == "thread/deleted":
            announced.discard(message["params"]["threadId"])
        if way == "s2c" and message.get("method") in ("turn/started", "thread/started"):
            params = message["params"]
            announced.add((params.get("turn") or params["thread"])["id"])
        if way == "s2c" and "result" in message and asked[_key(message)] in ("turn/start", "thread/start"):
            result = message["result"]
            thing = result.get("turn") or result["thread"]
            assert thing["id"] not in announced or result.get("replayed"), f"{thing['id']} came before the response"


def assert_nonces(trace: list[Any]) -> None:
    """APPR-2, and so for questions: the nonce is in the request, in `pending` of `thread/resume`, and nowhere else."""
    for frame in trace:
        message = frame.message
        if frame.way == "s2c" and message.get("method") not in ("approval/request", "userInput/request"):
            result = message.get("result")
            if isinstance(result, dict):
                # The schema speaks of nonces and holds none.
                kept = {key: value for key, value in result.items() if key not in ("pending", "jsonSchema")}
                message = {**message, "result": kept}
            assert '"nonce"' not in json.dumps(message), message


class Turns:
    """The turns of a trace, each event checked against what came before it."""

    def __init__(self) -> None:
        self.status: dict[str, str] = {}
        self.items: dict[str, dict[str, Any]] = {}
        self.texts: dict[str, str] = {}
        self.done: set[str] = set()
        self.ended: str | None = None

    def hear(self, method: str, params: dict[str, Any]) -> None:
        if self.ended is not None:
            # TURN-9: "After it no event of the turn follows; `thread/status/changed` does."
            follows = params.get("threadId") == self.ended
            assert not follows or method == "thread/status/changed", method
            self.ended = None if follows else self.ended
        turn_id = params.get("turnId")
        if turn_id is not None:
            # APPR-7: what waited in a paused turn is settled when that is discarded.
            settles = method in ("approval/resolved", "userInput/resolved")
            lawful = ("running", "paused") if settles else ("running",)
            assert self.status.get(turn_id) in lawful, (method, turn_id)
        rule = getattr(self, "_" + method.replace("/", "_"), None)
        if rule is not None:
            rule(params)
        elif method in DELTAS:
            self._delta(params)

    def assert_over(self) -> None:
        assert {turn for turn, status in self.status.items() if status == "running"} == set()
        assert self.items == {}

    def _turn_started(self, params: dict[str, Any]) -> None:
        turn = params["turn"]
        assert turn["id"] not in self.status
        assert turn["status"] == "running"
        self.status[turn["id"]] = "running"

    def _turn_completed(self, params: dict[str, Any]) -> None:
        turn = params["turn"]
        assert self.status[turn["id"]] == "running", "a second terminal"
        assert turn["status"] in TERMINAL
        assert ("error" in turn) is (turn["status"] == "failed")
        assert ("pending" in turn) is (turn["status"] == "paused")
        assert "completedAt" in turn
        assert turn["evidence"]["seq"] == params["seq"]
        left = [item["id"] for item in self.items.values() if item["turnId"] == turn["id"]]
        assert left == [], "items outlived their turn"
        self.status[turn["id"]] = turn["status"]
        self.ended = params["threadId"]

    def _item_started(self, params: dict[str, Any]) -> None:
        item = params["item"]
        assert item["id"] not in self.done | self.items.keys()
        assert item["status"] == "inProgress"
        self.items[item["id"]] = item
        self.texts[item["id"]] = item.get("text", "")

    def _item_reset(self, params: dict[str, Any]) -> None:
        for item_id in params["itemIds"]:
            assert self.items.pop(item_id)["turnId"] == params["turnId"]
            self.done.add(item_id)

    def _delta(self, params: dict[str, Any]) -> None:
        item = self.items[params["itemId"]]
        assert item["turnId"] == params["turnId"]
        assert params["offset"] == len(self.texts[item["id"]])
        self.texts[item["id"]] += params["delta"]

    def _item_completed(self, params: dict[str, Any]) -> None:
        item = params["item"]
        assert item["id"] not in self.done
        assert item["status"] != "inProgress"
        self.done.add(item["id"])
        begun = self.items.pop(item["id"], None)
        if begun is None:
            # ITEM-1: "a tool that was denied may have completed only"
            assert (item["status"], item["executionStarted"], "durationMs" in item) == ("declined", False, False)
            return
        assert (item["type"], item["createdAt"]) == (begun["type"], begun["createdAt"])
        if item["type"] in ("agentMessage", "reasoning"):
            assert item["text"] == self.texts[item["id"]]
        if item["type"] == "commandExecution":
            assert item.get("output", "") == self.texts[item["id"]]
        if item["type"] == "toolCall" and self.texts[item["id"]]:
            assert item["status"] != "completed" or item["arguments"] == json.loads(self.texts[item["id"]])
        if item["type"] == "approval":
            assert "resolution" in item


def _notifications(trace: list[Any]) -> list[tuple[str, Any]]:
    messages = [frame.message for frame in trace if frame.way == "s2c"]
    return [(one["method"], one["params"]) for one in messages if "method" in one and "id" not in one]


def _is_request(frame: Any, way: str) -> bool:
    return frame.way == way and "method" in frame.message and "id" in frame.message


def _key(message: dict[str, Any]) -> str:
    return json.dumps(message["id"])


@cache
def _validator(name: str) -> Any:
    bundle = json.loads(files("turnwire.generated").joinpath("schema.json").read_bytes())
    return jsonschema_rs.validator_for(
        {"$schema": bundle["$schema"], "$defs": bundle["$defs"], "$ref": f"#/$defs/{name}"}
    )


def _assert_valid(name: str, value: Any) -> None:
    faults = [f"{fault.instance_path}: {fault.message}" for fault in _validator(name).iter_errors(value)]
    assert faults == [], (name, value)
