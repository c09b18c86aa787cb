"""What a turn is given (TURN-2, TURN-18): parts of every kind come back as they were, and what is none is refused."""

import json

import pytest

from turnwire.errors import RemoteError
from turnwire.wire import ThreadItemsListParams, ThreadTurnsListParams, TurnInterruptParams

PIXEL = "data:image/png;base64,iVBORw0KGgo="
# What the scripted agent reads; every other part comes along.
SAY = {"type": "text", "text": "text Hi"}
PARTS = [
    {"type": "text", "text": "\U0001f600 \u2028 \u0000 more"},
    {"type": "text", "text": ""},
    {"type": "image", "url": PIXEL},
    {"type": "image", "url": "data:image/svg+xml;base64,"},
    {"type": "localImage", "path": "/pictures/a b.png"},
    {"type": "fileRef", "path": "src/a.py"},
    {"type": "fileRef", "path": "src/a.py", "startLine": 3, "endLine": 3},
    {"type": "commandRef", "name": "review"},
    {"type": "commandRef", "name": "review", "arguments": "--all"},
    {"type": "skillRef", "name": "pdf"},
    {"type": "contextRef", "key": "editor"},
    {"type": "text", "text": "x", "unknownMember": {"kept": False}},
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part["type"])
async def test_a_part_shows_as_it_was_given(house, part):
    talk = await house.connect()
    thread_id = await talk.thread()
    params = {"threadId": thread_id, "input": [SAY, part]}
    turn = json.loads(bytes(await talk.client.call_raw("turn/start", params)))["turn"]
    completed = await talk.heard("turn/completed")
    (listed,) = (await talk.client.thread_turns_list(ThreadTurnsListParams(thread_id=thread_id))).data
    items = (await talk.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))).data
    (message,) = talk.items("userMessage")
    known = {name: value for name, value in part.items() if name != "unknownMember"}

    assert turn["input"] == message["input"] == [SAY, known]
    assert listed.input == items[0].input == completed.turn.input


BAD = [
    ([], "/input"),
    ([{"type": "video"}], "/input/0/type"),
    ([SAY, {"type": "video"}], "/input/1/type"),
    ([SAY, {"text": "x"}], "/input/1"),
    ([{"type": "text"}], "/input/0"),
    ([{"type": "text", "text": 1}], "/input/0/text"),
    ([{"type": "text", "text": None}], "/input/0/text"),
    (["text"], "/input/0"),
    ("text", "/input"),
    ([{"type": "image", "url": "https://example.org/a.png"}], "/input/0/url"),
    ([{"type": "image", "url": "http://example.org/a.png"}], "/input/0/url"),
    ([{"type": "image", "url": "file:///etc/passwd"}], "/input/0/url"),
    ([{"type": "image", "url": "data:text/html;base64,AAAA"}], "/input/0/url"),
    ([{"type": "image", "url": PIXEL + "\n"}], "/input/0/url"),
    ([{"type": "fileRef", "path": "a", "startLine": 0}], "/input/0/startLine"),
    ([{"type": "fileRef", "path": "a", "startLine": 3, "endLine": 2}], "/input/0/endLine"),
    ([{"type": "fileRef", "path": ""}], "/input/0/path"),
    ([{"type": "skillRef", "name": ""}], "/input/0/name"),
    ([SAY] * 257, "/input"),
]
METHODS = [
    ("turn/start", {}),
    ("turn/steer", {"expectedTurnId": "$turn"}),
    ("turn/enqueue", {}),
    ("turn/queue/update", {"entryId": "x"}),
]


@pytest.mark.parametrize(("parts", "path"), BAD, ids=lambda value: json.dumps(value)[:40])
async def test_what_is_no_part_is_refused_by_every_method_that_takes_input(house, parts, path):
    talk = await house.connect()
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "listen")
    for method, more in METHODS:
        members = {name: value.replace("$turn", turn.id) for name, value in more.items()}
        for known in (thread_id, "nowhere"):
            # ERR-7: also where the thread is not there.
            with pytest.raises(RemoteError) as refused:
                await talk.client.call_raw(method, {"threadId": known, "input": parts, **members})
            issue = refused.value.data["issues"][0]
            assert (refused.value.code, issue["path"].startswith(path)) == (-32602, True), (method, issue)
    await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id))

    assert len(talk.said("turn/started")) == 1
    assert [item["input"] for item in talk.items("userMessage")] == [[{"type": "text", "text": "listen"}]]
