"""The examples tell one story, and what can be computed in it is computed: a reader may check it by hand."""

import hashlib
import json
from collections.abc import Iterator

import pytest
import rfc8785

from protocol.cases import collect
from protocol.families import PROTOCOL, load

CASES, _ = collect(PROTOCOL)
EXAMPLES = [case for case in CASES if case.kind == "example"]
DIGESTED = ("kind", "operation", "target", "arguments", "toolName")


def objects(node, path=()) -> Iterator[tuple[tuple, dict]]:
    """Every object within an example, with the members that lead to it."""
    if isinstance(node, dict):
        yield path, node
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for step, value in inner:
        yield from objects(value, (*path, step))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


APPROVALS = [
    pytest.param(node, id=f"{case} {path}")
    for case in EXAMPLES
    for path, node in objects(case.value)
    if "operation" in node and "binding" in node
]
TURNS = [
    pytest.param(node, id=f"{case} {path}")
    for case in EXAMPLES
    for path, node in objects(case.value)
    if "finalOutput" in node and "outputDigest" in node.get("evidence", {})
]


@pytest.mark.parametrize("approval", APPROVALS)
def test_operation_digest_is_of_what_is_shown(approval):
    shown = {member: approval[member] for member in DIGESTED if member in approval}

    assert approval["binding"]["operationDigest"] == sha256(rfc8785.dumps(shown))


@pytest.mark.parametrize("turn", TURNS)
def test_output_digest_is_of_the_output(turn):
    assert turn["evidence"]["outputDigest"] == sha256(turn["finalOutput"].encode())


@pytest.mark.parametrize("case", EXAMPLES, ids=str)
def test_nonce_is_shown_only_to_those_who_may_answer(case):
    """APPR-2: the nonce is in the request and in `pending` of thread/resume, and in answers; nowhere else."""
    told = [path for path, node in objects(case.value) if "nonce" in node and "binding" in path]
    heard_by_all = "Requested" in case.type or case.type.startswith(("Turn", "Item")) or case.type.endswith("Item")

    assert not (heard_by_all and told)


@pytest.mark.parametrize("case", EXAMPLES, ids=str)
def test_turn_keeps_what_the_clauses_say_of_its_members(case):
    """TURN-13 and TURN-14: an error exactly when it failed, an end exactly when it ended, pending when it is paused."""
    for _, turn in objects(case.value):
        if not {"id", "threadId", "startedAt", "status"} <= turn.keys():
            continue
        over = turn["status"] in {"completed", "failed", "interrupted", "paused"}

        assert ("error" in turn) == (turn["status"] == "failed")
        assert ("completedAt" in turn) == over
        assert ("pending" in turn) == (turn["status"] == "paused")


@pytest.mark.parametrize("case", EXAMPLES, ids=str)
def test_item_keeps_what_the_clauses_say_of_its_members(case):
    """ITEM-4 and ITEM-8: it ends when it is no longer in progress, and what did not run took no time."""
    for _, item in objects(case.value):
        if not {"id", "type", "turnId", "createdAt", "status"} <= item.keys():
            continue

        assert ("completedAt" in item) == (item["status"] != "inProgress")
        assert not (item["status"] == "declined" and item.get("executionStarted"))
        assert item.get("executionStarted", True) or "durationMs" not in item


def test_record_is_a_chain():
    events = load(PROTOCOL / "examples/ThreadEventsListResult/the-first-two-events.json")["data"]

    assert [event["prev"] for event in events] == ["0" * 64, events[0]["hash"]]
    assert [event["hash"] for event in events] == [sealed(event) for event in events]


def sealed(event: dict) -> str:
    """REC-1: the digest of the stored bytes before the member `hash`, which is the last one."""
    stored = json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode()
    before, _, hash_ = stored.rpartition(b'"hash":')

    assert len(hash_) == 64 + len('""}')
    return sha256(before)
