"""Texts as TypeScript can say them: by how they begin and end, or in one case; a type for what a pattern lets through.

Such a type takes every text that the pattern matches, and some more.
"""

import json
import string
from collections.abc import Iterable
from itertools import product

from turnwire_codegen.emit.typescript.text import quoted
from turnwire_codegen.patterns import CharacterSet, Choice, Edge, Literal, Node, Repeat, Sequence, parse

__all__ = ["is_listed", "other_name", "text_type"]

# So many ways to begin are still read at a glance.
_MOST = 6
# How `OtherName` of the support lets a name begin.
_BEGINNINGS = frozenset(f"{string.ascii_letters}{string.digits}_")
_UPPER, _LOWER = range(ord("A"), ord("Z") + 1), range(ord("a"), ord("z") + 1)


def text_type(source: str) -> str | None:
    """The type of the texts that a pattern matches; None where it would be `string`."""
    node = parse(source)
    arms = node.arms if isinstance(node, Choice) else (node,)
    ends = [found for arm in arms for found in _ends(arm)]
    if len(ends) <= _MOST and all(before or after for before, after in ends):
        return " | ".join(dict.fromkeys(_template(before, after) for before, after in ends))
    if all(_is_whole(arm) for arm in arms):
        codes = [code_range for arm in arms for code_range in _codes(arm)]
        for name, others in (("Lowercase", _UPPER), ("Uppercase", _LOWER)):
            if all(high < 0x80 and not set(range(low, high + 1)) & set(others) for low, high in codes):
                return f"{name}<string>"
    return None


def is_listed(source: str) -> bool:
    """Whether a pattern matches a few texts and no others, so that its type is one of literals."""
    node = parse(source)
    arms = node.arms if isinstance(node, Choice) else (node,)
    return all(after is None for arm in arms for _, after in _ends(arm))


def other_name(declared: Iterable[str]) -> str | None:
    """The type of names that begin unlike all of `declared`; None where that leaves none."""
    taken = sorted({name[0] for name in declared if name} & _BEGINNINGS)
    if len(taken) == len(_BEGINNINGS):
        return None
    return f"OtherName<{' | '.join(map(quoted, taken)) or 'never'}>"


def _template(before: str, after: str | None) -> str:
    """A text with a known start and end; the whole of it where `after` is None."""
    return quoted(before) if after is None else f"`{_inside(before)}${{string}}{_inside(after)}`"


def _inside(text: str) -> str:
    return json.dumps(text)[1:-1].replace('\\"', '"').replace("`", "\\`").replace("${", "\\${")


def _ends(node: Node) -> list[tuple[str, str | None]]:
    """How the texts begin and end that `node` matches; the end is None where the beginning is all."""
    parts = list(node.parts) if isinstance(node, Sequence) else [node]
    starts = [""]
    anchored = parts[:1] == [Edge(end=False)]
    at = 1 if anchored else 0
    while anchored and at < len(parts) and (words := _words(parts[at])):
        starts = ["".join(pair) for pair in product(starts, words)]
        at += 1
    if anchored and parts[at:] == [Edge(end=True)]:
        return [(start, None) for start in starts]
    after = ""
    if parts[-1:] == [Edge(end=True)]:
        for part in reversed(parts[at:-1]):
            if not isinstance(part, Literal):
                break
            after = chr(part.code) + after
    return [(start, after) for start in starts]


def _words(node: Node) -> list[str]:
    """The few texts that a node is, none where it may be others."""
    match node:
        case Literal(code=code):
            return [chr(code)]
        case Sequence(parts=parts):
            return ["".join(word) for word in product(*map(_words, parts))]
        case Choice(arms=arms) if len(arms) <= _MOST:
            words = [_words(arm) for arm in arms]
            return [word for found in words for word in found] if all(words) else []
    return []


def _is_whole(node: Node) -> bool:
    parts = node.parts if isinstance(node, Sequence) else ()
    return len(parts) > 1 and parts[0] == Edge(end=False) and parts[-1] == Edge(end=True)


def _codes(node: Node) -> Iterable[tuple[int, int]]:
    """The code points that stand in what `node` matches."""
    match node:
        case Edge():
            return ()
        case Literal(code=code):
            return ((code, code),)
        case CharacterSet(ranges=ranges, negated=False):
            return ranges
        case Repeat(body=body):
            return _codes(body)
        case Sequence(parts=parts) | Choice(arms=parts):
            return [found for part in parts for found in _codes(part)]
    return ((0, 0x10FFFF),)
