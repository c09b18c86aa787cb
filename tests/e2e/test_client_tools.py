"""Tools that a client runs (TOOL-*): bound to the connection that declared them, called over it, and gone with it."""

import asyncio

import pytest
from msgspec import UNSET

from e2e.own import Own, own
from turnwire.errors import RemoteError, not_found
from turnwire.wire import (
    DynamicTool,
    TextContent,
    ThreadForkParams,
    ThreadItemsListParams,
    ThreadResumeParams,
    ThreadUnsubscribeParams,
    ToolCallResult,
    TurnInterruptParams,
)

GREP = DynamicTool(name="grep", description="Looks.", input_schema={"type": "object"})
OTHER = DynamicTool(name="grep", namespace="two", description="Looks elsewhere.", input_schema={})
CAPABILITIES = {"dynamic_tools": True, "experimental": True}


class Caller(Own):
    """Calls `grep` once for every turn, and notes which tools there are."""

    client_tools = True

    def __init__(self, namespace=UNSET):
        super().__init__(self._call)
        self.namespace = namespace
        self.results = []
        self.known = []

    async def _call(self, turn):
        self.known.append([(tool.namespace or None, tool.name) for tool in turn.client_tools])
        self.results.append(await turn.client_tool("grep", {"for": "x"}, namespace=self.namespace))


async def connect(house, answer=None, **members):
    """A connection that answers tool calls so, and the calls that it hears."""
    talk = await house.connect(initialize=False, **members)
    calls = []

    def hear(params):
        calls.append(params)
        return answer(params) if callable(answer) else answer

    if answer is not None:
        talk.client.on_request("tool/call", hear)
    await talk.initialize(**CAPABILITIES)
    return talk, calls


FOUND = ToolCallResult(success=True, content_items=[TextContent(text="a.py")], structured_content={"n": [1]})
ITEM = {"toolName": "grep", "arguments": {"for": "x"}, "executionStarted": True}


async def test_a_tool_is_called_where_it_was_declared(house):
    agent = Caller()
    (one, calls), (two, others) = [await connect(own(house, agent), FOUND) for _ in range(2)]
    thread_id = await one.thread(dynamic_tools=[GREP])
    await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    turn = await one.run(thread_id, "x")
    await two.client.ping()
    (item,) = one.items("dynamicToolCall")
    (call,) = calls

    assert (turn.status, agent.results, agent.known) == ("completed", [FOUND], [[(None, "grep")]])
    assert (call.thread_id, call.turn_id, call.item_id, call.name) == (thread_id, turn.id, item["id"], "grep")
    assert {name: item[name] for name in ITEM} == ITEM
    assert (item["status"], item["success"], item["structuredContent"]) == ("completed", True, {"n": [1]})
    assert others == []
    fork = (await one.client.thread_fork(ThreadForkParams(thread_id=thread_id))).thread
    copies = (await one.client.thread_items_list(ThreadItemsListParams(thread_id=fork.id))).data
    assert copies[-1].structured_content == {"n": [1]}


async def test_a_client_that_answers_calls_says_so(house):
    agent = Caller()
    talk = await own(house, agent).connect(initialize=False)
    talk.client.on_request("tool/call", lambda _params: FOUND)
    server = await talk.client.initialize()
    turn = await talk.run(await talk.thread(dynamic_tools=[GREP]), "x")

    assert (server.capabilities.dynamic_tools, turn.status, agent.results) == (True, "completed", [FOUND])


async def _late(_params):
    await asyncio.Event().wait()


def _refuse(_params):
    raise not_found("object", "x")


# What the client does, and the code that the item has.
FAILURES = [
    (ToolCallResult(success=False, error_code="noMatch", error_message="None."), "noMatch"),
    (ToolCallResult(success=False), None),
    (_refuse, "toolResultInvalid"),
    ({"success": "perhaps"}, "toolResultInvalid"),
    ({"success": True, "contentItems": [{"type": "image", "url": "http://example.org/a.png"}]}, "toolResultInvalid"),
    (None, "toolUnavailable"),
]


@pytest.mark.parametrize(("answer", "code"), FAILURES)
async def test_a_code_of_the_client_is_kept(house, answer, code):
    agent = Caller()
    talk, _ = await connect(own(house, agent), answer)
    turn = await talk.run(await talk.thread(dynamic_tools=[GREP]), "x")
    (item,) = talk.items("dynamicToolCall")

    assert (turn.status, item["status"], item.get("errorCode")) == ("completed", "failed", code)
    assert (agent.results[0].success, agent.results[0].error_code or None) == (False, code)


