"""The OpenRPC documents: lawful by the meta schema, complete by the method table, and as strict as the bundle."""

import copy
import json

import jsonschema_rs
import pytest

from codegen.openrpc_rules import faults
from codegen.workshop import METHOD, ROOT, generate, protocol_of, record, write_protocol
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.openrpc import emit_openrpc
from turnwire_codegen.emit.openrpc.schemas import draft_7
from turnwire_codegen.load.beside import Beside, Call, Example, read_beside

PROTOCOL = ROOT / "protocol"
FILES = ("openrpc.json", "openrpc.client.json")
HEADER = Header(title="Things", version="1.0", digest="0" * 64, command="a test")


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """Both documents of the whole protocol, by file."""
    out = tmp_path_factory.mktemp("openrpc")
    assert 0 == generate("generate-openrpc", "--out", out, "--experimental")[0]
    assert {*FILES, "manifest.json"} == {path.name for path in out.iterdir()}
    return {name: json.loads((out / name).read_text()) for name in FILES}


@pytest.fixture
def document(documents):
    """A copy of what a client may send, to be spoilt."""
    return copy.deepcopy(documents["openrpc.json"])


@pytest.mark.parametrize("file", FILES)
def test_it_is_lawful(documents, file):
    assert [] == faults(documents[file])


def method_of(document, name):
    (method,) = [method for method in document["methods"] if method["name"] == name]
    return method


def spoil_version(document):
    document["openrpc"] = "1.4.0"


def spoil_info(document):
    del document["info"]["version"]


def spoil_twice(document):
    document["methods"].append(document["methods"][0])


def spoil_member(document):
    method_of(document, "turn/start")["emits"] = []


def spoil_error(document):
    document["components"]["errors"]["notFound"]["x-retryable"] = False


def spoil_reference(document):
    del document["components"]["schemas"]["Identifier"]


def spoil_sibling(document):
    method_of(document, "turn/start")["params"][0]["schema"]["description"] = "The thread."


def spoil_schema(document):
    document["components"]["schemas"]["Count"]["minimum"] = "0"


def spoil_tuple(document):
    document["components"]["schemas"]["Count"]["prefixItems"] = []


def spoil_required(document):
    method_of(document, "turn/start")["params"][0]["required"] = "yes"


def spoil_structure(document):
    method_of(document, "turn/start")["paramStructure"] = "by-luck"


def spoil_param(document):
    method_of(document, "turn/start")["examples"][0]["params"][0]["name"] = "thread"


def spoil_result(document):
    del method_of(document, "turn/start")["examples"][0]["result"]


SPOILT = [
    (spoil_version, "#/openrpc: no version 1.3"),
    (spoil_info, "#/info: lacks version"),
    (spoil_twice, "#/methods: initialize stands twice"),
    (spoil_member, "#/methods/turn/start: no emits"),
    (spoil_error, "#/components/errors/notFound: no x-retryable"),
    (spoil_reference, "#/methods/turn/start/threadId/schema: #/components/schemas/Identifier leads nowhere"),
    (spoil_sibling, "#/methods/turn/start/threadId/schema: a reference with siblings"),
    (spoil_schema, "#/components/schemas/Count: '0' is not of type 'number'"),
    (spoil_tuple, "#/components/schemas/Count: draft 7 has no prefixItems"),
    (spoil_required, "#/methods/turn/start/threadId/required: of another kind, or empty"),
    (spoil_structure, "#/methods/turn/start/paramStructure: no structure"),
    (spoil_param, "#/methods/turn/start/examples: no param thread"),
    (spoil_result, "#/methods/turn/start/examples: a notification has no result, a request has one"),
]


@pytest.mark.parametrize(("spoil", "expected"), SPOILT, ids=[row[0].__name__ for row in SPOILT])
def test_what_is_unlawful_is_found(document, spoil, expected):
    spoil(document)

    assert expected in faults(document)


def rows_of(side):
    rows = json.loads((PROTOCOL / "schema" / "methods.json").read_text())["methods"]
    return {row["name"]: row for row in rows if row["sender"] in (side, "both")}


def definitions():
    return json.loads((PROTOCOL / "bundle.json").read_text())["$defs"]


