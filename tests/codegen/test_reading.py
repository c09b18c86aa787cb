"""Where a schema comes from: stdin, YAML, a folder, a part of a document; OpenRPC; names that are given."""

import importlib
import io
import json
import sys

import pytest

from codegen.foreign_cases import OBJECT, of
from codegen.workshop import ROOT, decoder_of, generate, import_package
from turnwire_codegen.cli import main
from turnwire_codegen.load.foreign.front import Reading, load_foreign
from turnwire_codegen.load.yaml_text import yaml_value

TEXT = {"type": "string"}
OPENRPC = {
    "openrpc": "1.3.2",
    "info": {"title": "Pets", "version": "1"},
    "methods": [
        {
            "name": "pet.find",
            "summary": "Finds one.",
            "params": [
                {"name": "id", "required": True, "schema": {"type": "integer", "minimum": 1}, "description": "Which."},
                {"$ref": "#/components/contentDescriptors/Lang"},
            ],
            "result": {"name": "pet", "schema": {"$ref": "#/components/schemas/Pet"}},
        },
        {"name": "pet/list", "params": [], "result": {"name": "l", "schema": {"type": "array", "items": TEXT}}},
        {
            "name": "add",
            "paramStructure": "by-position",
            "params": [{"name": "a", "schema": {"type": "integer"}, "required": True}, {"name": "b", "schema": TEXT}],
        },
        {"$ref": "#/components/methods/Nowhere"},
        {"name": "add", "params": []},
        {"name": "pet/find", "params": [{"name": "colour", "schema": TEXT}]},
    ],
    "components": {
        "schemas": {"Pet": of(name=TEXT), "PetListParams": OBJECT},
        "contentDescriptors": {"Lang": {"name": "lang", "schema": TEXT}},
    },
}
YAML = """
openrpc: 1.3.2
info: {title: Switch, version: "1"}
methods:
  - name: turn
    params:
      - {name: on, required: true, schema: {enum: [on, off, "1", 2]}}
    result: {name: done, schema: {type: boolean}}
"""


def write(folder, name, value):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(value if isinstance(value, str) else json.dumps(value))
    return folder / name


def rows_of(path, **reading):
    loaded, _, problems = load_foreign(path, Reading(**reading))
    assert [] == problems
    return {row.name: (row.kind, row.sender, row.params, row.result) for row in loaded.protocol.methods}


def made_of(tmp_path, *words):
    """The package of a schema, with all types decodable."""
    home = tmp_path / f"made_{abs(hash(tmp_path))}"
    code, _, stderr = generate("generate-python", "--out", home, *words)
    assert 0 == code, stderr
    package = import_package(home)
    for name in importlib.import_module(f"{package.__name__}.methods").TYPES:
        assert decoder_of(package, name)
    return package


def test_openrpc_methods(tmp_path):
    path = write(tmp_path, "rpc.json", OPENRPC)
    expected = {
        "pet.find": ("request", "client", "PetFindParams", "Pet"),
        "pet/list": ("request", "client", None, "PetListResult"),
        "add": ("notification", "client", "AddParams", None),
        "pet/find": ("notification", "client", "PetFindParams73AA22", None),
    }

    assert expected == rows_of(path) == rows_of(path, form="openrpc")
    assert {} == rows_of(path, form="plain")


def test_openrpc_types_decode_and_refuse(tmp_path):
    report = tmp_path / "report.json"
    package = made_of(tmp_path, "--schema", write(tmp_path, "rpc.json", OPENRPC), "--report", report)
    find = decoder_of(package, "PetFindParams")

    assert package.PetFindParams(id=1, lang="en") == find('{"id":1,"lang":"en"}')
    for wrong in ("{}", '{"id":0}', '{"id":1,"lang":2}'):
        with pytest.raises(ValueError):
            find(wrong)
    assert ["a"] == decoder_of(package, "PetListResult")('["a"]')
    entries = {entry["pointer"]: entry["verdict"] for entry in json.loads(report.read_text())["entries"]}
    assert ["degraded", "degraded"] == [entries["#/methods/3"], entries["#/methods/4"]]


