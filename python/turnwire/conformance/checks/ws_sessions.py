"""Several connections at once: a session each, and threads that several of them hear (LIFE-17, THR-15, APPR-5)."""

from turnwire.conformance.checks.expect import error_of, nothing, shown
from turnwire.conformance.checks.work import EVERYONE, Work, numbered, same, text, work
from turnwire.conformance.checks.ws_talk import lives_on, socket_of
from turnwire.conformance.model import Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.trace import Frame
from turnwire.conformance.turns import Turn

__all__: list[str] = []

SCRIPT = 'approve check {"x": 1}'
SPEAKING = ("think of it", "text one", "tool check", "text two")


@check("ws.session-per-connection")
def session_per_connection(subject: Subject) -> str | None:
    """What one connection has opened opens nothing to another, and their ids are their own."""
    first, second = subject.session(), subject.open()
    reply = subject.perform(second, "noop")
    note = error_of(subject, reply, "not_initialized", to="a request on a connection without a handshake")
    second.handshake()
    for probe in (first, second):
        probe.settle()
        probe.ask(subject.noop, request_id="the same")
    for probe in (first, second):
        probe.barrier()
        replies = probe.collect()
        if [reply.value.get("id") for reply in replies] != ["the same"]:
            raise Unmet("one reply on each of two connections that ask under the same id", shown(replies))
    socket_of(first).close_with(1000)
    lives_on(subject, second, after="the close of the first")
    return note


@check("ws.subscription-isolation")
def subscription_isolation(subject: Subject) -> None:
    """Who has not subscribed to a thread hears of it what everyone hears; who resumes it hears all."""
    first, second = work(subject), work(subject)
    thread = first.thread()
    first.play(thread, *SPEAKING)
    second.settle()
    heard = [frame for frame in second.probe.arrived if _is_about(frame, thread) and frame.method not in EVERYONE]
    if heard:
        raise Unmet("nothing of a thread that another connection has started", str(heard[0]))
    second.result("thread/resume", threadId=thread)
    mark = len(second.probe.arrived)
    first.play(thread, "text three")
    second.wait_told("turn/completed", thread, mark)


@check("ws.broadcast-all-subscribers")
def broadcast_all_subscribers(subject: Subject) -> None:
    """All subscribers hear what is recorded of a thread, once and in the same order."""
    first, second = work(subject), work(subject)
    thread = first.thread()
    second.result("thread/resume", threadId=thread)
    for asked in (first, second):
        asked.settle()
    marks = [(asked, len(asked.probe.arrived)) for asked in (first, second)]
    for asked in (first, second):
        mark = len(first.probe.arrived), len(second.probe.arrived)
        asked.probe.call("turn/start", {"threadId": thread, "input": text(*SPEAKING)})
        first.wait_told("turn/completed", thread, mark[0])
        second.wait_told("turn/completed", thread, mark[1])
    for asked, _ in marks:
        asked.settle()
    told = [_recorded(asked, thread, mark) for asked, mark in marks]
    numbers = [seq for _, seq in told[0]]
    same(sorted(set(numbers)), numbers, "the numbers of what the starter of a thread heard, each once and in order")
    same(told[0], told[1], "what another subscriber heard of the thread, by method and number")


@check("ws.approval-first-wins")
def approval_first_wins(subject: Subject) -> str | None:
    """Every subscriber is asked, the first answer counts, all hear of it, and a later one is ignored or refused."""
    first, second = (work(subject, "approvals", answers=("approvals",)) for _ in range(2))
    thread = first.thread()
    second.result("thread/resume", threadId=thread)
    mark = len(second.probe.arrived)
    turn = first.start(thread, SCRIPT)
    there = Turn(subject, second.probe, thread, mark, {"turn": {"id": turn.id}})
    late, asked = turn.due(), there.due()
    approval = pick(asked.value, "/params/approval/approvalId")
    same(approval, pick(late.value, "/params/approval/approvalId"), "the approval that both were asked for")
    there.answer_to(asked, {"decision": "accept", "nonce": "$nonce"})
    for side in (first, second):
        resolved = side.wait_told("approval/resolved", thread)
        same("accept", pick(resolved, "/resolution/decision"), "the decision that is told to each subscriber")
    first.probe.settle()
    nonce = pick(late.value, "/params/approval/binding/nonce")
    turn.answer_to(late, {"decision": "decline", "nonce": "$nonce"})
    first.probe.barrier()
    nothing(first.probe.collect(), to="an answer that came too late")
    reply = first.ask("approval/resolve", approvalId=approval, answer={"decision": "decline", "nonce": nonce})
    note = error_of(subject, reply, "request_closed", to="approval/resolve of what is resolved")
    same(("completed", 1), (turn.ended(), turn.runs()), "the end of the turn, and how often the operation ran")
    return note


def _is_about(frame: Frame, thread: str) -> bool:
    return thread.encode() in frame.raw and bool(frame.method)


def _recorded(asked: Work, thread: str, since: int) -> list[tuple[str, int]]:
    """What has a number of the thread's record, by method and number."""
    found = numbered(thread, asked.probe.arrived[since:])
    return [(method, seq) for seq, method, _ in found if type(seq) is int]
