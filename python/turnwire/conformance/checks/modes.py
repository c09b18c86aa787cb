"""What the permission mode of a thread decides without asking, and what it never lets run (APPR-14, APPR-16)."""

from typing import Any

from turnwire.conformance.checks.work import Work, first_note, same, work
from turnwire.conformance.model import NotApplicable
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import Turn

__all__: list[str] = []

CALL = "approve check {}"
ASKED, RUNS, DECLINED = "asked", "runs", "declined"
# The rows of the table of APPR-14 that no policy of a host has a part in: a file of the workspace, and anything else.
TABLE = {"ask": (ASKED, ASKED), "acceptEdits": (RUNS, ASKED), "readOnly": (DECLINED, DECLINED)}
UNKNOWN = "turnwire-check/no-such-mode"
# How often an operation was asked about and ran, by what became of it; and what its approval came to.
TOLD = {ASKED: (1, 0, ("answered", "decline")), RUNS: (0, 1, ("mode", "accept")), DECLINED: (0, 0, ("mode", "decline"))}


@check("appr.mode-decides")
def mode_decides(subject: Subject) -> None:
    """What a mode lets run, what it declines, and what it leaves to be asked."""
    asked = _open(subject)
    home = asked.probe.process.scratch
    for mode in _offered(subject):
        thread = asked.thread(cwd=str(home), permissionMode=mode)
        of_file, of_call = TABLE[mode]
        _expect(asked, thread, f"write {mode}.txt some words", of_file, mode)
        same(of_file == RUNS, (home / f"{mode}.txt").exists(), f"a file that was written in the mode {mode}")
        _expect(asked, thread, CALL, of_call, mode)


@check("appr.mode-declines-for-good")
def mode_declines_for_good(subject: Subject) -> None:
    """What a mode declines neither a saved rule nor an answer to a paused turn makes run."""
    asked = _open(subject)
    _wants(subject, "readOnly")
    thread = asked.thread()
    paused = asked.start(thread, CALL)
    paused.answer({"decision": "defer", "nonce": "$nonce"})
    same("paused", paused.wait(), "the end of a turn whose approval is deferred")
    waits = pick(asked.result("thread/resume", threadId=thread), "/pending/0/approval")
    answer = {"decision": "accept", "nonce": pick(waits, "/binding/nonce")}
    asked.result("thread/update", threadId=thread, permissionMode="readOnly")
    decisions = [{"approvalId": pick(waits, "/approvalId"), "answer": answer}]
    again = asked.start(thread, resume={"decisions": decisions})
    same(("completed", 0), (again.ended(), again.runs()), "the end of the turn that goes on, and its runs")
    if "approvalRules" in subject.capabilities:
        asked.result("thread/update", threadId=thread, permissionMode=None)
        ruled = asked.start(thread, CALL)
        ruled.answer({"decision": "acceptForSession", "nonce": "$nonce"})
        same(("completed", 1), (ruled.wait(), ruled.runs()), "the end of a turn that is accepted, and its runs")
        asked.result("thread/update", threadId=thread, permissionMode="readOnly")
        _expect(asked, thread, CALL, DECLINED, "readOnly")


@check("appr.mode-amidst")
def mode_amidst(subject: Subject) -> None:
    """What waits when a mode is set waits on; the next operation is decided by the mode."""
    asked = _open(subject)
    _wants(subject, "readOnly")
    turn = asked.start(asked.thread(), CALL, "approve deploy {}")
    turn.asked()
    asked.result("thread/update", threadId=turn.thread, permissionMode="readOnly")
    asked.settle()
    same(([], ""), (_outcomes(turn), turn.status()), "what became of an approval that waited, and of its turn")
    turn.answer({"decision": "accept", "nonce": "$nonce"})
    asked.probe.wait_for(lambda: len(turn.asks()) > 1 or turn.is_over() or None, subject.target.timeouts.reply)
    same(1, len(turn.asks()), "requests for approval of a turn that was set readOnly at its first")
    same(("completed", 1), (turn.ended(), turn.runs()), "the end of the turn, and its runs")
    same([("answered", "accept"), ("mode", "decline")], _outcomes(turn), "outcome and decision of its approvals")


@check("appr.mode-unknown")
def mode_unknown(subject: Subject) -> str | None:
    """A mode that nobody knows is refused, and none is set."""
    asked = _open(subject)
    thread = asked.thread()
    notes = (
        asked.refused("invalid_params", "thread/start", "with a mode that nobody knows", permissionMode=UNKNOWN),
        asked.refused(
            "invalid_params", "thread/update", "with a mode that nobody knows", threadId=thread, permissionMode=UNKNOWN
        ),
    )
    found = pick(asked.result("thread/read", threadId=thread), "/thread/permissionMode")
    same(None, found, "the mode of the thread as it was")
    return first_note(*notes)


def _open(subject: Subject) -> Work:
    return work(subject, "approvals", "permissionModes", answers=("approvals",))


def _offered(subject: Subject) -> list[str]:
    modes = pick(subject.capabilities, "/permissionModes/modes")
    found = [mode for mode in TABLE if isinstance(modes, list) and mode in modes]
    if not found:
        raise NotApplicable(f"the server offers none of {', '.join(TABLE)}")
    return found


def _wants(subject: Subject, mode: str) -> None:
    if mode not in _offered(subject):
        raise NotApplicable(f"the server does not offer the mode {mode}")


def _expect(asked: Work, thread: str, script: str, what: str, mode: str) -> None:
    """Start a turn whose operation is asked about, runs or is declined, by the mode of its thread."""
    turn = asked.start(thread, script)
    asked.probe.wait_for(lambda: turn.asks() or turn.is_over() or None, asked.subject.target.timeouts.reply)
    if turn.asks():
        turn.answer({"decision": "decline", "nonce": "$nonce"})
    same("completed", turn.ended(), f"the end of the turn {script!r} in the mode {mode}")
    requests, runs, outcome = TOLD[what]
    found = len(turn.asks()), len(turn.told("approval/requested")), turn.runs(), _outcomes(turn)
    name = f"approval/request, approval/requested, runs and outcomes of {script!r} in the mode {mode}"
    same((requests, requests, runs, [outcome]), found, name)


def _outcomes(turn: Turn) -> list[tuple[Any, Any]]:
    told = [pick(params, "/resolution") for params in turn.told("approval/resolved")]
    return [(pick(one, "/outcome"), pick(one, "/decision")) for one in told]
