r"""The regular expressions that mean the same everywhere: parsed once, printed for each engine, refused with a reason.

A schema says ECMA-262 with flag `u`. Engines differ on `$`, `.`, `\d`, `\s`, on set operators and on Unicode, so an
expression is never passed through: it is parsed to the small tree below, and what has no form there is not printed.
"""

import sys
from collections.abc import Callable
from typing import NamedTuple

import msgspec

__all__ = [
    "AnyCharacter",
    "CharacterSet",
    "Choice",
    "Edge",
    "Literal",
    "Look",
    "Node",
    "PatternError",
    "Repeat",
    "Sequence",
    "holds_nested_loops",
    "parse",
    "to_ecma",
    "to_icu",
    "to_java",
    "to_python",
]

# More than this many repetitions is refused by one engine or is slow in another.
MAX_REPEAT = 1000
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
_CONTROL = {"t": 0x09, "n": 0x0A, "r": 0x0D, "f": 0x0C, "v": 0x0B}
_DIGITS = ((0x30, 0x39),)
_WORD = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
# WhiteSpace and LineTerminator of ECMA-262; each engine has another idea of `\s`.
_LONE_SPACES = (0x20, 0xA0, 0x1680, 0x202F, 0x205F, 0x3000, 0xFEFF)
_SPACE = ((0x09, 0x0D), (0x2000, 0x200A), (0x2028, 0x2029), *((code, code) for code in _LONE_SPACES))
_LINE_ENDS = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
_CLASSES = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_HEX = frozenset("0123456789abcdefABCDEF")

Range = tuple[int, int]


class PatternError(ValueError):
    """The expression is outside the portable subset; `position` counts code points from 0."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(f"{reason} at position {position}")
        self.reason = reason
        self.position = position


class Literal(msgspec.Struct, frozen=True, tag_field="node"):
    """One code point."""

    code: int


class AnyCharacter(msgspec.Struct, frozen=True, tag_field="node"):
    """Any code point that ends no line."""


class CharacterSet(msgspec.Struct, frozen=True, tag_field="node"):
    """One code point inside (or, when negated, outside) these inclusive ranges."""

    ranges: tuple[Range, ...]
    negated: bool = False


class Edge(msgspec.Struct, frozen=True, tag_field="node"):
    """The very start or the very end of the text."""

    end: bool


class Look(msgspec.Struct, frozen=True, tag_field="node"):
    """What follows matches, or does not, and is not consumed."""

    body: "Node"
    negated: bool


class Repeat(msgspec.Struct, frozen=True, tag_field="node"):
    """The body from `least` to `most` times; None has no end."""

    body: "Node"
    least: int
    most: int | None
    lazy: bool = False


class Sequence(msgspec.Struct, frozen=True, tag_field="node"):
    """One after the other."""

    parts: tuple["Node", ...]


class Choice(msgspec.Struct, frozen=True, tag_field="node"):
    """One of these, tried in order."""

    arms: tuple["Node", ...]


Node = Literal | AnyCharacter | CharacterSet | Edge | Look | Repeat | Sequence | Choice


def parse(source: str) -> Node:
    """The tree of `source`; raises PatternError with the first thing that is not portable."""
    reader = _Reader(source)
    node = reader.choice()
    if reader.at < len(source):
        raise PatternError("a ) without its (", reader.at)
    return node


def holds_nested_loops(node: Node) -> bool:
    """Whether an unbounded loop holds an unbounded loop, the shape that can take exponential time."""
    return _loops(node) > 1


def to_python(node: Node) -> str:
    """For `re.search` without flags."""
    return _print(node, _Dialect(end=r"\Z", astral=lambda code: f"\\U{code:08x}"))


def to_ecma(node: Node) -> str:
    """For a JavaScript expression with flag `u`; free of `/`, quotes and line ends."""
    return _print(node, _Dialect(end="$", astral=lambda code: f"\\u{{{code:x}}}"))


def to_java(node: Node) -> str:
    """For `java.util.regex` and Kotlin's `Regex.containsMatchIn`, without flags."""
    return _print(node, _Dialect(end=r"\z", astral=lambda code: f"\\x{{{code:x}}}"))


def to_icu(node: Node) -> str:
    """For ICU and NSRegularExpression, without options."""
    return _print(node, _Dialect(end=r"\z", astral=lambda code: f"\\x{{{code:x}}}"))


