"""Saved answers: where they hold, where they do not, and how they go (APPR-12)."""

from typing import Any

from turnwire.conformance.checks.work import Work, same, work
from turnwire.conformance.model import NotExercised
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import Turn

__all__: list[str] = []

ONCE = "approve check {}"
OTHER = "approve deploy {}"


@check("appr.rule-of-turn")
def rule_of_turn(subject: Subject) -> None:
    """An answer for a turn holds for its like until the turn ends, and for nothing else."""
    asked = _open(subject)
    turn = asked.start(asked.thread(), ONCE, ONCE, OTHER)
    _answer(turn, "acceptForTurn")
    turn.due(count=2)
    same(["check", "deploy"], _operations(turn), "what is asked for in a turn whose first answer was acceptForTurn")
    _answer(turn, "accept", count=2)
    same(("completed", 3), (turn.wait(), turn.runs()), "the end of the turn, and its runs")
    after = asked.start(turn.thread, ONCE)
    _answer(after, "decline")
    same(("completed", 0), (after.wait(), after.runs()), "the end of the next turn, and its runs")


@check("appr.rule-of-thread")
def rule_of_thread(subject: Subject) -> None:
    """An answer for a thread holds there until it is removed, is listed, and holds in no other."""
    asked = _open(subject)
    turn = asked.start(asked.thread(), ONCE)
    _answer(turn, "acceptForSession")
    turn.wait()
    after = _unasked(asked, turn.thread)
    same(1, after.runs(), "runs of what a rule accepts")
    elsewhere = asked.start(asked.thread(), ONCE)
    _answer(elsewhere, "decline")
    same(("completed", 0), (elsewhere.wait(), elsewhere.runs()), "the end of a turn in another thread, and its runs")
    rules = asked.walk("approvalRules/list", threadId=turn.thread)
    same([("check", "accept", "thread")], [_rule(rule) for rule in rules], "scopeKey, effect and scope of each rule")
    asked.result("approvalRules/remove", ruleId=pick(rules[0], "/id"))
    same([], asked.walk("approvalRules/list", threadId=turn.thread), "the rules when it is removed")
    last = asked.start(turn.thread, ONCE)
    _answer(last, "decline")
    same(("completed", 0), (last.wait(), last.runs()), "the end of a turn after the rule is removed, and its runs")


@check("appr.rule-of-workspace")
def rule_of_workspace(subject: Subject) -> None:
    """An answer for a workspace holds in every thread of it, and in none of another."""
    asked = _open(subject)
    home = asked.probe.process.scratch
    first, second = (asked.thread(cwd=str(home)) for _ in range(2))
    turn = asked.start(first, ONCE)
    _answer(turn, "declineAlways")
    turn.wait()
    after = _unasked(asked, second)
    same(0, after.runs(), "runs of what a rule declines")
    elsewhere = asked.start(asked.thread(cwd=str(home.parent)), ONCE)
    _answer(elsewhere, "accept")
    same(("completed", 1), (elsewhere.wait(), elsewhere.runs()), "the end of a turn in another workspace, and its runs")
    # What holds for ever would hold in the next run too.
    for rule in asked.walk("approvalRules/list", threadId=second):
        asked.result("approvalRules/remove", ruleId=pick(rule, "/id"))


def _open(subject: Subject) -> Work:
    return work(subject, "approvals", "approvalRules", answers=("approvals",))


def _answer(turn: Turn, decision: str, *, count: int = 1) -> None:
    """Answer its request number `count`, where this decision is offered."""
    request = turn.due(count=count)
    offered = [pick(one, "/decision") for one in pick(request.value, "/params/approval/availableDecisions") or ()]
    if decision not in offered:
        raise NotExercised(f"the scripted agent offers no {decision}")
    turn.answer_to(request, {"decision": decision, "nonce": "$nonce"})


def _unasked(asked: Work, thread: str) -> Turn:
    """Play a turn that a rule answers for.

    Raises:
        Unmet: it asks all the same, or does not end.
    """
    turn = asked.start(thread, ONCE)
    asked.probe.wait_for(lambda: turn.asks() or turn.is_over() or None, asked.subject.target.timeouts.reply)
    same(0, len(turn.asks()), "requests for what a rule answers")
    turn.ended()
    return turn


def _operations(turn: Turn) -> list[Any]:
    return [pick(request.value, "/params/approval/operation") for request in turn.asks()]


def _rule(rule: Any) -> tuple[Any, Any, Any]:
    return pick(rule, "/scopeKey"), pick(rule, "/effect"), pick(rule, "/scope")
