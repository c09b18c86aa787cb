"""The server met in person: how it opens, in which form it speaks, and by which codes it refuses what comes too early.

Each question has a process of its own, so that no answer depends on the one before.
"""

import contextlib
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from turnwire.conformance.model import TargetFault, Unmet
from turnwire.conformance.probe import ABSENT, Probe
from turnwire.conformance.profiles import Handshake, Profile, Wire
from turnwire.conformance.target import Process, Target
from turnwire.conformance.trace import Frame, Trace

__all__ = ["Met", "meet"]

CLIENT = {"name": "turnwire-check", "version": "1"}
# Openings that are in use, the least demanding first: what the schema says is tried before them.
OPENINGS: tuple[dict[str, Any], ...] = (
    {"protocolVersion": 1, "clientInfo": CLIENT, "capabilities": {}},
    {"clientInfo": CLIENT, "capabilities": {}},
    {"protocolVersion": "2025-06-18", "clientInfo": CLIENT, "capabilities": {}},
    {"protocolVersion": 1, "clientCapabilities": {}},
    {"protocolVersion": 1, "minimumProtocolVersion": 1, "client": CLIENT},
    {},
)
# What a server does not answer at all it need not be asked for long, once it has answered something.
SILENT_SECONDS = 2.0


class Met(NamedTuple):
    """What was learnt."""

    params: dict[str, Any]
    result: dict[str, Any]
    jsonrpc_member: str
    # Seconds from the start to the first answer.
    started: float
    not_initialized: int | None
    already_initialized: int | None
    # Requests that succeeded without params, of those that were offered.
    harmless: list[str]
    frames: list[Frame]


def meet(target: Target, handshake: Handshake, given: Sequence[dict[str, Any]], harmless: Sequence[str]) -> Met:
    """Open a session, in the first way that succeeds, and ask what only the server can say.

    Raises:
        TargetFault: it cannot be started, or no opening succeeds; the message has its last answer.
    """
    opened, said = None, "nothing"
    for member in ("required", "omitted"):
        opened, said = _opened(target, _profile(handshake, member), [*given, *OPENINGS])
        if opened is not None:
            break
    if opened is None:
        raise TargetFault(
            f"no opening with {handshake.method} succeeds; its last answer: {said}; give its params with --params JSON"
        )
    params, reply, started, frames = opened
    member = "required" if reply.value.get("jsonrpc") == "2.0" else "omitted"
    profile = _profile(handshake, member)
    early, again, works = _asked(target, profile, params, harmless)
    return Met(params, reply.result, member, started, early, again, works, frames)


def _profile(handshake: Handshake, member: str) -> Profile:
    """Just enough of a contract to speak."""
    wire = msgspec.convert({"jsonrpc_member": member}, Wire)
    return Profile(name="", title="", protocol="", handshake=handshake, codes={}, operations={}, wire=wire)


def _greet(probe: Probe) -> None:
    if probe.profile.handshake.initialized:
        probe.notify(probe.profile.handshake.initialized)


@contextlib.contextmanager
def _started(target: Target, profile: Profile) -> Iterator[Probe]:
    process = Process(target)
    try:
        yield Probe(process, profile, Trace("init"))
    finally:
        process.stop()


def _opened(
    target: Target, profile: Profile, openings: Sequence[dict[str, Any]]
) -> tuple[tuple[dict[str, Any], Frame, float, list[Frame]] | None, str]:
    """The first opening that succeeds; a refused one may be tried again on the same connection, or else anew."""
    said = "nothing"
    for params in openings:
        with _started(target, profile) as probe:
            began = time.monotonic()
            try:
                reply = probe.call(profile.handshake.method, params, seconds=target.timeouts.start)
            except Unmet as reason:
                said = reason.actual
                if probe.process.exit_code() is None:
                    # It does not understand the form: no params would help.
                    return None, said.replace("nothing of the kind", "none", 1)
                continue
            said = str(reply)
            if isinstance(reply.result, dict):
                started = time.monotonic() - began
                _greet(probe)
                probe.listen(SILENT_SECONDS / 10)
                return (params, reply, started, list(probe.trace.frames)), said
    return None, said


def _asked(
    target: Target, profile: Profile, params: dict[str, Any], harmless: Sequence[str]
) -> tuple[int | None, int | None, list[str]]:
    early = again = None
    works = []
    with _started(target, profile) as probe, contextlib.suppress(Unmet):
        method = harmless[0] if harmless else "turnwire.check/too-early"
        early = probe.call(method, ABSENT, seconds=target.timeouts.start).code
    with _started(target, profile) as probe, contextlib.suppress(Unmet):
        probe.call(profile.handshake.method, params, seconds=target.timeouts.start)
        _greet(probe)
        for method in harmless:
            with contextlib.suppress(Unmet):
                if "result" in probe.call(method, ABSENT, seconds=SILENT_SECONDS).value:
                    works.append(method)
        again = probe.call(profile.handshake.method, params).code
    return early, again, works
