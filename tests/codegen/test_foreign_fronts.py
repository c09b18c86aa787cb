"""Where others keep their methods: unions of messages, or marks on params and results."""

import json
import time

import pytest

from codegen.foreign_cases import OBJECT, of
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
ROWS = [
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


@pytest.mark.parametrize(("schema", "expected"), ROWS, ids=["mcp", "acp", "plain", "no messages", "no object"])
def test_methods(tmp_path, schema, expected):
    (tmp_path / "s.json").write_text(json.dumps(schema))
    loaded, _, _ = load_foreign(tmp_path / "s.json")
    rows = [(row.name, row.sender, row.kind, row.params, row.result) for row in loaded.protocol.methods]

    assert sorted(expected) == sorted(rows)


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
