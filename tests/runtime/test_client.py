"""The client over a pair in memory: typed calls, handlers, the backlog, and what it answers when nobody handles."""

import asyncio
import inspect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, get_type_hints

import msgspec
import pytest

from turnwire import wire
from turnwire.client import Client
from turnwire.client.methods import Methods
from turnwire.codec import encode_error, encode_result
from turnwire.errors import (
    ConnectionClosed,
    PendingFull,
    RemoteError,
    RemoteProtocolError,
    RequestTimeout,
    method_not_found,
    not_found,
)
from turnwire.events import CloseReason, NotificationReceived, Refused, RequestReceived
from turnwire.peer import Peer, PeerLimits
from turnwire.transports.memory import memory_pair
from turnwire.wire import METHODS, ApprovalAnswer, EmptyResult, ModelListResult, ThreadReadParams

APPROVAL = {
    "approvalId": "ap-1",
    "threadId": "th-1",
    "turnId": "tu-1",
    "itemId": "it-1",
    "kind": "shell",
    "title": "Run it",
    "operation": "run",
    "availableDecisions": [{"optionId": "yes", "label": "Yes", "decision": "accept"}],
    "binding": {"operationDigest": "0" * 64, "nonce": "n" * 16, "expiresAt": 1},
}


class Answers:
    """A server that answers from a table; what it does not know is not found."""

    def __init__(self, answers: dict[str, bytes]) -> None:
        self.answers = answers
        self.requests: list[tuple[str, Any]] = []
        self.notifications: list[str] = []

    def handle_request(self, request: RequestReceived) -> bytes:
        params = msgspec.json.decode(request.params)
        self.requests.append((request.method, params))
        if request.method == "silence":
            return b""
        if request.method not in self.answers:
            return encode_error(request.id, method_not_found(request.method))
        return encode_result(request.id, msgspec.Raw(self.answers[request.method]))

    def handle_notification(self, notification: NotificationReceived) -> None:
        self.notifications.append(notification.method)

    def handle_refused(self, refused: Refused) -> None:
        raise AssertionError(f"the client sent what is no message: {refused}")

    def handle_closed(self, reason: CloseReason) -> None:
        del reason


@asynccontextmanager
async def connected(
    answers: dict[str, bytes] | None = None, **options: Any
) -> AsyncIterator[tuple[Client, Peer, Answers]]:
    near, far = memory_pair()
    server, endpoint = Peer("server", far), Answers(answers or {})
    serving = asyncio.create_task(server.run(endpoint))
    async with await Client.over(near, **options) as client:
        yield client, server, endpoint
    async with asyncio.timeout(100):
        await serving


