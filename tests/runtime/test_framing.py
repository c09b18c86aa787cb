"""Chunks to lines: any split of a stream gives the same lines, and no line is held beyond the limit."""

import itertools
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwire.framing import LineSplitter, Overlong

LIMIT = 8
OVERLONG = Overlong.of(b"12345678", LIMIT)


def lines_of(*chunks: bytes, limit: int = LIMIT) -> list[bytes]:
    splitter = LineSplitter(limit)
    return [line for chunk in chunks for line in splitter.feed(chunk)] + splitter.finish()


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        pytest.param([b"a\nb\n"], [b"a", b"b"], id="two lines in a chunk"),
        pytest.param([b"a", b"b\nc", b"d\n"], [b"ab", b"cd"], id="lines over chunks"),
        pytest.param([b"a\r\nb\r\n"], [b"a\r", b"b\r"], id="a carriage return is left to JSON"),
        pytest.param([b"\n\na\n\n"], [b"a"], id="empty lines"),
        pytest.param(["\u2028\n".encode(), "\u0085\n".encode()], ["\u2028".encode(), "\u0085".encode()], id="U+2028"),
        pytest.param([b"a\nlast"], [b"a", b"last"], id="STDIO-9: the last line needs no end"),
        pytest.param([b"12345678\n"], [b"12345678"], id="at the limit"),
        pytest.param([b"12345678\r\n"], [b"12345678\r"], id="at the limit, the line end does not count"),
        pytest.param([b"12345678", b"\r", b"\n"], [b"12345678\r"], id="at the limit, in pieces"),
        pytest.param([b"123456789\nb\n"], [OVERLONG, b"b"], id="one beyond the limit"),
        pytest.param([b"12345678", b"9", b"0", b"\nb\n"], [OVERLONG, b"b"], id="beyond the limit, in pieces"),
        pytest.param([b"12345678\r", b"9\nb\n"], [OVERLONG, b"b"], id="a carriage return within"),
        pytest.param([b"1234567890", b"more\n", b"b\n"], [OVERLONG, b"b"], id="skipped to its end"),
        pytest.param([b"a\n1234567890\nb\n"], [b"a", OVERLONG, b"b"], id="between others"),
        pytest.param([b"1234567890"], [OVERLONG], id="beyond the limit without an end"),
        pytest.param([b"123456789012\n123456789012\n"], [OVERLONG, OVERLONG], id="two of them"),
    ],
)
def test_lines(chunks: list[bytes], expected: list[bytes]) -> None:
    assert lines_of(*chunks) == expected


@given(
    stream=st.lists(st.sampled_from([b"a", b"12345678", b"\n", b"\r", b"\r\n", "é".encode(), b" ", b"123456789"])).map(
        b"".join
    ),
    cuts=st.lists(st.integers(0, 60)),
)
def test_any_split_gives_the_same_lines(stream: bytes, cuts: list[int]) -> None:
    places = sorted({cut for cut in cuts if cut < len(stream)} | {0, len(stream)})
    chunks = [stream[start:end] for start, end in itertools.pairwise(places)]

    assert lines_of(*chunks) == lines_of(stream)


def test_an_overlong_line_is_not_held() -> None:
    splitter = LineSplitter(1000)
    chunk = b"x" * 64 * 1024
    tracemalloc.start()
    found = [line for _ in range(200) for line in splitter.feed(chunk)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert found == [Overlong.of(chunk, 1000)]
    assert peak < 256 * 1024


def test_a_long_line_in_small_chunks_costs_its_length() -> None:
    """Were all that came before copied with each chunk, this would copy 500 GB."""
    splitter = LineSplitter(1 << 30)
    size = 1 << 22
    for _ in range(size // 16):
        splitter.feed(b"0123456789abcdef")

    assert [len(line) for line in splitter.feed(b"\n")] == [size]
