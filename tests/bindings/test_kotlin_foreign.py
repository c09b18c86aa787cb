"""Kotlin of protocols of other houses: all that is generated compiles without a warning, and judges as their schema."""

import warnings

import pytest

from bindings.foreign import DIALECTS, FOREIGN, RECORDINGS, as_recorded, recorded, schema_at
from bindings.kotlin_builds import answers, foreign, installed

# A build takes minutes where nothing of it is in the cache and others compile as well.
pytestmark = pytest.mark.timeout(3600)

# Two processes of a run can each compile one.
HALVES = {
    "codex": [name for name in FOREIGN if name.startswith("codex")],
    "others": [*sorted(DIALECTS), *(name for name in FOREIGN if not name.startswith("codex"))],
}


@pytest.mark.parametrize("half", HALVES)
def test_all_of_it_compiles_and_judges(half, tmp_path, record_property):
    tools, schemas = installed(), there(HALVES[half])
    found = foreign(tools, schemas, tmp_path)
    for name, built in found.items():
        record_property(f"compile_cpu_seconds of {name}", built.seconds)
        print(f"{name}: {built.seconds:.0f} s of the processor to compile")

    assert {} == {name: built.faults for name, built in found.items() if built.faults}
    for name in schemas.keys() & RECORDINGS.keys():
        rows, expected = recorded(name)

        assert expected == as_recorded(answers(tools, found[name].classes, rows))


def there(names):
    """Where each schema is; one that cannot be had is told, or fails the run in CI."""
    schemas = {}
    for name in names:
        try:
            schemas[name] = schema_at(name)
        except pytest.skip.Exception as reason:
            warnings.warn(f"{name} is not compiled: {reason}", stacklevel=2)
    return schemas


def test_every_schema_is_in_one_half():
    assert sorted([*DIALECTS, *FOREIGN]) == sorted(name for half in HALVES.values() for name in half)
    assert RECORDINGS.keys() <= {*FOREIGN}