async def test_a_tool_that_nobody_declared_is_not_run(house):
    agent = Caller()
    talk, _ = await connect(own(house, agent), FOUND)
    await talk.run(await talk.thread(), "x")
    (item,) = talk.items("dynamicToolCall")

    assert (item["status"], item["errorCode"], item["executionStarted"]) == ("failed", "toolUnavailable", False)
    assert "durationMs" not in item


async def test_a_tool_goes_with_its_connection(house):
    agent = Caller()
    own(house, agent)
    (one, calls), (two, _) = await connect(house, _late), await connect(house, FOUND)
    thread_id = await one.thread(dynamic_tools=[GREP])
    await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    turn = await two.turn(thread_id, "x")
    await two.heard("item/started", lambda params: params.item.type == "dynamicToolCall")
    await one.client.close()
    await two.ended(turn)
    await two.run(thread_id, "x")

    assert [item["errorCode"] for item in two.items("dynamicToolCall")] == ["toolDisconnected", "toolUnavailable"]
    assert len(calls) <= 1


async def test_tools_are_kept_until_they_are_given_anew_or_cleared(house):
    agent = Caller()
    talk, _ = await connect(own(house, agent), FOUND)
    thread_id = await talk.thread(dynamic_tools=[GREP])
    for tools in (UNSET, [OTHER, GREP], [OTHER], []):
        await talk.client.thread_resume(ThreadResumeParams(thread_id=thread_id, dynamic_tools=tools))
        await talk.run(thread_id, "x")

    assert agent.known == [[(None, "grep")], [("two", "grep"), (None, "grep")], [("two", "grep")], []]


async def test_of_two_with_one_name_the_later_one_is_called(house):
    agent = Caller()
    own(house, agent)
    (one, first), (two, second) = [await connect(house, FOUND) for _ in range(2)]
    thread_id = await one.thread(dynamic_tools=[GREP])
    await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id, dynamic_tools=[GREP]))
    await one.run(thread_id, "x")
    await two.client.thread_unsubscribe(ThreadUnsubscribeParams(thread_id=thread_id))
    await one.run(thread_id, "x")

    assert (len(first), len(second)) == (0, 1)
    assert [item.get("errorCode") for item in one.items("dynamicToolCall")] == [None, "toolUnavailable"]


async def test_an_interrupt_does_not_wait_for_the_client(house):
    talk, _ = await connect(own(house, Caller()), _late)
    thread_id = await talk.thread(dynamic_tools=[GREP])
    await talk.turn(thread_id, "x")
    await talk.heard("item/started", lambda params: params.item.type == "dynamicToolCall")
    ended = (await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id))).turn

    assert (ended.status, talk.items("dynamicToolCall")[0]["status"]) == ("interrupted", "interrupted")


# What the client said that it can, what it declares, and how that is refused.
REFUSED = [
    ({"experimental": True}, [GREP], "invalidParams", "/dynamicTools"),
    (CAPABILITIES, [GREP, OTHER, GREP], "invalidParams", "/dynamicTools/2/name"),
    ({}, [GREP], "experimentalRequired", None),
]


@pytest.mark.parametrize(("capabilities", "tools", "name", "path"), REFUSED)
async def test_what_cannot_be_called_is_not_taken(house, capabilities, tools, name, path):
    talk = await own(house, Caller()).connect(initialize=False)
    await talk.initialize(**capabilities)
    with pytest.raises(RemoteError, match=name) as refused:
        await talk.thread(dynamic_tools=tools)

    assert path is None or refused.value.data["issues"][0]["path"] == path


OFFERS = [(Caller(), CAPABILITIES, True), (Caller(), {}, False), (Own(None), CAPABILITIES, False)]


@pytest.mark.parametrize(("agent", "capabilities", "offered"), OFFERS)
async def test_they_are_offered_to_those_who_opted_in_where_an_agent_calls_them(house, agent, capabilities, offered):
    talk = await own(house, agent).connect(initialize=False)

    assert ((await talk.initialize(**capabilities)).capabilities.dynamic_tools is True) is offered
