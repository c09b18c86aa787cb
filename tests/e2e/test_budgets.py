"""What a turn may take: the host bounds it, the server measures, and the turn ends by the documented reason."""

import asyncio

import pytest

from e2e.own import own
from turnwire.errors import RemoteError
from turnwire.wire import Budget, ThreadTurnsListParams, Usage, UsageCall


def _calls(count):
    return [UsageCall(index=index, model="m", source="reported") for index in range(count)]


async def _wait(turn):
    await turn.wait_steered()


def _using(*usages):
    async def work(turn):
        for usage in usages:
            turn.usage(usage)
            await asyncio.sleep(0)
        turn.notice("done")

    return work


# The budget, what the turn does, the bound that is passed, and what is used of it then.
BUDGETS = [
    (Budget(limit_tokens=10), _using(Usage(total_tokens=10)), None, {"used_tokens": 10}),
    (Budget(limit_tokens=10), _using(Usage(total_tokens=11)), "tokens", {"used_tokens": 11}),
    (Budget(limit_tokens=10), _using(Usage(input_tokens=9, output_tokens=2)), "tokens", {"used_tokens": 11}),
    (Budget(limit_tokens=10), _using(Usage(input_tokens=99)), None, {}),
    (Budget(limit_tokens=10), _using(Usage(total_tokens=6), Usage(total_tokens=12)), "tokens", {"used_tokens": 12}),
    (Budget(limit_calls=2), _using(Usage(calls=_calls(2))), None, {"used_calls": 2}),
    (Budget(limit_calls=2), _using(Usage(calls=_calls(3))), "calls", {"used_calls": 3}),
    (Budget(limit_ms=40), _using(Usage()), None, {}),
    (Budget(limit_ms=40), _wait, "time", {}),
]


@pytest.mark.parametrize(("budget", "work", "passed", "used"), BUDGETS)
async def test_a_turn_that_passes_its_budget_ends(house, budget, work, passed, used):
    talk = await own(house, work, budget=budget).connect()
    started = await talk.turn(await talk.thread(), "x")
    ended = await talk.ended(started)
    (listed,) = (await talk.client.thread_turns_list(ThreadTurnsListParams(thread_id=started.thread_id))).data

    assert started.budget == budget
    assert listed == ended
    assert ended.budget.exhausted == (passed or ended.budget.exhausted)
    assert {name: getattr(ended.budget, name) for name in used} == used
    if passed is None:
        assert (ended.status, ended.end_reason or None, ended.evidence.status) == ("completed", None, "succeeded")
        assert talk.items("notice") != []
    else:
        assert (ended.status, ended.end_reason, ended.error.code) == ("failed", "budget", "budgetExhausted")
        assert (ended.evidence.status, talk.items("notice")) == ("budgetExhausted", [])
    talk.assert_lawful()


async def test_a_client_bounds_the_turns_of_its_thread(connect):
    talk = await connect()
    thread_id = await talk.thread(config={"budget": {"limitTokens": 10}})

    within = await talk.run(thread_id, "usage 4 6\ntext done")
    beyond = await talk.run(thread_id, "usage 4 7\ntext done")

    assert (within.status, within.budget.used_tokens, within.final_output) == ("completed", 10, "done")
    assert (beyond.status, beyond.end_reason, beyond.budget.exhausted) == ("failed", "budget", "tokens")


async def test_a_budget_that_is_none_starts_no_turn(connect):
    talk = await connect()
    thread_id = await talk.thread(config={"budget": {"limitTokens": "many"}})

    with pytest.raises(RemoteError, match="hostError") as refused:
        await talk.turn(thread_id, "text x")

    assert refused.value.data["hostCode"] == "budgetInvalid"
    assert talk.said("turn/started") == []
