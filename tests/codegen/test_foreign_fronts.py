"""Where others keep their methods: unions of messages, or marks on params and results."""

import json
import time

import pytest
from jsonschema import Draft202012Validator

from codegen.foreign_cases import OBJECT, of
from turnwire_codegen.load.foreign.cc import with_arms
from turnwire_codegen.load.foreign.front import load_foreign
from turnwire_codegen.outputs import make

MCP = {
    "definitions": {
        "ClientRequest": {"anyOf": [{"$ref": "#/definitions/PingRequest"}, {"$ref": "#/definitions/CallRequest"}]},
        "ServerRequest": {"anyOf": [{"$ref": "#/definitions/PingRequest"}]},
        "PingRequest": of(method={"const": "ping"}),
        "CallRequest": of(method={"const": "call"}, params=of(name={"type": "string"})),
        "CallResult": of(content={"type": "array"}),
        "EmptyResult": OBJECT,
    },
}
ACP = {
    "$defs": {
        "NewRequest": {**OBJECT, "x-method": "session/new", "x-side": "agent"},
        "NewResponse": {**OBJECT, "x-method": "session/new", "x-side": "agent"},
        "SessionNotification": {**OBJECT, "x-method": "session/update", "x-side": "client"},
        "CancelNotification": {**OBJECT, "x-method": "$/cancel", "x-side": "protocol"},
    },
}
BASE = of(jsonrpc={"const": "2.0"}, id={"type": ["string", "integer"]}, method={"type": "string"})
OPEN = {"method": {"enum": ["thread/start", "thread/read"]}}
CC = {
    "x-cc-protocol": {"version": 1, "memory": {"methods": {"memory/recall": {"response": "Recalled"}, "odd": 1}}},
    "$defs": {
        "Base": {**BASE, "properties": {**BASE["properties"], "params": OBJECT}},
        "ClientRequest": {
            "allOf": [
                {"$ref": "#/$defs/Base"},
                {
                    "oneOf": [
                        {"properties": {"method": {"const": "initialize"}, "params": {"$ref": "#/$defs/Hello"}}},
                        {"properties": OPEN},
                        {
                            "properties": {"method": {"const": "memory/recall"}, "params": {"$ref": "#/$defs/Recall"}},
                            "required": ["params"],
                        },
                    ]
                },
            ]
        },
        "ServerNotification": {**of(method={"enum": ["a/b", "c"]}, params=True), "additionalProperties": False},
        "ServerRequest": of(method={"type": "string"}),
        "Hello": of(name={"type": "string"}),
        "Recall": of(query={"type": "string"}),
        "Recalled": OBJECT,
    },
}
VV = {
    "title": "ClientRequest",
    "oneOf": [
        of(jsonrpc={"const": "2.0"}, method={"const": "initialized"}),
        of(**BASE["properties"] | {"method": {"const": "x/thread/stop"}, "params": {"$ref": "#/definitions/IdParams"}}),
    ],
    "definitions": {"IdParams": of(id={"type": "string"}), "ThreadStopResponse": OBJECT},
}
ROWS = [
    (
        CC,
        [
            ("initialize", "client", "request", "Hello", None),
            ("thread/start", "client", "request", "ClientRequestThreadStartParams", None),
            ("thread/read", "client", "request", "ClientRequestThreadReadParams", None),
            ("memory/recall", "client", "request", "Recall", "Recalled"),
            ("a/b", "server", "notification", "ServerNotificationABParams", None),
            ("c", "server", "notification", "ServerNotificationCParams", None),
        ],
    ),
    (
        VV,
        [
            ("initialized", "client", "notification", None, None),
            ("x/thread/stop", "client", "request", "IdParams", "ThreadStopResponse"),
        ],
    ),
    (
        MCP,
        [
            ("ping", "both", "request", None, "EmptyResult"),
            ("call", "client", "request", "CallRequestParams", "CallResult"),
        ],
    ),
    (
        ACP,
        [
            ("session/new", "client", "request", "NewRequest", "NewResponse"),
            ("session/update", "server", "notification", "SessionNotification", None),
            ("$/cancel", "both", "notification", "CancelNotification", None),
        ],
    ),
    ({"$defs": {"ClientRequest": OBJECT, "X": {**OBJECT, "x-method": "x"}}}, []),
    ({"definitions": {"ClientRequest": {"anyOf": [OBJECT, {"$ref": "#/definitions/Nowhere"}]}}}, []),
    (True, []),
]


@pytest.mark.parametrize(
    ("schema", "expected"), ROWS, ids=["cc", "vv", "mcp", "acp", "plain", "no messages", "no object"]
)
def test_methods(tmp_path, schema, expected):
    (tmp_path / "s.json").write_text(json.dumps(schema))
    loaded, _, _ = load_foreign(tmp_path / "s.json")
    rows = [(row.name, row.sender, row.kind, row.params, row.result) for row in loaded.protocol.methods]

    assert sorted(expected) == sorted(rows)


CALL = {"jsonrpc": "2.0", "id": 1, "method": "memory/recall", "params": {"query": "x"}}
MESSAGES = [
    CALL,
    {**CALL, "more": 1},
    {**CALL, "params": {"query": 1}},
    {key: value for key, value in CALL.items() if key != "params"},
    {key: value for key, value in CALL.items() if key != "method"},
    {**CALL, "method": "thread/start"},
    {**CALL, "method": "thread/stop"},
    {**CALL, "method": "initialize"},
    {**CALL, "method": "initialize", "params": {"name": ""}},
    {"method": "c", "params": None},
    {"method": "c", "params": None, "more": 1},
    {"method": "c"},
    {"method": "d", "params": None},
    1,
]


@pytest.mark.parametrize("message", MESSAGES, ids=json.dumps)
@pytest.mark.parametrize("union", ["ClientRequest", "ServerNotification"])
def test_an_arm_a_method_accepts_what_the_schema_did(union, message):
    before, after = (Draft202012Validator({**schema, "$ref": f"#/$defs/{union}"}) for schema in (CC, with_arms(CC)))

    assert before.is_valid(message) == after.is_valid(message)


def test_cost_grows_with_the_schema_and_no_faster(tmp_path):
    """Six hundred definitions, a third of them unions, within two seconds of CPU; what is quadratic takes minutes."""
    definitions = {}
    for number in range(200):
        arms = [of(kind={"const": f"{name}{number}"}, value={"type": "string"}) for name in "ab"]
        definitions |= {f"A{number}": arms[0], f"B{number}": arms[1]}
        definitions[f"U{number}"] = {"oneOf": [{"$ref": f"#/$defs/{name}{number}"} for name in "AB"]}
    (tmp_path / "s.json").write_text(json.dumps({"$defs": definitions}))
    before = time.process_time()
    made = make("generate-python", tmp_path / "s.json", experimental=False)
    spent = time.process_time() - before

    assert made.files
    assert spent < 2
