"""Ids and replies: each request is answered once, under the very id that it came with (RPC clauses)."""

from collections import Counter
from typing import Any

from turnwire.conformance.checks.expect import errors_with, nothing, one_error, shown, succeeded
from turnwire.conformance.model import NotApplicable, Unmet
from turnwire.conformance.registry import check
from turnwire.conformance.strict import dumps
from turnwire.conformance.subject import Subject

__all__: list[str] = []

PIPELINED = 100


@check("rpc.invalid-id-type")
def invalid_id_type(subject: Subject) -> str | None:
    """Objects, arrays, booleans and strings that are too long are no ids."""
    method = subject.noop
    cases = [(f"an id that is {text}", _request(subject, text, method)) for text in ("{}", "[1]", "true")]
    if longest := subject.profile.wire.longest_id:
        text = '"' + "x" * (longest + 1) + '"'
        cases.append((f"an id of {longest + 1} characters", _request(subject, text, method)))
    return errors_with(subject, cases, "invalid_id")


@check("rpc.id-null-request")
def id_null_request(subject: Subject) -> str | None:
    """`id: null` is no notification: it is a request with an id that is refused."""
    line = _request(subject, "null", subject.noop)
    return errors_with(subject, [("an id that is null", line)], "invalid_id")


@check("rpc.fractional-id")
def fractional_id(subject: Subject) -> str | None:
    """Numbers with a fraction or an exponent are no ids: two decoders may print them differently."""
    method = subject.noop
    cases = [(f"an id that is {text}", _request(subject, text, method)) for text in ("1.5", "1e2", "1.0")]
    return errors_with(subject, cases, "invalid_id")


@check("rpc.id-echo-int")
def id_echo_int(subject: Subject) -> None:
    """Integers come back as integers."""
    _echoed(subject, [0, 1, -1, 2_147_483_648])


@check("rpc.id-echo-string")
def id_echo_string(subject: Subject) -> None:
    """Strings come back as strings, also those that look like numbers."""
    _echoed(subject, ["1", "", "é😀", "null", "😀" * (subject.profile.wire.longest_id or 64)])


@check("rpc.id-string-int-distinct")
def id_string_int_distinct(subject: Subject) -> None:
    """1 and "1" in flight together are two requests."""
    method = subject.noop
    probe = subject.probe
    lines = [dumps(subject.profile.envelope(id=identifier, method=method)) for identifier in (1, "1")]
    probe.settle()
    probe.send_together(lines)
    for identifier in (1, "1"):
        probe.reply(identifier, what=method)


@check("rpc.id-large-int")
def id_large_int(subject: Subject) -> str | None:
    """The largest lawful integer is exact; one beyond is refused, never altered."""
    largest = subject.profile.wire.largest_id
    method = subject.noop
    _echoed(subject, [2**31, 2**53 - 1, -(2**53 - 1), largest])
    return errors_with(subject, [(f"the id {largest + 1}", _request(subject, str(largest + 1), method))], "invalid_id")


@check("rpc.duplicate-keys")
def duplicate_keys(subject: Subject) -> str | None:
    """An object with two ids has one reply, and the last id is the id."""
    method = subject.noop
    replies = subject.probe.provoke(subject.line(f'"id":"d-1","id":"d-2","method":"{method}"'))
    if len(replies) == 1 and replies[0].value.get("id") == "d-2":
        return None
    if len(replies) == 1 and replies[0].value.get("id", "") is None:
        one_error(subject, replies, "invalid_request", "parse_error", to="an object with two ids")
        return "refuses duplicate keys"
    raise Unmet('one reply, with the last id "d-2"', shown(replies))


@check("rpc.duplicate-inflight-id")
def duplicate_inflight_id(subject: Subject) -> None:
    """Two requests in flight under one id are both answered."""
    line = dumps(subject.profile.envelope(id="same", method=subject.noop))
    replies = subject.probe.provoke(line, line)
    if len(replies) != 2 or any(reply.value.get("id") != "same" for reply in replies):
        raise Unmet('two replies with id "same"', shown(replies))


@check("rpc.stray-response-ignored")
def stray_response_ignored(subject: Subject) -> None:
    """A response to nothing is never answered, and ends nothing."""
    envelope, error = subject.profile.envelope, {"code": -32000, "message": "stray"}
    cases: dict[str, dict[str, Any]] = {"a stray result": {"result": {}}, "a stray error": {"error": error}}
    for name, members in cases.items():
        nothing(subject.probe.silence(dumps(envelope(id="turnwire.check/never-asked", **members))), to=name)


@check("rpc.error-response-null-id-survives")
def error_response_null_id_survives(subject: Subject) -> None:
    """The error that JSON-RPC prescribes for something unreadable may reach the server too."""
    error = {"code": -32700, "message": "Parse error"}
    line = dumps(subject.profile.envelope(id=None, error=error))
    nothing(subject.probe.silence(line), to="an error response with id null")


@check("rpc.pipelining")
def pipelining(subject: Subject) -> None:
    """A hundred requests in one write: each has exactly one reply, in any order."""
    probe, method = subject.probe, subject.noop
    ids = [f"p-{number}" for number in range(PIPELINED)]
    probe.settle()
    probe.send_together([dumps(subject.profile.envelope(id=identifier, method=method)) for identifier in ids])
    probe.wait_for(lambda: len(probe.replies) >= PIPELINED or None, subject.target.timeouts.reply)
    answers = Counter(repr(frame.value.get("id")) for frame in probe.collect())
    wrong = [identifier for identifier in ids if answers.pop(repr(identifier), 0) != 1]
    if wrong or answers:
        saw = f"{len(wrong)} answered otherwise than once, {answers.total()} replies to nobody"
        raise Unmet(f"one reply to each of {PIPELINED} requests", saw)


@check("rpc.closed-params")
def closed_params(subject: Subject) -> None:
    """A contract whose params are closed refuses members that its schema does not know."""
    if subject.profile.wire.unknown_members == "tolerated":
        raise NotApplicable("unknown members are tolerated: rpc.unknown-fields-tolerated judges that")
    handshake = subject.profile.handshake
    opening = {**handshake.params, "xCheck": 1}
    reply = subject.open().call(handshake.method, opening, seconds=subject.target.timeouts.start)
    accepted = [handshake.method] if "result" in reply.value else []
    probe = subject.session()
    thread = subject.create(probe)
    for role in ("create", "read", "list"):
        method, params = subject.operation(role).method, subject.params(role, thread=thread, text="x")
        members = params if isinstance(params, dict) else {}
        if "result" in probe.call(method, {**members, "xCheck": 1}).value:
            accepted.append(method)
    if accepted:
        raise Unmet("an error to a member that the closed schema does not know", f"accepted by {', '.join(accepted)}")


def _echoed(subject: Subject, ids: list[int] | list[str]) -> None:
    """Ask under each id; a reply with another type or value is no reply."""
    method = subject.noop
    for identifier in ids:
        succeeded(subject.probe.call(method, request_id=identifier), to=f"{method} with id {identifier!r}")


def _request(subject: Subject, identifier: str, method: str) -> bytes:
    return subject.line(f'"id":{identifier},"method":"{method}"')
