"""The grammar of protocol/clauses/script.md: lines become commands. It knows nothing of turns.

Lines are read when their turn comes, so what stands before a faulty line is carried out.
"""

from collections.abc import Callable
from typing import Any

import msgspec

__all__ = [
    "Approve",
    "Ask",
    "Command",
    "Crash",
    "Fail",
    "Flood",
    "Listen",
    "Notice",
    "Plan",
    "Say",
    "ScriptFault",
    "Slow",
    "Think",
    "Tool",
    "Use",
    "Write",
    "read_line",
    "read_script",
]

# The schema bounds a text at this many code points; a script that would pass it is not lawful.
_TEXT = 8_388_608
# A minute between two deltas is long enough for any check.
_WAIT_MS = 60_000
_NAME = 256
_PATH = 4096
_STEPS = 1024


class ScriptFault(ValueError):  # noqa: N818 - says what the matter is
    """An argument that is not lawful; the message names the line and the command (SCRIPT-2)."""


class Say(msgspec.Struct, frozen=True):
    """`text WORDS`, and what is no command."""

    words: str


class Slow(msgspec.Struct, frozen=True):
    """`slow COUNT MS`."""

    count: int
    wait_ms: int


class Think(msgspec.Struct, frozen=True):
    """`think WORDS`."""

    words: str


class Tool(msgspec.Struct, frozen=True):
    """`tool NAME JSON`."""

    name: str
    arguments: dict[str, Any]


class Approve(msgspec.Struct, frozen=True):
    """`approve NAME JSON`."""

    name: str
    arguments: dict[str, Any]


class Write(msgspec.Struct, frozen=True):
    """`write PATH WORDS`."""

    path: str
    words: str


class Ask(msgspec.Struct, frozen=True):
    """`ask ID WORDS`."""

    id: str
    words: str


class Listen(msgspec.Struct, frozen=True):
    """`listen`."""


class Use(msgspec.Struct, frozen=True):
    """`usage IN OUT`."""

    input_tokens: int
    output_tokens: int


class Plan(msgspec.Struct, frozen=True):
    """`plan STEP; STEP`."""

    steps: tuple[str, ...]


class Notice(msgspec.Struct, frozen=True):
    """`notice WORDS`."""

    words: str


class Flood(msgspec.Struct, frozen=True):
    """`flood COUNT SIZE`."""

    count: int
    size: int


class Fail(msgspec.Struct, frozen=True):
    """`fail WORDS`."""

    words: str


class Crash(msgspec.Struct, frozen=True):
    """`crash`."""


Command = Say | Slow | Think | Tool | Approve | Write | Ask | Listen | Use | Plan | Notice | Flood | Fail | Crash


def read_script(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, each with its number from 1."""
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def read_line(number: int, line: str) -> Command:
    """The command of one line.

    Raises:
        ScriptFault: the line begins with a command whose argument is not lawful.
    """
    word, _, argument = line.partition(" ")
    read = _READERS.get(word)
    if read is None:
        return Say(line)
    try:
        return read(argument)
    except ValueError as fault:
        raise ScriptFault(f"Line {number}: `{word}` {fault}.") from None


def _words(argument: str) -> str:
    if not argument:
        raise ValueError("needs WORDS")
    return argument


def _nothing(argument: str) -> None:
    if argument:
        raise ValueError("takes no argument")


def _numbers(argument: str, form: str) -> tuple[int, int]:
    parts = argument.split(" ")
    # `isdecimal` alone takes digits of other scripts, and a number of 4,300 digits is no count.
    if len(parts) != 2 or not all(part.isascii() and part.isdecimal() and len(part) <= 15 for part in parts):
        raise ValueError(f"needs {form}, two whole numbers")
    return int(parts[0]), int(parts[1])


def _slow(argument: str) -> Slow:
    count, wait_ms = _numbers(argument, "COUNT MS")
    if count * (len(str(count)) + 1) > _TEXT or wait_ms > _WAIT_MS:
        raise ValueError(f"says at most {_TEXT} code points, at most {_WAIT_MS} ms apart")
    return Slow(count, wait_ms)


def _flood(argument: str) -> Flood:
    count, size = _numbers(argument, "COUNT SIZE")
    if count * size > _TEXT or count > _TEXT:
        raise ValueError(f"says at most {_TEXT} code points")
    return Flood(count, size)


def _usage(argument: str) -> Use:
    return Use(*_numbers(argument, "IN OUT"))


def _call(argument: str) -> tuple[str, dict[str, Any]]:
    name, _, text = argument.partition(" ")
    if not 1 <= len(name) <= _NAME:
        raise ValueError(f"needs NAME, of at most {_NAME} code points")
    if not text:
        return name, {}
    try:
        arguments = msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError):
        raise ValueError("needs arguments that are JSON") from None
    if type(arguments) is not dict:
        raise ValueError("needs arguments that are a JSON object")
    return name, arguments


def _tool(argument: str) -> Tool:
    return Tool(*_call(argument))


def _approve(argument: str) -> Approve:
    return Approve(*_call(argument))


def _write(argument: str) -> Write:
    path, _, words = argument.partition(" ")
    if not 1 <= len(path) <= _PATH or not words:
        raise ValueError("needs PATH WORDS")
    return Write(path, words)


def _ask(argument: str) -> Ask:
    id_, _, words = argument.partition(" ")
    if not id_ or not words:
        raise ValueError("needs ID WORDS")
    return Ask(id_, words)


def _plan(argument: str) -> Plan:
    steps = tuple(step.strip() for step in argument.split(";"))
    if not 1 <= len(steps) <= _STEPS or not all(steps):
        raise ValueError(f"needs 1 to {_STEPS} steps, a semicolon between them")
    return Plan(steps)


def _listen(argument: str) -> Listen:
    _nothing(argument)
    return Listen()


def _crash(argument: str) -> Crash:
    _nothing(argument)
    return Crash()


_READERS: dict[str, Callable[[str], Command]] = {
    "text": lambda argument: Say(_words(argument)),
    "slow": _slow,
    "think": lambda argument: Think(_words(argument)),
    "tool": _tool,
    "approve": _approve,
    "write": _write,
    "ask": _ask,
    "listen": _listen,
    "usage": _usage,
    "plan": _plan,
    "notice": lambda argument: Notice(_words(argument)),
    "flood": _flood,
    "fail": lambda argument: Fail(_words(argument)),
    "crash": _crash,
}
