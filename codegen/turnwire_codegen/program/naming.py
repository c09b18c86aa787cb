"""Names of functions: the words of a plan's pointer, and a number where two would be called alike."""

import re
from collections.abc import Iterable, Mapping

from turnwire_codegen.words import pascal

__all__ = ["distinct", "free", "function_names", "public_names", "step_text", "table_name", "words_of"]

_PREFIX = "check"
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


def public_names(roots: Iterable[str]) -> dict[str, str]:
    """The function of each root; where two would be called alike, the later one gets a number."""
    return distinct(((name, _called(name)) for name in sorted(roots)), set())


def function_names(plans: Iterable[str], roots: Mapping[str, str], public: Mapping[str, str]) -> dict[str, str]:
    """The function of each plan: those of roots are called as they are public, others by their pointers."""
    shown: dict[str, str] = {}
    for name, plan in sorted(roots.items()):
        shown.setdefault(plan, public[name])
    hidden = [plan for plan in plans if plan not in shown]
    return shown | distinct(((plan, _called(words_of(plan))) for plan in hidden), set(public.values()))


def table_name(kind: str, function: str, number: int = 0) -> str:
    """The table of a function: `membersOfThread` for `checkThread`; one behind the first of its kind has a number."""
    return f"{kind}Of{function.removeprefix(_PREFIX)}" + (f"_{number + 1}" if number else "")


def step_text(name: str) -> str:
    """A member's name as one step of a JSON pointer."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _called(words: str) -> str:
    name = "".join(char for char in pascal(words) if f"_{char}".isidentifier())
    return f"{_PREFIX}{name or 'Document'}"