@pytest.mark.parametrize(("file", "side"), [("openrpc.json", "client"), ("openrpc.client.json", "server")])
def test_each_method_is_told_as_the_table_has_it(documents, file, side):
    told = {method["name"]: method for method in documents[file]["methods"]}
    known = definitions()

    assert list(rows_of(side)) == list(told)
    for name, row in rows_of(side).items():
        method, params = told[name], known[row["params"]]
        result = method.get("result", {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
        assert "by-name" == method["paramStructure"]
        assert list(params["properties"]) == [param["name"] for param in method["params"]]
        assert params.get("required", []) == [param["name"] for param in method["params"] if param["required"]]
        assert row.get("result", "") == result
        assert row.get("errors", []) == [error["$ref"].rpartition("/")[2] for error in method.get("errors", [])]
        assert row["description"] == method["description"]
        assert (row["sender"], row["clause"]) == (method["x-sender"], method["x-clause"])
        assert row.get("emits", []) == method.get("x-emits", [])


@pytest.mark.parametrize("file", FILES)
def test_each_error_is_told_as_the_table_has_it(documents, file):
    rows = json.loads((PROTOCOL / "schema" / "errors.json").read_text())["errors"]
    expected = {
        row["name"]: {
            "code": row["code"],
            "message": row["when"],
            "data": {"$ref": f"#/components/schemas/{row['data']}"},
        }
        for row in rows
    }

    assert expected == documents[file]["components"]["errors"]


def judge(schemas, name):
    root = {"$ref": f"#/components/schemas/{name}"}
    return jsonschema_rs.Draft7Validator({"allOf": [root], "components": {"schemas": schemas}})


def params_schema(method):
    """What the content descriptors of a method say of its params."""
    return {
        "type": "object",
        "properties": {param["name"]: param["schema"] for param in method["params"]},
        "required": [param["name"] for param in method["params"] if param["required"]],
    }


def schemas_of(documents):
    """Every type that the documents describe, params by the name that the table has for them."""
    rows = {**rows_of("client"), **rows_of("server")}
    methods = [method for file in FILES for method in documents[file]["methods"]]
    params = {rows[method["name"]]["params"]: params_schema(method) for method in methods}
    return {**params, **{name: schema for file in FILES for name, schema in components(documents[file]).items()}}


def components(document):
    return document["components"]["schemas"]


def vectors(kind):
    """The values of the vectors by type."""
    found: dict[str, list[object]] = {}
    for path in sorted((PROTOCOL / "vectors" / kind).glob("*/*.json")):
        found.setdefault(path.parent.name, []).append(json.loads(path.read_text())["value"])
    return found


@pytest.mark.parametrize(("kind", "expected"), [("valid", True), ("invalid", False)])
def test_the_schemas_judge_as_the_bundle_does(documents, kind, expected):
    schemas = schemas_of(documents)
    judged = {name: values for name, values in vectors(kind).items() if name in schemas}
    wrong = [
        (name, value)
        for name, values in judged.items()
        for value in values
        if expected != judge(schemas, name).is_valid(value)
    ]

    assert [] == wrong
    assert 100 < sum(map(len, judged.values()))


@pytest.mark.parametrize("file", FILES)
def test_the_examples_are_valid(documents, file):
    schemas, rows = schemas_of(documents), {**rows_of("client"), **rows_of("server")}
    shown = [
        (name, value) for name, schema in components(documents[file]).items() for value in schema.get("examples", [])
    ]
    pairs = [(method, pairing) for method in documents[file]["methods"] for pairing in method.get("examples", [])]
    for method, pairing in pairs:
        params = {param["name"]: param["value"] for param in pairing["params"]}
        shown.append((rows[method["name"]]["params"], params))
        if "result" in pairing:
            shown.append((pairing["result"]["name"], pairing["result"]["value"]))

    assert [] == [(name, value) for name, value in shown if not judge(schemas, name).is_valid(value)]
    assert 10 < len(pairs)
    assert 100 < len(shown)


def test_calls_come_from_transcripts():
    problems = []
    calls = read_beside(PROTOCOL, problems).calls

    assert [] == problems
    assert "coder" == calls["thread/start"][0].params["agent"]
    assert "thr_login" == calls["thread/start"][0].result["thread"]["id"]
    assert "approval/request" in calls


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            [
                {"dir": "c2s", "msg": {"id": 1, "method": "a", "params": {"n": 1}}},
                {"dir": "s2c", "msg": {"id": 1, "method": "b"}},
                {"dir": "c2s", "msg": {"id": "1", "method": "c"}},
                {"dir": "c2s", "msg": [{"id": 2, "method": "batch"}]},
                {"dir": "s2c", "msg": {"id": "1", "error": {}}},
                {"dir": "s2c", "msg": {"id": 1, "result": {"of": "a"}}},
                {"dir": "c2s", "msg": {"id": 1, "result": {"of": "b"}}},
            ],
            {"a": (Call("the one", {"n": 1}, {"of": "a"}),), "b": (Call("the one", {}, {"of": "b"}),)},
        ),
    ],
)
def test_an_id_belongs_to_its_caller(tmp_path, lines, expected):
    (tmp_path / "transcripts").mkdir()
    (tmp_path / "transcripts" / "the-one.jsonl").write_text("\n".join(map(json.dumps, lines)))
    problems = []

    assert expected == read_beside(tmp_path, problems).calls
    assert [] == problems


