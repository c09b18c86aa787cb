"""The soak, until its bounds were met: every request is answered, or its connection was cut by its own client, and
nothing is left when everybody has gone. That memory does not grow can be seen in minutes only: `make soak`."""

import asyncio
from collections import Counter

import pytest

from soak.clients import Report, live
from soak.run import slope, soak, told
from turnwire.transports.memory import memory_pair

SEED = 1


def seen_enough(_memory, reports):
    """When the bounds were met often, however long that takes."""
    codes = Counter()
    for report in reports:
        codes.update(report.codes)
    return codes["-32001"] > 10 and codes["result"] > 1000 and sum(report.cut for report in reports) > 10


@pytest.mark.timeout(900)
async def test_an_overloaded_server_answers_everything():
    outcome = await soak(SEED, seen_enough)

    assert (outcome.faults, outcome.stderr, outcome.code, outcome.left) == ([], "", 0, {})
    assert outcome.connections == outcome.closed + outcome.cut
    assert outcome.ended == 0
    assert len(told(outcome)) == 7


class Lazy:
    """See `Receiver`: a server that answers every other line, and then is gone."""

    def __init__(self, transport):
        self._transport = transport
        self._lines = 0

    def data_received(self, chunk):
        for line in chunk.splitlines():
            self._lines += 1
            if self._lines % 2:
                mark = line.partition(b'"id":')[2].partition(b",")[0]
                self._transport.write([b'{"jsonrpc":"2.0","id":%b,"result":{}}' % mark])
        if b"thread/start" in chunk:
            self._transport.close()

    def eof_received(self):
        self._transport.close()

    def pause_writing(self):
        pass

    connection_lost = resume_writing = pause_writing


async def test_a_server_that_does_not_answer_is_found_out():
    stop, report = asyncio.Event(), Report()

    async def connect():
        mine, its = memory_pair()
        await its.start(Lazy(its))
        stop.set()
        return mine

    await live(connect, "busy", "proof", stop=stop, report=report)

    assert len(report.faults) == 1
    assert "the server ended it; not answered" in report.faults[0]


@pytest.mark.parametrize(
    ("memory", "grows"),
    [([30.0] * 90, 0.0), ([30 + second / 60 for second in range(90)], 1.0), ([10.0] * 30 + [30.0] * 60, 0.0)],
)
def test_the_slope_is_that_of_the_last_two_thirds(memory, grows):
    assert slope(memory) == pytest.approx(grows)
