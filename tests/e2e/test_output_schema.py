"""The capability `outputSchema`: what the final output must fit, and what becomes of a turn whose output does not."""

import contextlib
import json
import socket
import subprocess
import sys
import threading
import time

import pytest
from msgspec import UNSET

from cli.running import environment
from turnwire.errors import RemoteError
from turnwire.judging import is_cheap
from turnwire.store.memory import MemoryStore
from turnwire.wire import (
    ApprovalAnswer,
    ResumeDecision,
    ThreadResumeParams,
    TurnInterruptParams,
    TurnResume,
    TurnStartParams,
)

NAMED = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}

# Schema, script, the structured output; or what is said of the turn that failed.
OUTPUTS = [
    (NAMED, 'text {"name": "Ada"}', {"name": "Ada"}, None),
    (NAMED, 'text No JSON yet\ntext {"name": "Ada"}', {"name": "Ada"}, None),
    ({}, "text 1", 1, None),
    ({"type": "null"}, "text null", None, None),
    (NAMED, 'text {"name": 1}', None, "The output does not fit its schema: /name: 1 is not of type 'string'"),
    (NAMED, "text {}", None, "The output does not fit its schema: (root): 'name' is a required property"),
    (NAMED, "text Ada", None, "The output is not JSON."),
    (NAMED, "notice Ada", None, "There is no output, and a schema asks for one."),
    ({"pattern": "^A"}, 'text "Ada"', "Ada", None),
    ({"pattern": "^A"}, 'text "ada"', None, "The output does not fit its schema: (root): 'ada' does not match '^A'"),
    ({"properties": {"a": {"$ref": "#/none"}}}, 'text {"a": 1}', None, "The schema cannot be applied to the output: "),
]


@pytest.mark.parametrize(("schema", "script", "value", "said"), OUTPUTS)
async def test_the_output_is_held_to_its_schema(connect, schema, script, value, said):
    talk = await connect()
    ended = await talk.run(await talk.thread(), script, output_schema=schema)
    turn = talk.said("turn/completed")[0]["turn"]

    if said is None:
        assert (ended.status, turn["structuredOutput"]) == ("completed", value)
    else:
        assert (ended.status, ended.end_reason, ended.error.code) == ("failed", "error", "outputSchemaInvalid")
        assert ended.error.message.startswith(said)
        assert "structuredOutput" not in turn


async def test_a_turn_that_fails_by_itself_says_why(house):
    talk = await house.connect()
    ended = await talk.run(await talk.thread(), "fail Enough", output_schema=NAMED)

    assert (ended.error.code, ended.error.message) == ("agentFailed", "Enough")


@pytest.mark.parametrize(
    "schema", [{"type": "nothing"}, {"$ref": "#"}, {"$ref": "http://localhost:9/x"}, {"required": 1}]
)
async def test_what_is_no_schema_is_refused_and_nothing_begins(house, schema):
    talk = await house.connect()
    thread_id = await talk.thread()
    with pytest.raises(RemoteError) as refused:
        await talk.turn(thread_id, "text Hi", output_schema=schema)

    assert (refused.value.code, refused.value.data["issues"][0]["path"]) == (-32602, "/outputSchema")
    assert talk.said("turn/started") == []


def _branching(depth):
    """References that branch at each of so many steps, and end nowhere that anything fits."""
    steps = {f"s{number}": {"anyOf": [{"$ref": f"#/$defs/s{number + 1}"}] * 2} for number in range(depth)}
    return {"$ref": "#/$defs/s0", "$defs": {**steps, f"s{depth}": {"const": "nothing"}}}


async def test_a_pattern_cannot_take_the_server_with_it(connect):
    talk = await connect()
    thread_id = await talk.thread()
    await talk.turn(thread_id, f'text "{"a" * 60}!"', output_schema={"pattern": "^(a+)+$"})
    await talk.heard("item/completed", lambda params: params.item.type == "agentMessage")
    started = time.monotonic()
    await talk.client.ping()
    waited = time.monotonic() - started
    ended = (await talk.client.next_message("turn/completed", within=60)).params.turn
    await talk.heard("thread/status/changed", lambda params: params.status == "idle")

    assert waited < 1
    assert (ended.error.code, ended.error.message) == (
        "outputSchemaInvalid",
        "Holding the output to its schema takes more than 1 second of work.",
    )


