"""Everything that can go wrong between two peers, named by whose fault it is, and the errors that go on the wire.

A refusal is made by the builder that has the name of its row in the error table (`not_found("thread", id)`); code,
name and retryability come from the table, never from the caller. The bare base class is never raised.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from turnwire.wire import ERRORS

__all__ = [
    "ConnectionClosed",
    "Issue",
    "LocalProtocolError",
    "PendingFull",
    "ProtocolError",
    "Refusal",
    "RemoteError",
    "RemoteProtocolError",
    "RequestTimeout",
    "agent_unsupported",
    "already_initialized",
    "conflict",
    "cursor_invalid",
    "experimental_required",
    "host_error",
    "internal_error",
    "invalid_params",
    "invalid_request",
    "method_not_found",
    "no_active_turn",
    "not_found",
    "not_initialized",
    "not_settled",
    "overloaded",
    "parse_error",
    "request_closed",
    "shutting_down",
    "thread_archived",
    "thread_paused",
    "turn_active",
    "turn_mismatch",
    "unauthorized",
    "unsupported_version",
]

# ERR-1: "a string `message` of at most 4,096 characters".
_MESSAGE_LENGTH = 4096
# InvalidParamsData holds no more issues than this; the first ones are what a person mends first.
_ISSUE_COUNT = 100


class ProtocolError(Exception):
    """The base of all that this package raises about the protocol; catch it, never raise it."""


class LocalProtocolError(ProtocolError):
    """This side, or the program that uses it, broke the protocol: a send after the end, an illegal move."""


class PendingFull(LocalProtocolError):  # noqa: N818 - says what is full
    """More requests wait for an answer than the bound allows; nothing was sent."""


class RemoteProtocolError(ProtocolError):
    """The other side broke the protocol: what it sent cannot be read as what it should be."""


class ConnectionClosed(ProtocolError):  # noqa: N818 - a state, and nobody's fault
    """The connection ended before the answer came. The request may have run all the same."""


class RequestTimeout(ProtocolError):  # noqa: N818 - nobody's fault
    """No answer came in time. The request may have run all the same."""


class RemoteError(ProtocolError):
    """The other side answered with an error. A program switches on `name`, which is `error.data.code`."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        self.code = code
        self.message = message
        self.data: Mapping[str, Any] = {} if data is None else data
        name = self.data.get("code")
        self.name = name if isinstance(name, str) else ""
        self.retryable = self.data.get("retryable") is True
        super().__init__(f"{message} ({self.name or 'error'} {code})")


class Refusal(RemoteProtocolError):  # noqa: N818 - what is answered, not what happened
    """What a request is answered with when it is not served; a handler raises it."""

    def __init__(self, name: str, message: str, members: Mapping[str, Any] | None = None) -> None:
        row = ERRORS[name]
        self.code = row.code
        self.name = name
        self.message = message[:_MESSAGE_LENGTH]
        self.data: dict[str, Any] = {"code": name, "retryable": row.retryable, **(members or {})}
        super().__init__(self.message)


class Issue(NamedTuple):
    """One fault in params: the JSON pointer from params, a sentence, and what would be lawful there."""

    path: str
    message: str
    expected: str = ""


def parse_error(message: str = "The message is not JSON in UTF-8.") -> Refusal:
    """RPC-9."""
    return Refusal("parseError", message)


def invalid_request(message: str, *, limit: int | None = None) -> Refusal:
    """RPC-10; `limit` is the bound that was passed, where one was."""
    return Refusal("invalidRequest", message, _present(limit=limit))


def method_not_found(method: str, *, capability: str | None = None) -> Refusal:
    """RPC-21, LIFE-8; `capability` is what would offer a known method."""
    why = "is not served" if capability is None else f"needs the capability {capability}, which is not offered"
    return Refusal("methodNotFound", f"{_quoted(method)} {why}.", _present(capability=capability))


def invalid_params(issues: Iterable[Issue]) -> Refusal:
    """ERR-4; at least one issue.

    Raises:
        ValueError: there is no issue.
    """
    found = [
        {"path": issue.path, **_present(expected=issue.expected or None), "message": issue.message}
        for issue in list(issues)[:_ISSUE_COUNT]
    ]
    if not found:
        raise ValueError("params without an issue are not invalid")
    first = found[0]
    return Refusal("invalidParams", f"{first['path'] or 'params'}: {first['message']}", {"issues": found})


