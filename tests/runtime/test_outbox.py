"""What waits for a slow reader: order is kept, deltas are merged, transient lines go first, recorded ones never."""

import msgspec
import pytest

from turnwire.outbox import TRANSIENT, Outbox
from turnwire.wire import METHODS, ItemDeltaParams

DELTA = "item/agentMessage/delta"
PROGRESS = "item/toolCall/progress"


def delta(offset: int, text: str, item: str = "it-1") -> ItemDeltaParams:
    return ItemDeltaParams(thread_id="th-1", turn_id="tu-1", item_id=item, offset=offset, delta=text)


def texts(lines: list[bytes]) -> list[str]:
    """Recorded lines as they are, deltas as offset and text."""
    found = []
    for line in lines:
        if not line.startswith(b"{"):
            found.append(line.decode())
            continue
        params = msgspec.json.decode(line)["params"]
        found.append(f"{params['offset']}:{params['delta']}" if "delta" in params else "progress")
    return found


def test_what_is_transient_is_what_the_table_does_not_record() -> None:
    recorded = {name for name, method in METHODS.items() if method.kind == "notification" and method.durable}

    assert {DELTA, PROGRESS, "thread/closed"} <= TRANSIENT
    assert TRANSIENT.isdisjoint(recorded)
    assert {"turn/completed", "item/completed", "approval/resolved"} <= recorded


def test_order_is_kept() -> None:
    outbox = Outbox(10, 1000)
    outbox.put(b"1")
    outbox.put_transient(DELTA, delta(0, "a"))
    outbox.put(b"2")
    outbox.put_transient(DELTA, delta(1, "b"))
    outbox.put_transient(PROGRESS, {})

    assert texts(outbox.take()) == ["1", "0:ab", "2", "progress"]
    assert outbox.take() == []


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        ([delta(0, "a"), delta(1, "😀"), delta(2, "c")], ["0:a😀c"]),
        ([delta(0, "a"), delta(0, "x", "it-2"), delta(1, "b"), delta(1, "y", "it-2")], ["0:ab", "0:xy"]),
        ([delta(0, "a"), delta(5, "b")], ["0:a", "5:b"]),
        ([delta(7, "a"), delta(8, "b")], ["7:ab"]),
    ],
)
def test_deltas_that_follow_each_other_are_merged(deltas: list[ItemDeltaParams], expected: list[str]) -> None:
    outbox = Outbox(10, 1000)
    for params in deltas:
        outbox.put_transient(DELTA, params)

    assert texts(outbox.take()) == expected


def test_deltas_of_two_kinds_are_not_merged() -> None:
    outbox = Outbox(10, 1000)
    outbox.put_transient(DELTA, delta(0, "a"))
    outbox.put_transient("item/reasoning/delta", delta(1, "b"))

    assert texts(outbox.take()) == ["0:a", "1:b"]


def test_a_delta_after_a_flush_begins_anew() -> None:
    outbox = Outbox(10, 1000)
    outbox.put_transient(DELTA, delta(0, "a"))
    outbox.take()
    outbox.put_transient(DELTA, delta(1, "b"))

    assert texts(outbox.take()) == ["1:b"]


def test_transient_lines_are_dropped_before_a_recorded_one() -> None:
    outbox = Outbox(3, 1000)
    outbox.put_transient(DELTA, delta(0, "a"))
    outbox.put(b"1")
    assert not outbox.is_full
    outbox.put(b"2")
    assert not outbox.is_full
    outbox.put(b"3")

    assert (outbox.is_full, outbox.dropped) == (True, 1)
    outbox.put(b"4")
    outbox.put_transient(PROGRESS, {})
    assert (texts(outbox.take()), outbox.dropped, outbox.is_full) == (["1", "2", "3", "4"], 2, False)


def test_no_more_is_dropped_than_must_be() -> None:
    outbox = Outbox(4, 1000)
    for item in ("it-1", "it-2", "it-3"):
        outbox.put_transient(DELTA, delta(0, item, item))
    outbox.put(b"1")

    assert (texts(outbox.take()), outbox.dropped) == (["0:it-2", "0:it-3", "1"], 1)


def test_bytes_are_bounded_too() -> None:
    outbox = Outbox(100, 50)
    outbox.put(b"x" * 30)
    assert not outbox.is_full
    outbox.put(b"y" * 20)

    assert outbox.is_full


def test_lim_2_a_single_long_line_does_not_fill_an_empty_outbox() -> None:
    outbox = Outbox(100, 50)
    outbox.put(b"x" * 200)
    assert not outbox.is_full
    outbox.put(b"y")

    assert outbox.is_full
