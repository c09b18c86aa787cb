"""Turns: what may start, what stops them, and how they end (TURN clauses)."""

from typing import Any

from turnwire.conformance.checks.expect import error_of, own_messages, succeeded
from turnwire.conformance.model import NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import is_scripted, start_turn

__all__: list[str] = []

TEXT = {"type": "text", "text": "text x"}
BAD_INPUTS: tuple[tuple[str, Any], ...] = (
    ("no part", []),
    ("a part of an unknown type", [TEXT, {"type": "turnwire.check/hologram"}]),
    ("an image that is no data URL", [{"type": "image", "url": "https://example.org/a.png"}]),
)


@check("turn.input-or-resume")
def input_or_resume(subject: Subject) -> str | None:
    """Neither of both is nothing to do, and both at once are two things."""
    own_messages(subject)
    resume: dict[str, Any] = {"approvals": []}
    notes = [
        _refused(subject, {}, to="neither input nor resume"),
        _refused(subject, {"input": [TEXT], "resume": resume}, to="input and resume"),
    ]
    return next((note for note in notes if note), None)


@check("turn.bad-input")
def bad_input(subject: Subject) -> str | None:
    """What no agent can be given starts no turn."""
    own_messages(subject)
    notes = [_refused(subject, {"input": parts}, to=name) for name, parts in BAD_INPUTS]
    return next((note for note in notes if note), None)


@check("turn.concurrent-start")
def concurrent_start(subject: Subject) -> str | None:
    """While a turn runs its thread takes no other, and says which one it is."""
    own_messages(subject)
    probe = subject.session()
    running = start_turn(subject, probe, "slow")
    reply = subject.perform(probe, "turn", thread=running.thread, text="text x")
    note = error_of(subject, reply, "turn_active", to="turn/start while a turn runs")
    named = pick(reply.value, "/error/data/turnId")
    if named != running.id:
        raise Unmet(f"the id of the turn that runs, {running.id}, in error.data", repr(named))
    return note


@check("turn.interrupt-settles")
def interrupt_settles(subject: Subject) -> str | None:
    """An interrupt ends the turn, and one that comes again finds it ended."""
    script = subject.profile.script
    probe = subject.session(subject.opted_in())
    turn = start_turn(subject, probe, "slow")
    method = subject.operation("interrupt").method
    turn.hear_begin()
    first = succeeded(subject.perform(probe, "interrupt", thread=turn.thread, text=str(turn.id)), to=method)
    ended = (pick(first, script.stopped) if script.stopped else turn.wait(), turn.wait())
    if set(ended) != {script.interrupted[0]}:
        raise Unmet(f"a turn that is {script.interrupted[0]}", f"{ended[0]} in the answer, {ended[1]} told")
    again = subject.perform(probe, "interrupt", thread=turn.thread, text=str(turn.id))
    to = f"{method} of a turn that has ended"
    if not script.ended:
        return error_of(subject, again, "turn_ended", to=to) if "turn_ended" in subject.profile.codes else None
    if pick(succeeded(again, to=to), script.ended) is not True:
        raise Unmet(f"{script.ended}: true for a turn that has ended", str(again))
    return None


@check("turn.failure-surfaces")
def failure_surfaces(subject: Subject) -> None:
    """A turn that fails says so, and its thread takes the next one."""
    own_messages(subject)
    failing = start_turn(subject, subject.probe, "failure")
    if failing.wait() != "failed":
        raise Unmet("a turn that failed", failing.status())
    end = subject.probe.heard(subject.profile.script.completed, failing.mark)[0]
    if not isinstance(pick(end.value, "/params/turn/error/message"), str):
        raise Unmet("an error with a message in the turn that failed", str(end))
    after = start_turn(subject, subject.probe, "text", failing.thread)
    if after.wait() != "completed":
        raise Unmet("a turn after the one that failed", after.status())


@check("turn.threads-apart")
def threads_apart(subject: Subject) -> None:
    """Two turns run at once in two threads; whatever is told of one names its own thread."""
    own_messages(subject)
    probe = subject.session()
    turns = [start_turn(subject, probe, "brief") for _ in range(2)]
    homes = {turn.id: turn.thread for turn in turns}
    probe.wait_for(lambda: len(_ends(subject, probe.arrived)) > 1 or None, subject.target.timeouts.reply)
    told = [(pick(f.value, "/params/turnId"), pick(f.value, "/params/threadId"), f) for f in probe.arrived]
    known = [(turn, thread, frame) for turn, thread, frame in told if turn is not None]
    if {turn for turn, _, _ in known} < set(homes):
        raise NotExercised("nothing was told of one of two turns")
    for turn, thread, frame in known:
        if homes.get(turn) != thread:
            raise Unmet("the thread that the turn is in", str(frame))


def _ends(subject: Subject, frames: Any) -> list[Any]:
    return [frame for frame in frames if frame.method == subject.profile.script.completed]


def _refused(subject: Subject, members: dict[str, Any], *, to: str) -> str | None:
    """Refused, and no turn has begun."""
    if not is_scripted(subject):
        raise NotExercised("the server declares no agent that obeys a script")
    thread = subject.create(subject.probe)
    method = subject.operation("turn").method
    reply = subject.probe.call(method, {"threadId": thread, **members})
    note = error_of(subject, reply, "invalid_params", to=to)
    operation = subject.operation("turns")
    turns = pick(subject.perform(subject.probe, "turns", thread=thread).result, operation.items)
    if turns != []:
        raise Unmet(f"no turn after {to}", repr(turns)[:80])
    return note
