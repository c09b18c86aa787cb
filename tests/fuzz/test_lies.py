"""Clients that lie about approvals: no operation runs without a valid accept, and none runs twice (APPR-4 to APPR-8).

`pytest tests/fuzz --lies 50000` is the whole of it; a smaller number is a part of the same.
"""

import asyncio
from collections import Counter

import pytest

from fuzz.liars import LIES, House

SEEDS = 4


# The whole of it is minutes of work.
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(SEEDS))
async def test_no_operation_runs_without_a_valid_accept(seed, request):
    house = House(seed)
    await house.begin()
    lies = Counter()
    for _ in range(request.config.getoption("lies") // SEEDS):
        lies[await house.lie()] += 1
    await house.end()

    assert house.faults == []
    assert set(house.ran) <= house.accepted
    assert max(house.ran.values()) == 1
    # What was accepted before anything else was said of it did run, so that the walk is no walk past closed doors.
    assert house.first_accepted <= set(house.ran)
    assert len(house.ran) > 5
    assert len(lies) == len(LIES)


@pytest.mark.parametrize("gullible", ["nonce", "twice"])
async def test_a_server_that_believes_is_found_out(gullible, monkeypatch):
    if gullible == "nonce":
        monkeypatch.setattr("turnwire.server.waiting.demand_nonce", lambda _asked, _answer: None)
    else:
        monkeypatch.setattr("turnwire.server.asking._ITEM_EVENTS", Believing())
    house = House(1)
    await house.begin()
    for _ in range(600):
        await house.lie()
    await house.end()

    assert not set(house.ran) <= house.accepted


class Believing(dict):
    """Takes every decision for an accept."""

    def __missing__(self, decision):
        raise AssertionError(f"{decision} is a decision")

    def __getitem__(self, decision):
        return "complete"


async def test_what_is_accepted_by_two_at_once_runs_once():
    house = House(7)
    await house.begin()
    for _ in range(40):
        house.start()
        await asyncio.sleep(0)
        waiting = await house.some_waiting()
        for client in house.clients:
            house.answer(client, waiting, "accept")
            house.resolve(client, waiting, "accept")
        await house.rest()
    await house.end()

    assert set(house.ran.values()) == {1}
    assert len(house.ran) == 40
