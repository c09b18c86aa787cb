"""JSON-RPC: what is refused, with which code, and that refusing hurts nothing else (RPC clauses)."""

from typing import Any

from turnwire.conformance.checks.expect import error_of, errors_with, nothing, one_error, shown, succeeded
from turnwire.conformance.model import NotApplicable, Unmet
from turnwire.conformance.pointer import pick, planted
from turnwire.conformance.probe import ABSENT
from turnwire.conformance.registry import check
from turnwire.conformance.strict import dumps, same_json
from turnwire.conformance.subject import Subject

__all__: list[str] = []

UNREADABLE = (b'{"id":1,', b"{oops", b"]")


@check("rpc.parse-error-recovers")
def parse_error_recovers(subject: Subject) -> None:
    """After lines that are not JSON a request is answered as ever."""
    for line in UNREADABLE:
        subject.probe.provoke(line)
    succeeded(subject.perform(subject.probe, "noop"), to="a request after lines that are not JSON")


@check("rpc.parse-error-code")
def parse_error_code(subject: Subject) -> str | None:
    """A line that is not JSON gets one parse error."""
    notes = []
    for line in UNREADABLE:
        replies = subject.probe.provoke(line)
        # Whether the member id is there, and null, is another check's to say.
        ids = [reply.value.get("id", ABSENT) for reply in replies] or [None]
        notes.append(one_error(subject, replies, "parse_error", ids=ids, to=line.decode()))
    return next((note for note in notes if note), None)


@check("rpc.parse-error-null-id")
def parse_error_null_id(subject: Subject) -> None:
    """What has no readable id is answered with the member `id`, and null in it."""
    if subject.profile.wire.on_parse_error == "silence":
        raise NotApplicable("the profile's servers stay silent on parse errors")
    for line in UNREADABLE:
        replies = subject.probe.provoke(line)
        if not replies or any("id" not in reply.value or reply.value["id"] is not None for reply in replies):
            raise Unmet(f"the member id, and null in it, in the reply to {line.decode()}", shown(replies))


@check("rpc.garbage-bytes-recovers")
def garbage_bytes_recover(subject: Subject) -> str | None:
    """Bytes that are not UTF-8, alone or inside a string, and a byte order mark."""
    inside = subject.line('"id":1,"method":"ping","params":{"text":"??"}').replace(b"??", b"\xc3\x28")
    cases = [("bytes that are not UTF-8", b"\xff\xfe"), ("a string that is not UTF-8", inside)]
    note = errors_with(subject, cases, "invalid_utf8")
    subject.probe.barrier()
    return note


@check("rpc.byte-order-mark")
def byte_order_mark(subject: Subject) -> str | None:
    """JSON on the wire has no byte order mark; a line that is led by one is not JSON."""
    line = b"\xef\xbb\xbf" + subject.line('"id":1,"method":"turnwire.check/none"')
    return errors_with(subject, [("a line that is led by a byte order mark", line)], "parse_error")


@check("rpc.nan-literal")
def nan_literal(subject: Subject) -> str | None:
    """NaN and Infinity are no JSON, wherever they stand."""
    method = subject.noop
    cases = [
        (f"a member that is {literal}", subject.line(f'"id":1,"method":"{method}","params":{{"x":{literal}}}'))
        for literal in ("NaN", "Infinity", "-Infinity")
    ]
    return errors_with(subject, cases, "not_a_number")


@check("rpc.invalid-request-scalar")
def invalid_request_scalar(subject: Subject) -> str | None:
    """JSON that is no object."""
    return errors_with(subject, [(text, text.encode()) for text in ("1", '"x"', "null", "true")], "invalid_request")


@check("rpc.invalid-request-method-type")
def invalid_request_method_type(subject: Subject) -> str | None:
    """A method that is no string; the id is readable and comes back."""
    replies = subject.probe.provoke(subject.line('"id":"m-1","method":1'))
    return one_error(subject, replies, "invalid_request", ids=_readable(subject, "m-1"), to="a method that is 1")


@check("rpc.invalid-request-no-method")
def invalid_request_no_method(subject: Subject) -> str | None:
    """An id and nothing else: neither a request nor a response."""
    replies = subject.probe.provoke(subject.line('"id":"n-1"'))
    if not replies:
        return "takes an object without method, result and error for a stray response"
    return one_error(
        subject, replies, "invalid_request", ids=_readable(subject, "n-1"), to="an object without a method"
    )


