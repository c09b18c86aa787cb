"""`check init`: what is drafted for a server works with the judge at once, and holds the server to what it is."""

import io
import json
import sys

import pytest

from turnwire.cli import main
from turnwire.conformance.drafting import NoContract, read_contract
from turnwire.conformance.drafting.least import least
from turnwire.conformance.drafting.toml_text import table
from turnwire.conformance.profiles import load_profile
from turnwire.conformance.recording import CheckTraceOptions, run_check_trace

# A server of nobody's protocol: no member jsonrpc, a handshake of its own name, codes of its own.
STRANGER = """
import json, sys
opened = False
for line in sys.stdin:
    try:
        message = json.loads(line)
    except ValueError:
        print(json.dumps({"id": None, "error": {"code": -32700, "message": "no JSON"}}), flush=True)
        continue
    identifier, method = message.get("id"), message.get("method")
    if "jsonrpc" in message or identifier is None:
        continue
    if method == "hello":
        who = message.get("params", {}).get("who")
        reply = {"error": {"code": -7, "message": "again"}} if opened else {"result": {"userAgent": "stranger/1"}}
        if not isinstance(who, str):
            reply = {"error": {"code": -32602, "message": "who?"}}
        opened = opened or "result" in reply
    elif not opened:
        reply = {"error": {"code": -8, "message": "hello first"}}
    elif method == "weather/get":
        reply = {"result": {"sky": "blue"}}
    else:
        reply = {"error": {"code": -32601, "message": "no such method"}}
    print(json.dumps({"id": identifier, **reply}), flush=True)
"""
HELLO = {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}
STRANGE_SCHEMA = {
    "definitions": {
        "v1": {"Hello": HELLO, "Sky": {"type": "object", "properties": {"of": {"$ref": "#/definitions/v1/Place"}}},
               "Place": {"type": "string"}},
        "ClientRequest": {
            "oneOf": [
                {"properties": {"id": {}, "method": {"const": "hello"}, "params": {"$ref": "#/definitions/v1/Hello"}}},
                {"properties": {"id": {}, "method": {"enum": ["weather/get"]}}},
            ]
        },
    }
}  # fmt: skip


def drafted(out, server, *words):
    stdout, stderr = io.StringIO(), io.StringIO()
    code = main(["check", "init", "--out", str(out), *words, "--", *server], io.StringIO(), stdout, stderr)
    return code, stdout.getvalue(), stderr.getvalue()


def written(tmp_path, value):
    path = tmp_path / "given.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("has_schema", [True, False], ids=["schema", "bare"])
def test_a_draft_of_our_own_server_passes_it(has_schema, fixture_argv, judge, tmp_path):
    out, schema = tmp_path / "mine", load_profile("turnwire").bundle
    words = ("--schema", written(tmp_path, schema)) if has_schema else ()

    code, stdout, stderr = drafted(out, fixture_argv(), *words)

    assert (0, "") == (code, stderr)
    assert f"Now: turnwire check server --profile {out} -- COMMAND" in stdout
    judged = judge(fixture_argv(), profile=str(out), retries=2, jobs=2)
    assert 0 == judged.exit_code, judged.stdout
    passed = {name for name, verdict in judged.verdicts.items() if verdict == "pass"}
    assert {"rpc.id-echo-string", "life.double-initialize", "life.initialize-first"} <= passed
    assert ("stdio.unicode-roundtrip" in passed) is has_schema


