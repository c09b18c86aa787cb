"""Turns with a known course: what a check of tier 2 asks for when the server promises to obey a script."""

from typing import Any

from turnwire.conformance.model import NotExercised
from turnwire.conformance.pointer import pick, planted
from turnwire.conformance.probe import Probe
from turnwire.conformance.strict import dumps
from turnwire.conformance.subject import Subject
from turnwire.conformance.trace import Frame

__all__ = ["Turn", "is_scripted", "start_turn"]


class Turn:
    """One turn that was asked for, followed by its notifications."""

    def __init__(self, subject: Subject, probe: Probe, thread: str, mark: int, started: Any) -> None:
        self._script = subject.profile.script
        self.id = pick(started, self._script.turn) if self._script.turn else None
        self._patience = subject.target.timeouts.reply
        self.probe = probe
        self.thread = thread
        self.mark = mark

    def is_over(self) -> bool:
        """Whether its end has been announced."""
        return bool(self.probe.heard(self._script.completed, self.mark))

    def status(self) -> str:
        """How it ended."""
        ended = self.probe.heard(self._script.completed, self.mark)
        status = pick(ended[0].value.get("params"), self._script.status) if ended else None
        return status if isinstance(status, str) else ""

    def wait(self) -> str:
        """Wait for its end and return how it ended.

        Raises:
            NotExercised: it does not end, so what it was to show is not shown.
        """
        if self.probe.wait_for(lambda: self.is_over() or None, self._patience) is None:
            raise NotExercised(f"the scripted turn did not end within {self._patience:g} s")
        return self.status()

    def asks(self) -> list[Frame]:
        """The requests for approval that it has made so far."""
        return [frame for frame in self.probe.heard(self._script.approval, self.mark) if frame.is_request]

    def asked(self) -> Frame:
        """Wait for the request for approval that it makes.

        Raises:
            NotExercised: none comes.
        """
        found: list[Frame] | None = self.probe.wait_for(lambda: self.asks() or None, self._patience)
        if not found:
            raise NotExercised(f"the scripted turn made no {self._script.approval}")
        return found[0]

    def accept(self) -> None:
        """Answer its request for approval by yes.

        Raises:
            NotExercised: none comes, or the profile has no word for it.
        """
        decisions = self.probe.profile.decisions
        if "accept" not in decisions:
            raise NotExercised("the profile has no answer that accepts an approval")
        self.answer(decisions["accept"])

    def answer(self, *results: Any) -> None:
        """Answer its request for approval, with more than one result more than once; `$nonce` is the request's own.

        Raises:
            NotExercised: none comes.
        """
        request = self.asked().value
        words = {"$nonce": pick(request.get("params"), self._script.nonce)}
        envelope = self.probe.profile.envelope
        lines = [dumps(envelope(id=request["id"], result=planted(result, words))) for result in results]
        self.probe.send_together(lines)


def start_turn(subject: Subject, probe: Probe, course: str, thread: str = "") -> Turn:
    """Start a turn of a known course, one of the profile's prompts, in a new thread or in this one.

    Raises:
        NotExercised: the server promises no script, the profile has no prompt for it, or no turn starts.
    """
    script = subject.profile.script
    if not is_scripted(subject):
        raise NotExercised("the server declares no agent that obeys a script")
    if course not in script.prompts:
        raise NotExercised(f"the profile {subject.profile.name} has no prompt for a {course} turn")
    thread = thread or subject.create(probe)
    mark = len(probe.arrived)
    reply = subject.perform(probe, "turn", thread=thread, text=script.prompts[course])
    if "result" not in reply.value:
        raise NotExercised(f"no turn could be started: {reply}")
    turn = Turn(subject, probe, thread, mark, reply.result)
    subject.latest[thread] = turn.id
    return turn


def is_scripted(subject: Subject) -> bool:
    """Whether the contract has prompts with a known course and the server declares that it obeys them."""
    script = subject.profile.script
    return bool(script.prompts) and (not script.capability or bool(pick(subject.capabilities, script.capability)))
