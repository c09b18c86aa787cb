"""The handshake: what comes first, what both sides agree on, and what is offered only when it is declared."""

from collections.abc import Iterator
from typing import Any

from turnwire.conformance.checks.expect import error_of, succeeded
from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
from turnwire.conformance.pointer import pick, replaced
from turnwire.conformance.probe import Probe
from turnwire.conformance.registry import check
from turnwire.conformance.strict import dumps
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import start_turn

__all__: list[str] = []

FUTURE = 999_999


@check("life.initialize-result")
def initialize_result(subject: Subject) -> None:
    """The answer to the handshake is valid and names the server."""
    reply = subject.facts.greeting
    handshake = subject.profile.handshake
    if reply is None:
        raise Unmet(f"a result for {handshake.method}", "an error, or nothing that could be read")
    name = subject.profile.result_type(handshake.method)
    faults = subject.oracle.faults(name, reply.result) if name in subject.oracle else []
    if faults:
        raise Unmet(f"a valid {name}", "; ".join(str(fault) for fault in faults[:3]))
    missing = [place for place in handshake.server_info if pick(reply.result, place) in (None, "")]
    if missing:
        raise Unmet(f"a result with {' and '.join(handshake.server_info)}", f"nothing at {' and '.join(missing)}")


@check("life.initialize-first")
def initialize_first(subject: Subject) -> str | None:
    """Before the handshake everything is refused and nothing happens."""
    probe = subject.open()
    text = "made before the handshake"
    reply = subject.perform(probe, "create", text=text)
    note = error_of(subject, reply, "not_initialized", to=f"{subject.operation('create').method} before the handshake")
    listed = subject.perform(probe, "list")
    error_of(subject, listed, "not_initialized", to=f"{subject.operation('list').method} before the handshake")
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
    succeeded(subject.perform(subject.probe, "list"), to=f"a request after a second {handshake.method}")
    return note


@check("life.initialized-notification")
def initialized_notification(subject: Subject) -> str | None:
    """Between the handshake's answer and its notification requests are served, or refused, as the contract says."""
    probe = subject.open()
    handshake = subject.profile.handshake
    probe.call(handshake.method, handshake.params, seconds=subject.target.timeouts.start)
    reply = subject.perform(probe, "list")
    if handshake.before_initialized == "serve":
        succeeded(reply, to=f"a request before {handshake.initialized}")
        return None
    return error_of(subject, reply, "not_initialized", to=f"a request before {handshake.initialized}")


@check("life.initialize-bad-params")
def initialize_bad_params(subject: Subject) -> str | None:
    """A handshake that lacks a member is refused, and may be tried again."""
    probe = subject.open()
    handshake = subject.profile.handshake
    params = {name: value for name, value in handshake.params.items() if name != handshake.required}
    reply = probe.call(handshake.method, params, seconds=subject.target.timeouts.start)
    note = error_of(subject, reply, "invalid_params", to=f"{handshake.method} without {handshake.required}")
    _open(subject, probe)
    return note


@check("life.version-echo")
def version_echo(subject: Subject) -> None:
    """The highest version that both sides know is the one agreed on."""
    version = _negotiated(subject)
    params = subject.profile.handshake.params
    wanted = pick(params, version.wanted)
    _expect_version(subject, params, wanted)
    wide = replaced(replaced(params, version.wanted, FUTURE), version.minimum, wanted)
    own = pick(subject.facts.result, version.agreed)
    _expect_version(subject, wide, own)


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


@check("life.capability-served")
def capability_served(subject: Subject) -> None:
    """Whatever is declared is there."""
    served = list(_gated(subject, declared=True))
    if not served:
        raise NotExercised("nothing is declared that the schema has methods for")
    probe = subject.session()
    for method, capability in served:
        if probe.call(method, {}).code in subject.codes("method_not_found"):
            raise Unmet(f"{method}, since {capability} is declared", "method not found")


@check("life.capability-undeclared")
def capability_undeclared(subject: Subject) -> None:
    """What is not declared is not there, so a client may trust the declaration."""
    absent = list(_gated(subject, declared=False))
    if not absent:
        raise NotApplicable("everything that the schema knows is declared")
    for method, capability in absent:
        reply = subject.probe.call(method, {})
        if reply.code not in subject.codes("method_not_found"):
            raise Unmet(f"method not found for {method}, since {capability} is not declared", str(reply))


