"""The stable filter: what is experimental goes, and what only that needed."""

from codegen.workshop import METHOD, arm, loaded, record
from turnwire_codegen.passes.graph import declarations
from turnwire_codegen.passes.stable import stable_only

UNION = {"description": "One of two.", "oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}
EXPERIMENT = {"x-stability": "experimental"}


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
    whole = loaded(
        tmp_path,
        defs,
        methods={"methods": rows},
        capabilities={
            "server": [{"key": "k", "promise": "p", "methods": ["try", "thing/do"], "members": ["DoResult.more"]}],
            "client": [
                {"key": "gone", "promise": "p", "methods": ["try"], "members": []},
                {"key": "bare", "promise": "p", "methods": [], "members": []},
            ],
        },
    )
    stable = stable_only(whole)
    known = declarations(stable)

    assert ["thing/do"] == [row.name for row in stable.methods]
    assert () == stable.methods[0].emits
    assert ["k", "bare"] == [row.key for row in stable.capabilities]
    assert (("thing/do",), ()) == (stable.capabilities[0].methods, stable.capabilities[0].members)
    assert ["a"] == [variant.tag for variant in known["X"].variants]
    assert ["p"] == [case.value for case in known["E"].cases]
    assert ["x", "e"] == [field.wire for field in known["DoResult"].fields]
    assert {"A", "X", "E", "Unreached"} <= set(known)
    assert not {"B", "OnlyExperimental", "Gone"} & set(known)
    assert stable == stable_only(stable)
