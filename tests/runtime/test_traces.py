"""How many spans are kept in memory, and of how many turns (TRACE-1)."""

import pytest

from turnwire.server import MemoryTraces
from turnwire.wire import Span

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def a_span(number):
    return Span(id=f"{number:016x}", name="s", started_at=number, duration_ms=0, status="ok")


@pytest.mark.parametrize(("ended", "kept", "dropped"), [(0, 0, 0), (2000, 2000, 0), (2001, 2000, 1), (2500, 2000, 500)])
def test_the_last_spans_of_a_turn_are_kept(ended, kept, dropped):
    traces = MemoryTraces()
    traces.begin("t", "u", TRACE)
    for number in range(ended):
        traces.add("t", "u", a_span(number))
    found = traces.read("t", "u")

    assert (len(found.spans), found.dropped) == (kept, dropped)
    assert [span.started_at for span in found.spans] == list(range(ended - kept, ended))


def test_the_last_turns_are_kept():
    traces = MemoryTraces()
    for number in range(201):
        traces.begin("t", f"u{number}", TRACE)
    traces.add("t", "u0", a_span(0))

    assert [number for number in range(201) if traces.read("t", f"u{number}") is None] == [0]
