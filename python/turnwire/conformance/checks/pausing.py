"""Turns that pause and go on, what they are given and what they give (TURN-3, TURN-10, TURN-14 and following)."""

import re
from typing import Any

from turnwire.conformance.checks.work import Work, first_note, same, shared, text, work
from turnwire.conformance.model import Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import Turn

__all__: list[str] = []

# What only the author of a server has a use for: a stack, a file of its source, the name of an exception.
IMPLEMENTATION = re.compile(r"Traceback|\bFile \"|\.(?:py|js|ts|rs|go|java)\b|\b[A-Z]\w+(?:Error|Exception)\b")
STALE_NONCE = "0" * 32
TWO_PARTS = [{"type": "text", "text": "text one"}, {"type": "text", "text": "and two"}]


@check("turn.paused")
def paused(subject: Subject) -> str | None:
    """A turn that pauses says what waits, its thread takes nothing else, and an interrupt gives it up."""
    asked = work(subject, "approvals", answers=("approvals",))
    turn = _deferred(asked)
    same("paused", turn.status(), "the end of a turn whose approval is deferred")
    waits = [pick(one, "/approval/approvalId") for one in pick(turn.end, "/pending") or ()]
    same([pick(turn.asked().value, "/params/approval/approvalId")], waits, "what the turn lists in pending")
    thread = turn.thread
    note = asked.refused("thread_paused", "turn/start", "in a paused thread", threadId=thread, input=text("text x"))
    asked.result("turn/interrupt", threadId=thread, turnId=turn.id)
    same("completed", asked.play(thread, "text next").status(), "the end of a turn after the paused one is discarded")
    same(0, turn.runs(), "operations that ran")
    return note


@check("turn.resume-paused")
def resume_paused(subject: Subject) -> str | None:
    """A paused turn goes on as a new one, by a decision that has the nonce of its approval."""
    asked = work(subject, "approvals", answers=("approvals",))
    resting = asked.thread()
    idle = asked.refused("no_active_turn", "turn/start", "with nothing to resume", threadId=resting, resume={})
    turn = _deferred(asked)
    approval = _waiting(asked, turn.thread)
    identifier, nonce = pick(approval, "/approvalId"), pick(approval, "/binding/nonce")
    stale = asked.refused(
        "request_closed", "turn/start", "with a nonce of nothing", threadId=turn.thread,
        resume=_deciding(identifier, STALE_NONCE),
    )  # fmt: skip
    again = asked.start(turn.thread, resume=_deciding(identifier, nonce))
    same(("completed", turn.id), (again.wait(), pick(again.end, "/resumes")), "the end, and the turn it resumes")
    same(1, again.runs(), "operations that ran")
    return first_note(idle, stale)


@check("turn.input-shown")
def input_shown(subject: Subject) -> None:
    """What a turn was given stands before what the agent makes of it, part by part."""
    asked = shared(subject)
    turn = asked.start(asked.thread(), input=TWO_PARTS)
    turn.wait()
    items = turn.items()
    kinds = [pick(item, "/type") for item in items]
    if kinds[:1] != ["userMessage"] or pick(items[0], "/input") != TWO_PARTS:
        raise Unmet("a userMessage item with the input, and then the agent's", f"{kinds}")


@check("turn.plan-whole")
def plan_whole(subject: Subject) -> None:
    """A plan is told whole, each time."""
    asked = shared(subject)
    turn = asked.play(asked.thread(), "plan read; write; test")
    steps = [
        [pick(step, "/text") for step in pick(params, "/steps") or ()] for params in turn.told("turn/plan/updated")
    ]
    same(["read", "write", "test"], steps[-1] if steps else None, "the steps in the last turn/plan/updated")


@check("usage.zero-is-zero")
def zero_is_zero(subject: Subject) -> None:
    """A count of zero is told as zero, and the turn ends with what was told last."""
    asked = shared(subject)
    turn = asked.play(asked.thread(), "usage 3 4", "usage 0 7")
    told = [_counts(pick(params, "/usage")) for params in turn.told("turn/usage/updated")]
    same((0, 7), told[-1] if told else None, "the counts in the last turn/usage/updated")
    same((0, 7), _counts(pick(turn.end, "/usage")), "the counts in the turn that ended")


@check("turn.crash-hidden")
def crash_hidden(subject: Subject) -> None:
    """An agent that breaks ends its turn, and tells nothing of what broke."""
    asked = shared(subject)
    turn = asked.play(asked.thread(), "crash")
    same(
        ("failed", "agentFailed"), (turn.status(), pick(turn.end, "/error/code")), "the end of the turn, and its error"
    )
    message = pick(turn.end, "/error/message")
    if not isinstance(message, str) or IMPLEMENTATION.search(message):
        raise Unmet("a message that says nothing of the implementation", repr(message))


@check("turn.output-schema")
def output_schema(subject: Subject) -> str | None:
    """An output is held to its schema; what does not fit fails, and what is no schema starts nothing."""
    asked = shared(subject, "outputSchema")
    thread = asked.thread()
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}
    good = asked.play(thread, 'text {"a": 1}', outputSchema=schema)
    found = good.status(), pick(good.end, "/structuredOutput")
    same(("completed", {"a": 1}), found, "the end of a turn whose output fits, and the output")
    for words in ('text {"a": "1"}', "text no JSON"):
        bad = asked.play(thread, words, outputSchema=schema)
        found = bad.status(), pick(bad.end, "/error/code")
        same(("failed", "outputSchemaInvalid"), found, f"the end of a turn that says {words[5:]!r}, and its error")
    return asked.refused(
        "invalid_params", "turn/start", "with a schema that is none", threadId=thread, input=text("text x"),
        outputSchema={"type": "no such type"},
    )  # fmt: skip


def _deferred(asked: Work) -> Turn:
    turn = asked.start(asked.thread(), "approve check {}")
    turn.answer({"decision": "defer", "nonce": "$nonce"})
    turn.wait()
    return turn


def _waiting(asked: Work, thread: str) -> Any:
    """The one approval that `thread/resume` says waits."""
    pending = pick(asked.result("thread/resume", threadId=thread), "/pending")
    same(1, len(pending or ()), "requests that wait in the paused thread")
    return pick(pending[0], "/approval")


def _deciding(identifier: Any, nonce: Any) -> dict[str, Any]:
    return {"decisions": [{"approvalId": identifier, "answer": {"decision": "accept", "nonce": nonce}}]}


def _counts(usage: Any) -> tuple[Any, Any]:
    return pick(usage, "/inputTokens"), pick(usage, "/outputTokens")
