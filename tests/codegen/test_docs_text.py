"""No text of a schema becomes markup, and each type, name and machine has one spelling in the reference."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from turnwire_codegen import rules
from turnwire_codegen.emit.docs.diagram import diagram, machine_table
from turnwire_codegen.emit.docs.names import anchor
from turnwire_codegen.emit.docs.text import block, cell, code, comment, inline, table
from turnwire_codegen.emit.docs.types import type_text
from turnwire_codegen.ir import AnyValue, Const, ListOf, Machine, MapOf, Nullable, Ref, Scalar, TupleOf

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def table_of(lines):
    """The cells of a rendered table, row by row, as a reader sees them."""
    tokens = MARKDOWN.parse("\n".join(lines) + "\n")
    assert "table_open" == tokens[0].type
    cells: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            cells.append([])
        elif token.type == "inline":
            cells[-1].append(seen(token))
    return cells


def seen(token):
    """The text of an inline token; what the text was not meant to be fails the test."""
    kinds = {child.type for child in token.children}
    allowed = {"text", "text_special", "code_inline", "html_inline"}
    assert kinds <= allowed, kinds - allowed
    assert {"<code>", "</code>", "<br>"} >= {child.content for child in token.children if child.type == "html_inline"}
    return " ".join("".join(child.content for child in token.children if child.type != "html_inline").split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("a|b", r"a\|b"),
        ("`a` and `b", r"`a` and \`b"),
        ("``a`b``", "``a`b``"),
        ("`a|b`", "<code>a&#124;b</code>"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("`<b>`", "`<b>`"),
        ("two\nlines\t\x07here", "two lines here"),
        ("right\u202eleft", "right left"),
        ("# no heading", r"\# no heading"),
    ],
)
def test_a_sentence(text, expected):
    assert expected == inline(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo\n\n\nthree", ("one two", "", "three")),
        ("some:\n- a\n  b\n- c", ("some:", "- a b", "- c")),
        ("1. first\n2) second", ("1. first", "2) second")),
        ("* a\n* b", ("- a", "- b")),
        ("1.5 is text", ("1\\.5 is text",)),
        ("---", ("\\---",)),
        ("+ a", ("\\+ a",)),
        ("    indented", ("indented",)),
        ("- - a", ("- \\- a",)),
        ("", ()),
    ],
)
def test_paragraphs(text, expected):
    assert expected == block(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "`a`"),
        ("a`b", "``a`b``"),
        ("`", "`` ` ``"),
        (" a", "`  a `"),
        ("", "<code></code>"),
        ("a|<", "<code>a&#124;&#60;</code>"),
    ],
)
def test_code(text, expected):
    assert expected == code(text)


ODD = st.text(alphabet="ab`|\\*_[]<>&~$#-+=1.):!(/ \n\"'^;", min_size=1, max_size=16)


@settings(max_examples=400, deadline=None)
@given(ODD)
def test_no_text_leaves_its_cell(text):
    shown = inline(text)
    (_, row) = table_of(table(("A", "B"), [(f"a{shown}", "end")]))
    spans = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", lambda span: span[2].strip(), text, flags=re.DOTALL)

    assert 2 == len(row)
    assert "end" == row[1]
    assert f"a{''.join(spans.split())}" == "".join(row[0].split())


@settings(max_examples=400, deadline=None)
@given(ODD)
def test_no_text_leaves_its_paragraph(text):
    kinds = {token.type for token in MARKDOWN.parse("\n".join(block(text)) + "\n")}

    assert kinds <= {
        *("paragraph_open", "paragraph_close", "inline", "bullet_list_open", "bullet_list_close"),
        *("list_item_open", "list_item_close", "ordered_list_open", "ordered_list_close"),
    }


@settings(max_examples=400, deadline=None)
@given(ODD)
def test_no_lines_leave_their_cell(text):
    rows = table_of(table(("A", "B"), [(f"a{cell(text)}", "end")]))

    assert [2, 2] == [len(row) for row in rows]


def test_lines_in_a_cell():
    assert r"one two<br>- a<br>- b\|<br>c" == cell("one\ntwo\n- a\n- b|\n\nc\n")


def test_the_oracle_sees_what_is_not_escaped():
    assert ["a", "b"] == table_of(table(("A", "B"), [("a|b", "end")]))[1]
    with pytest.raises(AssertionError, match="em_open"):
        table_of(table(("A", "B"), [("*a*", "end")]))


def test_a_comment_is_not_ended():
    assert "--out <x> --&gt; <b>" == comment("--out <x> --> <b>")


def test_columns_without_content_are_left_out():
    assert ("| A | C |", "| --- | --- |", "| 1 | 2 |") == table(("A", "B", "C"), [("1", "", "2")])
    assert () == table(("A",), [])


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (Scalar("string", (rules.Length(1, 160), rules.Pattern("^a"))), "string (1 to 160 code points, matches `^a`)"),
        (Scalar("integer", (rules.Bound(min=0, max=9),)), "integer (0 to 9)"),
        (Scalar("integer", (rules.Bound(min=1),)), "integer (at least 1)"),
        (Scalar("number", (rules.Bound(above=0, below=1), rules.Multiple(0.5))),
         "number (above 0, below 1, a multiple of 0.5)"),
        (Scalar("string", (rules.Length(0, 0),)), "string (exactly 0 code points)"),
        (Scalar("string", (rules.Format("date-time"),)), "string (format `date-time`)"),
        (Const(None), "`null`"),
        (Const("a|b"), "<code>&#34;a&#124;b&#34;</code>"),
        (Ref("Item"), "[Item](#type-Item)"),
        (Nullable(Ref("A")), "[A](#type-A) or null"),
        (Nullable(ListOf(Ref("A"))), "list of [A](#type-A), or null"),
        (ListOf(Nullable(Scalar("string")), (rules.Count("items", 0, 3), rules.Unique())),
         "list of (string or null) (at most 3 items, no two items equal)"),
        (MapOf(Ref("A"), (rules.Count("members", 2, None),)), "map of [A](#type-A) (at least 2 members)"),
        (MapOf(AnyValue()), "object"),
        (TupleOf((Scalar("string"), Scalar("null"))), "list of exactly: string, null"),
        (TupleOf((Scalar("string"),), AnyValue()), "list of exactly: string, then any number of any JSON"),
    ],
)  # fmt: skip
def test_types_in_words(node, expected):
    assert expected == type_text(node)


def test_a_rule_that_binds_no_type_is_refused():
    with pytest.raises(AssertionError, match="Required binds no type"):
        type_text(Scalar("string", (rules.Required(("a",)),)))


def test_different_names_have_different_anchors():
    names = ["a/b", "a-b", "a b", "a~20~b", "a.b", "a_b", "A/b", "a\u00e9b", '"><script>']
    ids = [anchor("method", name) for name in names]

    assert len(names) == len(set(ids))
    assert all(re.fullmatch(r"[A-Za-z0-9_./~-]+", id_) for id_ in ids)
    assert "method-turn/queue/list" == anchor("method", "turn/queue/list")


def test_a_machine_is_drawn():
    machine = Machine(
        name="m",
        initial="open",
        terminal=("end",),
        transitions={
            "open": {"x/y": "open", "z": "open", "stop": "end", "no": None},
            "end": {},
            'a "b"': {"t:u": "open"},
        },
    )

    assert (
        "stateDiagram-v2",
        '  state "end" as s1_',
        '  state "a #34;b#34;" as s2_',
        "  [*] --> open",
        "  open --> open: x/y, z",
        "  open --> s1_: stop",
        "  s2_ --> open: t#58;u",
        "  s1_ --> [*]",
    ) == diagram(machine)
    assert (
        "| State | `x/y` | `z` | `stop` | `no` | `t:u` |",
        "| --- | --- | --- | --- | --- | --- |",
        "| `open`, initial | `open` | `open` | `end` | — | — |",
        "| `end`, terminal | — | — | — | — | — |",
        '| `a "b"` | — | — | — | — | `open` |',
    ) == machine_table(machine)
