"""`validate`: what is wrong, in which line and column, under which pointer."""

import json

import pytest

from cli.running import ROOT, run
from turnwire.cli.exits import Exit
from turnwire.cli.positions import line_and_column, offset_of

PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'


def frame(direction: str, message: object) -> str:
    return json.dumps({"dir": direction, "msg": message})


def request(method: str, params: object = None, request_id: object = 1) -> dict[str, object]:
    members = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return members if params is None else {**members, "params": params}


HELLO = {"protocolVersion": 1, "clientInfo": {"name": "x"}}


@pytest.mark.parametrize(
    "text",
    [
        PING,
        json.dumps(json.loads(PING), indent=2),
        f"{PING}\n\n{PING}\n",
        '{"jsonrpc":"2.0","method":"initialized"}',
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m","data":{"code":"parseError","retryable":false}}}',
        json.dumps(request("_vendor/anything", {"a": 1})),
        frame("s2c", {"jsonrpc": "2.0", "id": 7, "result": {"unknown": "request"}}),
        frame("c2s", request("ping")) + "\n" + frame("s2c", {"jsonrpc": "2.0", "id": 1, "result": {}}),
        # Ids belong to their caller: both requests have id 1, and each reply is judged by its own.
        "\n".join(
            [
                frame("c2s", request("ping")),
                frame("s2c", request("ping")),
                frame("s2c", {"jsonrpc": "2.0", "id": 1, "result": {}}),
                frame("c2s", {"jsonrpc": "2.0", "id": 1, "result": {}}),
            ]
        ),
        json.dumps({"dir": "c2s", "raw": PING}),
    ],
)
def test_what_is_lawful_passes(text):
    done = run("validate", "-", stdin=text.encode())

    assert (done.code, done.out) == (Exit.DONE, "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", ["-:1:1: (root): a message is a JSON object; batches are refused (RPC-5)"]),
        (PING + "\n" + PING[:-1], ["-:2:40: (root): not JSON: Expecting ',' delimiter"]),
        ("{\n 'a'", ["-:2:2: (root): not JSON: Expecting property name enclosed in double quotes"]),
        ('{"a":NaN}', ["-:1:1: (root): not JSON: the literal NaN"]),
        ('{"a":1,"a":2}', ["-:1:1: (root): an object with the member 'a' twice"]),
        (
            '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
            ["-:1:23: /id: 1.5 is not valid under any of the given schemas"],
        ),
        (json.dumps(request("nope")), ["-:1:39: /method: no method is called 'nope'"]),
        (
            '{"jsonrpc":"2.0","method":"ping"}',
            ["-:1:27: /method: ping is a request; this has no id"],
        ),
        (
            '{"jsonrpc":"2.0","id":1,"method":"initialized"}',
            ["-:1:34: /method: initialized is a notification; this has an id"],
        ),
        (
            frame("s2c", request("initialize", HELLO)),
            ["-:1:61: /msg/method: initialize is sent by the client"],
        ),
        (
            json.dumps(request("initialize", {"protocolVersion": "1", "clientInfo": {"name": "x"}}), indent=1),
            ["-:6:22: /params/protocolVersion: '1' is not of type 'integer'"],
        ),
        (
            frame("c2s", request("ping")) + "\n" + frame("s2c", {"jsonrpc": "2.0", "id": 1, "result": []}),
            ["-:2:61: /msg/result: [] is not of type 'object'"],
        ),
        (
            '{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"m","data":{"code":"turnActive","retryable":false}}}',
            ["-:1:69: /error/data: 'turnId' is a required property"],
        ),
        ('{"dir":"up","msg":{}}', ["-:1:8: /dir: 'up' is no direction; it is c2s or s2c"]),
        ('{"dir":"c2s"}', ["-:1:1: (root): a frame has `msg`, a message, or `raw`, a string"]),
        (
            json.dumps({"dir": "c2s", "raw": PING.replace("ping", "nope")}),
            ["-:1:23: /raw: /method: no method is called 'nope'"],
        ),
        ('{"dir":"c2s","raw":"{"}', ["-:1:20: /raw: the line is not JSON"]),
        (
            json.dumps(request("turn/start", {"threadId": "t", "input": [{"type": "text"}]})),
            ["-:1:91: /params/input/0: 'text' is a required property"],
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, said):
    done = run("validate", "-", stdin=text.encode())

    assert done.code == Exit.FINDINGS
    assert [line[: len(wanted)] for line, wanted in zip(done.out.splitlines(), said, strict=True)] == said