@check("rpc.invalid-request-no-id")
def invalid_request_no_id(subject: Subject) -> str | None:
    """Without an id only a method by name makes a notification; everything else is malformed."""
    texts = ["{}", '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","method":1}', '{"jsonrpc":"2.0","params":{}}']
    if subject.profile.wire.jsonrpc_member == "required":
        texts.append('{"method":"turnwire.check/none"}')
    return errors_with(subject, [(text, text.encode()) for text in texts], "invalid_request")


@check("rpc.method-not-found")
def method_not_found(subject: Subject) -> str | None:
    """A name that nobody knows."""
    reply = subject.probe.call("turnwire.check/no-such-method", {})
    return error_of(subject, reply, "method_not_found", to="an unknown method")


@check("rpc.method-not-found-before-init")
def method_not_found_before_init(subject: Subject) -> str | None:
    """Before the handshake a name that nobody knows is answered like any other."""
    reply = subject.probe.call("turnwire.check/no-such-method", {})
    return error_of(subject, reply, "not_initialized", to="an unknown method before the handshake")


@check("rpc.rpc-prefix-reserved")
def rpc_prefix_reserved(subject: Subject) -> str | None:
    """Names that begin with `rpc.` belong to JSON-RPC."""
    return error_of(subject, subject.probe.call("rpc.discover"), "method_not_found", to="rpc.discover")


@check("rpc.invalid-params-type")
def invalid_params_type(subject: Subject) -> str | None:
    """A member of the wrong type."""
    operation = subject.operation("read")
    reply = subject.probe.call(operation.method, {operation.required: operation.wrong})
    return error_of(subject, reply, "invalid_params", to=f"{operation.method} with a wrong {operation.required}")


@check("rpc.invalid-params-missing")
def invalid_params_missing(subject: Subject) -> str | None:
    """A member that must be there and is not."""
    operation = subject.operation("read")
    reply = subject.probe.call(operation.method, {})
    return error_of(subject, reply, "invalid_params", to=f"{operation.method} without {operation.required}")


@check("rpc.invalid-params-issues")
def invalid_params_issues(subject: Subject) -> None:
    """Invalid params name the place that is wrong, so that a program can show it."""
    operation, place = subject.operation("read"), subject.profile.wire.issues
    if not place:
        raise NotApplicable("the contract does not say where params are wrong")
    reply = subject.probe.call(operation.method, {operation.required: operation.wrong})
    issues = pick(reply.value, place)
    paths = [pick(issue, "/path") for issue in issues] if isinstance(issues, list) else []
    if f"/{operation.required}" not in paths:
        raise Unmet(f"an issue at /{operation.required}", shown([reply]))


@check("rpc.large-integer-params")
def large_integer_params(subject: Subject) -> str | None:
    """An integer that a double cannot hold is refused, or kept to the last digit."""
    operation = subject.operation("number")
    number = 2**53 + 1
    reply = subject.probe.call(operation.method, planted(operation.params, {"$number": number}))
    if "result" not in reply.value:
        return error_of(subject, reply, "invalid_params", to=f"the integer {number} in params")
    kept = pick(reply.result, operation.text)
    if not same_json(kept, number):
        raise Unmet(f"the integer {number} refused, or kept", repr(kept))
    return f"keeps the integer {number} exactly"


@check("rpc.params-scalar")
def params_scalar(subject: Subject) -> str | None:
    """Params that are neither object nor array."""
    method = subject.noop
    notes = [
        error_of(subject, subject.probe.call(method, value), "invalid_params", to=f"params {value!r}")
        for value in ("x", 1, True)
    ]
    return next((note for note in notes if note), None)


@check("rpc.params-array")
def params_array(subject: Subject) -> str | None:
    """Params have names in this protocol; by position they mean nothing."""
    reply = subject.probe.call(subject.noop, ["x"])
    return error_of(subject, reply, "invalid_params", to="params by position")


@check("rpc.params-omitted")
def params_omitted(subject: Subject) -> None:
    """A method whose members are all optional is called without params."""
    method = subject.noop
    succeeded(subject.probe.call(method, ABSENT), to=f"{method} without params")


