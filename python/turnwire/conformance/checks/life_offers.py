"""What is offered and what is asked for: capabilities of both sides, opt-in and opt-out."""

from collections.abc import Iterator
from typing import Any

from turnwire.conformance.checks.expect import error_of, succeeded
from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
from turnwire.conformance.pointer import pick, replaced
from turnwire.conformance.probe import ABSENT, Probe
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import start_turn

__all__: list[str] = []


@check("life.capability-served")
def capability_served(subject: Subject) -> None:
    """Whatever is declared is there."""
    served = list(_gated(subject, declared=True))
    if not served:
        raise NotApplicable("nothing is declared that the schema has methods for")
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
    """Without opt-in an experimental method or member is refused by name of the reason."""
    calls = list(_experimental(subject))
    if not calls:
        raise NotApplicable("the contract marks nothing that a client sends as experimental")
    notes = [
        error_of(subject, subject.probe.call(method, params), "experimental_required", to=what)
        for what, method, params in calls
    ]
    return next((note for note in notes if note), None)


@check("life.optout-exact")
def optout_exact(subject: Subject) -> None:
    """A notification that was declined by its exact name never comes; a prefix or a pattern declines nothing."""
    created = subject.declinable()
    probe = _declining(subject, [created])
    subject.create(probe)
    probe.barrier()
    probe.collect()
    if probe.heard(created):
        raise Unmet(f"no {created}, which was declined", str(probe.heard(created)[0]))
    patterns = ["*", created[:-1], created.partition("/")[0] + "/*", created.upper()]
    probe = _declining(subject, patterns)
    subject.create(probe)
    if probe.wait_for(lambda: probe.heard(created) or None, subject.target.timeouts.reply) is None:
        raise Unmet(f"{created}, since only {', '.join(patterns)} were declined", "it did not come")


@check("life.optout-unknown-ignored")
def optout_unknown_ignored(subject: Subject) -> None:
    """Names that the server does not know may be declined."""
    subject.declinable()
    handshake = subject.profile.handshake
    unknown = replaced(handshake.params, handshake.opt_out, ["turnwire.check/no-such-notification"])
    probe = subject.open()
    succeeded(probe.handshake(unknown), to=f"{handshake.method} that declines an unknown name")
    succeeded(subject.perform(probe, "noop"), to="a request after declining an unknown name")


@check("life.optout-not-requests")
def optout_not_requests(subject: Subject) -> None:
    """Declining the name of a request of the server declines nothing: an approval is still asked for."""
    subject.declinable()
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


@check("life.optout-counts")
def optout_counts(subject: Subject) -> None:
    """The record counts its events the same whether or not a client wants to hear of them."""
    subject.declinable()
    operation = subject.operation("read")
    if not operation.seq:
        raise NotApplicable("the profile numbers no events")
    names = [row["name"] for row in subject.profile.methods() if row["kind"] == "notification"]
    probe = _declining(subject, names)
    thread = subject.create(probe)
    numbers = []
    for title in ("one title", "another title"):
        subject.perform(probe, "update", thread=thread, text=title)
        numbers.append(pick(subject.perform(probe, "read", thread=thread).result, operation.seq))
    before, after = numbers
    if type(before) is not int or type(after) is not int or after <= before:
        raise Unmet("a higher number after an event that nobody wants to hear of", f"{before!r}, then {after!r}")


@check("life.not-asked-without-capability")
def not_asked_without_capability(subject: Subject) -> None:
    """A client that cannot answer is not asked."""
    start_turn(subject, subject.session(subject.opted_in()), "approval").asked()
    turn = start_turn(subject, subject.session(), "approval")
    turn.probe.wait_for(lambda: turn.asks() or turn.is_over() or None, subject.target.timeouts.reply)
    if turn.asks():
        raise Unmet("no request to a client that declared nothing", str(turn.asks()[0]))
    if not turn.is_over():
        raise NotExercised("the scripted turn neither asked nor ended")


def _experimental(subject: Subject) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """What a client may only send with opt-in: experimental requests, and lists among the params of a new thread."""
    for row in subject.profile.methods():
        if row.get("stability") == "experimental" and row["kind"] == "request" and row["sender"] == "client":
            yield row["name"], row["name"], {}
    if "create" in subject.profile.operations:
        method = subject.operation("create").method
        template = subject.params("create")
        definition = subject.profile.bundle.get("$defs", {}).get(subject.profile.params_type(method), {})
        for name, schema in definition.get("properties", {}).items():
            # An empty list is lawful whatever its items are, and the least that can be asked for.
            if schema.get("x-stability") == "experimental" and schema.get("type") == "array":
                yield f"{method} with {name}", method, {**({} if template is ABSENT else template), name: []}


def _gated(subject: Subject, *, declared: bool) -> Iterator[tuple[str, str]]:
    """Requests of the client that stand under a capability, with its name; experimental ones have their own gate."""
    for row in subject.profile.methods():
        capability = row.get("capability")
        request = row["kind"] == "request" and row["sender"] == "client" and row.get("stability") != "experimental"
        if capability and request and (capability in subject.capabilities) is declared:
            yield row["name"], capability


def _declining(subject: Subject, names: list[str]) -> Probe:
    handshake = subject.profile.handshake
    return subject.session(replaced(handshake.params, handshake.opt_out, names))
