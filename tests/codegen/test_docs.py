"""The reference says everything of a protocol once, and every link in it leads somewhere."""

import io
import json
import re
import shutil
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from codegen.workshop import METHOD, ROOT, arm, generate, protocol_of, record, write_protocol
from turnwire_codegen import canonical
from turnwire_codegen.emit.docs import emit_docs
from turnwire_codegen.emit.header import Header
from turnwire_codegen.load.beside import Beside, Example

PAGE = ROOT / "protocol" / "REFERENCE.md"
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
HEADER = Header(title="Things", version="1.0", digest="0" * 64, command="a test")
NASTY = "a|b `c|d` <script>alert(1)</script> & `e *f* _g_ [h](i) \\ $j$ ~~k~~ #1"


def anchors_of(text):
    return re.findall(r'<a id="([^"]+)"></a>', text)


def dead_links(text, folder):
    """Every link target in `text` that leads nowhere: no such anchor, no such file, no such heading in it."""
    here, dead = set(anchors_of(text)), []
    for target in re.findall(r"(?<!\\)\]\(([^)]+)\)", re.sub(r"```json.*?```", "", text, flags=re.DOTALL)):
        path, _, fragment = target.partition("#")
        file = folder / path
        known = here if not path else slugs(file.read_text()) if file.is_file() else set()
        if fragment not in known:
            dead.append(target)
    return dead


def slugs(text):
    """The anchors that a forge gives to headings."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def cells_of(lines):
    """The cells of a rendered table, row by row, as a reader sees them."""
    tokens = MARKDOWN.parse("\n".join(lines) + "\n")
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append("".join(child.content for child in token.children if child.type != "html_inline"))
    return rows


SMALL = {
    "A": arm("a", n={"anyOf": [{"type": "integer"}, {"type": "null"}], "x-null": "clears"}),
    "B": arm("b", s={"type": "string", "x-secret": True}),
    "Open": {"description": "Some.", "oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}], "x-open": True},
    "Word": {"description": "A word.", "oneOf": [{"const": "x", "description": "X."}]},
    "Holder": record("open", open={"$ref": "#/$defs/Open"}, word={"$ref": "#/$defs/Word"}),
}
TABLES = {
    "methods": {
        "methods": [
            {**METHOD, "errors": ["bad"], "emits": ["thing/done"], "capability": "things", "since": "1.0"},
            {
                "name": "thing/done",
                "sender": "server",
                "kind": "notification",
                "params": "A",
                "clause": "T-3",
                "description": "It is done.",
            },
        ],
    },
    "errors": {"errors": [{"code": -1, "name": "bad", "retryable": True, "when": "It is bad.", "clause": "T-2"}]},
    "states": {"machines": {"m": {"initial": "s", "terminal": [], "transitions": {"s": {"e": "s"}}, "clause": "T-1"}}},
    "capabilities": {"server": [{"key": "things", "promise": "It does.", "methods": ["thing/do"]}], "client": []},
}


def small_page(tmp_path, beside=None):
    protocol = protocol_of(write_protocol(tmp_path / "p", SMALL, **TABLES))
    return emit_docs(protocol, beside or Beside(), HEADER).decode()


SAID = [
    "# Turnwire Protocol 1.0: reference",
    """
<a id="method-thing/do"></a>

#### `thing/do`

