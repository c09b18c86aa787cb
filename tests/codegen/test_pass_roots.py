"""The messages that follow from the method table."""

from codegen.workshop import METHOD, loaded
from turnwire_codegen.passes.graph import declarations
from turnwire_codegen.passes.roots import derive_roots


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
    known = declarations(derive_roots(loaded(tmp_path, {}, methods={"methods": rows})))

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
    protocol = loaded(tmp_path, {}, methods={"methods": []})

    assert protocol == derive_roots(protocol)
