"""Anchors: every part has one that follows from its own name, so that a link from outside outlives what is added."""

import re

__all__ = ["anchor", "group_of", "target"]

_OTHER = re.compile(r"[^A-Za-z0-9_./-]")


def anchor(kind: str, *names: str) -> str:
    """The id of a part, such as `method-turn/start`; different names have different ids."""
    return "-".join([kind, *(_OTHER.sub(lambda match: f"~{ord(match[0]):x}~", name) for name in names)])


def target(kind: str, *names: str) -> str:
    """The link to a part of the same page."""
    return f"#{anchor(kind, *names)}"


def group_of(method: str) -> str:
    """The family of a method: what stands before the first slash, empty where there is none."""
    return method.partition("/")[0] if "/" in method else ""
