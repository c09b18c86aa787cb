"""The model that is none: what it says, in both forms, whole and as a stream."""

import http.client
import json
import time
from urllib.parse import urlsplit

import pytest

from turnwire.conformance.endpoint import Reply, hosted, reply_to

CHAT, RESPONSES = "/chat/completions", "/responses"


@pytest.fixture(scope="module")
def base():
    with hosted() as url:
        yield urlsplit(url)


def ask(base, path, body):
    """The status and the raw body; a connection that is cut gives what has come."""
    connection = http.client.HTTPConnection(base.hostname, base.port, timeout=60)
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request("POST", base.path + path, raw, {"Content-Type": "application/json"})
    response = connection.getresponse()
    try:
        return response.status, response.read().decode()
    except http.client.IncompleteRead as cut:
        return response.status, cut.partial.decode() + "(cut)"
    finally:
        connection.close()


def streamed(base, path, text):
    said = {"input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]}
    body = said if path == RESPONSES else {"messages": [{"role": "user", "content": text}]}
    status, raw = ask(base, path, {**body, "stream": True})
    return status, [json.loads(line[6:]) for line in raw.splitlines() if line.startswith("data: {")], raw


def pieces(path, events):
    if path == RESPONSES:
        return [event["delta"] for event in events if event["type"] == "response.output_text.delta"]
    deltas = [choice["delta"] for event in events for choice in event.get("choices", [])]
    return [delta["content"] for delta in deltas if delta.get("content")]


@pytest.mark.parametrize("path", [CHAT, RESPONSES])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("text Grüße 😀 und mehr", ["Grüße 😀 ", "und mehr"]),
        ("what is no command", ["what is ", "no comma", "nd"]),
        ("slow 3 1", ["1 ", "2 ", "3 "]),
        ("flood 2 5", ["xxxxx", "xxxxx"]),
    ],
)
def test_a_stream_has_the_pieces(path, text, said, base):
    status, events, raw = streamed(base, path, text)

    assert (200, said) == (status, pieces(path, events))
    assert ("[DONE]" in raw) is (path == CHAT)
    if path == RESPONSES:
        assert "".join(said) == events[-1]["response"]["output"][0]["content"][0]["text"]
        assert list(range(len(events))) == [event["sequence_number"] for event in events]


@pytest.mark.parametrize("path", [CHAT, RESPONSES])
def test_a_tool_is_called_once(path, base):
    _, events, _ = streamed(base, path, 'tool run {"command": "ls"}')
    call = {"name": "run", "arguments": '{"command": "ls"}'}

    if path == RESPONSES:
        assert call.items() <= events[-1]["response"]["output"][0].items()
    else:
        assert call == events[1]["choices"][0]["delta"]["tool_calls"][0]["function"]


@pytest.mark.parametrize(
    "after",
    [
        [{"role": "tool", "content": "ok"}],
        [{"type": "function_call_output", "output": "ok"}],
        [{"type": "function_call_output", "output": "ok"}, {"role": "user", "content": "<reminder/>"}],
    ],
)
def test_when_the_tool_has_answered_the_turn_can_end(after):
    asked = {"role": "user", "content": "tool run {}"}

    assert Reply(("done",)) == reply_to({"messages": [asked, *after]})
    assert "run" == reply_to({"messages": [asked, *after, asked]}).tool


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"input": "text x"}, ("x",)),
        ({"messages": [{"role": "user", "content": "text x"}, {"role": "user", "content": "<context/>"}]}, ("x",)),
        ({"messages": [{"role": "assistant", "content": "text x"}]}, ("",)),
        ({}, ("",)),
        ([], ("",)),
    ],
)
def test_the_last_command_of_the_user_counts(body, said):
    assert said == reply_to(body).pieces


@pytest.mark.parametrize(("text", "status"), [("fail on purpose", 500), ("limit", 429)])
def test_it_fails_on_purpose(text, status, base):
    code, raw = ask(base, CHAT, {"messages": [{"role": "user", "content": text}], "stream": True})

    assert status == code
    assert "error" in json.loads(raw)


@pytest.mark.parametrize("path", [CHAT, RESPONSES])
def test_a_stream_is_cut_in_the_middle(path, base):
    _, events, raw = streamed(base, path, "cut after eight characters")

    assert (["after ei"], True) == (pieces(path, events), raw.endswith("(cut)"))


@pytest.mark.parametrize(("path", "place"), [(CHAT, "choices"), (RESPONSES, "output")])
def test_it_answers_without_a_stream_too(path, place, base):
    _, raw = ask(base, path, {"input": "text whole", "messages": [{"role": "user", "content": "text whole"}]})

    assert "whole" in json.dumps(json.loads(raw)[place])


@pytest.mark.parametrize(("path", "body", "status"), [("/nothing", b"{}", 404), (CHAT, b"{", 400), (CHAT, b"", 413)])
def test_what_is_no_request_is_refused(path, body, status, base):
    assert status == ask(base, path, body)[0]


def test_it_ends_while_it_hangs():
    with hosted() as url:
        parts = urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        connection.request(
            "POST", parts.path + CHAT, json.dumps({"messages": [{"role": "user", "content": "hang 30"}]})
        )
        began = time.monotonic()
    assert 5 > time.monotonic() - began
    connection.close()
