"""JSON in the one spelling of RFC 8785, but that whole numbers which no double holds keep their digits."""

import json

import rfc8785

__all__ = ["Spelled", "canonical", "lines"]


class Spelled(str):
    """A value as the text that is to be read, in whatever spelling."""

    __slots__ = ()


def lines(rows):
    """What a roundtrip program reads: a line for each type and value."""
    return "".join(f'{{"type":{json.dumps(name)},"value":{_text(value)}}}\n' for name, value in rows)


def canonical(value):
    """The text of builtins, as the roundtrip program of every language writes it."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return f"[{','.join(map(canonical, value))}]"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return rfc8785.dumps(value).decode()


def _text(value):
    return value if isinstance(value, Spelled) else json.dumps(value)
