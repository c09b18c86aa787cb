"""Ordinary traffic for the checks that only read: a walk through what every server must say something about.

It is taken three times: as the server is, with every common variable for verbose logs set, and under a locale that is
not UTF-8, because that is where logs reach stdout and text loses its encoding. Where a script is obeyed, turns are
taken too, once: one that speaks, one that is interrupted, one that asks, one after the other in one thread.
"""

import contextlib
from collections.abc import Mapping

from turnwire.conformance.model import NotApplicable, NotExercised, TargetFault, Unmet
from turnwire.conformance.probe import Probe
from turnwire.conformance.strict import dumps
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import Turn, start_turn

__all__ = ["UNICODE_TEXT", "take_tours"]

# Two bytes, four bytes, line separators that are no line ends, a control escape, right-to-left, a combining mark.
UNICODE_TEXT = "é 😀 \u2028 \u0085 \u0000 \u05e9\u05dc\u05d5\u05dd e\u0301"

OUTPUTS = 6
VERBOSE = {"DEBUG": "*", "LOG_LEVEL": "debug", "LOGLEVEL": "DEBUG", "RUST_LOG": "trace", "TURNWIRE_LOG": "debug"}
NOT_UTF8 = {"LANG": "C", "LC_ALL": "C", "LC_CTYPE": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}


def take_tours(subject: Subject) -> None:
    """Walk through the server once in each environment; what goes wrong on the way is for other checks to say."""
    # The environment of a server that is connected to is its own.
    for env in ({}, VERBOSE, NOT_UTF8) if subject.target.address is None else ({},):
        with contextlib.suppress(Unmet, NotApplicable, NotExercised, TargetFault):
            _walk(subject, env)
    with contextlib.suppress(Unmet, NotApplicable, NotExercised, TargetFault):
        _take_turns(subject)
    _take_side_turns(subject)
    subject.close()


def _walk(subject: Subject, env: Mapping[str, str]) -> None:
    probe = subject.open(env=env)
    probe.barrier()
    probe.handshake(aside=False)
    probe.provoke(b'{"jsonrpc":"2.0","id":1,')
    probe.provoke(b"[]")
    subject.perform(probe, "noop")
    with contextlib.suppress(NotApplicable, NotExercised):
        _work(subject, probe)
    probe.process.close_input()
    probe.process.wait_exit(subject.target.timeouts.exit)
    probe.listen(0.05)


def _work(subject: Subject, probe: Probe) -> None:
    """What a server with threads can be asked for without a turn."""
    typed = subject.operation("read")
    thread = subject.create(probe, text=UNICODE_TEXT)
    subject.perform(probe, "read", thread=thread)
    subject.perform(probe, "list")
    probe.call(typed.method, {typed.required: typed.wrong})
    for refused in subject.profile.refused:
        probe.call(refused.method, subject.filled(refused.params, thread=thread, text="turnwire-check"))


def _take_turns(subject: Subject) -> None:
    probe = subject.session(subject.opted_in())
    first = start_turn(subject, probe, "text")
    first.wait()
    slow = start_turn(subject, probe, "slow", first.thread)
    _interrupt(subject, slow)
    asking = start_turn(subject, probe, "approval", first.thread)
    asking.accept()
    asking.wait()
    last = start_turn(subject, probe, "text", first.thread)
    last.wait()
    probe.collect()


def _take_side_turns(subject: Subject) -> None:
    """What ends otherwise than most turns do, each in a thread of its own: by a contract of another house only.

    By ours there are checks that do the same, and what they record is read too.
    """
    if subject.profile.reading is None:
        return
    for take in (_stop_while_asked, _settle_late, _hear_output):
        with contextlib.suppress(Unmet, NotApplicable, NotExercised, TargetFault):
            take(subject)


def _stop_while_asked(subject: Subject) -> None:
    """A turn that is interrupted while the person is asked."""
    turn = start_turn(subject, subject.session(subject.opted_in()), "approval")
    turn.asked()
    _interrupt(subject, turn)
    turn.probe.collect()


def _settle_late(subject: Subject) -> None:
    """The client cannot ask the person, and settles what was asked by a request of its own."""
    turn = start_turn(subject, subject.session(subject.opted_in()), "approval")
    request = turn.asked().value
    error = {"code": -32603, "message": "the dialog was closed"}
    turn.probe.send(dumps(subject.profile.envelope(id=request["id"], error=error)))
    turn.wait()
    subject.perform(turn.probe, "settle", thread=turn.thread, text=str(request["id"]))
    turn.probe.listen(subject.target.timeouts.lag)


def _hear_output(subject: Subject) -> None:
    """A tool that says something as soon as it is called, some times over: what is lost then is not lost each time."""
    probe, thread = subject.session(subject.opted_in()), ""
    for _ in range(OUTPUTS):
        thread = _call_once(subject, probe, thread)
    probe.collect()


def _call_once(subject: Subject, probe: Probe, thread: str) -> str:
    turn = start_turn(subject, probe, "output", thread)
    probe.wait_for(lambda: turn.is_over() or turn.asks() or None, subject.target.timeouts.reply)
    if turn.asks():
        turn.accept()
    turn.wait()
    return turn.thread


def _interrupt(subject: Subject, turn: Turn) -> None:
    if isinstance(turn.id, str):
        turn.hear_begin()
        subject.perform(turn.probe, "interrupt", thread=turn.thread, text=turn.id)
    turn.wait()
