"""Python: a value is accepted when the validator and the type accept it, and must come back equal from the type."""

import importlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import msgspec

from turnwire_codegen.cases.folder import Case, Outcome
from turnwire_codegen.cases.trial import Answer, broken, files_of, weighed
from turnwire_codegen.emit.python.names import class_name
from turnwire_codegen.emit.python.validators import emit_validators
from turnwire_codegen.load.foreign.front import load_foreign

__all__ = ["run_python"]

# The package is imported under one name, case after case.
_PACKAGE = "turnwire_case"


def run_python(cases: tuple[Case, ...], scratch: Path) -> Mapping[str, Outcome]:
    """The outcome of every case; `scratch` is an empty folder."""
    return {case.name: _outcome(case, scratch / f"case{number}") for number, case in enumerate(cases)}


def _outcome(case: Case, home: Path) -> Outcome:
    made = files_of(case, "generate-python", emit_validators)
    if isinstance(made, Outcome):
        return made
    loaded, _, _ = load_foreign(case.path / "schema.json")
    assert loaded is not None, "files were made of it"
    _write(home, made)
    try:
        with _imported(home) as package:
            read = _reader(package, loaded.root)
            texts = [json.dumps(value, ensure_ascii=False) for value in (*case.valid, *case.invalid)]
            return weighed(case, map(read, texts))
    except Exception as error:  # noqa: BLE001 -- generated code may fail in any way, and that is what is looked for
        return broken(error)


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


def _reader(package: ModuleType, root: str | None) -> Callable[[str], Answer]:
    """From JSON text to what the type of the root gives back; without a type the validator alone judges."""
    validators = importlib.import_module(f"{package.__name__}.validators")
    decoding = importlib.import_module(f"{package.__name__}.decoding")
    decode = msgspec.json.decode if root is None else decoding.decoder(getattr(package, class_name(root)))

    def read(text: str) -> Answer:
        fault = validators.VALIDATORS["root"](json.loads(text))
        if fault is not None:
            return Answer(f"validator: {fault.rule} at {fault.pointer or 'the root'}")
        try:
            return Answer(back=json.loads(msgspec.json.encode(decode(text))))
        except msgspec.ValidationError as error:
            return Answer(f"type: {error}")

    return read
