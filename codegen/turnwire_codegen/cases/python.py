"""Python: a value is accepted when the validator and the type accept it, and must come back equal from the type."""

import importlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from turnwire_codegen.cases.folder import Case, Outcome, judged
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.python.names import class_name
from turnwire_codegen.emit.python.validators import emit_validators
from turnwire_codegen.interpret import same
from turnwire_codegen.load.foreign.front import load_foreign
from turnwire_codegen.lower import lower
from turnwire_codegen.outputs import make

__all__ = ["run_python"]

_HEADER = Header(title="a case", version="", digest="none", command="python -m turnwire_codegen.cases")
# The package is imported under one name, case after case.
_PACKAGE = "turnwire_case"


class _RefusedError(Exception):
    """The generated code does not accept the value; the text says which part of it."""


def run_python(cases: tuple[Case, ...], scratch: Path) -> Mapping[str, Outcome]:
    """The outcome of every case; `scratch` is an empty folder."""
    return {case.name: _outcome(case, scratch / f"case{number}") for number, case in enumerate(cases)}


def _outcome(case: Case, home: Path) -> Outcome:
    try:
        plans, problems = lower(case.schema, file="schema.json")
        if plans is None:
            return judged(case, next(problem for problem in problems if problem.severity == "error"))
        made = make("generate-python", case.path / "schema.json", experimental=False)
        loaded, _, _ = load_foreign(case.path / "schema.json")
        if made.files is None or loaded is None:
            return judged(case, next(iter(made.problems), None))
        _write(home, {**made.files, **emit_validators(plans, {"root": "#"}, _HEADER)})
        with _imported(home) as package:
            return _tried(case, _reader(package, loaded.root))
    except Exception as error:  # noqa: BLE001 -- generated code may fail in any way, and that is what is looked for
        return Outcome("does-not-build", f"{type(error).__name__}: {error}".partition("\n")[0])


def _write(home: Path, output: Mapping[str, bytes]) -> None:
    home.mkdir(parents=True)
    for path, content in output.items():
        (home / path).write_bytes(content)


@contextmanager
def _imported(home: Path) -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location(
        _PACKAGE, home / "__init__.py", submodule_search_locations=[str(home)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[_PACKAGE] = package
    try:
        spec.loader.exec_module(package)
        yield package
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == _PACKAGE]:
            del sys.modules[name]


def _reader(package: ModuleType, root: str | None) -> Callable[[str], Any]:
    """From JSON text to what the type of the root gives back; without a type the validator alone judges."""
    validators = importlib.import_module(f"{package.__name__}.validators")
    decoding = importlib.import_module(f"{package.__name__}.decoding")
    decode = msgspec.json.decode if root is None else decoding.decoder(getattr(package, class_name(root)))

    def read(text: str) -> Any:
        fault = validators.VALIDATORS["root"](json.loads(text))
        if fault is not None:
            raise _RefusedError(f"validator: {fault.rule} at {fault.pointer or 'the root'}")
        try:
            return json.loads(msgspec.json.encode(decode(text)))
        except msgspec.ValidationError as error:
            raise _RefusedError(f"type: {error}") from error

    return read


def _tried(case: Case, read: Callable[[str], Any]) -> Outcome:
    for value in case.valid:
        text = json.dumps(value, ensure_ascii=False)
        try:
            back = read(text)
        except _RefusedError as refused:
            return Outcome("refuses-valid", f"{text}: {refused}")
        if not same(back, value):
            return Outcome("loses-data", f"{text} came back as {json.dumps(back, ensure_ascii=False)}")
    for value in case.invalid:
        text = json.dumps(value, ensure_ascii=False)
        try:
            read(text)
        except _RefusedError:
            continue
        return Outcome("accepts-invalid", text)
    return Outcome("ok")
