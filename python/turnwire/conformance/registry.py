"""The catalogue and the functions behind it, held together: one row, one function, one id.

The catalogue is data (catalogue.toml), so that documentation, `check list` and the coverage of clauses are read from
the same rows that the runner obeys.
"""

import fnmatch
import functools
import importlib
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from turnwire.conformance.model import Check
from turnwire.conformance.subject import Subject

__all__ = ["CheckFunction", "UnknownCheck", "catalogue", "check", "function_of", "select"]

CheckFunction = Callable[[Subject], str | None]

LAYERS = (
    "rpc",
    "rpc_ids",
    "rpc_limits",
    "rpc_frames",
    "stdio",
    "life",
    "life_offers",
    "threads",
    "thread_changes",
    "thread_copies",
    "turns",
    "steering",
    "pausing",
    "approvals",
    "approvals_bound",
    "rules",
    "modes",
    "traces",
    "reviews",
    "items",
    "files",
    "questions",
    "queues",
    "keys",
    "scripts",
    "replaying",
    "paging",
    "pages_bound",
    "load",
    "fuzz",
    "ws_frames",
    "ws_door",
    "ws_sessions",
    "ws_endings",
    "passive",
)
_functions: dict[str, CheckFunction] = {}


class UnknownCheck(ValueError):  # noqa: N818 - says what the name is
    """A pattern that names no check; the message says which."""


def check(identifier: str) -> Callable[[CheckFunction], CheckFunction]:
    """Bind a function to its row.

    The function returns None when the clause holds, or a sentence when what it saw is lawful but unusual; it raises
    Unmet, NotApplicable or NotExercised otherwise.
    """

    def bind(function: CheckFunction) -> CheckFunction:
        assert identifier not in _functions, "an id has one function"
        _functions[identifier] = function
        return function

    return bind


@functools.cache
def catalogue() -> tuple[Check, ...]:
    """Every check, in the order of the file."""
    text = (Path(__file__).resolve().parent / "catalogue.toml").read_text(encoding="utf-8")
    return tuple(msgspec.convert(tomllib.loads(text)["check"], list[Check]))


def function_of(identifier: str) -> CheckFunction:
    """The function behind a row."""
    for layer in LAYERS:
        importlib.import_module(f"turnwire.conformance.checks.{layer}")
    return _functions[identifier]


def select(patterns: Iterable[str], skip: Iterable[str] = ()) -> list[Check]:
    """The checks that the patterns name (`rpc.*`; none means all), without those to skip, in catalogue order.

    Raises:
        UnknownCheck: a pattern matches nothing: a misspelt name must not pass as "nothing to do".
    """
    wanted = _matching(patterns) if (patterns := list(patterns)) else {row.id for row in catalogue()}
    unwanted = _matching(skip)
    return [row for row in catalogue() if row.id in wanted - unwanted]


def _matching(patterns: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for pattern in patterns:
        names = {row.id for row in catalogue() for name in (row.id, *row.aliases) if fnmatch.fnmatchcase(name, pattern)}
        if not names:
            raise UnknownCheck(f"no check is called {pattern!r}; `turnwire check list` prints them all")
        found |= names
    return found