def test_yaml_words_are_what_they_are_in_json(tmp_path):
    package = made_of(tmp_path, "--schema", write(tmp_path, "switch.yaml", YAML))
    decode = decoder_of(package, "TurnParams")

    assert ["on", "off", "1", 2] == [decode(json.dumps({"on": word})).on for word in ("on", "off", "1", 2)]
    for wrong in (True, 1, "2"):
        with pytest.raises(ValueError):
            decode(json.dumps({"on": wrong}))


SCALARS = [
    ("[1, -2, 1.5, 1e3, .5]", [1, -2, 1.5, 1000.0, 0.5]),
    ("[yes, 2024-01-01, 0x1F, 1_000, '1']", ["yes", "2024-01-01", "0x1F", "1_000", "1"]),
    ("[true, False, null, ~, ]", [True, False, None, None]),
    ("{on: 1, 2: x, null: y}", {"on": 1, "2": "x", "null": "y"}),
    ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
    ("", None),
]


@pytest.mark.parametrize(("text", "expected"), SCALARS)
def test_yaml_values(text, expected):
    found = []

    assert expected == yaml_value(text, "x.yaml", found)
    assert [] == found


FAULTS = [
    ("a: 1\na: 2", "x.yaml:2:1: the member 'a' stands twice"),
    ("a: [1", "x.yaml:1:6: not YAML: expected ',' or ']'"),
    ("a: b: c", "x.yaml:1:5: not YAML: mapping values are not allowed here"),
    ("? [1]\n: 2", "x.yaml:1:3: a key that is no text"),
    ("a: &x [*x]", "x.yaml:1:4: an alias to a value that it is itself a part of"),
    (
        "a0: &a0 [x, x]\n" + "".join(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}]\n" for n in range(25)),
        "x.yaml:19:6: more than 1,",
    ),
    ("--- 1\n--- 2", "x.yaml:2:1: not YAML: but found another document"),
    ("a: \x07", "x.yaml:#: not YAML: unacceptable character"),
    ("[" * 5000, "x.yaml:#: nested too deeply"),
]


@pytest.mark.parametrize(("text", "message"), FAULTS, ids=[row[1] for row in FAULTS])
def test_yaml_faults_have_a_place(text, message):
    found = []

    assert yaml_value(text, "x.yaml", found) is None
    assert [message] == [str(problem)[: len(message)] for problem in found]


def test_yaml_without_its_package_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    path = write(tmp_path, "s.yml", "type: string")
    code, stdout, stderr = generate("generate-ts", "--out", tmp_path / "out", "--schema", path)

    assert (2, "", 1) == (code, stdout, stderr.count("\n"))
    assert "YAML needs PyYAML; run: pip install 'turnwire[codegen]', or write JSON" in stderr


def test_stdin(tmp_path):
    stdout, stderr = io.StringIO(), io.StringIO()
    words = ["generate-ts", "--out", str(tmp_path / "out"), "--schema", "-"]
    code = main(words, io.StringIO(json.dumps({"$defs": {"Pet": of(name=TEXT)}})), stdout, stderr)

    assert (0, "") == (code, stderr.getvalue())
    assert "Pet" in (tmp_path / "out" / "types.ts").read_text()


FOLDER = {
    "pet.json": {**of(name={"$ref": "common.json#/$defs/Name"}, next={"$ref": "#"}), "title": "Pet"},
    "common.json": {"$id": "https://x.example/c.json", "$defs": {"Name": {"type": "string", "minLength": 1}}},
    "owner.yaml": "title: Owner\ntype: object\nproperties:\n  pet: {$ref: ./pet.json}\n"
    "  name: {$ref: 'https://x.example/c.json#/$defs/Name'}\n  gone: {$ref: elsewhere.json}\n",
    "README.md": "no schema",
}


