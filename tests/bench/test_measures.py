"""The bench itself: it says what failed, and counts only results."""

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from turnwire import generated
from turnwire.generated.decoding import decoder

BENCH = Path(__file__).parent
sys.path.append(str(BENCH))

from measures import load, messages, processes, quicktype, record, roundtrips, traces  # noqa: E402 - after the path
from measures.models import union_of_methods  # noqa: E402 - after the path
from measures.rows import Row, table  # noqa: E402 - after the path


def test_the_table_says_which_bound_does_not_hold() -> None:
    rows = [Row("a", "1", "≤ 2", holds=True), Row("b", "3", "≤ 2", holds=False), Row("c", "4")]

    assert table(rows).splitlines()[2:] == ["| a | 1 | ≤ 2 | yes |", "| b | 3 | ≤ 2 | **no** |", "| c | 4 |  |  |"]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (b'{"result":1}\n{"error":1}\n', "1 of 2 answers are no results"),
        (b'{"result":1}\n{"res', "ended after 1 of 2"),
        (b"", "ended after 0 of 2"),
    ],
)
def test_an_answer_that_is_no_result_fails_the_measure(written: bytes, message: str) -> None:
    source, sink = os.pipe()
    os.write(sink, written)
    os.close(sink)
    with pytest.raises(RuntimeError, match=message):
        load.read_results(source, 2)
    os.close(source)


def test_answers_that_come_in_pieces_are_counted_once() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "import sys, time\nfor c in '{\"result\":1}\\n' * 3: print(c, end='', flush=True)"],
        stdout=subprocess.PIPE,
    ) as slow:
        assert slow.stdout is not None
        load.read_results(slow.stdout.fileno(), 3)

        assert slow.stdout.read() == b""


def test_a_child_that_fails_fails_the_measure() -> None:
    with pytest.raises(RuntimeError, match="ended with 3"):
        processes.cost((sys.executable, "-c", "raise SystemExit(3)"))


@pytest.mark.parametrize("loop", [load.LOOP, load.CONSTANT], ids=["bare", "constant"])
def test_a_loop_answers_every_line(loop: load.Target) -> None:
    lines = b"".join(loop.ping % number for number in (7, 8, 9))
    done = subprocess.run(loop.argv, input=lines + b"\n", capture_output=True, check=True)

    assert done.stdout.count(b'"result"') == 3
    assert loop is load.CONSTANT or b'"id":9' in done.stdout


@pytest.mark.parametrize(
    ("message", "lawful"),
    [
        ('{"jsonrpc":"2.0","id":1,"method":"thread/read","params":{"threadId":"th-1"}}', True),
        ('{"jsonrpc":"2.0","id":1,"method":"thread/read","params":{"threadId":7}}', False),
        ('{"jsonrpc":"2.0","id":1,"method":"turn/start","params":{"threadId":"t","input":"x"}}', False),
        ('{"jsonrpc":"2.0","id":1,"method":"no/such","params":{}}', False),
    ],
)
def test_the_models_that_are_compared_with_do_check(message: str, lawful: bool) -> None:  # noqa: FBT001 - a row
    union = union_of_methods(["thread/read", "turn/start"])
    if lawful:
        assert union.validate_json(message).method == "thread/read"
    else:
        with pytest.raises(ValueError, match="validation error"):
            union.validate_json(message)


@pytest.mark.parametrize(("long", "short", "holds"), [(24.0, 20.0, True), (24.1, 20.0, False), (5.0, 20.0, True)])
def test_a_cost_that_grows_is_told(long: float, short: float, holds: bool) -> None:  # noqa: FBT001 - a row
    assert record.ratio("a page", long, short, 1.2).holds is holds


def test_what_works_more_costs_more() -> None:
    async def work(steps: int) -> None:
        sum(range(steps))

    long, short = asyncio.run(record.costs(lambda: work(100_000), lambda: work(1000)))

    assert long > 5 * short


def test_a_recording_is_judged_many_times_as_fast_as_by_the_schema_alone() -> None:
    ours = min(traces.seconds_per_message(4500) for _ in range(3))

    assert traces.schema_seconds(list(traces.conversation(300))) / ours >= traces.TIMES


def test_a_recording_of_the_bench_says_every_turn_anew() -> None:
    lines = list(traces.conversation(200))

    assert 200 <= len(lines) <= 248
    assert len([line for line in lines if b'"turn/started"' in line]) == len(
        {line.split(b'"id":"turn_1.')[1][:2] for line in lines if b'"turn/started"' in line}
    )


def test_the_messages_of_the_round_trips_are_lawful_and_no_two_alike() -> None:
    given = messages.messages()
    readers = {name: decoder(getattr(generated, name)) for name in messages.TYPES}
    texts = {json.dumps(value) for _, value in given}

    assert messages.COUNT == len(given) == len(texts)
    assert dict.fromkeys(messages.TYPES, messages.COUNT // 2) == Counter(name for name, _ in given)
    assert [value for _, value in given] == [
        json.loads(msgspec.json.encode(readers[name](json.dumps(value)))) for name, value in given
    ]


def test_what_a_peer_refuses_and_what_it_loses_is_counted() -> None:
    answers = [json.dumps(value) for _, value in messages.messages()]
    answers[:2] = ["!", "{}"]

    assert quicktype.outcome(answers) == ([*range(1, messages.COUNT)], messages.COUNT - 2)
    with pytest.raises(RuntimeError, match="999 answers to 1000 messages"):
        quicktype.outcome(answers[1:])


def test_a_program_that_fails_has_no_rate() -> None:
    failed = subprocess.run(
        [sys.executable, "-c", "raise SystemExit('no')"], capture_output=True, text=True, check=False
    )

    with pytest.raises(RuntimeError, match="failed: no"):
        roundtrips.told(failed)


def test_the_fastest_tenth_of_the_rounds_is_the_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter(range(10_000))
    monkeypatch.setattr(roundtrips.time, "process_time", lambda: next(moments))

    assert roundtrips.alternating({"a": lambda: None, "b": lambda: next(moments)}) == {"a": 1000, "b": 500}


def test_a_measure_that_does_not_exist_is_wrong_usage() -> None:
    done = subprocess.run([sys.executable, str(BENCH / "run.py"), "speed"], capture_output=True, text=True, check=False)

    assert (done.returncode, "no such measure: speed" in done.stderr) == (2, True)