async def test_a_turn_that_is_judged_can_be_interrupted(house):
    talk = await house.connect()
    turn = await talk.turn(await talk.thread(), f'text "{"a" * 60}!"', output_schema={"pattern": "^(a+)+$"})
    await talk.heard("item/completed", lambda params: params.item.type == "agentMessage")
    await talk.client.turn_interrupt(TurnInterruptParams(thread_id=turn.thread_id))
    ended = await talk.ended(turn)

    assert (ended.status, ended.end_reason, ended.structured_output) == ("interrupted", "user", UNSET)


async def test_references_that_branch_are_refused_and_nothing_begins(connect):
    talk = await connect()
    thread_id = await talk.thread()
    params = {"threadId": thread_id, "input": [{"type": "text", "text": "x"}], "outputSchema": _branching(30)}
    # A second of the processor may be half a minute where many want it.
    with pytest.raises(RemoteError) as refused:
        await talk.client.call_raw("turn/start", params, within=60)

    (issue,) = refused.value.data["issues"]
    assert (issue["path"], issue["message"]) == ("/outputSchema", "takes more than 1 second of work")
    assert talk.said("turn/started") == []


CHEAP = [
    (True, {"type": "object", "properties": {"pattern": {"type": "string", "maxLength": 3}}, "required": ["pattern"]}),
    (True, {"items": {"anyOf": [{"enum": [{"$ref": "x"}]}, {"not": {"const": {"pattern": "x"}}}]}}),
    (True, True),
    (False, {"properties": {"a": {"pattern": "x"}}}),
    (True, {"unheardOf": {"type": "x"}, "if": {"contains": {}}, "then": {"propertyNames": {"maxLength": 3}}}),
    (True, {"$defs": {"pattern": {}}, "dependentSchemas": {"$ref": {"minProperties": 1}}}),
    (False, {"items": {"allOf": [{"uniqueItems": True}]}}),
    (False, {"anyOf": [{"type": "string"}, {"$ref": "#"}]}),
    (False, {"additionalProperties": {"patternProperties": {}}}),
    (False, {"unevaluatedProperties": False}),
]


@pytest.mark.parametrize(("cheap", "schema"), CHEAP)
def test_only_what_looks_once_at_each_value_needs_no_process(cheap, schema):
    assert is_cheap(schema) is cheap


async def test_a_schema_never_reaches_the_network(house):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        met = []
        place = f"http://127.0.0.1:{listening.getsockname()[1]}/schema"
        threading.Thread(target=_turn_away, args=(listening, met), daemon=True).start()
        talk = await house.connect()
        schema = {"properties": {"a": {"$ref": place}}}
        ended = await talk.run(await talk.thread(), 'text {"a": 1}', output_schema=schema)

    assert (ended.error.code, met) == ("outputSchemaInvalid", [])


def _turn_away(listening, met):
    with contextlib.suppress(OSError):
        while True:
            visitor, address = listening.accept()
            met.append(address)
            visitor.close()


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_turn_that_is_resumed_owes_what_it_owed_before(house, restarted):
    house.host = {"store": MemoryStore()}
    talk = await house.connect(approvals="defer")
    thread_id = await talk.thread()
    await talk.run(thread_id, "approve rm\ntext Ada", output_schema=NAMED)
    if restarted:
        house._server = None
    other = await house.connect(approvals="accept")
    (pending,) = (await other.client.thread_resume(ThreadResumeParams(thread_id=thread_id))).pending
    answer = ApprovalAnswer(decision="accept", nonce=pending.approval.binding.nonce)
    decision = ResumeDecision(approval_id=pending.approval.approval_id, answer=answer)
    resumed = TurnStartParams(thread_id=thread_id, resume=TurnResume(decisions=[decision]))
    ended = await other.ended((await other.client.turn_start(resumed)).turn)

    assert (ended.status, ended.error.code) == ("failed", "outputSchemaInvalid")


def test_without_the_package_it_is_not_offered():
    program = (
        "import sys; sys.modules['jsonschema'] = None\n"
        "from turnwire.cli import entry; sys.argv = ['turnwire', 'serve']; entry()"
    )
    hello = {"protocolVersion": 1, "clientInfo": {"name": "test"}}
    asked = [("initialize", hello), ("turn/start", {"threadId": "t1", "outputSchema": {}})]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(asked)
    ]
    done = subprocess.run(
        [sys.executable, "-c", program],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    offered, refused = map(json.loads, done.stdout.splitlines())

    assert "outputSchema" not in offered["result"]["capabilities"]
    assert refused["error"]["data"] == {"code": "methodNotFound", "retryable": False, "capability": "outputSchema"}