**Request** of the client · capability [`things`](#capability-server-things) · stable · since 1.0 · T-1

Does it.

<a id="type-DoParams"></a>
**Params**: [DoParams](#type-DoParams)

A record.

| Member | Type | Required | Meaning |
| --- | --- | --- | --- |
| `id` | string | yes | The id. |

<a id="type-DoResult"></a>
**Result**: [DoResult](#type-DoResult)

A record.

No members of its own.

Errors: [`bad`](#error-bad)

Emits: [`thing/done`](#method-thing/done)
""",
    """
**Notification** of the server · stable · T-3

It is done.
""",
    "\nEmitted by: [`thing/do`](#method-thing/do)\n",
    "| `n` | integer or null | no | The n. null clears it. |",
    "| `s` | string | no | The s. Secret: never logged, and never echoed in an error. |",
    """
Some.

One of these objects, told apart by `type`.

| `type` | Type |
| --- | --- |
| `"a"` | [A](#type-A) |
| `"b"` | [B](#type-B) |

Others may come; readers keep what they do not know.
""",
    """
A word.

One of these values.

| Value | Meaning |
| --- | --- |
| `"x"` | X. |

Used by: [Holder](#type-Holder)
""",
    '| -1 | <a id="error-bad"></a>`bad` | yes | It is bad. | T-2 |',
    '| <a id="capability-server-things"></a>`things` | It does. | [`thing/do`](#method-thing/do) |',
    """
### m

Clause: T-1

```mermaid
stateDiagram-v2
  [*] --> s
  s --> s: e
```
""",
]


@pytest.mark.parametrize("expected", SAID)
def test_a_small_protocol(tmp_path, expected):
    page = small_page(tmp_path)

    assert expected in page
    assert [] == dead_links(page, tmp_path)


def test_clauses_and_examples_come_from_beside(tmp_path):
    beside = Beside(clauses={"T-1": "clauses/t.md#t-1-must"}, examples={"Word": (Example("the only one", "x"),)})
    page = small_page(tmp_path, beside)

    assert "[T-1](clauses/t.md#t-1-must)" in page
    assert '<details><summary>Example: the only one</summary>\n\n```json\n"x"\n```\n\n</details>\n' in page
    assert ["clauses/t.md#t-1-must"] * 2 == dead_links(page, tmp_path)


def schema(name):
    return json.loads((ROOT / "protocol" / "schema" / f"{name}.json").read_text())


def expected_anchors():
    """What has a place in the reference, by the files of the schema alone."""
    families = (ROOT / "protocol" / "schema").glob("*.json")
    types = [name for path in families for name in json.loads(path.read_text()).get("$defs", {})]
    return {
        *(f"type-{name}" for name in types),
        *(f"method-{row['name']}" for row in schema("methods")["methods"]),
        *(f"error-{row['name']}" for row in schema("errors")["errors"]),
        *(f"machine-{name}" for name in schema("states")["machines"]),
        *(f"capability-{side}-{row['key']}" for side in ("server", "client") for row in schema("capabilities")[side]),
    }


def test_everything_has_one_place():
    ids = anchors_of(PAGE.read_text())

    assert len(ids) == len(set(ids))
    assert expected_anchors() == {id_ for id_ in ids if id_.partition("-")[0] in
                                  {"type", "method", "error", "machine", "capability"}}  # fmt: skip


def test_every_link_leads_somewhere():
    text = PAGE.read_text()

    assert [] == dead_links(text, PAGE.parent)
    assert 500 < len(re.findall(r"\]\(#", text))
    assert 90 < len(re.findall(r"\]\(clauses/", text))


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        ("[a](#type-Nowhere)", "#type-Nowhere"),
        ("[a](clauses/no.md#a)", "clauses/no.md#a"),
        ("[a](clauses/turn.md#turn-999-must)", "clauses/turn.md#turn-999-must"),
    ],
)
def test_a_dead_link_is_found(broken, expected):
    assert [expected] == dead_links(f"{PAGE.read_text()}\n{broken}\n", PAGE.parent)


def test_every_type_with_an_example_shows_one():
    shown = PAGE.read_text().count("<details><summary>Example: ")

    assert len(list((ROOT / "protocol" / "examples").iterdir())) == shown


def test_the_page_of_the_command_is_the_committed_one(tmp_path):
    generate("generate-docs", "--out", tmp_path, "--experimental")
    whole, committed = (path.read_text().split("\n", 3) for path in (tmp_path / "REFERENCE.md", PAGE))

    assert committed[3] == whole[3]
    assert [] == dead_links(whole[3], tmp_path)


def test_experimental_is_asked_for(tmp_path):
    generate("generate-docs", "--out", tmp_path)
    stable = set(anchors_of((tmp_path / "REFERENCE.md").read_text()))

    assert "method-tool/call" in set(anchors_of(PAGE.read_text())) - stable
    assert "method-thread/start" in stable


def test_a_foreign_schema_has_types_only(tmp_path):
    (tmp_path / "s.json").write_text(json.dumps({"title": "Mine", "type": "object", "properties": {"a": True}}))
    code_, _, stderr = generate("generate-docs", "--out", tmp_path / "out", "--schema", tmp_path / "s.json")
    page = (tmp_path / "out" / "REFERENCE.md").read_text()

    assert (0, "") == (code_, stderr)
    assert ["## Types"] == re.findall("^## .*", page, re.MULTILINE)
    assert "| `a` | any JSON | no |" in page
    assert {"REFERENCE.md", "manifest.json"} == {path.name for path in (tmp_path / "out").iterdir()}


def test_what_the_page_does_not_say_is_degraded(tmp_path):
    odd = {
        "type": "object",
        "properties": {"a": {"type": "integer", "minimum": 1}},
        "if": {"required": ["a"]},
        "then": {"minProperties": 2},
    }
    (tmp_path / "s.json").write_text(json.dumps(odd))
    words = ["generate-docs", "--out", tmp_path / "out", "--schema", tmp_path / "s.json", "--fail-on-degraded"]
    code_, _, stderr = generate(*words)

    assert 1 == code_
    assert 1 == stderr.count("\n")
    assert "degraded" in stderr


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A copy of the protocol beside an empty package, with the generator pointed at it."""
    shutil.copytree(ROOT / "protocol", tmp_path / "protocol")
    (tmp_path / "python" / "turnwire").mkdir(parents=True)
    monkeypatch.setattr(canonical, "canonical_folder", lambda: tmp_path / "protocol")
    return tmp_path


def check_canonical() -> tuple[int, list[str], str]:
    stdout, stderr = io.StringIO(), io.StringIO()
    return canonical.main(["--check"], stdout, stderr), stdout.getvalue().splitlines(), stderr.getvalue()


def test_the_canonical_check_covers_the_page(checkout):
    page: Path = checkout / "protocol" / "REFERENCE.md"
    before = check_canonical()[1]
    page.write_text(page.read_text().replace("Opens the connection", "Shuts the connection"))
    code_, after, _ = check_canonical()

    assert 1 == code_
    assert "stale: protocol/REFERENCE.md" not in before
    assert "stale: protocol/REFERENCE.md" in after


def test_a_damaged_example_is_one_line(checkout):
    example = min((checkout / "protocol" / "examples").glob("*/*.json"))
    example.write_text("{")
    code_, stdout, stderr = check_canonical()

    assert (1, []) == (code_, stdout)
    assert 1 == stderr.count("\n")
    assert f"examples/{example.parent.name}/{example.name}:1:2: not JSON" in stderr


def test_a_nasty_schema_stays_text(tmp_path):
    schema = {
        "title": "Nasty --> <b>title</b> #",
        "description": NASTY,
        "type": "object",
        "properties": {
            NASTY: {"type": "string", "description": NASTY, "pattern": "^`a|b\\|c`$", "default": "x|`y`"},
            "": {"enum": ["a|b", "`", "<i>"], "description": "- a\n- b\n\n# c"},
            "long|": {"const": "a|b\nc"},
        },
        "required": [NASTY],
    }
    (tmp_path / "s.json").write_text(json.dumps(schema))
    code_, _, stderr = generate("generate-docs", "--out", tmp_path / "out", "--schema", tmp_path / "s.json")
    page = (tmp_path / "out" / "REFERENCE.md").read_text()
    lines = [line for line in page.splitlines() if line.startswith("|")]
    rows = cells_of(lines[:5])

    assert (0, "") == (code_, stderr)
    assert [4, 4, 4, 4] == [len(row) for row in rows]
    assert [NASTY, "yes"] == [rows[1][0], rows[1][2]]
    assert "string (matches ^`a|b\\|c`$)" == rows[1][1]
    assert rows[1][3].startswith("a|b c|d <script>alert(1)</script> & `e *f* _g_ [h](i) \\ $j$ ~~k~~ #1")
    assert rows[1][3].endswith('Absent means "x|`y`".')
    assert ['""', '"a|b\\nc"'] == [rows[2][0], rows[3][1]]
    html = re.findall(r"<[^>]+>", MARKDOWN.render(re.sub(r"^<!--.*$", "", page, flags=re.MULTILINE)))
    assert set() == {tag for tag in html if "script" in tag or tag in ("<b>", "<i>", "<h1>#", "<em>", "<s>")}
    assert [] == dead_links(page, tmp_path)
