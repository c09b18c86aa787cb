"""Markdown, escaped in one place: what a schema says is text, and code spans and lists are all its markup."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

__all__ = ["block", "cell", "code", "comment", "inline", "link", "literal", "table"]

_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# What opens emphasis, links, code, cells, headings, strikes and formulas in the Markdown of the usual forges.
_ESCAPED = str.maketrans({**{mark: f"\\{mark}" for mark in "\\`*_[]|~$#"}, **_HTML})
# An item of a list: all that a line may begin with and mean.
_ITEM = re.compile(r"([-*]|\d{1,9}[.)]) +(?=\S)")
# What else opens a list, a rule or a heading, but only at the start of a line.
_OPENING = re.compile(r"^([-+=]|\d{1,9}(?=[.)]))")


def inline(text: str) -> str:
    """`text` on one line, as it may stand in a sentence, a heading or a cell."""
    parts, end = [], 0
    for span in _SPAN.finditer(text):
        parts += [_plain(text[end : span.start()]), code(" ".join(span[2].split()))]
        end = span.end()
    return "".join([*parts, _plain(text[end:])]).strip()


def block(*texts: str) -> tuple[str, ...]:
    """The lines of paragraphs and lists; a blank line parts paragraphs."""
    lines: list[str] = []
    for text in filter(str.strip, texts):
        lines += ["", *map(_piece, _pieces(text.strip()))]
    return tuple(lines[1:])


def cell(text: str) -> str:
    """The same in a cell, where a paragraph or an item ends in a break."""
    return "<br>".join(inline(piece) for piece in _pieces(text.strip()) if piece)


def code(text: str) -> str:
    """A code span that shows exactly `text`, in a cell too."""
    shown = _printable(text)
    if not shown.strip() or "|" in shown:
        # No escape keeps a bar from ending a cell in every dialect when it stands between backticks.
        return f"<code>{''.join(char if char.isalnum() else f'&#{ord(char)};' for char in shown)}</code>"
    runs = re.findall("`+", shown)
    fence = "`" * (max(map(len, runs)) + 1) if runs else "`"
    padding = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{padding}{shown}{padding}{fence}"


def literal(value: Any) -> str:
    """A JSON value as code."""
    return code(json.dumps(value, ensure_ascii=False))


def link(shown: str, target: str) -> str:
    """A link; `shown` is Markdown already, `target` an anchor or a path of our own making."""
    return f"[{shown}]({target})"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The lines of a table; columns that are empty in every row are left out, and so is a table without rows."""
    kept = list(rows)
    columns = [index for index in range(len(head)) if any(row[index] for row in kept)]
    lines = [[head[index] for index in columns], ["---"] * len(columns)]
    lines += [[row[index] for index in columns] for row in kept]
    return tuple(f"| {' | '.join(line)} |" for line in lines) if kept else ()


def comment(line: str) -> str:
    """A line inside an HTML comment, which nothing in it can end."""
    return line.replace("-->", "--&gt;").replace("--!>", "--!&gt;")


def _pieces(text: str) -> Iterator[str]:
    """Paragraphs and items of lists, each on one line, with an empty one where a blank line parts them."""
    piece: list[str] = []
    for line in map(str.strip, text.splitlines()):
        if piece and (not line or _ITEM.match(line)):
            yield " ".join(piece)
            piece = []
            if not line:
                yield ""
        if line:
            piece.append(line)
    yield " ".join(piece)


def _piece(text: str) -> str:
    item = _ITEM.match(text)
    if item:
        mark = item[1].replace("*", "-")
        return f"{mark} {_OPENING.sub(_held, inline(text[item.end() :]))}"
    return _OPENING.sub(_held, inline(text))


def _held(opening: "re.Match[str]") -> str:
    mark = opening[0]
    return f"\\{mark}" if mark in "-+=" else f"{mark}\\"


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", _printable(text)).translate(_ESCAPED)


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)
