"""`turnwire generate`: all that a project's file names, by the file's own schema, and a place for every mistake."""

import json
import tomllib

import pytest
from jsonschema import Draft202012Validator

from codegen.workshop import ROOT, generate
from turnwire.cli import COMMANDS as WORDS
from turnwire_codegen.cli import _parser
from turnwire_codegen.emit.styles import STYLES
from turnwire_codegen.load.foreign.front import FRONT_ENDS
from turnwire_codegen.outputs import COMMANDS
from turnwire_codegen.project import find_configuration, read_rows

SCHEMA = json.loads((ROOT / "codegen" / "turnwire_codegen" / "turnwire-toml.json").read_text())
ROW = SCHEMA["$defs"]["Generate"]["properties"]
PET = {"$defs": {"pet": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}}
TWO = """
[[generate]]
target = "python"
out = "made/python"
schema = "pets.json"
names = "names.toml"

[[generate]]
target = "ts"
out = "made/ts"
schema = "pets.json"
root = "#/$defs"
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with a schema, in which the command runs."""
    (tmp_path / "pets.json").write_text(json.dumps(PET))
    (tmp_path / "names.toml").write_text('pet = "Animal"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def in_pyproject(text):
    return text.replace("[[generate]]", "[[tool.turnwire.generate]]")


@pytest.mark.parametrize(
    ("name", "text"), [("turnwire.toml", TWO), ("pyproject.toml", in_pyproject(TWO))], ids=["own", "pyproject"]
)
def test_every_row_is_made_and_checked(project, name, text):
    (project / name).write_text(text)
    before, made, after = generate("generate", "--check"), generate("generate"), generate("generate", "--check")

    assert [1, 0, 0] == [before[0], made[0], after[0]]
    assert ["", "", ""] == [before[2], made[2], after[2]]
    assert "class Animal" in (project / "made/python/types.py").read_text()
    assert "type Pet" in (project / "made/ts/types.ts").read_text()
    mending = [line.removeprefix("mend with: turnwire ") for line in before[1].splitlines() if "mend" in line]
    assert [
        "generate-python --out made/python --schema pets.json --names names.toml",
        "generate-ts --out made/ts --schema pets.json --root '#/$defs'",
    ] == mending


def test_one_stale_row_does_not_hide_the_next(project):
    (project / "turnwire.toml").write_text(TWO)
    generate("generate")
    for path in ("made/python/types.py", "made/ts/types.ts"):
        (project / path).write_text("stale")
    code, stdout, _ = generate("generate", "--check")

    assert 1 == code
    assert ["stale: made/python/types.py", "stale: made/ts/types.ts"] == [
        line for line in stdout.splitlines() if line.startswith("stale")
    ]


def test_paths_begin_where_the_file_lies(project, monkeypatch):
    (project / "turnwire.toml").write_text(TWO)
    (project / "elsewhere").mkdir()
    monkeypatch.chdir(project / "elsewhere")

    assert 0 == generate("generate", "--config", "../turnwire.toml")[0]
    assert (project / "made/ts/types.ts").exists()


def test_flags_win(project):
    (project / "turnwire.toml").write_text('[[generate]]\ntarget = "json-schema"\nout = "s"\nexperimental = false\n')
    generate("generate")
    stable = len(list((project / "s" / "methods").rglob("*.json")))
    dry = generate("generate", "--experimental", "--dry-run")

    assert 0 == dry[0]
    assert stable == len(list((project / "s" / "methods").rglob("*.json")))
    generate("generate", "--experimental")
    assert stable < len(list((project / "s" / "methods").rglob("*.json")))


def test_its_own_file_comes_before_pyproject(project):
    (project / "pyproject.toml").write_text(in_pyproject(TWO))

    assert "pyproject.toml" == find_configuration(project).name
    (project / "turnwire.toml").write_text(TWO)
    assert "turnwire.toml" == find_configuration(project).name


def row(**members):
    lines = {"target": '"ts"', "out": '"x"', **members}
    return "[[generate]]\n" + "".join(f"{key} = {value}\n" for key, value in lines.items() if value is not None)


# name, text, message, whether the published schema refuses it too
FAULTS = [
    ("syntax", "[[generate]\n", "turnwire.toml:1:11: not TOML: expected ']]' at the end of an array declaration", None),
    ("twice", "a = 1\na = 2\n", "turnwire.toml:2:6: not TOML: cannot overwrite a value", None),
    ("nothing", "", "turnwire.toml:#: says nothing of what to generate; add a table [[generate]]", False),
    ("no table", 'generate = "x"\n', "turnwire.toml:#/generate: is no array; write [[generate]]", True),
    ("no row", "generate = [1]\n", "turnwire.toml:#/generate/0: is no object; write a table", True),
    ("other table", row() + "[serve]\n", "turnwire.toml:#/serve: no such key; use generate", True),
    ("no target", row(target=None), "turnwire.toml:#/generate/0: has no target; add target = …", True),
    ("no out", row(out=None), "turnwire.toml:#/generate/0: has no out; add out = …", True),
    ("unheard target", row(target='"cobol"'), "#/generate/0/target: 'cobol' is none of the values; write one of", True),
    ("unheard key", row(ouput='"x"'), "#/generate/0/ouput: no such key; use target, out, schema", True),
    ("number", row(out="1"), "turnwire.toml:#/generate/0/out: is no string; write text in quotes", True),
    ("text for truth", row(experimental='"yes"'), "/experimental: is no boolean; write true or false", True),
    ("empty path", row(out='""'), "/out: is empty; write a path", True),
    ("null", row(out='"a\\u0000"'), "/out: has a control character; write it without", True),
    ("new line", row(root='"a\\n"', schema='"s"'), "root: has a control character", True),
    (
        "style of others",
        row(style='"pydantic"'),
        '/style: is about Python; leave the key out, or write target = "',
        False,
    ),
    ("form of nothing", row(form='"mcp"'), "/form: is about a schema of your own; add schema", False),
    ("stdin", row(schema='"-"'), "/schema: is the standard input, which has no folder; name a file", False),
    ("same folder", row() + row(target='"docs"', out='"./x"'), "/1/out: ./x is the folder of row 0 too", False),
]


@pytest.mark.parametrize(("text", "message"), [row[1:3] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_a_fault_is_one_line_with_its_key(project, text, message):
    (project / "turnwire.toml").write_text(text)
    code, stdout, stderr = generate("generate")

    assert (2, "", 1) == (code, stdout, stderr.count("\n"))
    assert message in stderr
    assert not (project / "x").exists()


def test_every_fault_is_told_at_once(project):
    (project / "turnwire.toml").write_text(row(target='"cobol"', out="1", more="1"))

    assert 3 == generate("generate")[2].count("\n")


@pytest.mark.parametrize(
    ("text", "refused"), [(row[1], row[3]) for row in FAULTS if row[3] is not None] + [(TWO, False)]
)
def test_the_published_schema_says_the_same(text, refused):
    assert refused == (not Draft202012Validator(SCHEMA).is_valid(tomllib.loads(text)))


def test_a_fault_in_pyproject_has_its_place_there(project):
    (project / "pyproject.toml").write_text(in_pyproject(row(out="1")))

    assert "pyproject.toml:#/tool/turnwire/generate/0/out: is no string" in generate("generate")[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no turnwire.toml here, and no [tool.turnwire] in pyproject.toml; name a file with --config"),
        (["--config", "no.toml"], "no.toml:#: cannot be read: no such file or directory; name a readable file"),
        (["--fast"], "unrecognized arguments: --fast; see turnwire generate --help"),
    ],
)
def test_wrong_use_is_one_line(project, words, message):
    assert (2, "", f"turnwire: {message}\n") == generate("generate", *words)


def test_the_schema_knows_what_the_commands_know():
    Draft202012Validator.check_schema(SCHEMA)

    assert sorted(name.removeprefix("generate-") for name in COMMANDS) == sorted(ROW["target"]["enum"])


def test_the_command_line_knows_every_command():
    assert {"generate", *COMMANDS} == {word.name for word in WORDS if word.name.startswith("generate")}
    assert sorted(FRONT_ENDS) == sorted(ROW["form"]["enum"])
    assert list(STYLES) == ROW["style"]["enum"]
    flags = {word for action in _parser("generate-python")._actions for word in action.option_strings}
    assert {f"--{key}" for key in ROW if key != "target"} <= flags


def test_help():
    code, stdout, stderr = generate("generate", "--help")

    assert (0, "") == (code, stderr)
    assert "example: " in stdout
    assert "exit codes: 0 done, 1 findings, 2 wrong use" in stdout


def test_rows_are_read_from_the_example_of_the_help(tmp_path):
    shown = generate("generate", "--help")[1].partition("printf '")[2].partition("'")[0]
    path = tmp_path / "turnwire.toml"
    path.write_text(shown.replace("\\n", "\n"))

    assert [{"target": "ts", "out": "types"}] == read_rows(path, [])