@check("life.experimental-gate")
def experimental_gate(subject: Subject) -> str | None:
    """Without opt-in an experimental method is refused by name of the reason."""
    rows = [row for row in subject.profile.methods() if row.get("stability") == "experimental"]
    names = [row["name"] for row in rows if row["kind"] == "request" and row["sender"] == "client"]
    if not names:
        raise NotApplicable("the contract marks no method of the client as experimental")
    notes = [error_of(subject, subject.probe.call(name, {}), "experimental_required", to=name) for name in names]
    return next((note for note in notes if note), None)


@check("life.optout-exact")
def optout_exact(subject: Subject) -> None:
    """A notification that was declined by its exact name never comes; a prefix or a pattern declines nothing."""
    created = _declinable(subject)
    probe = _declining(subject, [created])
    subject.create(probe)
    probe.barrier()
    probe.collect()
    if probe.heard(created):
        raise Unmet(f"no {created}, which was declined", str(probe.heard(created)[0]))
    patterns = ["*", created[:-1], created.partition("/")[0] + "/*", created.upper()]
    probe = _declining(subject, patterns)
    subject.create(probe)
    if probe.wait_for(lambda: probe.heard(created) or None, subject.target.timeouts.lag) is None:
        raise Unmet(f"{created}, since only {', '.join(patterns)} were declined", "it did not come")


@check("life.optout-unknown-ignored")
def optout_unknown_ignored(subject: Subject) -> None:
    """Names that the server does not know may be declined."""
    _declinable(subject)
    handshake = subject.profile.handshake
    unknown = replaced(handshake.params, handshake.opt_out, ["turnwire.check/no-such-notification"])
    probe = subject.open()
    succeeded(probe.handshake(unknown), to=f"{handshake.method} that declines an unknown name")
    succeeded(subject.perform(probe, "list"), to="a request after declining an unknown name")


@check("life.optout-not-requests")
def optout_not_requests(subject: Subject) -> None:
    """Declining the name of a request of the server declines nothing: an approval is still asked for."""
    _declinable(subject)
    approval = subject.profile.script.approval
    params = subject.opted_in()
    start_turn(subject, subject.session(params), "approval").asked()
    declined = replaced(params, subject.profile.handshake.opt_out, [approval])
    try:
        start_turn(subject, subject.session(declined), "approval").asked()
    except NotExercised:
        raise Unmet(f"{approval}, which cannot be declined", "it comes only when it is not declined") from None


@check("life.capability-unknown-tolerated")
def capability_unknown_tolerated(subject: Subject) -> None:
    """A client of a later version declares things that this server has never heard of."""
    handshake = subject.profile.handshake
    if subject.profile.wire.unknown_members == "refused":
        raise NotApplicable("the profile's params are closed")
    params = replaced(handshake.params, f"{handshake.client_capabilities}/xCheck", {"a": [1]})
    probe = subject.open()
    reply = probe.handshake(params)
    succeeded(reply, to=f"{handshake.method} with an unknown capability")


def _open(subject: Subject, probe: Probe) -> None:
    handshake = subject.profile.handshake
    succeeded(probe.handshake(), to=f"{handshake.method} after one that was refused")


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


def _gated(subject: Subject, *, declared: bool) -> Iterator[tuple[str, str]]:
    """Requests of the client that stand under a capability, with its name; experimental ones have their own gate."""
    for row in subject.profile.methods():
        capability = row.get("capability")
        request = row["kind"] == "request" and row["sender"] == "client" and row.get("stability") != "experimental"
        if capability and request and (capability in subject.capabilities) is declared:
            yield row["name"], capability


def _declinable(subject: Subject) -> str:
    if not subject.profile.handshake.opt_out or not subject.profile.created:
        raise NotApplicable("the profile knows no declining of notifications")
    return subject.profile.created


def _declining(subject: Subject, names: list[str]) -> Probe:
    handshake = subject.profile.handshake
    return subject.session(replaced(handshake.params, handshake.opt_out, names))
