"""Approvals: nothing runs but by a valid yes, and what was decided is what is told (APPR clauses).

That something ran is read from the items: ITEM-8 has `executionStarted` true "exactly when the operation was run".
"""

from typing import Any

from turnwire.conformance.checks.expect import own_messages
from turnwire.conformance.model import Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.strict import dumps
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import Turn, start_turn

__all__: list[str] = []

# What is no answer: each stands for a client that is broken or lies. The nonce of the request is put for $nonce.
GARBAGE: tuple[tuple[str, Any], ...] = (
    ("null", None),
    ("true", True),
    ("a string", "accept"),
    ("an empty object", {}),
    ("a decision in capitals", {"decision": "ACCEPT", "nonce": "$nonce"}),
    ("a list of decisions", {"decision": ["accept"], "nonce": "$nonce"}),
    ("accept without the nonce", {"decision": "accept"}),
    ("accept with another nonce", {"decision": "accept", "nonce": "0" * 32}),
)


@check("appr.accept-executes")
def accept_executes(subject: Subject) -> None:
    """A yes runs the operation, once."""
    turn = _asking(subject)
    turn.answer({"decision": "accept", "nonce": "$nonce"})
    _expect(turn, "completed", runs=1, after="accept")


@check("appr.pending-holds")
def pending_holds(subject: Subject) -> None:
    """While nobody has answered nothing runs, and the turn goes on waiting."""
    turn = _asking(subject)
    turn.probe.listen(subject.target.timeouts.lag / 2)
    turn.probe.barrier()
    if turn.is_over() or _runs(turn):
        raise Unmet("nothing while the approval waits", f"{_runs(turn)} runs, turn {turn.status() or 'running'}")


@check("appr.decline-no-effect")
def decline_no_effect(subject: Subject) -> None:
    """A no runs nothing, and the turn goes on."""
    turn = _asking(subject)
    turn.answer({"decision": "decline", "nonce": "$nonce"})
    _expect(turn, "completed", runs=0, after="decline")


@check("appr.cancel-ends-turn")
def cancel_ends_turn(subject: Subject) -> None:
    """A stop runs nothing, and the turn is over."""
    turn = _asking(subject)
    turn.answer({"decision": "cancel", "nonce": "$nonce"})
    _expect(turn, "interrupted", runs=0, after="cancel")


@check("appr.error-reply")
def error_reply(subject: Subject) -> None:
    """A client that answers with an error has answered nothing, so nothing runs."""
    turn = _asking(subject)
    turn.probe.send(
        dumps(
            turn.probe.profile.envelope(
                id=turn.asked().value["id"], error={"code": -32603, "message": "the dialog was closed"}
            )
        )
    )
    _expect(turn, "completed", runs=0, after="an error")
    _expect_resolution(turn, {"outcome": "unanswered"}, after="an error")


@check("appr.garbage-reply")
def garbage_reply(subject: Subject) -> None:
    """What is not exactly a yes is none."""
    first = _asking(subject)
    for name, answer in GARBAGE:
        turn = first if name == "null" else start_turn(subject, first.probe, "approval", first.thread)
        turn.answer(answer)
        _expect(turn, "completed", runs=0, after=name)


@check("appr.second-reply")
def second_reply(subject: Subject) -> None:
    """The first answer counts, whichever it is."""
    first = _asking(subject)
    for words, runs in ((("decline", "accept"), 0), (("accept", "decline"), 1)):
        turn = first if words[0] == "decline" else start_turn(subject, first.probe, "approval", first.thread)
        turn.answer(*({"decision": word, "nonce": "$nonce"} for word in words))
        _expect(turn, "completed", runs=runs, after=" and then ".join(words))


@check("appr.decision-told")
def decision_told(subject: Subject) -> None:
    """What was answered is announced as it was answered."""
    first = _asking(subject)
    for word in ("accept", "decline"):
        turn = first if word == "accept" else start_turn(subject, first.probe, "approval", first.thread)
        turn.answer({"decision": word, "nonce": "$nonce"})
        turn.wait()
        _expect_resolution(turn, {"outcome": "answered", "decision": word}, after=word)


def _asking(subject: Subject) -> Turn:
    own_messages(subject)
    turn = start_turn(subject, subject.session(subject.opted_in()), "approval")
    turn.asked()
    return turn


def _expect(turn: Turn, status: str, *, runs: int, after: str) -> None:
    ended, ran = turn.wait(), _runs(turn)
    if ended != status or ran != runs:
        raise Unmet(f"a turn that is {status} with {runs} runs after {after}", f"it is {ended} with {ran}")


def _runs(turn: Turn) -> int:
    """How many operations have started to run."""
    ids = set()
    for method in ("item/started", "item/completed"):
        for frame in turn.probe.heard(method, turn.mark):
            item = pick(frame.value, "/params/item")
            if pick(item, "/executionStarted") is True:
                ids.add(repr(pick(item, "/id")))
    return len(ids)


def _expect_resolution(turn: Turn, wanted: dict[str, str], *, after: str) -> None:
    told = [pick(f.value, "/params/resolution") for f in turn.probe.heard("approval/resolved", turn.mark)]
    found = [{name: pick(resolution, f"/{name}") for name in wanted} for resolution in told]
    if found != [wanted]:
        raise Unmet(f"one approval/resolved with {wanted} after {after}", repr(found))
