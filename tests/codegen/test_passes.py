"""Each pass on a small protocol: what goes in, what comes out."""

import pytest

from codegen.workshop import METHOD, arm, family, record, write_protocol
from turnwire_codegen.ir import Alias, ByField, Enum, Record, Union
from turnwire_codegen.load.canonical import load_canonical
from turnwire_codegen.passes import PASSES, STABLE_PASSES, run
from turnwire_codegen.passes.graph import declarations, homes, mutual_families, reachable, references
from turnwire_codegen.passes.readers import loosen_readers
from turnwire_codegen.passes.roots import derive_roots
from turnwire_codegen.passes.stable import stable_only
from turnwire_codegen.passes.tags import Tag, arm_tags
from turnwire_codegen.rules import Length, Pattern

ID = {"description": "An id.", "type": "string", "maxLength": 9, "pattern": "^a+$"}
REF = {"$ref": "#/$defs/Id"}
UNION = {"description": "One of two.", "oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}
EXPERIMENT = {"x-stability": "experimental"}


def load(tmp_path, defs, **files):
    protocol, problems = load_canonical(write_protocol(tmp_path / "p", defs, **files))
    assert [] == problems
    assert protocol is not None
    return protocol


def test_references_in_reading_order(tmp_path):
    known = declarations(
        load(
            tmp_path,
            {"X": record(b={"$ref": "#/$defs/DoResult"}, a={"type": "array", "items": {"$ref": "#/$defs/DoParams"}})},
        )
    )

    assert ["DoResult", "DoParams"] == list(references(known["X"]))
    assert {"X", "DoResult", "DoParams"} == reachable({"X"}, known)


def test_families_that_need_each_other(tmp_path):
    protocol = load(
        tmp_path,
        {"X": record(y={"$ref": "more.json#/$defs/Y"})},
        more=family({"Y": record(z={"$ref": "other.json#/$defs/Z"})}),
        other=family({"Z": record(x={"$ref": "things.json#/$defs/X"})}),
        alone=family({"W": record(x={"$ref": "things.json#/$defs/X"})}),
    )
    expected = {
        "alone": frozenset(),
        "envelope": frozenset(),
        "more": frozenset({"things", "other"}),
        "other": frozenset({"things", "more"}),
        "things": frozenset({"more", "other"}),
    }

    assert expected == mutual_families(protocol)
    assert "more" == homes(protocol)["Y"]


def test_roots(tmp_path):
    rows = [
        METHOD,
        {
            "name": "thing/done",
            "sender": "server",
            "kind": "notification",
            "params": "DoResult",
            "clause": "T-2",
            "description": "It is done.",
        },
        {
            "name": "hello",
            "sender": "both",
            "kind": "request",
            "result": "DoResult",
            "clause": "T-3",
            "description": "Hello.",
        },
    ]
    known = declarations(derive_roots(load(tmp_path, {}, methods={"methods": rows})))

    assert ["jsonrpc", "id", "method", "params"] == [field.wire for field in known["ThingDoRequest"].fields]
    assert ["jsonrpc", "method", "params"] == [field.wire for field in known["ThingDoneNotification"].fields]
    assert ["jsonrpc", "id", "method"] == [field.wire for field in known["HelloRequest"].fields]
    # Params in which nothing is required may be left out.
    assert [True, True, False] == [field.required for field in known["ThingDoneNotification"].fields]
    assert ["thing/do", "hello"] == [variant.tag for variant in known["ClientRequest"].variants]
    assert ["hello"] == [variant.tag for variant in known["ServerRequest"].variants]
    assert [False, True] == [known[name].open for name in ("ClientRequest", "ServerNotification")]
    assert [v.type.name for v in known["ServerToClient"].variants] == [
        "ServerRequest",
        "ServerNotification",
        "Response",
    ]
    assert ["ClientRequest", "Response"] == [v.type.name for v in known["ClientToServer"].variants]


def test_no_methods_no_roots(tmp_path):
    protocol = load(tmp_path, {}, methods={"methods": []})

    assert protocol == derive_roots(protocol)


def test_stable_only(tmp_path):
    defs = {
        "A": arm("a"),
        "B": {**arm("b", deep={"$ref": "#/$defs/OnlyExperimental"})},
        "X": {**UNION, "oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B", **EXPERIMENT}]},
        "E": {
            "description": "Values.",
            "oneOf": [{"const": "p", "description": "P."}, {"const": "q", "description": "Q.", **EXPERIMENT}],
        },
        "OnlyExperimental": record(),
        "Unreached": record(),
        "Gone": {**record(), **EXPERIMENT},
        "DoResult": record(x={"$ref": "#/$defs/X"}, e={"$ref": "#/$defs/E"}, more={"type": "string", **EXPERIMENT}),
    }
    rows = [{**METHOD, "emits": ["try"]}, {**METHOD, "name": "try", "stability": "experimental"}]
    whole = load(
        tmp_path,
        defs,
        methods={"methods": rows},
        capabilities={
            "server": [{"key": "k", "promise": "p", "methods": ["try", "thing/do"], "members": []}],
            "client": [],
        },
    )
    stable = stable_only(whole)
    known = declarations(stable)

    assert ["thing/do"] == [row.name for row in stable.methods]
    assert () == stable.methods[0].emits
    assert ("thing/do",) == stable.capabilities[0].methods
    assert ["a"] == [variant.tag for variant in known["X"].variants]
    assert ["p"] == [case.value for case in known["E"].cases]
    assert ["x", "e"] == [field.wire for field in known["DoResult"].fields]
    assert {"A", "X", "E", "Unreached"} <= set(known)
    assert not {"B", "OnlyExperimental", "Gone"} & set(known)
    assert stable == stable_only(stable)


def test_arm_tags(tmp_path):
    protocol = load(tmp_path, {"A": arm("a"), "B": arm("b"), "X": UNION})

    assert {"A": Tag("type", "a"), "B": Tag("type", "b")} == arm_tags(protocol)
    assert ByField("type") == declarations(protocol)["X"].tagging


@pytest.mark.parametrize(
    ("where", "expected"),
    [("DoParams", True), ("DoResult", False)],
    ids=["only a client sends it", "a client reads it"],
)
def test_patterns_bind_at_the_door(tmp_path, where, expected):
    defs = {"Id": ID, where: record(id={"type": "array", "items": REF}, own={"type": "string", "pattern": "b"})}
    known = declarations(loosen_readers(derive_roots(load(tmp_path, defs))))
    items, own = (field.type for field in known[where].fields)

    assert (Length(0, 9),) == known["Id"].type.rules
    assert expected == (Pattern("^a+$") in items.item.rules)
    assert expected == (Pattern("b") in own.rules)


def test_without_methods_every_pattern_stays(tmp_path):
    protocol = load(tmp_path, {"Id": ID}, methods={"methods": []})

    assert protocol == loosen_readers(protocol)


def test_the_passes_of_a_run(tmp_path):
    protocol = load(tmp_path, {"A": arm("a"), "B": arm("b"), "X": {**UNION, "x-open": True}})

    assert run(protocol, PASSES) == run(protocol, STABLE_PASSES)
    assert {Record, Union, Alias} >= {type(decl) for decl in declarations(protocol).values()} - {Enum}