def test_a_draft_holds_a_stranger_to_its_own_ways(judge, tmp_path):
    server, out = (sys.executable, "-S", "-E", "-c", STRANGER), tmp_path / "stranger"

    code, _, stderr = drafted(out, server, "--schema", written(tmp_path, STRANGE_SCHEMA), "--handshake", "hello")

    assert (0, "") == (code, stderr)
    profile = load_profile(str(out))
    assert ("omitted", "weather/get") == (profile.wire.jsonrpc_member, profile.operations["noop"].method)
    assert ({"who": "turnwire-check"}, "who") == (profile.handshake.params, profile.handshake.required)
    assert ((-8,), (-7,)) == (profile.codes["not_initialized"], profile.codes["already_initialized"])
    chosen = ("rpc.id-echo-int", "rpc.parse-error-code", "life.double-initialize", "life.initialize-bad-params")
    assert dict.fromkeys(chosen, "pass") == judge(server, profile=str(out), select=chosen).verdicts


def test_the_first_recording_is_judged(fixture_argv, tmp_path):
    out = tmp_path / "mine"
    drafted(out, fixture_argv())
    stdout, stderr = io.StringIO(), io.StringIO()

    code = run_check_trace(
        CheckTraceOptions(file="handshake.jsonl", profile=str(out)),
        (out / "handshake.jsonl").read_bytes().splitlines(keepends=True),
        stdout,
        stderr,
    )

    assert (0, "") == (code, stderr.getvalue())


# They answer the handshake as no contract has it, and have no request that only looks.
STRANGERS = {
    "without an id": """
import json, sys
print("ready", flush=True)
for line in sys.stdin:
    try:
        asked = json.loads(line)
    except ValueError:
        print(json.dumps({"error": "bad"}), flush=True)
        continue
    if isinstance(asked, dict) and asked.get("method") == "initialize":
        print(json.dumps({"id": asked["id"], "result": {"name": "echo"}}), flush=True)
    else:
        print(json.dumps({"jsonrpc": "2.0", "error": {"code": "NONE", "message": "none"}}), flush=True)
""",
    "dies of what is no JSON": """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"result": {"capabilities": []}} if asked["method"] == "initialize" else {"error": {"code": -32601}}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
""",
}


@pytest.mark.parametrize("name", STRANGERS)
def test_a_stranger_with_nothing_to_ask_for_is_drafted_and_judged(name, judge, tmp_path):
    server, out = (sys.executable, "-S", "-E", "-c", STRANGERS[name]), tmp_path / "mine"

    code, stdout, stderr = drafted(out, server, "--timeout-scale", "0.2")
    judged = judge(server, profile=str(out), select=("rpc.parse-error-code", "rpc.params-omitted"), timeout_scale=0.2)

    assert (0, "") == (code, stderr)
    assert "none, so only the handshake is judged" in stdout
    assert {"rpc.parse-error-code": "fail", "rpc.params-omitted": "skip"} == judged.verdicts
    assert "<object" not in judged.stdout


@pytest.mark.parametrize(
    ("server", "words", "code", "said"),
    [
        ((), (), 2, "no server given"),
        (("no-such-server",), (), 3, "no-such-server"),
        ((sys.executable, "-c", ""), (), 3, "no opening with initialize succeeds; its last answer: it ended with"),
        (("cat",), ("--schema", "no-such.json"), 2, "no-such.json: No such file or directory"),
        (("cat",), ("--params", "[]"), 2, "'[]' is no JSON object"),
    ],
)
def test_a_mistake_is_one_line(server, words, code, said, tmp_path):
    found, stdout, stderr = drafted(tmp_path / "out", server, *words)

    assert (code, "") == (found, stdout)
    assert said in stderr
    assert 1 == stderr.count("\n")
    assert not (tmp_path / "out").exists()


def test_nothing_is_written_over(fixture_argv, tmp_path):
    drafted(tmp_path, fixture_argv())

    code, _, stderr = drafted(tmp_path, fixture_argv())

    assert (2, True) == (code, "is there already" in stderr)


