"""What an answer to an approval is bound to: its nonce, its operation, its time, who gives it (APPR clauses)."""

import hashlib
from typing import Any

from turnwire.conformance.checks.work import Work, first_note, lives, same, work
from turnwire.conformance.model import NotApplicable, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.strict import canonical
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import Turn

__all__: list[str] = []

ACCEPT = {"decision": "accept", "nonce": "$nonce"}
SCRIPT = 'approve check {"b": [1, "é"], "a": {"y": true, "x": null}}'
STALE_NONCE = "0" * 32
NOBODY = "turnwire-check/no-such-approval"
# The longest time to live that a check waits for; a longer one is the server's own business.
PATIENT_MS = 5000
# APPR-13: the answers that save nothing.
UNSAVED = frozenset({"accept", "decline", "cancel", "defer"})
OF_OPERATION = ("kind", "operation", "target", "arguments", "toolName")


@check("appr.operation-digest")
def operation_digest(subject: Subject) -> None:
    """The digest is that of what is shown, so a client can check what it answers for."""
    turn = _asking(_open(subject))
    approval = pick(turn.asked().value, "/params/approval")
    shown = {name: approval[name] for name in OF_OPERATION if name in approval}
    digest = hashlib.sha256(canonical(shown)).hexdigest()
    same(digest, pick(approval, "/binding/operationDigest"), f"the digest of {', '.join(shown)}")


@check("appr.binding-fresh-nonce")
def binding_fresh_nonce(subject: Subject) -> None:
    """A permission to answer is for one approval, and for no other."""
    asked = _open(subject)
    first = _asking(asked)
    nonce = pick(first.asked().value, "/params/approval/binding/nonce")
    first.answer(ACCEPT)
    first.wait()
    second = asked.start(first.thread, SCRIPT)
    fresh = pick(second.asked().value, "/params/approval/binding/nonce")
    if not isinstance(fresh, str) or fresh == nonce:
        raise Unmet("another nonce for another approval", repr(fresh))
    second.answer({"decision": "accept", "nonce": nonce})
    same(("completed", 0), (second.wait(), second.runs()), "the end of a turn after the nonce of another, and its runs")


@check("appr.not-offered")
def not_offered(subject: Subject) -> None:
    """A decision that was not offered is none."""
    turn = _asking(_open(subject))
    offered = {pick(one, "/decision") for one in pick(turn.asked().value, "/params/approval/availableDecisions") or ()}
    spare = [word for word in ("acceptAlways", "acceptForSession", "acceptForTurn") if word not in offered]
    turn.answer({"decision": (spare or ["turnwire-check/accept"])[0], "nonce": "$nonce"})
    same(("completed", 0), (turn.wait(), turn.runs()), "the end of a turn after what was not offered, and its runs")


@check("appr.resolve")
def resolve(subject: Subject) -> str | None:
    """An answer out of band is held to the same rules as a response, and counts as one."""
    asked = _open(subject)
    turn = _asking(asked)
    approval = pick(turn.asked().value, "/params/approval")
    identifier, nonce = str(pick(approval, "/approvalId")), pick(approval, "/binding/nonce")
    notes = [
        _refused(asked, "request_closed", "with a wrong nonce", identifier, "accept", STALE_NONCE),
        _refused(asked, "not_found", "of an id that nobody has", NOBODY, "accept", nonce),
        _refused(asked, "invalid_params", "with a decision that is not offered", identifier, "turnwire-check", nonce),
    ]
    same(0, turn.runs(), "operations that ran by answers that were refused")
    told = _resolve(asked, identifier, "decline", nonce)
    same("decline", pick(told, "/resolution/decision"), "the decision in the answer to approval/resolve")
    # Another client would have it from the request; here it is the same one that answers late.
    turn.answer(ACCEPT)
    same(("completed", 0), (turn.wait(), turn.runs()), "the end of a turn that was declined first, and its runs")
    decisions = [pick(params, "/resolution/decision") for params in turn.told("approval/resolved")]
    same(["decline"], decisions, "the decision in each approval/resolved")
    return first_note(*notes)