class _Reader:
    """A recursive descent over code points; `at` is the next one."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.source[at] if at < len(self.source) else ""

    def choice(self) -> Node:
        arms = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            arms.append(self.sequence())
        return arms[0] if len(arms) == 1 else Choice(tuple(arms))

    def sequence(self) -> Node:
        parts: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            start = self.at
            parts.append(self.repeated(self.term(), start))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def term(self) -> Node:
        char = self.peek()
        match char:
            case "^" | "$":
                self.at += 1
                return Edge(end=char == "$")
            case "(":
                return self.group()
            case "[":
                return self.character_set()
            case ".":
                self.at += 1
                return AnyCharacter()
            case "\\":
                return self.escape()
        if char in _SYNTAX and char != "/":
            raise PatternError(f"an unescaped {char}", self.at)
        return Literal(self.plain())

    def plain(self) -> int:
        code = ord(self.peek())
        if 0xD800 <= code <= 0xDFFF:
            raise PatternError("half of a surrogate pair", self.at)
        self.at += 1
        return code

    def group(self) -> Node:
        start = self.at
        opening = next((text for text in ("(?:", "(?=", "(?!") if self.source.startswith(text, start)), "(")
        if opening == "(" and self.peek(1) == "?":
            raise PatternError(f"a group of the kind (?{self.peek(2)}", start)
        self.at += len(opening)
        body = self.choice()
        if self.peek() != ")":
            raise PatternError("a ( without its )", start)
        self.at += 1
        return Look(body, negated=opening == "(?!") if opening in ("(?=", "(?!") else body

    def escape(self) -> Node:
        letter = self.peek(1)
        if letter.lower() in _CLASSES:
            self.at += 2
            return CharacterSet(_CLASSES[letter.lower()], negated=letter.isupper())
        return Literal(self.escaped_code(_SYNTAX))

    def escaped_code(self, syntax: frozenset[str]) -> int:
        start, letter = self.at, self.peek(1)
        self.at += 2
        if letter in syntax:
            return ord(letter)
        if letter in _CONTROL:
            return _CONTROL[letter]
        width = {"x": 2, "u": 4}.get(letter, 0)
        digits = self.source[self.at : self.at + width]
        if not width or len(digits) < width or not _HEX.issuperset(digits):
            raise PatternError(f"the escape \\{letter}", start)
        code = int(digits, 16)
        if 0xD800 <= code <= 0xDFFF:
            raise PatternError("half of a surrogate pair", start)
        self.at += width
        return code

    def character_set(self) -> Node:
        start = self.at
        self.at += 1
        negated = self.peek() == "^"
        self.at += negated
        ranges: list[Range] = []
        while self.peek() != "]":
            ranges.extend(self.set_member(start, first=not ranges))
        if not ranges:
            raise PatternError("an empty set", start)
        self.at += 1
        return CharacterSet(tuple(ranges), negated)

    def set_member(self, start: int, *, first: bool) -> tuple[Range, ...]:
        begin = self.at
        if self.peek() == "-" and not first and self.peek(1) != "]":
            raise PatternError("a bare - in the middle of a set", begin)
        low = self.set_atom(start)
        if self.peek() != "-" or self.peek(1) in ("]", ""):
            return low
        self.at += 1
        high = self.set_atom(start)
        if len(low) > 1 or len(high) > 1 or low[0][0] != low[0][1] or high[0][0] != high[0][1]:
            raise PatternError("a range that ends in a class", begin)
        if low[0][0] > high[0][0]:
            raise PatternError("a range that runs backwards", begin)
        return ((low[0][0], high[0][0]),)

    def set_atom(self, start: int) -> tuple[Range, ...]:
        char = self.peek()
        if char == "":
            raise PatternError("a [ without its ]", start)
        if char == "[":
            raise PatternError("an unescaped [ in a set", self.at)
        if char == "\\":
            letter = self.peek(1)
            if letter.lower() in _CLASSES:
                self.at += 2
                return _CLASSES[letter] if letter.islower() else _outside(_CLASSES[letter.lower()])
            code = self.escaped_code(_SYNTAX | {"-"})
        else:
            code = self.plain()
        return ((code, code),)

    def repeated(self, body: Node, start: int) -> Node:
        bounds = self.quantifier()
        if bounds is None:
            return body
        least, most = bounds
        if isinstance(body, Edge | Look):
            raise PatternError("a repeated assertion", start)
        if _nullable(body) and most != 1 and (most is None or most != least):
            raise PatternError("a loop over what may be empty", start)
        lazy = self.peek() == "?"
        self.at += lazy
        return Repeat(body, least, most, lazy)

    def quantifier(self) -> tuple[int, int | None] | None:
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        char = self.peek()
        if char in simple:
            self.at += 1
            return simple[char]
        if char != "{":
            return None
        start, close = self.at, self.source.find("}", self.at)
        least, comma, most = self.source[start + 1 : close].partition(",")
        if close < 0 or not _is_number(least) or (most and not _is_number(most)):
            raise PatternError("an unescaped {", start)
        low, high = int(least), int(most) if most else (None if comma else int(least))
        if low > MAX_REPEAT or (high is not None and not low <= high <= MAX_REPEAT):
            raise PatternError(f"repetitions out of order or above {MAX_REPEAT}", start)
        self.at = close + 1
        return low, high


class _Dialect(NamedTuple):
    """Where engines differ once everything else is written as ranges of escapes."""

    end: str
    astral: Callable[[int], str]


def _print(node: Node, dialect: _Dialect) -> str:
    match node:
        case Literal(code=code):
            return _code(code, dialect)
        case AnyCharacter():
            return _set(_LINE_ENDS, dialect, sign="^")
        case CharacterSet(ranges=ranges, negated=negated):
            return _set(ranges, dialect, sign="^" if negated else "")
        case Edge(end=end):
            return dialect.end if end else "^"
        case Look(body=body, negated=negated):
            return f"(?{'!' if negated else '='}{_print(body, dialect)})"
        case Repeat(body=body):
            return _atom(body, dialect) + _quantifier(node)
        case Sequence(parts=parts):
            return "".join((_atom if isinstance(part, Choice) else _print)(part, dialect) for part in parts)
        case Choice(arms=arms):
            return "|".join(_print(arm, dialect) for arm in arms)


def _atom(node: Node, dialect: _Dialect) -> str:
    text = _print(node, dialect)
    return text if isinstance(node, Literal | AnyCharacter | CharacterSet) else f"(?:{text})"


def _quantifier(node: Repeat) -> str:
    most = "" if node.most is None else str(node.most)
    short = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    text = short.get((node.least, node.most), f"{{{node.least},{most}}}")
    return text + ("?" if node.lazy else "")


def _set(ranges: tuple[Range, ...], dialect: _Dialect, *, sign: str) -> str:
    return f"[{sign}{''.join(_range(low, high, dialect) for low, high in ranges)}]"


def _range(low: int, high: int, dialect: _Dialect) -> str:
    start = _code(low, dialect)
    return start if low == high else f"{start}-{_code(high, dialect)}"


def _code(code: int, dialect: _Dialect) -> str:
    char = chr(code)
    if char.isascii() and char.isalnum():
        return char
    return dialect.astral(code) if code > 0xFFFF else f"\\u{code:04x}"


def _outside(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """All other code points."""
    edges = [-1, *(edge for low, high in sorted(ranges) for edge in (low, high)), sys.maxunicode + 1]
    return tuple((low + 1, high - 1) for low, high in zip(edges[::2], edges[1::2], strict=True) if low + 1 < high)


def _nullable(node: Node) -> bool:
    match node:
        case Literal() | AnyCharacter() | CharacterSet():
            return False
        case Edge() | Look():
            return True
        case Repeat(body=body, least=least):
            return least == 0 or _nullable(body)
        case Sequence(parts=parts):
            return all(_nullable(part) for part in parts)
        case Choice(arms=arms):
            return any(_nullable(arm) for arm in arms)


def _loops(node: Node) -> int:
    """How deeply unbounded loops are nested."""
    match node:
        case Repeat(body=body, most=most):
            return _loops(body) + (most is None)
        case Sequence(parts=children) | Choice(arms=children):
            return max((_loops(child) for child in children), default=0)
        case Look(body=body):
            return _loops(body)
        case _:
            return 0


def _is_number(text: str) -> bool:
    # `int` would also take signs, spaces, underscores and the digits of other scripts.
    return 0 < len(text) <= 4 and text.isascii() and text.isdigit()