@pytest.mark.parametrize(
    ("schema", "methods"),
    [
        ({}, {}),
        (
            {"x-methods": [{"name": "a", "sender": "client", "kind": "request"}]},
            {"a": ("client", "request", None, None)},
        ),
        (
            {"openrpc": "1.3", "methods": [{"name": "a/b", "params": [{"name": "x"}], "result": {"schema": {}}}]},
            {"a/b": ("client", "request", "ABParams", "ABResult")},
        ),
        (
            {
                "$defs": {
                    "GoRequest": {"properties": {"id": {}, "method": {"const": "go"}, "params": {"type": "object"}}},
                    "GoResult": {"type": "object"},
                    "ServerNotification": {
                        "properties": {"method": {"const": "gone"}, "params": {"$ref": "#/$defs/P"}}
                    },
                    "P": {"type": "object"},
                }
            },
            {"go": ("client", "request", "GoParams", "GoResult"), "gone": ("server", "notification", "P", None)},
        ),
        (
            {
                "definitions": {
                    "AskRequest": {"properties": {"method": {"const": "ask"}}},
                    "ServerRequest": {"anyOf": [{"$ref": "#/definitions/AskRequest"}]},
                }
            },
            {"ask": ("server", "request", None, None)},
        ),
        (
            {
                "$defs": {
                    "StartRequest": {"x-method": "start", "x-side": "agent"},
                    "StartResponse": {"x-method": "start", "x-side": "agent"},
                    "ToldNotification": {"x-method": "told", "x-side": "client"},
                }
            },
            {
                "start": ("client", "request", "StartRequest", "StartResponse"),
                "told": ("server", "notification", "ToldNotification", None),
            },
        ),
        (
            {
                "title": "ClientRequest",
                "definitions": {"P": {"type": "object"}},
                "oneOf": [
                    {"properties": {"id": {}, "method": {"enum": ["a"]}, "params": {"$ref": "#/definitions/P"}}},
                    {"properties": {"method": {"enum": ["b"]}}},
                ],
            },
            {"a": ("client", "request", "P", None), "b": ("client", "notification", None, None)},
        ),
    ],
)
def test_methods_are_found_in_schemas_of_every_form(schema, methods):
    rows = read_contract(schema)["x-methods"]

    assert methods == {row["name"]: (row["sender"], row["kind"], row.get("params"), row.get("result")) for row in rows}


def test_definitions_of_groups_are_told_apart():
    groups = {"a": {"X": {"type": "string"}}, "b": {"X": {"$ref": "#/definitions/a/X"}, "Y": {"type": "null"}}}

    bundle = read_contract({"definitions": groups})

    assert {"a.X": {"type": "string"}, "b.X": {"$ref": "#/$defs/a.X"}, "Y": {"type": "null"}} == bundle["$defs"]


def test_what_is_no_object_is_no_schema():
    with pytest.raises(NoContract, match="a schema is a JSON object"):
        read_contract([])


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"const": 7}, 7),
        ({"enum": ["a", "b"]}, "a"),
        ({"type": ["null", "string"], "minLength": 20}, "turnwire-checkxxxxxx"),
        ({"type": "integer", "minimum": 3}, 3),
        ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, False),
        ({"type": "array", "minItems": 2, "items": {"type": "integer"}}, [1, 1]),
        ({"properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]}, {"a": "turnwire-check"}),
        ({"allOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, {"$ref": "#/$defs/B"}]}, {"a": 1, "b": 2}),
        ({"$ref": "#/$defs/Loop"}, None),
    ],
)
def test_the_least_value_of_a_schema(schema, value):
    loop = {"properties": {"again": {"$ref": "#/$defs/Loop"}}, "required": ["again"]}
    found = least(schema, {"B": {"properties": {"b": {"const": 2}}, "required": ["b"]}, "Loop": loop})

    assert isinstance(found, dict) if value is None else value == found


def test_a_table_is_toml():
    assert '[a."b c"]\nx = { y = [1, 2.5, true], "z z" = "\\"q\\"" }\n' == table(
        'a."b c"', {"x": {"y": [1, 2.5, True, None], "z z": '"q"', "none": None}}
    )
