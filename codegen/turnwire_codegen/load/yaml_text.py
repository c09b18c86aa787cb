"""YAML as far as it is JSON in another dress, with line and column of every fault.

Only plain scalars have a kind, by the core schema of YAML 1.2: `on` and `2024-01-01` are text. A key is always text.
"""

import importlib
import re
from typing import Any

from turnwire_codegen.problems import Problem

__all__ = ["yaml_value"]

_WORDS = {"": None, "~": None, "null": None, "Null": None, "NULL": None} | {
    word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")
}
# Ten times the largest protocol schema that is known; a few lines of aliases can stand for a billion.
_MOST_VALUES = 1_000_000
_INTEGER = re.compile(r"[-+]?[0-9]+")
_REAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


def yaml_value(text: str, label: str, found: list[Problem]) -> Any:
    """The JSON value that `text` says, or None with a problem in `found`; `label` is how problems call the file."""
    try:
        yaml = importlib.import_module("yaml")
    except ModuleNotFoundError:
        found.append(_fault(label, "#", "YAML needs PyYAML", "run: pip install 'turnwire[codegen]', or write JSON"))
        return None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        return None if node is None else _Reader(yaml).value(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        found.append(_fault(label, _place(mark), f"not YAML: {error.problem}", "mend the syntax"))
    except yaml.YAMLError as error:
        found.append(_fault(label, "#", f"not YAML: {' '.join(str(error).split())}", "mend the syntax"))
    except _NoJsonError as error:
        found.append(_fault(label, _place(error.mark), str(error), "write what JSON could say"))
    except RecursionError:
        found.append(_fault(label, "#", "nested too deeply to be a schema", "flatten the document"))
    return None


class _NoJsonError(Exception):
    """Good YAML, but JSON has nothing like it."""

    def __init__(self, what: str, mark: Any) -> None:
        super().__init__(what)
        self.mark = mark


class _Reader:
    """An anchor is read once, however many aliases it has, and counts as often as it is used."""

    def __init__(self, yaml: Any) -> None:
        self._yaml = yaml
        self._done: dict[int, Any] = {}
        self._sizes: dict[int, int] = {}
        self._open: set[int] = set()

    def value(self, node: Any) -> Any:
        key = id(node)
        if key in self._open:
            raise _NoJsonError("an alias to a value that it is itself a part of", node.start_mark)
        if key not in self._done:
            self._open.add(key)
            self._done[key] = self._read(node)
            self._open.discard(key)
            self._sizes[key] = self._size(node)
            if self._sizes[key] > _MOST_VALUES:
                raise _NoJsonError(f"more than {_MOST_VALUES:,} values, by aliases of aliases", node.start_mark)
        return self._done[key]

    def _size(self, node: Any) -> int:
        if isinstance(node, self._yaml.MappingNode):
            return 1 + sum(self._sizes[id(value)] for _, value in node.value)
        return 1 if isinstance(node, self._yaml.ScalarNode) else 1 + sum(self._sizes[id(item)] for item in node.value)

    def _read(self, node: Any) -> Any:
        if isinstance(node, self._yaml.ScalarNode):
            return _scalar(node) if node.style is None else node.value
        if isinstance(node, self._yaml.SequenceNode):
            return [self.value(item) for item in node.value]
        members: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, self._yaml.ScalarNode):
                raise _NoJsonError("a key that is no text", key.start_mark)
            if key.value in members:
                raise _NoJsonError(f"the member {key.value!r} stands twice in one object", key.start_mark)
            members[key.value] = self.value(value)
        return members


def _scalar(node: Any) -> Any:
    text = str(node.value)
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _REAL.fullmatch(text) else text


def _place(mark: Any) -> str:
    return "#" if mark is None else f"{mark.line + 1}:{mark.column + 1}"


def _fault(file: str, where: str, what: str, fix: str) -> Problem:
    return Problem(severity="error", file=file, where=where, what=what, fix=fix)
