"""Names of functions: the words of a plan's pointer, and a number where two would be called alike."""

import re
from collections.abc import Iterable

__all__ = ["distinct", "free", "step_text", "words_of"]

_KEYWORDS = re.compile(r"(?:^|/)(?:\$defs|definitions|properties)(?=/)")


def words_of(pointer: str) -> str:
    """The pointer of a schema without the keywords that stand above its names."""
    return _KEYWORDS.sub("", pointer.removeprefix("#")).replace("~1", "/").replace("~0", "~")


def free(stem: str, taken: set[str]) -> str:
    """The stem, with a number where it is taken; what is given is taken then."""
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}_{number}", number + 1
    taken.add(name)
    return name


def distinct(stems: Iterable[tuple[str, str]], taken: set[str]) -> dict[str, str]:
    """A name for each key, from its stem; where two stems are alike, the later one gets a number."""
    return {key: free(stem, taken) for key, stem in stems}


def step_text(name: str) -> str:
    """A member's name as one step of a JSON pointer."""
    return "/" + name.replace("~", "~0").replace("/", "~1")