def test_a_member_that_nobody_knows_is_a_warning():
    message = request("initialize", {**HELLO, "clientinfo": {}, "_vendor": 1})
    done = run("validate", "-", stdin=json.dumps(message).encode())

    assert (done.code, done.out.split(": ", 1)[1]) == (
        Exit.DONE,
        "/params/clientinfo: warning: the schema has no member of this name in InitializeParams\n",
    )


@pytest.mark.parametrize(
    ("type_name", "text", "code"),
    [
        ("Identifier", '"thread-1"', Exit.DONE),
        ("Identifier", '""', Exit.FINDINGS),
        ("RequestId", "null", Exit.FINDINGS),
    ],
)
def test_type_judges_a_value(type_name, text, code):
    assert run("validate", "--type", type_name, "-", stdin=text.encode()).code == code


def test_files_are_judged_apart_and_named(tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.jsonl"
    good.write_text(PING)
    bad.write_text(f"{PING}\n{{\n{PING}\n")
    done = run("validate", str(good), str(bad))

    assert (done.code, done.err) == (Exit.FINDINGS, "4 judged, 1 wrong, 0 warnings\n")
    assert done.out.startswith(f"{bad}:2:2: (root): not JSON")


def test_report_is_json():
    done = run("validate", "--format", "json", "-", stdin=b"[]")
    report = json.loads(done.out)

    assert (report["summary"], report["findings"][0]["line"]) == ({"values": 1, "errors": 1, "warnings": 0}, 1)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("absent.json", "cannot be read: No such file or directory"),
        (".", "a directory; name a file in it"),
        ("empty.json", "holds no message"),
    ],
)
def test_file_that_gives_nothing_to_judge(tmp_path, name, said):
    (tmp_path / "empty.json").write_text("\n \n")
    path = str(tmp_path / name)
    done = run("validate", path)

    assert (done.code, done.line) == (Exit.USAGE, f"turnwire: {path.removesuffix('/.')}: {said}")


def test_file_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("turnwire.cli.files.LARGEST", 1 << 20)
    done = run("validate", "/dev/zero")

    assert (done.code, done.line) == (Exit.USAGE, "turnwire: /dev/zero: longer than 1 MiB; give it in parts")


def test_type_that_is_not_in_the_schema():
    done = run("validate", "--type", "Nope", "-", stdin=b"1")

    assert (done.code, done.line) == (Exit.USAGE, "turnwire: --type Nope: the schema has no such definition")


@pytest.mark.parametrize(
    "path", sorted((ROOT / "protocol" / "transcripts").glob("*.jsonl")), ids=lambda path: path.name
)
def test_transcripts_show_a_server_that_is_lawful(path):
    found = json.loads(run("validate", "--format", "json", str(path)).out)["findings"]
    frames = dict(enumerate(map(json.loads, path.read_text().splitlines()), 1))

    # What a client does wrong is there to show how it is answered.
    assert [finding for finding in found if frames[finding["line"]]["dir"] == "s2c"] == []


@pytest.mark.parametrize(
    ("text", "pointer", "place"),
    [
        ("1", "", (1, 1)),
        (' {\n "a": [1,\n  {"b": "x"}]}', "/a/1/b", (3, 9)),
        ('{"a~b": 1, "c/d": 2}', "/c~1d", (1, 19)),
        ('{"a": 1}', "/b", (1, 1)),
        ("[1, 2]", "/7", (1, 1)),
        ("[]", "/0", (1, 1)),
        ('{"x": {"a": 0}, "a": 1}', "/a", (1, 22)),
    ],
)
def test_pointer_has_a_place(text, pointer, place):
    assert line_and_column(text, offset_of(text, pointer)) == place