def named(method: str) -> str:
    """`thread/turns/list` as `thread_turns_list`, `approvalRules/list` as `approval_rules_list`."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in method.replace("/", "_"))


SENDABLE = [method for method in METHODS.values() if method.kind == "request" and method.sender != "server"]


@pytest.mark.parametrize("method", SENDABLE, ids=lambda method: method.name)
def test_every_request_has_a_typed_method(method: wire.Method) -> None:
    function = getattr(Methods, named(method.name))
    hints = get_type_hints(function)
    params = hints.get("params")

    assert hints["return"].__args__[-1] is getattr(wire, str(method.result))
    if params is None:
        assert method.params == "EmptyParams"
    else:
        assert getattr(wire, str(method.params)) in (params, *getattr(params, "__args__", ()))
    assert f"`{method.name}`" in (function.__doc__ or "")


def test_there_is_no_method_that_the_table_does_not_have() -> None:
    found = {name for name, _ in inspect.getmembers(Methods, inspect.isfunction) if not name.startswith("_")}

    assert found - {"call"} == {named(method.name) for method in SENDABLE}


async def test_a_call_gives_its_type() -> None:
    async with connected({"ping": b"{}", "model/list": b'{"data":[],"extra":1}'}) as (client, _, server):
        assert await client.ping() == EmptyResult()
        assert await client.model_list() == ModelListResult(data=[])
        assert await client.call("ping") == EmptyResult()
        assert server.requests == [("ping", {}), ("model/list", {}), ("ping", {})]


async def test_many_calls_at_once() -> None:
    async with connected({"ping": b"{}"}) as (client, _, _):
        assert await asyncio.gather(*(client.ping() for _ in range(256))) == [EmptyResult()] * 256


async def test_more_calls_than_the_bound() -> None:
    async with connected({"ping": b"{}"}) as (client, _, _):
        outcomes = await asyncio.gather(*(client.ping() for _ in range(257)), return_exceptions=True)

        assert [type(outcome) for outcome in outcomes[-2:]] == [EmptyResult, PendingFull]


async def test_a_refusal_is_an_error_with_its_name() -> None:
    async with connected() as (client, _, _):
        with pytest.raises(RemoteError) as error:
            await client.thread_read(ThreadReadParams(thread_id="th-1"))

        assert (error.value.code, error.value.name) == (-32601, "methodNotFound")
        assert error.value.data == {"code": "methodNotFound", "retryable": False}


async def test_a_result_of_the_wrong_type_is_named() -> None:
    async with connected({"model/list": b'{"data":[{"id":7}]}'}) as (client, _, _):
        with pytest.raises(RemoteProtocolError, match=r"the result of model/list is not lawful at '/data/0/id'"):
            await client.model_list()


async def test_no_answer_in_time() -> None:
    async with connected(within=0.01) as (client, _, _):
        with pytest.raises(RequestTimeout):
            await client.call_raw("silence")


@pytest.mark.parametrize("method", ["no/such", "turn/completed"])
async def test_a_name_that_is_no_request_is_a_mistake_of_the_caller(method: str) -> None:
    async with connected() as (client, _, _):
        with pytest.raises(KeyError):
            await client.call(method)


async def test_raw_calls_take_any_name_and_any_json() -> None:
    async with connected({"x/y": b'[1,{"a":null}]'}) as (client, _, server):
        result = await client.call_raw("x/y", msgspec.Raw(b'{"deep":{"a":1}}'))

        assert (bytes(result), server.requests) == (b'[1,{"a":null}]', [("x/y", {"deep": {"a": 1}})])


async def test_initialize_declares_what_has_a_handler() -> None:
    async with connected({"initialize": b"{}"}) as (client, _, server):
        client.on_request("approval/request", lambda _: None)
        with pytest.raises(RemoteProtocolError):
            await client.initialize()
        ((_, params),) = server.requests

        assert params["protocolVersion"] == wire.PROTOCOL_MAJOR
        assert params["capabilities"] == {"approvals": True}


async def test_what_nobody_handles_waits_in_order() -> None:
    async with connected() as (client, server, _):
        server.notify("a", {"number": 1})
        server.notify("b")
        server.notify("a", {"number": 2})
        second = await client.next_message("b")
        first = [await client.next_message(), await client.next_message("a")]

        assert (second.method, second.params) == ("b", None)
        assert [message.params for message in first] == [{"number": 1}, {"number": 2}]
        with pytest.raises(RequestTimeout, match="no c came"):
            await client.next_message("c", within=0.01)


async def test_who_waits_for_a_message_gets_it() -> None:
    async with connected() as (client, server, _):
        waiting = [asyncio.create_task(client.next_message(method)) for method in ("b", None)]
        await asyncio.sleep(0)
        server.notify("a")
        server.notify("b")

        assert [(await task).method for task in waiting] == ["b", "a"]


async def test_handlers_get_typed_params_and_may_await() -> None:
    async with connected() as (client, server, _):
        heard: list[Any] = []
        done = asyncio.Event()

        async def awaited(params: Any) -> None:
            await asyncio.sleep(0)
            heard.append(params)
            done.set()

        client.on("thread/closed", lambda params: heard.append(params.thread_id))
        client.on("x", awaited)
        server.notify("thread/closed", {"threadId": "th-1", "reason": "idle"})
        server.notify("x", {"a": 1})
        await done.wait()

        assert heard == ["th-1", {"a": 1}]


async def test_params_that_are_not_lawful_are_a_fault_of_the_server() -> None:
    async with connected() as (client, server, _):
        server.notify("thread/closed", {"threadId": 7})
        server.notify("end")
        await client.next_message("end")

        assert [(fault.code, fault.excerpt) for fault in client.faults] == [(-32602, b'{"threadId":7}')]


async def test_an_approval_that_nobody_handles_is_declined_and_kept() -> None:
    async with connected() as (client, server, _):
        answer = await server.request("approval/request", {"approval": APPROVAL})

        assert answer == ApprovalAnswer(decision="decline", nonce="n" * 16)
        assert (await client.next_message()).params.approval.approval_id == "ap-1"


def refuse(_: Any) -> Any:
    raise not_found("thread", "th-1")


async def accept(params: Any) -> ApprovalAnswer:
    await asyncio.sleep(0)
    return ApprovalAnswer(decision="accept", nonce=params.approval.binding.nonce)


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        pytest.param(accept, ApprovalAnswer(decision="accept", nonce="n" * 16), id="typed and awaited"),
        pytest.param(lambda _: {"decision": "cancel", "nonce": "n" * 16}, "cancel", id="plain JSON"),
        pytest.param(refuse, "notFound", id="a refusal"),
        pytest.param(lambda _: {"decision": 7}, RemoteProtocolError, id="garbage"),
    ],
)
async def test_a_handler_answers_a_request(handler: Any, expected: Any) -> None:
    async with connected() as (client, server, _):
        client.on_request("approval/request", handler)
        (outcome,) = await asyncio.gather(
            server.request("approval/request", {"approval": APPROVAL}), return_exceptions=True
        )

        match outcome:
            case RemoteError():
                assert outcome.name == expected
            case RemoteProtocolError():
                assert expected is RemoteProtocolError
            case ApprovalAnswer():
                assert expected in (outcome, outcome.decision)
            case _:
                raise AssertionError(outcome)


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("no/such", None, -32601),
        ("tool/call", {"threadId": "th-1", "turnId": "tu-1", "itemId": "it-1", "name": "t", "arguments": {}}, -32601),
        ("approval/request", {"approval": 5}, -32602),
    ],
)
async def test_what_is_not_served_is_refused(method: str, params: Any, code: int) -> None:
    async with connected() as (_, server, _):
        with pytest.raises(RemoteError) as error:
            await server.request_raw(method, params)

        assert error.value.code == code


async def test_requests_of_the_server_are_answered_beside_each_other() -> None:
    async with connected() as (client, server, _):
        order: list[int] = []
        gates = [asyncio.Event() for _ in range(3)]

        async def gated(params: Any) -> Any:
            await gates[params["number"]].wait()
            order.append(params["number"])
            if params["number"]:
                gates[params["number"] - 1].set()
            return {}

        client.on_request("x", gated)
        calls = [asyncio.create_task(server.request_raw("x", {"number": number})) for number in range(3)]
        await asyncio.sleep(0)
        gates[2].set()
        await asyncio.gather(*calls)

        assert order == [2, 1, 0]


async def test_ping_goes_both_ways() -> None:
    async with connected() as (_, server, _):
        assert await server.request("ping") == EmptyResult()


async def test_when_the_server_ends_calls_fail_and_the_backlog_can_be_read() -> None:
    async with connected() as (client, server, _):
        call = asyncio.create_task(client.call_raw("silence"))
        server.notify("last")
        await asyncio.sleep(0)
        server.close()
        with pytest.raises(ConnectionClosed, match="eof"):
            await call

        assert (await client.next_message()).method == "last"
        with pytest.raises(ConnectionClosed):
            await client.next_message()
        with pytest.raises(ConnectionClosed, match="not sent"):
            await client.ping()


async def test_what_is_no_message_is_kept_and_quoted() -> None:
    near, far = memory_pair()
    async with await Client.over(near) as client:
        call = asyncio.create_task(client.ping())
        await asyncio.sleep(0)
        far.write([b"<html>oops"])
        far.close()
        with pytest.raises(ConnectionClosed, match=r"it had written what is no message: '<html>oops'"):
            await call

        assert [fault.code for fault in client.faults] == [-32700]


async def test_a_client_that_closes_drops_its_own_handlers() -> None:
    async with connected() as (client, server, _):

        async def never(_: Any) -> None:
            await asyncio.Event().wait()

        client.on_request("x", never)
        call = asyncio.create_task(server.request_raw("x"))
        await asyncio.sleep(0.01)
        assert client._peer.limits.drain_seconds == 0
        await asyncio.wait_for(client.close(), 100)
        (outcome,) = await asyncio.gather(call, return_exceptions=True)

        assert isinstance(outcome, RemoteError | ConnectionClosed)


async def test_limits_of_a_client_are_its_own() -> None:
    async with connected({"ping": b"{}"}, limits=PeerLimits(pending=1)) as (client, _, _):
        first, second = await asyncio.gather(client.ping(), client.ping(), return_exceptions=True)

        assert (first, type(second)) == (EmptyResult(), PendingFull)
