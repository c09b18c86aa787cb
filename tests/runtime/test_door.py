"""Whatever a client sends is held to every rule of the schema, at any depth; a refusal says where (decision 0008)."""

import json

import jsonschema_rs
import msgspec
import pytest

from runtime.breaking import TYPES, breaks, lawful
from turnwire.codec import decode_params, decode_result
from turnwire.door import guarded
from turnwire.errors import Refusal, RemoteProtocolError
from turnwire.issues import issue_of
from turnwire.wire import METHODS

ASKED = [(row.name, row.params) for row in METHODS.values() if row.sender != "server" and row.params]
ANSWERED = [(row.name, row.result) for row in METHODS.values() if row.sender != "client" and row.result]


def rows(sent):
    """One for each rule of what is sent."""
    return [
        pytest.param(method, name, broken, id=f"{method} {broken.pointer} {broken.rule}")
        for method, name in sent
        for broken in breaks(TYPES[name])
    ]


def is_valid(name, value):
    return jsonschema_rs.validator_for({"$defs": TYPES, "$ref": f"#/$defs/{name}"}).is_valid(value)


def raw(value):
    return msgspec.Raw(json.dumps(value).encode())


@pytest.mark.parametrize(("method", "name"), [*ASKED, *ANSWERED])
def test_what_is_broken_here_was_lawful(method, name):
    assert is_valid(name, lawful(TYPES[name]))


@pytest.mark.parametrize(("method", "name", "broken"), rows(ASKED))
def test_params_are_refused_at_the_pointer(method, name, broken):
    value = broken.value()
    with pytest.raises(Refusal) as refused:
        decode_params(method, raw(value))

    assert not is_valid(name, value)
    assert ("invalidParams", broken.pointer) == (refused.value.data["code"], refused.value.data["issues"][0]["path"])


@pytest.mark.parametrize(("method", "name", "broken"), rows(ANSWERED))
def test_an_answer_is_none_at_the_pointer(method, name, broken):
    value = broken.value()
    with pytest.raises(RemoteProtocolError, match=f"the result of {method} is not lawful at '{broken.pointer}': "):
        decode_result(method, raw(value))

    assert not is_valid(name, value)


class Leaf(msgspec.Struct):
    word: str | None = None


class Tree(msgspec.Struct):
    leaf: Leaf | None = None
    leaves: list[Leaf] = []
    named: dict[str, Leaf] = {}
    words: dict[str, list[str]] = {}


WAYS = {
    "Leaf": (("word", "word", ("^a", "b$")),),
    "Tree": (("leaf", "leaf", ()), ("leaves", "leaves", ()), ("named", "named", ()), ("words", "words", ("^a",))),
}


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        (b"{}", None),
        (b'{"leaf":{}}', None),
        (b'{"leaf":{"word":"ab"},"leaves":[{"word":"a-b"}],"named":{"x":{"word":"ab"}},"words":{"y":["a"]}}', None),
        (b'{"leaf":{"word":"bb"}}', "/leaf/word"),
        (b'{"leaf":{"word":"aa"}}', "/leaf/word"),
        (b'{"leaves":[{"word":"ab"},{"word":"a"}]}', "/leaves/1/word"),
        (b'{"named":{"x":{"word":"ab"},"y/z":{"word":"b"}}}', "/named/y~1z/word"),
        (b'{"words":{"x":["a"],"y":["a","b"]}}', "/words/y/1"),
    ],
)
def test_ways_lead_through_lists_and_maps(text, pointer):
    decode = guarded(msgspec.json.Decoder(Tree).decode, WAYS)
    if pointer is None:
        assert isinstance(decode(text), Tree)
        return
    with pytest.raises(msgspec.ValidationError) as refused:
        decode(text)

    assert issue_of(refused.value, decode, text).path == pointer
