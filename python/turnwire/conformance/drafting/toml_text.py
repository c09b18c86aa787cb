"""TOML as a draft needs it: tables of words, numbers, lists and inline tables. Python reads TOML and writes none."""

import json
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["table"]

BARE = re.compile(r"[A-Za-z0-9_-]+")


def table(name: str, members: Mapping[str, Any]) -> str:
    """A table with its heading, or the members at the top where it has no name."""
    lines = [f"[{name}]"] if name else []
    return "\n".join([*lines, *(f"{_key(key)} = {_value(value)}" for key, value in members.items())]) + "\n"


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _string(name)


def _value(value: Any) -> str:
    match value:
        case str():
            return _string(value)
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case dict():
            # TOML has no null; a member that is null may as well be absent.
            inner = ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items() if one is not None)
            return f"{{ {inner} }}" if inner else "{}"
        case list() | tuple():
            return "[" + ", ".join(_value(one) for one in value if one is not None) + "]"
        case _:
            return '""'


def _string(text: str) -> str:
    """A basic string: its escapes are those of JSON, but that DEL is one of them too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
