"""The handshake and the end: what comes first, what both sides agree on, and how a server is told to stop."""

from typing import Any

from turnwire.conformance.checks.expect import error_of, succeeded
from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
from turnwire.conformance.pointer import pick, replaced
from turnwire.conformance.probe import Probe, TargetEnded
from turnwire.conformance.registry import check
from turnwire.conformance.strict import dumps
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import is_scripted, start_turn

__all__: list[str] = []

FUTURE = 999_999


@check("life.initialize-result")
def initialize_result(subject: Subject) -> None:
    """The answer to the handshake is valid and names the server."""
    handshake = subject.profile.handshake
    reply = subject.open().handshake(aside=False)
    result = succeeded(reply, to=handshake.method)
    name = subject.profile.result_type(handshake.method)
    faults = subject.oracle.faults(name, result) if name in subject.oracle else []
    if faults:
        raise Unmet(f"a valid {name}", "; ".join(str(fault) for fault in faults[:3]))
    missing = [place for place in handshake.server_info if pick(result, place) in (None, "")]
    if missing:
        raise Unmet(f"a result with {' and '.join(handshake.server_info)}", f"nothing at {' and '.join(missing)}")


@check("life.initialize-first")
def initialize_first(subject: Subject) -> str | None:
    """Before the handshake everything is refused and nothing happens."""
    probe = subject.open()
    reply = subject.perform(probe, "noop")
    note = error_of(subject, reply, "not_initialized", to=f"{subject.noop} before the handshake")
    try:
        create = subject.operation("create")
    except NotApplicable:
        _open(subject, probe)
        return note
    text = "made before the handshake"
    reply = subject.perform(probe, "create", text=text)
    note = error_of(subject, reply, "not_initialized", to=f"{create.method} before the handshake") or note
    _open(subject, probe)
    if text in dumps(subject.listed(probe)).decode():
        raise Unmet("no effect of a request before the handshake", "the thread is in the list")
    return note


@check("life.double-initialize")
def double_initialize(subject: Subject) -> str | None:
    """A second handshake is refused and leaves the session as it was."""
    handshake = subject.profile.handshake
    reply = subject.probe.call(handshake.method, handshake.params)
    note = error_of(subject, reply, "already_initialized", to=f"a second {handshake.method}")
    succeeded(subject.perform(subject.probe, "noop"), to=f"a request after a second {handshake.method}")
    return note


@check("life.initialized-notification")
def initialized_notification(subject: Subject) -> str | None:
    """Between the handshake's answer and its notification requests are served, or refused, as the contract says."""
    probe = subject.open()
    handshake = subject.profile.handshake
    probe.call(handshake.method, handshake.params, seconds=subject.target.timeouts.start)
    reply = subject.perform(probe, "noop")
    if handshake.before_initialized == "serve":
        succeeded(reply, to=f"a request before {handshake.initialized}")
        return None
    return error_of(subject, reply, "not_initialized", to=f"a request before {handshake.initialized}")


@check("life.initialize-bad-params")
def initialize_bad_params(subject: Subject) -> str | None:
    """A handshake that lacks a member is refused, and may be tried again."""
    handshake = subject.profile.handshake
    if not handshake.required:
        raise NotApplicable("the profile names no member that the handshake must have")
    probe = subject.open()
    params = {name: value for name, value in handshake.params.items() if name != handshake.required}
    reply = probe.call(handshake.method, params, seconds=subject.target.timeouts.start)
    note = error_of(subject, reply, "invalid_params", to=f"{handshake.method} without {handshake.required}")
    _open(subject, probe)
    return note


@check("life.version-echo")
def version_echo(subject: Subject) -> None:
    """The highest version that both sides know is the one agreed on."""
    version, params = _negotiated(subject), subject.profile.handshake.params
    wanted = pick(params, version.wanted)
    _expect_version(subject, params, wanted)
    # The error to a version of the far future tells the server's own interval.
    future = replaced(replaced(params, version.wanted, FUTURE), version.minimum, FUTURE)
    refusal = subject.open().handshake(future)
    highest = pick(refusal.value, "/error/data/server/maximum")
    if type(highest) is not int:
        raise NotExercised("the highest version of the server is not known: life.version-unsupported says why")
    _expect_version(subject, replaced(future, version.minimum, wanted), highest)


