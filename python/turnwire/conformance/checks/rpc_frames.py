"""Invariants of every frame: read from what the run has recorded, whatever it was recorded for (RPC clauses)."""

import re
from collections.abc import Iterator

from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.profiles import Profile
from turnwire.conformance.registry import check
from turnwire.conformance.strict import dumps
from turnwire.conformance.subject import Subject
from turnwire.conformance.trace import Frame, Trace, clip
from turnwire.schemas import Fault

__all__: list[str] = []

# JSON-RPC keeps this range for itself and gives its upper hundred to servers.
RESERVED = range(-32768, -31999)
FOR_SERVERS = range(-32099, -31999)
STANDARD = frozenset({-32700, -32600, -32601, -32602, -32603})
MESSAGE_LENGTH = 4096
# What only the source of a server knows: stacks, files and lines, names of types, values as a debugger prints them.
INSIDES = re.compile(
    r"Traceback \(most recent|\bFile \"[^\"]+\", line \d|\.(?:py|rs|js|go|java):\d+|\bpanicked at\b|\bat 0x[0-9a-f]{6,}"
    r"|\bexpected struct \w+|\bFailed validating\b|^(?:Key|Type|Value|Attribute|Index)Error\b|^'.*'$"
)


@check("rpc.response-exclusive")
def response_exclusive(subject: Subject) -> None:
    """A response has a result or an error, and never both."""
    for frame in _replies(subject):
        if ("result" in frame.value) == ("error" in frame.value):
            raise Unmet("exactly one of result and error in every response", clip(frame.raw))


@check("rpc.error-shape")
def error_shape(subject: Subject) -> None:
    """An error has an integer code and a message that is not a log."""
    for frame in _errors(subject):
        error = frame.value["error"]
        lawful = (
            isinstance(error, dict)
            and type(error.get("code")) is int
            and isinstance(error.get("message"), str)
            and len(error["message"]) <= MESSAGE_LENGTH
        )
        if not lawful:
            raise Unmet(f"an integer code and a message of at most {MESSAGE_LENGTH:,} characters", clip(frame.raw))
        if found := INSIDES.search(error["message"]):
            raise Unmet("a message without text of the implementation", f"{found[0]!r} in {clip(frame.raw)}")


@check("rpc.error-code-range")
def error_code_range(subject: Subject) -> None:
    """Codes in the reserved range are JSON-RPC's own, or lie in the part left to servers."""
    for frame in _errors(subject):
        code = frame.code
        if code in RESERVED and code not in FOR_SERVERS and code not in STANDARD:
            raise Unmet("a code of JSON-RPC, one of -32099 to -32000, or one outside the reserved range", str(code))


@check("rpc.error-data")
def error_data(subject: Subject) -> None:
    """The data of an error names it as the table of errors does, and says whether to try again."""
    rows = {row["code"]: row for row in subject.profile.bundle.get("x-errors", []) if "retryable" in row}
    if not rows:
        raise NotApplicable("the contract has no table of what errors carry")
    for frame in _errors(subject):
        row = rows.get(frame.code or 0)
        data = pick(frame.value, "/error/data")
        if row and not (pick(data, "/code") == row["name"] and pick(data, "/retryable") is row["retryable"]):
            raise Unmet(f"data with code {row['name']} and retryable {row['retryable']}", clip(frame.raw))


@check("rpc.jsonrpc-member")
def jsonrpc_member(subject: Subject) -> None:
    """Every frame carries `jsonrpc: "2.0"`, or none does, as the contract says."""
    wanted = subject.profile.wire.jsonrpc_member
    if wanted == "either":
        raise NotApplicable("the profile leaves the member open")
    for frame in _frames(subject):
        members = frame.value if frame.is_object else {}
        if (members.get("jsonrpc") != "2.0") if wanted == "required" else ("jsonrpc" in members):
            raise Unmet(f"the member jsonrpc {wanted} in every frame", clip(frame.raw))


@check("rpc.schema-valid-out")
def schema_valid_out(subject: Subject) -> None:
    """Every frame fits the schema of its method and position."""
    # What is asked often is answered alike often, and one look at it is enough.
    judged: set[tuple[str, bytes]] = set()
    for trace in subject.traces:
        for frame, name, value in _typed(trace, subject.profile):
            if name not in subject.oracle or (payload := (name, dumps(value))) in judged:
                continue
            judged.add(payload)
            if faults := subject.oracle.faults(name, value):
                raise Unmet(f"a valid {name}", f"{_listed(faults)} in {clip(frame.raw)}")
    if not subject.profile.bundle.get("$defs"):
        raise NotApplicable("the contract has no schema")
    if not judged:
        raise NotExercised("no frame with a schema of its own was seen")


def _typed(trace: Trace, profile: Profile) -> Iterator[tuple[Frame, str, object]]:
    """Each payload of the server with the name of its definition; the latest request with an id names its reply."""
    asked: dict[str, str] = {}
    for frame in trace.frames:
        if frame.sent:
            if frame.is_request:
                asked[repr(frame.value["id"])] = frame.method
        elif frame.is_reply and "error" in frame.value:
            yield frame, "ErrorResponse", frame.value
        elif frame.is_reply and "result" in frame.value:
            yield frame, profile.result_type(asked.get(repr(frame.value.get("id")), "")), frame.value["result"]
        elif frame.method:
            yield frame, profile.params_type(frame.method), frame.value.get("params", {})


def _frames(subject: Subject) -> Iterator[Frame]:
    heard = [frame for trace in subject.traces for frame in trace.frames if not frame.sent and not frame.fault]
    if not heard:
        raise NotExercised("the server said nothing that could be read")
    yield from heard


def _replies(subject: Subject) -> Iterator[Frame]:
    return (frame for frame in _frames(subject) if frame.is_reply)


def _errors(subject: Subject) -> list[Frame]:
    errors = [frame for frame in _replies(subject) if "error" in frame.value]
    if not errors:
        raise NotExercised("no error was seen")
    return errors


def _listed(faults: list[Fault]) -> str:
    shown = "; ".join(str(fault) for fault in faults[:3])
    return shown if len(faults) <= 3 else f"{shown}; and {len(faults) - 3} more"