def internal_error(message: str = "The server failed in a way that it did not foresee.") -> Refusal:
    """ERR-3; particulars belong to stderr, and here only where the host exposes errors."""
    return Refusal("internalError", message)


def overloaded(retry_after_ms: int) -> Refusal:
    """LIM-3."""
    return Refusal("overloaded", "Too many requests wait; send it again later.", {"retryAfterMs": retry_after_ms})


def not_initialized() -> Refusal:
    """LIFE-2."""
    return Refusal("notInitialized", "The connection is not initialized; send initialize first.")


def already_initialized() -> Refusal:
    """LIFE-3."""
    return Refusal("alreadyInitialized", "The connection is initialized already.")


def not_found(kind: str, wanted: str) -> Refusal:
    """`kind` is an ObjectKind, `wanted` the id that was given."""
    return Refusal("notFound", f"There is no {kind} {_quoted(wanted)}.", {"kind": kind, "id": wanted[:512]})


def unsupported_version(client: tuple[int, int], server: tuple[int, int]) -> Refusal:
    """LIFE-4; both are (minimum, maximum)."""
    intervals = {
        "client": {"minimum": client[0], "maximum": client[1]},
        "server": {"minimum": server[0], "maximum": server[1]},
    }
    return Refusal("unsupportedVersion", "Client and server have no version in common.", intervals)


def experimental_required(subject: str) -> Refusal:
    """STAB-2; `subject` is the method or member."""
    return Refusal(
        "experimentalRequired",
        f"{_quoted(subject)} is experimental and needs the capability experimental.",
        {"subject": subject},
    )


def unauthorized(message: str = "This principal may not do this.") -> Refusal:
    """The host's `authorize` said no."""
    return Refusal("unauthorized", message)


def cursor_invalid(reason: str) -> Refusal:
    """THR-19; `reason` is a CursorFault."""
    return Refusal("cursorInvalid", f"The cursor is not valid here: {reason}.", {"reason": reason})


def conflict(reason: str, message: str) -> Refusal:
    """`reason` is a ConflictReason."""
    return Refusal("conflict", message, {"reason": reason})


def not_settled(retry_after_ms: int) -> Refusal:
    """TURN-7."""
    return Refusal("notSettled", "The work has not stopped yet; ask again.", {"retryAfterMs": retry_after_ms})


def shutting_down() -> Refusal:
    """LIFE-16."""
    return Refusal("shuttingDown", "The server is shutting down.")


def turn_active(turn_id: str) -> Refusal:
    """TURN-11."""
    return Refusal("turnActive", "The thread has a turn that is not over.", {"turnId": turn_id})


def turn_mismatch(active_turn_id: str | None) -> Refusal:
    """TURN-4; None where no turn is active."""
    return Refusal("turnMismatch", "That turn is not the active one.", _present(activeTurnId=active_turn_id))


def thread_paused(paused_by: str) -> Refusal:
    """THR-12; `paused_by` is a PausedBy."""
    return Refusal("threadPaused", "The thread is paused.", {"pausedBy": paused_by})


def thread_archived() -> Refusal:
    """THR-10."""
    return Refusal("threadArchived", "The thread is archived.")


def no_active_turn() -> Refusal:
    """The thread has no active turn."""
    return Refusal("noActiveTurn", "The thread has no active turn.")


def host_error(message: str, *, host_code: str | None = None) -> Refusal:
    """HOST-1; `host_code` is the host's own word."""
    return Refusal("hostError", message, _present(hostCode=host_code))


def agent_unsupported(agent: str, operation: str) -> Refusal:
    """HOST-2; nothing was recorded."""
    return Refusal(
        "agentUnsupported",
        f"The agent {_quoted(agent)} does not support {operation}.",
        {"agent": agent, "operation": operation},
    )


def request_closed(message: str, *, resolution: str | None = None) -> Refusal:
    """APPR-8; `resolution` is a RequestOutcome, absent when the binding differs."""
    return Refusal("requestClosed", message, _present(resolution=resolution))


def _present(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _quoted(text: str) -> str:
    """`text` as a person reads it in a sentence: bounded, and in quotes that JSON would give it."""
    return msgspec.json.encode(text if len(text) <= 200 else text[:200] + "…").decode()
