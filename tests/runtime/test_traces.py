"""How many spans are kept in memory, of how many turns, and how many bytes of them (TRACE-1)."""

import msgspec
import pytest

from turnwire.server import MemoryTraces, traces
from turnwire.wire import Span

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def a_span(number, text=""):
    return Span(id=f"{number:016x}", name="s", started_at=number, duration_ms=0, status="ok", attributes={"text": text})


def sizes(kept):
    return [span.started_at for span in kept.spans], kept.dropped


@pytest.mark.parametrize(("ended", "kept", "dropped"), [(0, 0, 0), (2000, 2000, 0), (2001, 2000, 1), (2500, 2000, 500)])
def test_the_last_spans_of_a_turn_are_kept(ended, kept, dropped):
    memory = MemoryTraces()
    memory.begin("t", "u", TRACE)
    for number in range(ended):
        memory.add("t", "u", a_span(number))
    found = memory.read("t", "u")

    assert (len(found.spans), found.dropped) == (kept, dropped)
    assert [span.started_at for span in found.spans] == list(range(ended - kept, ended))


def test_the_last_turns_are_kept():
    memory = MemoryTraces()
    for number in range(201):
        memory.begin("t", f"u{number}", TRACE)
    memory.add("t", "u0", a_span(0))

    assert [number for number in range(201) if memory.read("t", f"u{number}") is None] == [0]


# A span of `a_span` is so long without its text.
EMPTY = len(msgspec.json.encode(a_span(1)))


@pytest.mark.parametrize(
    ("longer", "kept"),
    [(0, ([1, 2, 3, 4], 0)), (1, ([2, 3, 4], 1)), (EMPTY, ([2, 3, 4], 1)), (EMPTY + 1, ([3, 4], 2)), (9999, ([], 4))],
)
def test_of_a_turn_so_many_bytes_are_kept(monkeypatch, longer, kept):
    monkeypatch.setattr(traces, "_TURN_BYTES", 4 * EMPTY)
    memory = MemoryTraces()
    memory.begin("t", "u", TRACE)
    for number in (1, 2, 3):
        memory.add("t", "u", a_span(number))
    memory.add("t", "u", a_span(4, "x" * longer))

    assert sizes(memory.read("t", "u")) == kept


@pytest.mark.parametrize(
    ("bound", "first", "second"),
    [
        (6, ([1, 2, 3], 0), ([4, 5, 6], 0)),
        (5, ([2, 3], 1), ([4, 5, 6], 0)),
        (2, ([], 3), ([5, 6], 1)),
        (0, ([], 3), ([], 3)),
    ],
)
def test_of_all_turns_so_many_bytes_are_kept_those_of_the_first_go_first(monkeypatch, bound, first, second):
    monkeypatch.setattr(traces, "_BYTES", bound * EMPTY)
    memory = MemoryTraces()
    for turn in ("u1", "u2"):
        memory.begin("t", turn, TRACE)
    for number in (1, 2, 3):
        memory.add("t", "u1", a_span(number))
    for number in (4, 5, 6):
        memory.add("t", "u2", a_span(number))

    assert [sizes(memory.read("t", turn)) for turn in ("u1", "u2")] == [first, second]


def test_what_is_forgotten_makes_room(monkeypatch):
    monkeypatch.setattr(traces, "_BYTES", 2 * EMPTY)
    memory = MemoryTraces()
    for thread_id in ("t1", "t2", "t3"):
        memory.begin(thread_id, "u", TRACE)
        memory.add(thread_id, "u", a_span(1))
        memory.add(thread_id, "u", a_span(2))
        if thread_id != "t3":
            memory.forget(thread_id)

    assert sizes(memory.read("t3", "u")) == ([1, 2], 0)
    assert memory.read("t1", "u") is None
