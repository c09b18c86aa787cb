"""What the judge reads as JSON, where the standard decoder is too kind."""

import pytest

from turnwire.conformance.strict import NotStrict, parse, same_json
from turnwire.conformance.trace import Trace, clip


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b'{"a":NaN}', "the literal NaN"),
        (b"[-Infinity]", "the literal -Infinity"),
        (b"[1e400]", "no number that a double can hold"),
        (b'{"a":1,"a":2}', "the member 'a' twice"),
        (b'{"b":{"a":1,"a":2}}', "the member 'a' twice"),
        (b'["\\ud800"]', "a lone surrogate"),
        (b'{"\\udc00":1}', "a lone surrogate"),
        (b'"\xff"', "not UTF-8"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"{} {}", "not JSON"),
        (b"", "not JSON"),
        (b"[" * 200_000, "nested too deeply"),
        (b"9" * 5000, "not JSON"),
    ],
)
def test_refused(raw, why):
    with pytest.raises(NotStrict, match=why):
        parse(raw)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'"\\ud83d\\ude00"', "😀"),
        ('"a\u2028b\u0085c"'.encode(), "a\u2028b\u0085c"),
        (b"1e2", 100.0),
        (b'{"a":null}', {"a": None}),
    ],
)
def test_read(raw, value):
    assert value == parse(raw)


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), (0, False), (1, "1"), (None, 0)])
def test_ids_differ_by_type(one, other):
    assert not same_json(one, other)


def test_a_line_is_shown_safely_and_shortly():
    assert "\\x1b[31mred\\u2028" == clip("\x1b[31mred\u2028".encode())
    assert "xx… (9 bytes)" == clip(b"x" * 9, width=2)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b'{"id":1,"result":{}}', "reply"),
        (b'{"result":{}}', "reply"),
        (b'{"method":"a"}', "notification"),
        (b'{"method":"a","id":null}', "request"),
        (b"[1]", "neither"),
        (b"INFO", "neither"),
    ],
)
def test_frames_are_told_apart(raw, kind):
    frame = Trace("test").record(raw, sent=False, at=0.0)
    kinds = {"reply": frame.is_reply, "notification": frame.is_notification, "request": frame.is_request}

    assert [kind] == ([name for name, holds in kinds.items() if holds] or ["neither"])