@pytest.mark.parametrize("line", ["{", "[]", '{"dir": "up", "msg": {}}', '{"dir": "c2s"}'])
def test_a_damaged_transcript_is_named(tmp_path, line):
    (tmp_path / "transcripts").mkdir()
    (tmp_path / "transcripts" / "t.jsonl").write_text(f'{{"dir": "c2s", "msg": {{}}}}\n{line}\n')
    problems = []
    read_beside(tmp_path, problems)

    assert ["transcripts/t.jsonl:2:1"] == [f"{problem.file}:{problem.where}" for problem in problems]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"$ref": "#/$defs/A"}, {"$ref": "#/components/schemas/A"}),
        (
            {"$ref": "#/$defs/A", "minimum": 1},
            {"allOf": [{"$ref": "#/components/schemas/A"}], "minimum": 1},
        ),
        (
            {"prefixItems": [{"$ref": "#/$defs/A"}], "items": False},
            {"items": [{"$ref": "#/components/schemas/A"}], "additionalItems": False},
        ),
        (
            {"properties": {"$ref": {"type": "string"}, "items": {"$ref": "#/$defs/A"}}, "const": {"$ref": "x"}},
            {
                "properties": {"$ref": {"type": "string"}, "items": {"$ref": "#/components/schemas/A"}},
                "const": {"$ref": "x"},
            },
        ),
        (True, True),
    ],
)
def test_draft_7(schema, expected):
    assert expected == draft_7(schema)


def test_examples_that_name_what_is_not_there_are_left_out(tmp_path):
    methods = {"methods": [METHOD, {**METHOD, "name": "thing/said", "kind": "notification", "result": None}]}
    methods["methods"][1].pop("result")
    protocol = protocol_of(write_protocol(tmp_path / "p", {}, methods=methods))
    odd, even = {"id": "x", "more": 1}, {"id": "x"}
    beside = Beside(
        calls={"thing/do": (Call("odd", odd, {}), Call("even", even, {}))},
        examples={"DoParams": (Example("odd", odd), Example("even", even))},
    )
    document = json.loads(emit_openrpc(protocol, beside, HEADER)["openrpc.json"])
    named = [{"name": "id", "value": "x"}]

    assert [] == faults(document)
    assert [{"name": "even", "params": named, "result": {"name": "DoResult", "value": {}}}] == (
        method_of(document, "thing/do")["examples"]
    )
    assert [{"name": "even", "params": named}] == method_of(document, "thing/said")["examples"]


def test_experimental_is_asked_for(tmp_path, documents):
    generate("generate-openrpc", "--out", tmp_path)
    stable = {method["name"] for file in FILES for method in json.loads((tmp_path / file).read_text())["methods"]}

    assert "tool/call" in {method["name"] for method in documents["openrpc.client.json"]["methods"]}
    assert "tool/call" not in stable
    assert [] == [fault for file in FILES for fault in faults(json.loads((tmp_path / file).read_text()))]


ARM = record("kind", "n", kind={"const": "a"}, n={"type": "integer"})
FOREIGN = {
    "$defs": {
        "NewRequest": {
            "oneOf": [
                {**ARM, "title": "First"},
                record("kind", "n", kind={"const": "b"}, n={"type": "string"}, also={"type": "boolean"}),
            ],
            "x-method": "session/new",
            "x-side": "agent",
        },
        "NewResponse": {**record(), "x-method": "session/new", "x-side": "agent"},
        "CancelNotification": {**record("id", id={"type": "string"}), "x-method": "$/cancel", "x-side": "protocol"},
    },
}


def test_a_foreign_protocol(tmp_path):
    (tmp_path / "s.json").write_text(json.dumps(FOREIGN))
    code, _, stderr = generate("generate-openrpc", "--out", tmp_path / "out", "--schema", tmp_path / "s.json")
    documents = {name: json.loads((tmp_path / "out" / name).read_text()) for name in FILES}
    params = {param["name"]: param for param in method_of(documents["openrpc.json"], "session/new")["params"]}

    assert (0, "") == (code, stderr)
    assert [] == [fault for document in documents.values() for fault in faults(document)]
    assert ["$/cancel"] == [method["name"] for method in documents["openrpc.client.json"]["methods"]]
    new = method_of(documents["openrpc.json"], "session/new")
    assert {"$ref": "#/components/schemas/NewRequest"} == new["x-params"]
    assert {"anyOf": [{"const": "a"}, {"const": "b"}]} == params["kind"]["schema"]
    assert {"kind": True, "n": True, "also": False} == {name: param["required"] for name, param in params.items()}


def test_a_schema_without_methods_is_refused(tmp_path):
    (tmp_path / "s.json").write_text("{}")
    code, _, stderr = generate("generate-openrpc", "--out", tmp_path / "out", "--schema", tmp_path / "s.json")

    assert 2 == code
    assert f"turnwire: {tmp_path / 's.json'}:#: names no methods; use generate-docs\n" == stderr
    assert not (tmp_path / "out").exists()


def test_our_own_reader_reads_it(tmp_path, documents):
    """What is written here is a schema to others, and to `--schema` too: the same methods with the same params."""
    (tmp_path / "openrpc.json").write_text(json.dumps(documents["openrpc.json"]))
    words = ["--out", tmp_path / "out", "--schema", tmp_path / "openrpc.json"]
    code, _, stderr = generate("generate-openrpc", *words)
    again = json.loads((tmp_path / "out" / "openrpc.json").read_text())
    first, second = ({m["name"]: params_schema(m) for m in d["methods"]} for d in (documents["openrpc.json"], again))

    assert (0, "") == (code, stderr)
    assert {name: list(schema["properties"]) for name, schema in first.items()} == {
        name: list(schema["properties"]) for name, schema in second.items()
    }
    assert [] == faults(again)