@check("rpc.jsonrpc-member-tolerated")
def jsonrpc_member_tolerated(subject: Subject) -> str | None:
    """The member `jsonrpc` is as the contract wants it, and another version is refused."""
    method = subject.noop
    probe = subject.probe
    without = probe.provoke(dumps({"id": "v-0", "method": method}))
    other = probe.provoke(dumps({"jsonrpc": "1.0", "id": "v-1", "method": method}))
    ids = _readable(subject, "v-1")
    if subject.profile.wire.jsonrpc_member != "required":
        succeeded(probe.call(method), to="a request in the profile's form")
        return one_error(subject, other, "invalid_request", ids=ids, to="jsonrpc 1.0")
    one_error(subject, without, "invalid_request", ids=_readable(subject, "v-0"), to="a request without jsonrpc")
    return one_error(subject, other, "invalid_request", ids=ids, to="jsonrpc 1.0")


@check("rpc.notification-no-reply")
def notification_no_reply(subject: Subject) -> None:
    """Whatever a notification holds, nothing answers it."""
    known = subject.profile.handshake.initialized or "initialized"
    cases: dict[str, dict[str, Any]] = {
        "a known notification": {"method": known},
        "an unknown notification": {"method": "turnwire.check/no-such-notification", "params": {}},
        "a notification with bad params": {"method": known, "params": {"x": [1]}},
        "the name of a request without an id": {"method": subject.noop, "params": {"x": 1}},
    }
    for name, members in cases.items():
        nothing(subject.probe.silence(dumps(subject.profile.envelope(**members))), to=name)


@check("rpc.notification-unknown-tolerated")
def notification_unknown_tolerated(subject: Subject) -> None:
    """A notification of a later version does not end the session."""
    subject.probe.notify("turnwire.check/no-such-notification", {"x": 1})
    succeeded(subject.perform(subject.probe, "noop"), to="a request after an unknown notification")


@check("rpc.batch-policy")
def batch_policy(subject: Subject) -> str | None:
    """A batch is one refusal, or one array of replies where the contract supports batches."""
    method = subject.noop
    batch = [subject.profile.envelope(id=f"b-{n}", method=method) for n in (1, 2)]
    if subject.profile.wire.batch == "reject":
        return one_error(subject, subject.probe.provoke(dumps(batch)), "invalid_request", to="a batch of two requests")
    mark = len(subject.probe.arrived)
    subject.probe.silence(dumps([*batch, subject.profile.envelope(method="turnwire.check/none")]))
    answers = [frame.value for frame in subject.probe.arrived[mark:] if isinstance(frame.value, list)]
    ids = sorted(str(pick(reply, "/id")) for reply in answers[0]) if len(answers) == 1 else []
    if ids != ["b-1", "b-2"]:
        raise Unmet("one array with a reply to each of two requests", f"{answers}"[:200])
    return None


@check("rpc.batch-empty")
def batch_empty(subject: Subject) -> str | None:
    """An empty batch is one refusal, as an object."""
    return one_error(subject, subject.probe.provoke(b"[]"), "invalid_request", to="an empty batch")


@check("rpc.batch-no-side-effects")
def batch_no_side_effects(subject: Subject) -> None:
    """No member of a refused batch is carried out."""
    if subject.profile.wire.batch != "reject":
        raise NotApplicable("the profile supports batches")
    text = "made by a batch that was refused"
    method, params = subject.operation("create").method, subject.params("create", text=text)
    subject.probe.provoke(dumps([subject.profile.envelope(id="e-1", method=method, params=params)] * 2))
    made = [item for item in subject.listed(subject.probe) if text in dumps(item).decode()]
    if made:
        raise Unmet("no thread from a refused batch", f"{len(made)} of them in {subject.operation('list').method}")


@check("rpc.unknown-fields-tolerated")
def unknown_fields_tolerated(subject: Subject) -> None:
    """Members that a later version may add, in params and in the envelope."""
    if subject.profile.wire.unknown_members == "refused":
        raise NotApplicable("the profile's params are closed: rpc.closed-params judges them")
    method = subject.noop
    known = subject.operation("list") if "list" in subject.profile.operations else subject.operation("noop")
    reply = subject.probe.call(known.method, {**(known.params or {}), "xCheck": {"a": [1]}})
    succeeded(reply, to=f"{known.method} with an unknown member in params")
    subject.probe.send(dumps(subject.profile.envelope(id="u-1", method=method, xCheck=1)))
    succeeded(subject.probe.reply("u-1", what=method), to=f"{method} with an unknown member in the envelope")


def _readable(subject: Subject, identifier: str) -> tuple[str | None, ...]:
    """The lawful ids of an error to something whose id could be read."""
    return (identifier,) if subject.profile.wire.echo_readable_id else (identifier, None)
