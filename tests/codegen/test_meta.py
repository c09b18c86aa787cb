"""protocol/meta says the same as the loader: what one refuses the other refuses, but for what needs a second look."""

import json

import pytest
from jsonschema import Draft202012Validator

from codegen.test_load import OUTSIDE, TABLES
from codegen.workshop import ROOT, family

META = {path.stem: json.loads(path.read_text()) for path in sorted((ROOT / "protocol" / "meta").glob("*.json"))}
SCHEMA = sorted((ROOT / "protocol" / "schema").glob("*.json"))
# A schema cannot follow references, compare two names, or see which arms share a member.
ONLY_THE_LOADER = {
    "undeclared required",
    "dangling",
    "dangling family",
    "wrong family",
    "no tag",
    "same tag",
    "value twice",
}
ONLY_THE_LOADER |= {
    "method twice",
    "no such params",
    "no such error",
    "no such event",
    "types of one name",
    "no such data",
}
ONLY_THE_LOADER |= {"no such state", "no such initial", "no such terminal", "no such offer"}


def accepts(meta: str, value: object) -> bool:
    return Draft202012Validator(META[meta]).is_valid(value)


@pytest.mark.parametrize("name", sorted(META))
def test_meta_is_a_schema(name):
    Draft202012Validator.check_schema(META[name])


@pytest.mark.parametrize("path", SCHEMA, ids=[path.name for path in SCHEMA])
def test_the_protocol_is_in_the_narrow_form(path):
    meta = path.stem if path.stem in META else "family"
    validator = Draft202012Validator(META[meta])

    assert [
        f"{error.json_path}: {error.message}" for error in validator.iter_errors(json.loads(path.read_text()))
    ] == []


@pytest.mark.parametrize(("name", "defs"), [(row[0], row[1]) for row in OUTSIDE], ids=[row[0] for row in OUTSIDE])
def test_both_refuse(name, defs):
    expected = name in ONLY_THE_LOADER

    assert expected == accepts("family", family(defs))


@pytest.mark.parametrize(
    ("name", "table", "value"),
    [
        (name, table, value)
        for name, files, _, _ in TABLES
        for table, value in files.items()
        if table in META and isinstance(value, dict)
    ],
)
def test_both_refuse_tables(name, table, value):
    expected = name in ONLY_THE_LOADER

    assert expected == accepts(table, value)
