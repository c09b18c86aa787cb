"""Requests that are safe to repeat (REC-5, REC-6)."""

from typing import Any

from turnwire.conformance.checks.meanwhile import LONG
from turnwire.conformance.checks.work import Work, lives, same, text, unscripted, work
from turnwire.conformance.model import Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.strict import dumps
from turnwire.conformance.subject import Subject

__all__: list[str] = []

KEY = "turnwire-check"


@check("idem.same-key")
def same_key(subject: Subject) -> None:
    """A request that comes again is carried out once, and says that it came again."""
    asked = work(subject)
    key = _fresh(asked)
    first, again = (asked.result("thread/start", title="once", idempotencyKey=key) for _ in range(2))
    same((pick(first, "/thread/id"), True), (pick(again, "/thread/id"), pick(again, "/replayed")), "thread, replayed")
    thread = str(pick(first, "/thread/id"))
    first, again = (_start(asked, thread, "text once", key) for _ in range(2))
    same((pick(first, "/turn/id"), True), (pick(again, "/turn/id"), pick(again, "/replayed")), "turn, and replayed")
    asked.wait_told("turn/completed", thread)
    asked.settle()
    same(1, len(asked.turns(thread)), "turns after a turn/start that came twice")


@check("idem.other-params")
def other_params(subject: Subject) -> str | None:
    """A key that comes with other params is refused, and nothing is carried out."""
    asked = unscripted(subject)
    key = _fresh(asked)
    thread = pick(asked.result("thread/start", title="one", idempotencyKey=key), "/thread/id")
    note = asked.refused("conflict", "thread/start", "with a key of other params", title="two", idempotencyKey=key)
    reason = pick(asked.ask("thread/start", title="two", idempotencyKey=key).value, "/error/data/reason")
    same("idempotencyKey", reason, "the reason of the conflict")
    same("one", pick(asked.result("thread/read", threadId=thread), "/thread/title"), "the title of the first")
    return note


@check("idem.joined")
def joined(subject: Subject) -> None:
    """Two in one breath are one."""
    asked = work(subject)
    thread = asked.thread()
    params = {"threadId": thread, "input": text("slow 3 20"), "idempotencyKey": _fresh(asked)}
    envelope = subject.profile.envelope
    ids = ("first", "second")
    asked.probe.send_together([dumps(envelope(id=one, method="turn/start", params=params)) for one in ids])
    turns = [pick(asked.probe.reply(one, what="turn/start").result, "/turn/id") for one in ids]
    if not isinstance(turns[0], str) or turns[0] != turns[1]:
        raise Unmet("one turn for two requests with one key", repr(turns))
    asked.wait_told("turn/completed", thread)
    asked.settle()
    same(1, len(asked.turns(thread)), "turns after two requests with one key")


@check("idem.failed-not-kept")
def failed_not_kept(subject: Subject) -> str | None:
    """What failed before it was recorded may be tried again with its key."""
    asked = work(subject)
    thread = asked.thread()
    key = _fresh(asked)
    turn = asked.start(thread, LONG)
    note = asked.refused(
        "turn_active", "turn/start", "while a turn runs", threadId=thread, input=text("text x"), idempotencyKey=key
    )
    asked.result("turn/interrupt", threadId=thread, turnId=turn.id)
    again = _start(asked, thread, "text x", key)
    same(None, pick(again, "/replayed"), "replayed in the answer to what had failed before")
    return note


@check("idem.after-restart")
def after_restart(subject: Subject) -> None:
    """A key outlives the process."""
    with lives(subject) as server:
        before = server.begin()
        key = _fresh(before)
        thread = str(pick(before.result("thread/start", title="once", idempotencyKey=key), "/thread/id"))
        turn = pick(_start(before, thread, "text once", key), "/turn/id")
        before.wait_told("turn/completed", thread)
        server.kill(before)
        after = server.begin()
        again = after.result("thread/start", title="once", idempotencyKey=key)
        same((thread, True), (pick(again, "/thread/id"), pick(again, "/replayed")), "thread, and replayed")
        found = _start(after, thread, "text once", key)
        same((turn, True), (pick(found, "/turn/id"), pick(found, "/replayed")), "turn, and replayed")
        same(1, len(after.turns(thread)), "turns after a restart")


@check("idem.lost-reply")
def lost_reply(subject: Subject) -> None:
    """Who never heard an answer asks again with the key, and there is one of what was asked for."""
    with lives(subject) as server:
        before = server.begin()
        key = _fresh(before)
        before.probe.ask("thread/start", {"title": "once", "idempotencyKey": key})
        before.probe.flush()
        server.stop(before)
        after = server.begin()
        thread = pick(after.result("thread/start", title="once", idempotencyKey=key), "/thread/id")
        listed = [pick(one, "/id") for one in after.walk("thread/list") if pick(one, "/title") == "once"]
        same([thread], listed, "the threads of a request whose answer was lost")


def _fresh(asked: Work) -> str:
    """A key that nobody has used, however long the store has lived."""
    return f"{KEY}/{asked.thread()}"


def _start(asked: Work, thread: str, script: str, key: str) -> Any:
    return asked.result("turn/start", threadId=thread, input=text(script), idempotencyKey=key)
