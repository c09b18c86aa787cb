"""What is said to a turn that runs: steered, injected, stopped (TURN-4 to TURN-7, SCRIPT-3)."""

from typing import Any

from turnwire.conformance.checks.meanwhile import LONG, expect_amidst, expect_still, meanwhile
from turnwire.conformance.checks.work import Work, first_note, same, text, work
from turnwire.conformance.model import Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import Turn

__all__: list[str] = []

NOBODY = "turnwire-check/no-such-turn"
WORDS = "look at the tests first"


@check("turn.stale-expected-id")
def stale_expected_id(subject: Subject) -> str | None:
    """Input that is meant for another turn reaches none."""
    asked = work(subject, "steer")
    thread = asked.thread()
    steering = {"threadId": thread, "input": text(WORDS)}
    idle = asked.refused("no_active_turn", "turn/steer", "of a thread at rest", expectedTurnId=NOBODY, **steering)
    turn = asked.start(thread, LONG)
    stale = asked.refused("turn_mismatch", "turn/steer", "of another turn", expectedTurnId=NOBODY, **steering)
    asked.result("turn/interrupt", threadId=thread, turnId=turn.id)
    turn.wait()
    untaken = [pick(one, "/input") for one in pick(turn.end, "/untaken") or ()]
    same([], [*_steered(turn), *untaken], "what a refused turn/steer has given to the turn")
    return first_note(idle, stale)


@check("turn.steer-taken")
def steer_taken(subject: Subject) -> None:
    """What is taken shows under the id that the answer gave, and the agent has heard it."""
    asked = work(subject, "steer")
    thread = asked.thread()
    turn = asked.start(thread, "listen")
    told = _steer(asked, turn)
    same("completed", turn.ended(), "the end of the turn that listened")
    same([(pick(told, "/itemId"), text(WORDS))], _steered(turn), "the id and the input of the userMessage item")
    same(f"heard: {WORDS}", pick(turn.end, "/finalOutput"), "what the agent says of it")


@check("turn.steer-untaken")
def steer_untaken(subject: Subject) -> None:
    """What came too late is given back with the end of its turn, and the next turn does not hear it."""
    asked = work(subject, "steer", "approvals", answers=("approvals",))
    thread = asked.thread()
    turn = asked.start(thread, "approve check {}")
    turn.asked()
    _steer(asked, turn)
    turn.answer({"decision": "cancel", "nonce": "$nonce"})
    turn.wait()
    untaken = pick(turn.end, "/untaken")
    same([text(WORDS)], [pick(one, "/input") for one in untaken or ()], "what the turn gives back as untaken")
    after = asked.play(thread, "text next")
    same(
        [text("text next")], [pick(item, "/input") for item in after.items("userMessage")], "the input of the next turn"
    )


@check("turn.inject")
def inject(subject: Subject) -> None:
    """The step that runs is given up and begins again with the input."""
    turn, told = _steered_amidst(work(subject, "steer"), mode="inject")
    same("completed", turn.wait(), "the end of the turn")
    same([pick(told, "/itemId")], [item for item, _ in _steered(turn)], "the id of the userMessage item")
    taken_back = {item for params in turn.told("item/reset") for item in pick(params, "/itemIds") or ()}
    begun = [pick(params, "/item/id") for params in turn.told("item/started") if _says(pick(params, "/item"))]
    ends = [pick(item, "/status") for item in turn.items("agentMessage")]
    whole = ["completed"] if begun and begun[0] in taken_back else ["interrupted", "completed"]
    if len(begun) != 2 or ends != whole:
        raise Unmet("an agentMessage that is interrupted or reset, and one that begins again", f"{len(begun)}: {ends}")
    same("1 2 3 4 ", pick(turn.end, "/finalOutput"), "what the step says when it has begun again")


@check("script.steer-not-said")
def steer_not_said(subject: Subject) -> None:
    """Input between two words of `slow` is taken there, and changes nothing of what is said."""
    turn, told = _steered_amidst(work(subject, "steer"))
    turn.wait()
    same([pick(told, "/itemId")], [item for item, _ in _steered(turn)], "the userMessage item of what was steered")
    same("1 2 3 4 ", pick(turn.end, "/finalOutput"), "what the agent says")


@check("turn.interrupt-old-id")
def interrupt_old_id(subject: Subject) -> None:
    """To stop a turn that is over stops no other."""
    asked = work(subject)
    thread = asked.thread()
    first = asked.play(thread, "text one")
    second = asked.start(thread, LONG)
    found = asked.result("turn/interrupt", threadId=thread, turnId=first.id)
    same((True, first.id), (pick(found, "/alreadyTerminal"), pick(found, "/turn/id")), "alreadyTerminal, and the turn")
    asked.settle()
    same("", second.status(), "the end of the turn that runs, which is none yet")
    asked.result("turn/interrupt", threadId=thread, turnId=second.id)


@check("turn.terminal-stays")
def terminal_stays(subject: Subject) -> None:
    """A turn that has ended stays as it ended."""
    asked = work(subject)
    thread = asked.thread()
    turns = [asked.play(thread, "text one"), asked.play(thread, "fail on purpose")]
    for turn in turns:
        asked.ask("turn/interrupt", threadId=thread, turnId=turn.id)
    found = [pick(turn, "/status") for turn in asked.turns(thread)]
    same(["completed", "failed"], found, "the status of two turns that an interrupt came too late for")


@check("turn.interrupt-approval")
def interrupt_approval(subject: Subject) -> None:
    """An interrupt takes back the question with the turn, and nothing runs."""
    asked = work(subject, "approvals", answers=("approvals",))
    thread = asked.thread()
    turn = asked.start(thread, "approve check {}")
    turn.asked()
    asked.result("turn/interrupt", threadId=thread, turnId=turn.id)
    outcomes = [pick(params, "/resolution/outcome") for params in turn.told("approval/resolved")]
    same(["interrupted"], outcomes, "the outcome of the approval that waited")
    same(("interrupted", 0), (turn.status(), turn.runs()), "the end of the turn, and how many operations ran")


def _steered_amidst(asked: Work, **members: Any) -> tuple[Turn, Any]:
    """A turn that was steered between two words, and the answer to that."""

    def steer(pace: int) -> tuple[Turn, Any]:
        turn = asked.start(asked.thread(), f"slow 4 {pace}")
        asked.wait_told("item/agentMessage/delta", turn.thread, turn.mark)
        told = _steer(asked, turn, **members)
        expect_amidst(turn, 4)
        return turn, told

    return meanwhile(steer)


def _steer(asked: Work, turn: Turn, **members: Any) -> Any:
    reply = asked.ask("turn/steer", threadId=turn.thread, expectedTurnId=turn.id, input=text(WORDS), **members)
    if "result" not in reply.value:
        expect_still(asked, turn.thread, turn.mark)
        raise Unmet("a result for turn/steer", str(reply))
    return reply.result


def _steered(turn: Turn) -> list[Any]:
    """Id and input of its userMessage items, but for the one that began it."""
    return [(pick(item, "/id"), pick(item, "/input")) for item in turn.items("userMessage")][1:]


def _says(item: Any) -> bool:
    return bool(pick(item, "/type") == "agentMessage")