def test_a_folder_is_one_schema(tmp_path):
    for name, value in FOLDER.items():
        write(tmp_path / "schemas", name, value)
    report = tmp_path / "report.json"
    package = made_of(tmp_path, "--schema", tmp_path / "schemas", "--report", report)

    assert {"Name", "Owner", "Pet"} == set(package.__all__)
    with pytest.raises(ValueError, match=r"\$.name"):
        decoder_of(package, "Owner")('{"name":""}')
    with pytest.raises(ValueError, match=r"\$.pet.next"):
        decoder_of(package, "Owner")('{"pet":{"name":"y","next":1}}')
    entries = json.loads(report.read_text())["entries"]
    lost = [entry["pointer"] for entry in entries if entry["verdict"] == "degraded"]
    assert ["#/$defs/owner/properties/gone"] == lost


def test_a_part_of_a_document(tmp_path):
    openapi = {
        "openapi": "3.1.0",
        "components": {"schemas": {"Pet": of(name=TEXT), "Dog": of(age={"type": "integer"})}},
    }
    path = write(tmp_path, "api.json", openapi)
    whole, one = (
        load_foreign(path, Reading(root=root))[0] for root in ("#/components/schemas", "/components/schemas/Pet")
    )

    assert {"Pet", "Dog"} == set(whole.declared)
    assert {"Pet": "#/components/schemas/Pet"} == one.declared
    assert "Pet" == one.root


def test_our_own_openrpc_is_read_back(tmp_path):
    assert 0 == generate("generate-openrpc", "--out", tmp_path)[0]
    ours = json.loads((ROOT / "protocol" / "bundle.stable.json").read_text())["x-methods"]
    expected = {row["name"]: row.get("result") for row in ours if row["sender"] != "server"}
    read = rows_of(tmp_path / "openrpc.json")

    assert expected == {name: result for name, (_, _, _, result) in read.items()}


def test_mending_has_all_the_words(tmp_path):
    schema = write(tmp_path, "s.json", {"$defs": {"pet": TEXT}})
    names = write(tmp_path, "n.json", {"pet": "Animal"})
    words = ["generate-ts", "--out", tmp_path / "out", "--schema", schema, "--root", "#/$defs", "--names", names]
    code, stdout, _ = generate(*words, "--check")

    assert (1, f"mend with: turnwire {' '.join(map(str, words))}".replace("#/$defs", "'#/$defs'")) == (
        code,
        stdout.splitlines()[-1],
    )


S = {"$defs": {"a": TEXT}}
WRONG = [
    ("no such part", S, ["--root", "#/x"], "s.json:#/x: nothing is there; name the pointer of a schema with --root"),
    ("no pointer", S, ["--root", "a"], "s.json:#a: is no JSON pointer; write one that begins with #/"),
    ("part no schema", S, ["--root", "#/$defs/a/type"], "s.json:#/$defs/a/type: is no schema"),
    ("not that form", S, ["--form", "openrpc"], "is nothing of the form openrpc; leave --form out, or name another"),
    ("unheard form", S, ["--form", "wsdl"], "invalid choice: 'wsdl'"),
    ("form and root", S, ["--form", "plain", "--root", "#/$defs"], "--form and --root exclude each other"),
    ("names of nothing", S, ["--names", {"b": "Bee"}], "n.json:#/b: nothing in the schema is called so; mend the key"),
    ("no name", S, ["--names", {"a": "a b"}], "n.json:#/a: 'a b' is no name; write letters and digits: `Pet`"),
    ("no such member", S, ["--names", {"A.b": "c"}], "n.json:#/A.b: nothing in the schema is called so"),
    ("names no table", S, ["--names", []], "n.json:#: a map of names is one table"),
    ("name twice", S, ["--names", {"a": "X", "b": "X"}], "n.json:#: X is given 2 times"),
    ("no names file", S, ["--names", None], "n.json:#: cannot be read"),
]


