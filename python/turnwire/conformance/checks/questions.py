"""Questions to the person: asked of who can answer, answered once, and told (INPUT clauses)."""

from typing import Any

from turnwire.conformance.checks.work import Work, first_note, same, work
from turnwire.conformance.model import Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.probe import QUESTION
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.trace import Frame
from turnwire.conformance.turns import Turn

__all__: list[str] = []

SCRIPT = "ask name What is it called?"
STALE_NONCE = "0" * 32
# The grammar's words where the server asks nothing of anybody, and where nobody answered.
WITHOUT = ("ask is not offered", "no answer")
NOBODY = "turnwire-check/no-such-question"


@check("input.asked")
def asked_first(subject: Subject) -> None:
    """A question shows as an item, is told, and is asked; what is answered reaches the agent."""
    asked = _open(subject)
    turn, request = _asking(asked)
    question = pick(request.value, "/params/userInput")
    texts = [(pick(one, "/id"), pick(one, "/text")) for one in pick(question, "/questions") or ()]
    same([("name", "What is it called?")], texts, "the questions that are asked")
    started = [frame for frame in asked.probe.heard("item/started", turn.mark) if _is_question(frame, question)]
    told = asked.probe.heard("userInput/requested", turn.mark)
    same((1, 1), (len(started), len(told)), "items and userInput/requested of the question")
    order = [asked.place(frame) for frame in (*started, *told, request)]
    if order != sorted(order):
        raise Unmet("item/started, userInput/requested, and then userInput/request", "another order")
    shown = pick(told[0].value, "/params/userInput")
    same(_open_part(question), _open_part(shown), "the question in userInput/requested, but for the nonce")
    turn.answer_to(request, _answer("Turnwire", pick(question, "/binding/nonce")))
    same(("completed", "Turnwire"), (turn.wait(), pick(turn.end, "/finalOutput")), "the end, and what the agent says")
    answers = [pick(params, "/resolution/answers/0/text") for params in turn.told("userInput/resolved")]
    same(["Turnwire"], answers, "the answer in each userInput/resolved")


@check("input.first-wins")
def first_wins(subject: Subject) -> str | None:
    """An answer out of band needs the nonce, and is one; what comes after it is late."""
    asked = _open(subject)
    turn, request = _asking(asked)
    question = pick(request.value, "/params/userInput")
    identifier, nonce = pick(question, "/userInputId"), pick(question, "/binding/nonce")
    notes = [
        _refused(asked, "request_closed", "with a wrong nonce", identifier, _answer("stale", STALE_NONCE)),
        _refused(asked, "not_found", "of an id that nobody has", NOBODY, _answer("nobody", nonce)),
    ]
    asked.result("userInput/resolve", userInputId=identifier, answer=_answer("first", nonce))
    turn.answer_to(request, _answer("second", nonce))
    same(("completed", "first"), (turn.wait(), pick(turn.end, "/finalOutput")), "the end, and what the agent says")
    notes.append(_refused(asked, "request_closed", "that comes late", identifier, _answer("third", nonce)))
    same(1, len(turn.told("userInput/resolved")), "userInput/resolved")
    return first_note(*notes)


@check("input.garbage-reply")
def garbage_reply(subject: Subject) -> None:
    """What is no answer to the question is none."""
    asked = _open(subject)
    thread = asked.thread()
    for answer in (None, {}, _answer("stale", STALE_NONCE), {"answers": [], "nonce": 7}):
        turn = asked.start(thread, SCRIPT)
        turn.answer_to(turn.asked(QUESTION), answer)
        same(("completed", "no answer"), (turn.wait(), pick(turn.end, "/finalOutput")), f"the end after {answer!r}")


@check("input.text-alone")
def text_alone(subject: Subject) -> None:
    """A question without options is answered by text, and by no choice."""
    asked = _open(subject)
    turn, request = _asking(asked)
    question = pick(request.value, "/params/userInput")
    same([], [one for one in pick(question, "/questions") or () if pick(one, "/options")], "questions with options")
    choice = {"nonce": pick(question, "/binding/nonce"), "answers": [{"questionId": "name", "optionIds": ["first"]}]}
    turn.answer_to(request, choice)
    same(("completed", "no answer"), (turn.wait(), pick(turn.end, "/finalOutput")), "the end after a choice")
    outcomes = [pick(params, "/resolution/outcome") for params in turn.told("userInput/resolved")]
    if outcomes == ["answered"]:
        raise Unmet("a question that is resolved without an answer", "one that was answered by a choice")


@check("input.not-asked")
def not_asked(subject: Subject) -> None:
    """Who cannot answer is not asked, and the agent goes on without."""
    asked = work(subject, "userInput")
    turn = asked.start(asked.thread(), SCRIPT)
    asked.probe.wait_for(lambda: turn.asks(QUESTION) or turn.is_over() or None, subject.target.timeouts.reply)
    same([], turn.asks(QUESTION), "userInput/request to a client that declared nothing")
    turn.ended()
    said = pick(turn.end, "/finalOutput")
    if said not in WITHOUT:
        raise Unmet(" or ".join(map(repr, WITHOUT)), repr(said))


def _open(subject: Subject) -> Work:
    return work(subject, "userInput", answers=("userInput",))


def _asking(asked: Work) -> tuple[Turn, Frame]:
    turn = asked.start(asked.thread(), SCRIPT)
    return turn, turn.asked(QUESTION)


def _answer(words: str, nonce: Any) -> dict[str, Any]:
    return {"nonce": nonce, "answers": [{"questionId": "name", "text": words}]}


def _refused(asked: Work, condition: str, why: str, identifier: Any, answer: Any) -> str | None:
    return asked.refused(condition, "userInput/resolve", why, userInputId=identifier, answer=answer)


def _is_question(frame: Frame, question: Any) -> bool:
    return bool(pick(frame.value, "/params/item/userInput/userInputId") == pick(question, "/userInputId"))


def _open_part(question: Any) -> Any:
    """A question without what is for who is asked only."""
    if not isinstance(question, dict):
        return question
    binding = {name: value for name, value in (question.get("binding") or {}).items() if name != "nonce"}
    return {**question, "binding": binding}
