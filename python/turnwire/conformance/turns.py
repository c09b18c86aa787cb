"""Turns with a known course: what a check of tier 2 asks for when the server promises to obey a script."""

from typing import Any

from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
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

    @property
    def end(self) -> Any:
        """The turn as its end was announced; None before."""
        ended = self.probe.heard(self._script.completed, self.mark)
        return pick(ended[0].value, "/params/turn") if ended else None

    def told(self, method: str) -> list[Any]:
        """The params of its notifications with this method."""
        heard = [frame.value.get("params") for frame in self.probe.heard(method, self.mark)]
        return [params for params in heard if self.id in (pick(params, "/turnId"), pick(params, "/turn/id"))]

    def items(self, kind: str = "") -> list[Any]:
        """Its completed items, or those of one type, in the order in which they were told."""
        told = [pick(params, "/item") for params in self.told("item/completed")]
        return [item for item in told if kind in ("", pick(item, "/type"))]

    def runs(self) -> int:
        """How many of its operations have started to run."""
        told = [pick(params, "/item") for name in ("item/started", "item/completed") for params in self.told(name)]
        return len({repr(pick(item, "/id")) for item in told if pick(item, "/executionStarted") is True})

    def hear_begin(self) -> None:
        """Wait until something of it was told, and a moment longer: else what is interrupted has not begun."""
        lag = self.probe.process.target.timeouts.lag
        self.probe.wait_for(lambda: len(self.probe.arrived) > self.mark or None, self._patience)
        self.probe.listen(lag / 4)

    def ended(self) -> str:
        """Wait for its end, which is due by the clause at hand, and return how it ended.

        Raises:
            Unmet: it does not end.
        """
        if self.probe.wait_for(lambda: self.is_over() or None, self._patience) is None:
            raise Unmet("an end of the turn", f"none within {self._patience:g} s")
        return self.status()

    def asks(self, method: str = "") -> list[Frame]:
        """The requests to the client that it has made so far: for approval, or with this method."""
        heard = self.probe.heard(method or self._script.approval, self.mark)
        return [frame for frame in heard if frame.is_request]

    def asked(self, method: str = "", count: int = 1) -> Frame:
        """Wait for the request that it makes, or for the last of so many.

        Raises:
            NotExercised: it does not come.
        """
        found = self._asked(method, count)
        if found is None:
            raise NotExercised(f"the scripted turn made no {method or self._script.approval}")
        return found

    def due(self, method: str = "", count: int = 1) -> Frame:
        """The same where the clause at hand is that the request is made.

        Raises:
            Unmet: it does not come.
        """
        found = self._asked(method, count)
        if found is None:
            name = method or self._script.approval
            raise Unmet(f"{name}, number {count} of its turn", f"{len(self.asks(method))} of them")
        return found

    def _asked(self, method: str, count: int) -> Frame | None:
        found: Frame | None = self.probe.wait_for(
            lambda: asks[count - 1] if len(asks := self.asks(method)) >= count else self._over_or_none(), self._patience
        )
        return found if isinstance(found, Frame) else None

    def _over_or_none(self) -> bool | None:
        """A turn that is over asks no more, so nobody need wait for it."""
        return self.is_over() or None

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
        self.answer_to(self.asked(), *results)

    def answer_to(self, request: Frame, *results: Any) -> None:
        """Answer one of its requests; `$nonce` is the request's own."""
        words = {"$nonce": pick(request.value.get("params"), self._script.nonce)}
        envelope = self.probe.profile.envelope
        lines = [dumps(envelope(id=request.value["id"], result=planted(result, words))) for result in results]
        self.probe.send_together(lines)


def start_turn(subject: Subject, probe: Probe, course: str, thread: str = "") -> Turn:
    """Start a turn of a known course, one of the profile's prompts, in a new thread or in this one.

    Raises:
        NotApplicable: the contract has no such turns.
        NotExercised: the server promises no script, the profile has no prompt for it, or no turn starts.
    """
    script = subject.profile.script
    if not script.completed:
        raise NotApplicable(f"the profile {subject.profile.name} does not say how a turn is started")
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
