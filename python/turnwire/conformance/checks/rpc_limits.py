"""Hostile sizes and slow neighbours: what must be refused or waited for without harm (RPC clauses)."""

from turnwire.conformance.checks.expect import one_error, succeeded
from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import start_turn

__all__: list[str] = []

# Deep enough to end a recursive decoder of any language, small enough to be far below every size limit.
DEEP = 100_000
# A limit beyond this is none: ten times what ends any recursive decoder.
DEEPEST_BUILT = 1_000_000
# Beyond the 4,300 digits at which Python refuses to read an integer.
DIGITS = 5_000


@check("rpc.deep-nesting")
def deep_nesting(subject: Subject) -> str | None:
    """Ten thousand arrays inside params, and a hundred thousand that never close."""
    method = subject.noop
    nested = "[" * 10_000 + "]" * 10_000
    line = subject.line(f'"id":"deep","method":"{method}","params":{{"x":{nested}}}')
    note = one_error(subject, subject.probe.provoke(line), "too_deep", ids=("deep", None), to="params 10,000 deep")
    opened = subject.probe.provoke(b"[" * DEEP)
    one_error(subject, opened, "too_deep", "parse_error", "invalid_request", to=f"{DEEP:,} opening brackets")
    return note


@check("rpc.depth-limit")
def depth_limit(subject: Subject) -> str | None:
    """A message as deep as the limit is served, and one level more is refused."""
    limit = pick(subject.facts.result, subject.profile.wire.depth_limit) if subject.profile.wire.depth_limit else None
    if type(limit) is not int:
        raise NotApplicable("no limit of depth is declared")
    if subject.profile.wire.unknown_members == "refused":
        raise NotApplicable("the profile's params are closed, so no member can be nested at will")
    if limit > DEEPEST_BUILT:
        raise NotExercised(f"a message {limit:,} levels deep is not built")
    # The envelope is the first level and params the second; the rest are arrays.
    nested = "[" * (limit - 2) + "]" * (limit - 2)
    method = subject.noop
    at_limit = subject.line(f'"id":"at","method":"{method}","params":{{"x":{nested}}}')
    subject.probe.send(at_limit)
    succeeded(subject.probe.reply("at", what=method), to=f"a message {limit} levels deep, which is the limit")
    beyond = at_limit.replace(nested.encode(), f"[{nested}]".encode()).replace(b'"at"', b'"beyond"')
    replies = subject.probe.provoke(beyond)
    return one_error(subject, replies, "too_deep", ids=("beyond", None), to=f"a message {limit + 1} levels deep")


@check("rpc.huge-integer")
def huge_integer(subject: Subject) -> str | None:
    """An integer of five thousand digits, in params and as an id."""
    method, digits = subject.noop, "9" * DIGITS
    inside = subject.line(f'"id":"huge","method":"{method}","params":{{"x":{digits}}}')
    note = one_error(
        subject,
        subject.probe.provoke(inside),
        "huge_integer",
        ids=("huge", None),
        to=f"an integer of {DIGITS:,} digits",
    )
    outside = subject.line(f'"id":{digits},"method":"{method}"')
    one_error(subject, subject.probe.provoke(outside), "huge_integer", "invalid_id", to=f"an id of {DIGITS:,} digits")
    return note


@check("rpc.concurrent-slow")
def concurrent_slow(subject: Subject) -> None:
    """While a turn runs, other requests are answered."""
    probe = subject.session()
    turn = start_turn(subject, probe, "slow")
    succeeded(subject.perform(probe, "noop"), to="a request while a turn runs")
    if turn.is_over():
        raise Unmet("an answer before the turn ends", "the answer came after the turn had ended")