@pytest.mark.parametrize(("schema", "words", "message"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_wrong_use_is_one_line(tmp_path, schema, words, message):
    path = write(tmp_path, "s.json", schema)
    if words[0] == "--names":
        names = tmp_path / "n.json"
        if words[1] is not None:
            write(tmp_path, names.name, words[1])
        words = ["--names", names]
    code, stdout, stderr = generate("generate-ts", "--out", tmp_path / "out", "--schema", path, *words)

    assert (2, "", 1) == (code, stdout, stderr.count("\n"))
    assert message in stderr
    assert not (tmp_path / "out").exists()


def copies(name):
    """A file as an exporter makes it: what it needs stands in it, whoever else has that too."""
    node = of(next={"$ref": "#/$defs/Node"}, leaf={"$ref": "#/$defs/Leaf"})
    return {**of(node={"$ref": "#/$defs/Node"}), "title": name, "$defs": {"Node": node, "Leaf": of(n=TEXT)}}


def test_copies_of_a_definition_are_one(tmp_path):
    other = copies("Other")
    other["$defs"]["Leaf"] = of(n={"type": "integer"})
    for name, file in (("one", copies("One")), ("two", copies("Two")), ("other", other)):
        write(tmp_path / "schemas", f"{name}.json", file)
    loaded, _, problems = load_foreign(tmp_path / "schemas")
    homes = sorted(pointer for pointer in loaded.declared.values() if pointer.count("/") > 2)

    # Node says the same everywhere, but in `other` it leads to another Leaf.
    assert [] == problems
    assert [f"#/$defs/{file}/$defs/{name}" for file in ("one", "other") for name in ("Leaf", "Node")] == homes
    package = made_of(tmp_path, "--schema", tmp_path / "schemas")
    for name, good, bad in (("Two", '"x"', "1"), ("Other", "1", '"x"')):
        text = '{"node":{"leaf":{"n":N},"next":NEXT}}'.replace("N}", f"{good}}}", 1)
        with pytest.raises(ValueError, match="next"):
            decoder_of(package, name)(text.replace("NEXT", "1"))
        with pytest.raises(ValueError, match=r"leaf\.n"):
            decoder_of(package, name)('{"node":{"leaf":{"n":N}}}'.replace("N", bad))


def test_a_copy_of_a_whole_file_is_led_there(tmp_path):
    node = of(next={"$ref": "#"})
    write(tmp_path / "schemas", "node.json", {"title": "Node", **node})
    user = {"title": "User", **of(node={"$ref": "#/$defs/Node"}), "$defs": {"Node": of(next={"$ref": "#/$defs/Node"})}}
    write(tmp_path / "schemas", "user.json", user)
    loaded, document, _ = load_foreign(tmp_path / "schemas")

    assert {"Node": "#/$defs/node", "User": "#/$defs/user"} == loaded.declared
    assert {"$ref": "#/$defs/node"} == document["$defs"]["user"]["properties"]["node"]


FOLDERS = [
    ({"README.md": "x"}, "holds no schema; name a folder with files that end in .json, .yaml, .yml"),
    ({"a.json": "[]"}, "in a folder of schemas every file is an object"),
    ({"a.json": {"$schema": "x"}, "b.json": {"$schema": "y"}}, "the files are of different dialects: x, y"),
]


@pytest.mark.parametrize(("files", "message"), FOLDERS, ids=["none", "a list", "two dialects"])
def test_a_wrong_folder_is_one_line(tmp_path, files, message):
    for name, value in files.items():
        write(tmp_path / "schemas", name, value)
    code, _, stderr = generate("generate-ts", "--out", tmp_path / "out", "--schema", tmp_path / "schemas")

    assert (2, 1) == (code, stderr.count("\n"))
    assert message in stderr


@pytest.mark.parametrize("words", [["--root", "#"], ["--form", "plain"], ["--names", "n.json"]])
def test_the_protocol_itself_is_read_in_one_way(tmp_path, words):
    code, _, stderr = generate("generate-ts", "--out", tmp_path / "out", *words)

    assert (2, f"turnwire: {words[0]} is about a schema of your own; name it with --schema\n") == (code, stderr)