@check("appr.late-reply")
def late_reply(subject: Subject) -> str | None:
    """What comes after the end changes nothing, and who asks is told how it ended."""
    asked = _open(subject)
    turn = _asking(asked)
    approval = pick(turn.asked().value, "/params/approval")
    asked.result("turn/interrupt", threadId=turn.thread, turnId=turn.id)
    turn.answer(ACCEPT)
    identifier, nonce = str(pick(approval, "/approvalId")), pick(approval, "/binding/nonce")
    note = _refused(asked, "request_closed", "that comes late", identifier, "accept", nonce)
    same("completed", asked.play(turn.thread, "text next").status(), "the end of the turn after it")
    same((0, 0), (turn.runs(), len(asked.probe.replies)), "operations that ran, and replies to a late response")
    return note


@check("appr.asked-again")
def asked_again(subject: Subject) -> None:
    """Who subscribes while an approval waits is asked too."""
    asked = _open(subject)
    turn = _asking(asked)
    first = pick(turn.asked().value, "/params/approval/approvalId")
    asked.result("thread/unsubscribe", threadId=turn.thread)
    asked.result("thread/resume", threadId=turn.thread)
    again = pick(turn.due(count=2).value, "/params/approval")
    same(first, pick(again, "/approvalId"), "the approval that is asked for again")
    turn.answer_to(turn.asked(count=2), ACCEPT)
    same(("completed", 1), (turn.wait(), turn.runs()), "the end of the turn, and its runs")


@check("appr.id-namespace")
def id_namespace(subject: Subject) -> None:
    """The client may use the id that the server has in flight: both requests are answered."""
    asked = _open(subject)
    turn = _asking(asked)
    reply = asked.probe.call("ping", {}, request_id=turn.asked().value["id"])
    if not isinstance(reply.result, dict):
        raise Unmet("an answer to a ping under the id of the server's own request", str(reply))
    same(("", 0), (turn.status(), turn.runs()), "the end of the turn that waits, and its runs")
    turn.answer(ACCEPT)
    same(("completed", 1), (turn.wait(), turn.runs()), "the end of the turn, and its runs")


@check("appr.nobody-to-ask")
def nobody_to_ask(subject: Subject) -> None:
    """Where no client can answer the policy of the thread does: it pauses, or it declines."""
    asked = work(subject, "approvals")
    for policy, ended in (("pause", "paused"), ("decline", "completed")):
        turn = asked.play(asked.thread(approvalPolicy=policy), SCRIPT)
        outcomes = [pick(params, "/resolution/outcome") for params in turn.told("approval/resolved")]
        found = turn.status(), turn.runs(), outcomes
        same((ended, 0, ["abandoned"]), found, f"the end of the turn by the policy {policy}, its runs, and the outcome")


@check("item.ran-or-not")
def ran_or_not(subject: Subject) -> None:
    """An item says whether its operation was run, and one that was not took no time."""
    asked = _open(subject)
    thread = asked.thread()
    for decision, status in (("accept", "completed"), ("decline", "declined")):
        turn = asked.start(thread, SCRIPT)
        turn.answer({"decision": decision, "nonce": "$nonce"})
        turn.wait()
        found = [(pick(item, "/status"), pick(item, "/executionStarted")) for item in turn.items("toolCall")]
        same([(status, decision == "accept")], found, f"status and executionStarted of the tool after {decision}")
        if decision == "decline":
            took = [pick(item, "/durationMs") for item in turn.items("toolCall")]
            same([None], took, "the duration of a tool that was declined")


@check("appr.offered-by-scope")
def offered_by_scope(subject: Subject) -> None:
    """What saves an answer is offered only where it is said for what the answer would be saved."""
    asked = _open(subject)
    home = asked.probe.process.scratch
    for script in (SCRIPT, "write scope.txt some words"):
        turn = asked.start(asked.thread(cwd=str(home)), script)
        approval = pick(turn.asked().value, "/params/approval")
        offered = {str(pick(one, "/decision")) for one in pick(approval, "/availableDecisions") or ()}
        if pick(approval, "/scopeKey") is None and not offered <= UNSAVED:
            raise Unmet(f"only {', '.join(sorted(UNSAVED))} without a scopeKey", ", ".join(sorted(offered)))
        turn.answer({"decision": "decline", "nonce": "$nonce"})
        turn.wait()


