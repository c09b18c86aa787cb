"""Ordinary traffic for the checks that only read: a walk through what every server must say something about.

It is taken three times: as the server is, with every common variable for verbose logs set, and under a locale that is
not UTF-8, because that is where logs reach stdout and text loses its encoding. Where a script is obeyed, turns are
taken too, once: one that speaks, one that is interrupted, one that asks, one after the other in one thread.
"""

import contextlib
from collections.abc import Mapping

from turnwire.conformance.model import NotApplicable, NotExercised, TargetFault, Unmet
from turnwire.conformance.probe import Probe
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import start_turn

__all__ = ["UNICODE_TEXT", "take_tours"]

# Two bytes, four bytes, line separators that are no line ends, a control escape, right-to-left, a combining mark.
UNICODE_TEXT = "é 😀 \u2028 \u0085 \u0000 \u05e9\u05dc\u05d5\u05dd e\u0301"

VERBOSE = {"DEBUG": "*", "LOG_LEVEL": "debug", "LOGLEVEL": "DEBUG", "RUST_LOG": "trace", "TURNWIRE_LOG": "debug"}
NOT_UTF8 = {"LANG": "C", "LC_ALL": "C", "LC_CTYPE": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}


def take_tours(subject: Subject) -> None:
    """Walk through the server once in each environment; what goes wrong on the way is for other checks to say."""
    for env in ({}, VERBOSE, NOT_UTF8):
        with contextlib.suppress(Unmet, NotApplicable, NotExercised, TargetFault):
            _walk(subject, env)
    with contextlib.suppress(Unmet, NotApplicable, NotExercised, TargetFault):
        _take_turns(subject)
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


def _take_turns(subject: Subject) -> None:
    probe = subject.session(subject.opted_in())
    first = start_turn(subject, probe, "text")
    first.wait()
    slow = start_turn(subject, probe, "slow", first.thread)
    if isinstance(slow.id, str):
        # A moment of it must be heard, or what is interrupted has not begun.
        probe.listen(subject.target.timeouts.lag / 4)
        subject.perform(probe, "interrupt", thread=slow.thread, text=slow.id)
    slow.wait()
    asking = start_turn(subject, probe, "approval", first.thread)
    asking.accept()
    asking.wait()
    last = start_turn(subject, probe, "text", first.thread)
    last.wait()
    probe.collect()
