"""One splitter of names, four ways to join."""

import pytest

from turnwire_codegen.words import camel, pascal, snake, upper_snake, words

ROWS = [
    ("threadId", ("thread", "id")),
    ("thread/turns/list", ("thread", "turns", "list")),
    ("HTTPServer", ("http", "server")),
    ("getURL", ("get", "url")),
    ("Dev_Info", ("dev", "info")),
    ("dev__info", ("dev", "info")),
    ("sha256Digest", ("sha256", "digest")),
    ("$type", ("type",)),
    ("x-y z", ("x", "y", "z")),
    ("v2", ("v2",)),
    ("2fa", ("2", "fa")),
    ("größe", ("gr", "öß", "e")),
    ("", ()),
]


@pytest.mark.parametrize(("name", "expected"), ROWS)
def test_words(name, expected):
    assert expected == words(name)


@pytest.mark.parametrize(
    ("join", "expected"),
    [(snake, "thread_id"), (upper_snake, "THREAD_ID"), (pascal, "ThreadId"), (camel, "threadId")],
)
@pytest.mark.parametrize("name", ["threadId", "thread/id", "Thread_ID"])
def test_join(join, expected, name):
    assert expected == join(name)