@check("appr.expiry")
def expiry(subject: Subject) -> None:
    """A question that nobody answers in its time is a no."""
    asked = _open(subject)
    lives_ms = asked.limit("approvalTtlMs")
    if lives_ms is None:
        raise NotApplicable("the server states no limits.approvalTtlMs: approvals do not expire by themselves")
    if lives_ms > PATIENT_MS:
        raise NotApplicable(
            f"limits.approvalTtlMs is {lives_ms}; what takes longer than {PATIENT_MS} is not waited for"
        )
    turn = _asking(asked)
    approval = pick(turn.asked().value, "/params/approval")
    if type(pick(approval, "/binding/expiresAt")) is not int:
        raise Unmet("the time of its end in binding.expiresAt", repr(pick(approval, "/binding")))
    asked.probe.listen(lives_ms / 1000)
    status = turn.wait()
    outcomes = [pick(params, "/resolution/outcome") for params in turn.told("approval/resolved")]
    same(("completed", 0, ["expired"]), (status, turn.runs(), outcomes), "the end of the turn, its runs, the outcome")


@check("appr.effect")
def effect(subject: Subject) -> None:
    """What an operation does is seen from outside: a file is there after a yes, and only then."""
    asked = _open(subject)
    home = asked.probe.process.scratch
    thread = asked.thread(cwd=str(home))
    for decision, name in (("accept", "yes.txt"), ("decline", "no.txt"), ("cancel", "stop.txt")):
        turn = asked.start(thread, f"write {name} some words")
        turn.asked()
        same(False, (home / name).exists(), f"{name} while its approval waits")
        turn.answer({"decision": decision, "nonce": "$nonce"})
        turn.wait()
        same(decision == "accept", (home / name).exists(), f"{name} after {decision}")


@check("appr.disconnect")
def disconnect(subject: Subject) -> None:
    """Who asks and goes away has not said yes."""
    asked = _open(subject)
    home = asked.probe.process.scratch
    turn = asked.start(asked.thread(cwd=str(home)), "write gone.txt some words")
    turn.asked()
    asked.probe.process.close_input()
    asked.probe.process.wait_exit(subject.target.timeouts.exit)
    asked.probe.listen(0.0)
    same((False, 0), ((home / "gone.txt").exists(), turn.runs()), "the file after the client has gone, and the runs")


@check("appr.after-restart")
def after_restart(subject: Subject) -> None:
    """A turn that only waited is paused after a crash, and is asked for again with another nonce."""
    with lives(subject, "approvals") as server:
        before = server.begin("approvals")
        turn = _asking(before)
        approval = pick(turn.asked().value, "/params/approval")
        server.kill(before)
        after = server.begin("approvals")
        shown = after.result("thread/resume", threadId=turn.thread)
        same("paused", pick(shown, "/thread/status"), "the status of the thread after a restart")
        waits = pick(shown, "/pending")
        found = [pick(one, "/approval/approvalId") for one in waits or ()]
        same([pick(approval, "/approvalId")], found, "the approvals that wait after a restart")
        nonce = pick(waits[0], "/approval/binding/nonce")
        if not isinstance(nonce, str) or nonce == pick(approval, "/binding/nonce"):
            raise Unmet("a new nonce after a restart", repr(nonce))
        answer = {"decision": "accept", "nonce": nonce}
        decisions = [{"approvalId": pick(approval, "/approvalId"), "answer": answer}]
        again = after.start(turn.thread, resume={"decisions": decisions})
        same(("completed", 1), (again.wait(), again.runs()), "the end of the turn that goes on, and its runs")


def _open(subject: Subject) -> Work:
    return work(subject, "approvals", answers=("approvals",))


def _asking(asked: Work) -> Turn:
    turn = asked.start(asked.thread(), SCRIPT)
    turn.asked()
    return turn


def _resolve(asked: Work, identifier: str, decision: str, nonce: Any) -> Any:
    return asked.result("approval/resolve", approvalId=identifier, answer={"decision": decision, "nonce": nonce})


def _refused(asked: Work, condition: str, why: str, identifier: str, decision: str, nonce: Any) -> str | None:  # noqa: PLR0917 - a row: what is expected, and what is sent
    answer = {"decision": decision, "nonce": nonce}
    return asked.refused(condition, "approval/resolve", why, approvalId=identifier, answer=answer)
