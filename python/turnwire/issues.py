"""What msgspec says of a value, as an issue with a JSON pointer (ERR-4).

msgspec stops at the first fault and writes its path as `$.a[0][...]`, where `[...]` is some member of a map; which
member it was is found by trying them, since only a refusal pays for it.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from turnwire.errors import Issue

__all__ = ["issue_of"]

_SOME_MEMBER = "..."
# msgspec quotes a word that is none of an enum, however long the client made it.
_LONGEST = 300
# The steps of `.a[0][...]`; the members of our own types hold neither dots nor brackets.
_STEP = r"[^.\[\]]+|\.\.\."


def issue_of(error: msgspec.DecodeError, decode: Callable[[bytes], Any], text: bytes) -> Issue:
    """The fault that `decode` found in the JSON `text`."""
    said = str(error)
    message, _, place = said.partition(" - at `")
    steps = re.findall(_STEP, place.rpartition("$")[2].removesuffix("`"))
    if _SOME_MEMBER in steps:
        steps = list(_named(steps, text, decode, said))
    pointer = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
    return Issue(pointer, _short(message.replace("`", "")), _expected(message))


def _named(steps: list[str], text: bytes, decode: Callable[[bytes], Any], said: str) -> Iterator[str]:
    """The steps with each `...` replaced by the member that alone makes `decode` say the same.

    Where none does, the steps end at the map.
    """
    # Only what the steps lead through is opened; the rest stays as the text that it is, lawful or not.
    root: list[Any] = [msgspec.Raw(text)]
    parent: Any = root
    place: Any = 0
    for step in steps:
        value = parent[place] = _opened(parent[place])
        name: Any = int(step) if isinstance(value, list) else step
        if step == _SOME_MEMBER:
            for name, member in list(value.items()):
                value.clear()
                value[name] = member
                if _says(decode, msgspec.json.encode(root[0]), said):
                    break
            else:
                return
        yield str(name)
        parent, place = value, name


def _opened(value: Any) -> Any:
    text = bytes(value)
    return msgspec.json.decode(text, type=list[msgspec.Raw] if text.startswith(b"[") else dict[str, msgspec.Raw])


def _says(decode: Callable[[bytes], Any], text: bytes, said: str) -> bool:
    try:
        decode(text)
    except msgspec.DecodeError as error:
        return str(error) == said
    return False


def _short(message: str) -> str:
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}…"


def _expected(message: str) -> str:
    """What is lawful, from a sentence such as "Expected `int`, got `str`"."""
    if not message.startswith("Expected "):
        return ""
    return message.removeprefix("Expected ").partition(", got ")[0].replace("`", "")
