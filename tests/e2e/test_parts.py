"""The parts of a server that need no server: canonical form, cursors, the script grammar, a history told again."""

import json
import random
import struct

import msgspec
import pytest
import rfc8785

from turnwire.agents.script import (
    Approve,
    Ask,
    Crash,
    Fail,
    Flood,
    Listen,
    Notice,
    Plan,
    Say,
    ScriptFault,
    Slow,
    Think,
    Tool,
    Use,
    Write,
    read_line,
    read_script,
)
from turnwire.errors import Refusal
from turnwire.server.canonical import canonical, digest
from turnwire.server.cursors import Place, binding, read_cursor, write_cursor
from turnwire.server.paging import Query, page
from turnwire.store.history import History
from turnwire.store.memory import MemoryStore

VALUES = [
    *(None, True, False, 0, -1, 2**53 - 1, "", 'é\u2028\x7f\x00"\\/', "😀"),
    *(0.0, -0.0, 1.0, 1e21, 1e20, 123456789012345680000.0, 1e-6, 1e-7, 1.5e-9, 5e-324, 1.7976931348623157e308),
    [],
    [1, [2, {}]],
    {"\ufb33": 1, "😀": 2, "€": 3, "\r": 4, "1": 5, "a": {"z": None, "b": []}},
]


@pytest.mark.parametrize("value", VALUES)
def test_the_canonical_form_is_that_of_the_standard(value):
    assert canonical(value) == rfc8785.dumps(value)


def test_every_double_is_printed_as_ecmascript_does():
    rng = random.Random(8785)
    doubles = [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(3000)]
    finite = [value for value in doubles if value - value == 0]

    assert [canonical(value) for value in finite] == [rfc8785.dumps(value) for value in finite]


def test_integers_outside_i_json_enter_a_digest_as_strings():
    assert canonical({"n": 2**53, "m": -(10**30)}) == b'{"m":"-%d","n":"%d"}' % (10**30, 2**53)
    assert digest(2**53) == digest(str(2**53)) != digest(2**53 - 1)


def test_what_is_no_json_has_no_canonical_form():
    with pytest.raises(TypeError, match="set is no JSON value"):
        canonical({"a": {1}})


LINES = [
    ("Hello", Say("Hello")),
    ("text Hello  there ", Say("Hello  there ")),
    ("texts", Say("texts")),
    ("think so", Think("so")),
    ("slow 3 10", Slow(3, 10)),
    ("tool grep", Tool("grep", {})),
    ('tool grep {"a": [1]}', Tool("grep", {"a": [1]})),
    ("approve rm {}", Approve("rm", {})),
    ("write a/b.txt two words", Write("a/b.txt", "two words")),
    ("ask q1 What?", Ask("q1", "What?")),
    ("listen", Listen()),
    ("usage 0 12", Use(0, 12)),
    ("plan a; b c ;d", Plan(("a", "b c", "d"))),
    ("notice mind", Notice("mind")),
    ("flood 2 3", Flood(2, 3)),
    ("fail No", Fail("No")),
    ("crash", Crash()),
]


@pytest.mark.parametrize(("line", "command"), LINES)
def test_a_line_is_a_command(line, command):
    assert read_line(1, line) == command


FAULTS = ["text", "think ", "slow", "slow 1", "slow 1 2 3", "slow -1 2", "slow 1.5 2", "slow ٣ 1", "slow 1  2"]
FAULTS += [
    "slow 1 60001",
    "slow 9999999 1",
    "tool",
    "tool  {}",
    "tool t {",
    "tool t []",
    "tool t 5",
    "approve",
    "write",
]
FAULTS += ["write path", "ask", "ask id", "listen now", "usage 1", "usage a b", "plan", "plan ;", "plan a;;b"]
FAULTS += ["notice", "flood 1 9000000", "flood 3000000 3", "fail", "crash now", f"tool {'n' * 257}", 'tool t {"a":NaN}']


@pytest.mark.parametrize("line", FAULTS)
def test_an_argument_that_is_not_lawful_is_named_by_line_and_command(line):
    with pytest.raises(ScriptFault, match=f"^Line 7: `{line.split(' ')[0]}` .*\\.$"):
        read_line(7, line)


def test_blank_lines_are_passed_over_and_counted():
    assert read_script("a\n\n \t\n b\r\nc") == [(1, "a"), (4, " b\r"), (5, "c")]


def test_a_cursor_comes_back_as_it_was():
    place = Place(binding("turns", thread="t"), 12, 7, "id", 3)

    assert read_cursor(write_cursor(place), binding=place.binding, generation=3) == place


STALE = [("mismatch", {"binding": "other"}), ("stale", {"generation": 4})]


@pytest.mark.parametrize(("reason", "changes"), STALE)
def test_a_cursor_is_bound(reason, changes):
    place = Place("here", 12, 7, "id", 3)

    with pytest.raises(Refusal) as refused:
        read_cursor(write_cursor(place), **{"binding": "here", "generation": 3, **changes})

    assert refused.value.data["reason"] == reason


def test_no_changed_byte_of_a_cursor_goes_unnoticed():
    cursor = write_cursor(Place("here", 12, 7))

    for index in range(len(cursor) - 1):
        changed = cursor[:index] + ("A" if cursor[index] != "A" else "B") + cursor[index + 1 :]
        with pytest.raises(Refusal):
            read_cursor(changed, binding="here")


@pytest.mark.parametrize("descending", [False, True])
def test_entries_of_one_moment_are_told_apart_by_id(descending):
    places = [(5, letter) for letter in "abcde"]
    walked, cursor = [], msgspec.UNSET
    while True:
        query = Query("b", cursor, 2, descending, msgspec.UNSET, 5)
        values, cursor = page(places, query, str.upper)
        walked += values
        if cursor is msgspec.UNSET:
            break

    assert walked == sorted("ABCDE", reverse=descending)


SCRIPTS = [
    "text one\nthink two\ntool t {}",
    "usage 1 2\nplan a\nnotice n",
    "fail no",
    "approve rm\ntext after",
]


@pytest.mark.parametrize("script", SCRIPTS)
async def test_a_history_is_the_same_when_it_is_told_again(house, script):
    store = MemoryStore()
    house.host = {"store": store}
    talk = await house.connect(approvals="defer")
    thread_id = await talk.thread(title="Told", metadata={"a": 1})
    await talk.run(thread_id, "text before")
    await talk.run(thread_id, script)
    engine = house.server._state.work
    live = engine.threads.load(thread_id).history

    told = History.load(store.events(thread_id))

    for part in ("header", "turns", "items", "waiting", "held"):
        assert getattr(told, part) == getattr(live, part), part
    assert [told.place(item) for item in told.items] == [live.place(item) for item in live.items]
    assert told.paused_turn() == live.paused_turn()
    assert told.header == store.header(thread_id)


async def test_the_text_so_far_is_recorded_before_the_item_is_whole(house):
    store = MemoryStore()
    house.host = {"store": store}
    talk = await house.connect()
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "flood 3 8000\nslow 4 200")
    await talk.heard("item/completed", lambda params: params.item.type == "agentMessage")
    await talk.heard("item/agentMessage/delta", lambda params: params.delta == "3 ")

    texts = [json.loads(event.payload) for event in store.events(thread_id) if event.type == "record/text"]
    told = History.load(store.events(thread_id))

    assert len(texts[0]["text"]) == 24_000
    assert told.items_of(turn.id)[-1].text == "1 2 "
    assert (await talk.ended(turn)).status == "completed"
