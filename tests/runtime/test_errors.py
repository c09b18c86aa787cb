"""Every row of the error table has a builder, and what it builds is what the schema says."""

import msgspec
import pytest

from turnwire import errors, wire
from turnwire.codec import decode_error, encode_error
from turnwire.errors import Issue, Refusal, RemoteError, RemoteProtocolError

BUILT = {
    "parseError": errors.parse_error(),
    "invalidRequest": errors.invalid_request("too long", limit=5),
    "methodNotFound": errors.method_not_found("thread/fork", capability="fork"),
    "invalidParams": errors.invalid_params([Issue("/a", "is no number", "int"), Issue("", "is no object")]),
    "internalError": errors.internal_error(),
    "overloaded": errors.overloaded(100),
    "notInitialized": errors.not_initialized(),
    "alreadyInitialized": errors.already_initialized(),
    "notFound": errors.not_found("thread", "th-1"),
    "unsupportedVersion": errors.unsupported_version((2, 3), (1, 1)),
    "experimentalRequired": errors.experimental_required("tool/call"),
    "unauthorized": errors.unauthorized(),
    "cursorInvalid": errors.cursor_invalid("stale"),
    "conflict": errors.conflict("staleVersion", "The thread has changed."),
    "notSettled": errors.not_settled(250),
    "shuttingDown": errors.shutting_down(),
    "turnActive": errors.turn_active("tu-1"),
    "turnMismatch": errors.turn_mismatch("tu-1"),
    "threadPaused": errors.thread_paused("user"),
    "threadArchived": errors.thread_archived(),
    "noActiveTurn": errors.no_active_turn(),
    "hostError": errors.host_error("The model is away.", host_code="away"),
    "agentUnsupported": errors.agent_unsupported("echo", "rewind"),
    "requestClosed": errors.request_closed("It is answered.", resolution="answered"),
}


def test_every_row_has_a_builder() -> None:
    assert sorted(BUILT) == sorted(wire.ERRORS)


@pytest.mark.parametrize("name", BUILT)
def test_what_is_built_is_what_the_table_and_the_schema_say(name: str) -> None:
    row = wire.ERRORS[name]
    error = msgspec.json.decode(encode_error(1, BUILT[name]))["error"]

    data = msgspec.convert(error["data"], getattr(wire, str(row.data)), strict=True)
    assert (row.code, row.name, row.retryable) == (error["code"], error["data"]["code"], data.retryable)
    assert msgspec.to_builtins(data) == error["data"]


@pytest.mark.parametrize(
    ("refusal", "members"),
    [
        (errors.invalid_request("bad"), {}),
        (errors.method_not_found("x"), {}),
        (errors.turn_mismatch(None), {}),
        (errors.host_error("no"), {}),
        (errors.request_closed("no"), {}),
        (errors.not_found("item", "x" * 600), {"kind": "item", "id": "x" * 512}),
    ],
)
def test_what_is_absent_is_left_out(refusal: Refusal, members: dict[str, object]) -> None:
    assert refusal.data == {"code": refusal.name, "retryable": refusal.data["retryable"], **members}


def test_a_message_is_bounded() -> None:
    assert len(errors.host_error("x" * 10_000).message) == 4096


def test_issues_are_bounded() -> None:
    refusal = errors.invalid_params([Issue(f"/{number}", "is bad") for number in range(200)])

    assert [issue["path"] for issue in refusal.data["issues"]] == [f"/{number}" for number in range(100)]


def test_params_without_an_issue_are_not_invalid() -> None:
    with pytest.raises(ValueError, match="without an issue"):
        errors.invalid_params([])


def test_a_name_in_a_sentence_is_bounded_and_quoted() -> None:
    message = errors.method_not_found('a"b\n' + "x" * 1000).message

    assert message.startswith('"a\\"b\\nxxx')
    assert len(message) < 300


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            b'{"code":-32001,"message":"m","data":{"code":"overloaded","retryable":true}}',
            (-32001, "overloaded", True),
        ),
        (b'{"code":5,"message":"m"}', (5, "", False)),
        (b'{"code":5,"message":"m","data":[1]}', (5, "", False)),
        (b'{"code":5,"message":"m","data":{"code":7,"retryable":"yes"}}', (5, "", False)),
    ],
)
def test_an_error_that_came(error: bytes, expected: tuple[int, str, bool]) -> None:
    found = decode_error(msgspec.Raw(error))

    assert isinstance(found, RemoteError)
    assert (found.code, found.name, found.retryable) == expected


@pytest.mark.parametrize("error", [b"null", b"{}", b'{"code":"x","message":"m"}', b'{"code":1.5,"message":"m"}'])
def test_garbage_for_an_error_is_an_error_of_its_own(error: bytes) -> None:
    assert type(decode_error(msgspec.Raw(error))) is RemoteProtocolError