@check("life.version-unsupported")
def version_unsupported(subject: Subject) -> str | None:
    """No common version is an error that names both intervals, and the handshake may be tried again."""
    version = _negotiated(subject)
    handshake = subject.profile.handshake
    params = replaced(replaced(handshake.params, version.wanted, FUTURE), version.minimum, FUTURE)
    probe = subject.open()
    reply = probe.call(handshake.method, params, seconds=subject.target.timeouts.start)
    note = error_of(subject, reply, "unsupported_version", to=f"version {FUTURE}")
    data = pick(reply.value, "/error/data")
    if not (isinstance(data, dict) and {"client", "server"} <= data.keys()):
        raise Unmet("both intervals in error.data", str(reply))
    _open(subject, probe)
    return note


@check("life.version-garbage")
def version_garbage(subject: Subject) -> str | None:
    """What is no version is refused, and the handshake may be tried again."""
    version = _negotiated(subject)
    handshake = subject.profile.handshake
    probe = subject.open()
    notes = []
    garbages: tuple[Any, ...] = ("1", "", 1.5, -1, {}, "x" * 10_000, None)
    for garbage in garbages:
        params = replaced(handshake.params, version.wanted, garbage)
        reply = probe.call(handshake.method, params, seconds=subject.target.timeouts.start)
        notes.append(error_of(subject, reply, "invalid_params", to=f"the version {str(garbage)[:20]!r}"))
    _open(subject, probe)
    return next((note for note in notes if note), None)


@check("life.ping")
def ping(subject: Subject) -> None:
    """The empty request has an empty answer."""
    method = subject.operation("ping").method
    result = succeeded(subject.perform(subject.probe, "ping"), to=method)
    if not isinstance(result, dict):
        raise Unmet(f"an object for {method}", repr(result))


@check("life.shutdown")
def shutdown(subject: Subject) -> str | None:
    """A server that is told to stop takes nothing new, lets what runs come to its end, and answers then."""
    probe = subject.session()
    operation = subject.operation("shutdown")
    turn = start_turn(subject, probe, "slow") if is_scripted(subject) else None
    if turn and turn.is_over():
        raise NotExercised("the scripted turn was over before the server was told to stop")
    asked = probe.ask(operation.method, subject.params("shutdown"))
    note = _refused_while_draining(subject, probe) if turn else None
    succeeded(probe.reply(asked, what=operation.method, seconds=subject.stop_seconds()), to=operation.method)
    if turn and not turn.is_over():
        raise Unmet("an answer after the running turn has ended", "the answer came first")
    return note


@check("life.connections-apart")
def connections_apart(subject: Subject) -> str | None:
    """What one connection has opened or declined is nothing to another on the same store."""
    created = subject.declinable()
    handshake = subject.profile.handshake
    with subject.shared_state() as scratch:
        subject.session(replaced(handshake.params, handshake.opt_out, [created]), scratch=scratch)
        other = subject.open(scratch=scratch)
        listed = subject.perform(other, "noop")
        note = error_of(subject, listed, "not_initialized", to="a request on a connection without a handshake")
        _open(subject, other)
        subject.create(other)
        if other.wait_for(lambda: other.heard(created) or None, subject.target.timeouts.reply) is None:
            raise Unmet(f"{created}, which only another connection has declined", "it did not come")
    return note


def _open(subject: Subject, probe: Probe) -> None:
    handshake = subject.profile.handshake
    succeeded(probe.handshake(), to=f"{handshake.method} after one that was refused")


def _refused_while_draining(subject: Subject, probe: Probe) -> str | None:
    operation = subject.operation("create")
    try:
        reply = subject.perform(probe, "create")
    except TargetEnded:
        # It had stopped before it could refuse; whether it answered `shutdown` is asked next.
        return None
    return error_of(subject, reply, "shutting_down", to=f"{operation.method} while it stops")


def _negotiated(subject: Subject) -> Any:
    if subject.profile.version.style == "none":
        raise NotApplicable("the profile negotiates no version")
    return subject.profile.version


def _expect_version(subject: Subject, params: Any, version: Any) -> None:
    handshake = subject.profile.handshake
    result = succeeded(subject.open().handshake(params), to=handshake.method)
    agreed = pick(result, subject.profile.version.agreed)
    if agreed != version:
        raise Unmet(f"version {version}, the highest that both know", f"{agreed!r}")
