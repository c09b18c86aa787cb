"""A random walk over everything that a client can do, on two connections at once: the invariants hold wherever it goes,
the machines are where their tables say, and a history told again is the same."""

import asyncio
import random

import pytest

from turnwire.errors import RemoteError
from turnwire.state import next_state
from turnwire.store.history import History
from turnwire.wire import ApprovalAnswer

WALKS = 12
STEPS = 60
SCRIPTS = [
    "text hi",
    "slow 4 5",
    "slow 300 5",
    "approve rm\ntext after",
    'think a\ntool t {"x":1}\napprove rm\napprove mv',
    "listen",
    "fail no",
    "crash",
    "flood 50 10",
    "plan a; b\nusage 1 2",
]
DECISIONS = ["accept", "accept", "decline", "cancel", "defer"]
# What a step may be refused with; anything else is a fault.
LAWFUL = {
    *("turnActive", "threadPaused", "threadArchived", "noActiveTurn", "turnMismatch", "notFound", "requestClosed"),
    *("conflict", "overloaded", "notSettled"),
}


@pytest.mark.parametrize("seed", range(WALKS))
async def test_wherever_a_walk_goes_the_invariants_hold(house, seed):
    rng = random.Random(seed)
    house.limits = {"approval_grace_ms": 30, "queue_entries": 3, "interrupt_ms": 2000}
    talks = [await house.connect(approvals=_answering(rng)) for _ in range(2)]
    threads = [await talks[index % 2].thread(approval_policy=rng.choice(["pause", "decline"])) for index in range(3)]
    for talk in talks:
        for thread_id in threads:
            await talk.client.call_raw("thread/resume", {"threadId": thread_id})

    calls = []
    for _ in range(STEPS):
        talk, thread_id = rng.choice(talks), rng.choice(threads)
        calls.append(asyncio.ensure_future(_step(rng, talk, thread_id)))
        await asyncio.sleep(rng.choice([0, 0, 0, 0.005, 0.02]))
    refused = [name for name in await asyncio.gather(*calls) if name is not None]
    await _settle(talks[0], threads)

    assert set(refused) <= LAWFUL
    for talk in talks:
        await talk.client.ping()
        talk.assert_lawful()
        _assert_thread_machine(talk)
    engine = house.server._state.work
    for thread_id in threads:
        live, told = engine.threads.history(thread_id), History.load(engine._state.store.events(thread_id))
        assert (told.header, told.turns, told.items, told.queue) == (live.header, live.turns, live.items, live.queue)
        assert (live.waiting, live.header.active_turn or None) == (set(), None)


def _answering(rng):
    async def answer(params):
        await asyncio.sleep(rng.choice([0, 0, 0.01]))
        if rng.random() < 0.1:
            raise RuntimeError("no answer")
        return ApprovalAnswer(decision=rng.choice(DECISIONS), nonce=params.approval.binding.nonce)

    return answer


async def _step(rng, talk, thread_id):
    """One request; the name of its refusal, if it is refused."""
    script = [{"type": "text", "text": rng.choice(SCRIPTS)}]
    here = {"threadId": thread_id}
    method, params = rng.choice(
        [
            *[("turn/start", {**here, "input": script})] * 6,
            ("turn/start", {**here, "input": script, "idempotencyKey": rng.choice("ab")}),
            ("turn/start", {**here, "resume": {"defaultDecision": rng.choice(["decline", "defer"])}}),
            ("turn/interrupt", here),
            *[("turn/enqueue", {**here, "input": script})] * 3,
            ("turn/queue/resume", here),
            ("turn/steer", {**here, "expectedTurnId": _last_turn(talk, thread_id), "input": script}),
            ("turn/steer", {**here, "expectedTurnId": _last_turn(talk, thread_id), "input": script, "mode": "inject"}),
            ("thread/pause", here),
            *[("thread/unpause", here)] * 4,
            ("thread/archive", here),
            *[("thread/unarchive", here)] * 4,
            ("thread/update", {**here, "title": rng.choice("abc")}),
            ("thread/fork", here),
            ("thread/rewind", {**here, "itemId": _some_item(rng, talk, thread_id)}),
            ("thread/resume", here),
            ("thread/items/list", {**here, "limit": 3}),
            ("thread/list", {}),
        ]
    )
    try:
        await talk.client.call_raw(method, params)
    except RemoteError as error:
        return error.name
    return None


def _last_turn(talk, thread_id):
    started = [params["turn"]["id"] for params in talk.said("turn/started") if params["threadId"] == thread_id]
    return started[-1] if started else "none"


def _some_item(rng, talk, thread_id):
    ids = [params["item"]["id"] for params in talk.said("item/completed") if params["threadId"] == thread_id]
    return rng.choice(ids or ["none"])


async def _settle(talk, threads):
    """Brings every thread to rest: nothing runs, waits or is held."""
    for thread_id in threads:
        await _quiet(talk, "thread/unarchive", threadId=thread_id)
        await _quiet(talk, "thread/unpause", threadId=thread_id)
        async with asyncio.timeout(20):
            while await _is_busy(talk, thread_id):
                await _quiet(talk, "turn/interrupt", threadId=thread_id)
                await _quiet(talk, "turn/queue/resume", threadId=thread_id)


async def _is_busy(talk, thread_id):
    header = await talk.client.call("thread/read", {"threadId": thread_id})
    queue = await talk.client.call("turn/queue/list", {"threadId": thread_id})
    return header.thread.status != "idle" or queue.entries


async def _quiet(talk, method, **params):
    try:
        await talk.client.call_raw(method, params)
    except RemoteError as error:
        if error.name not in LAWFUL:
            raise


def _assert_thread_machine(talk):
    """THR-16: each change of a thread's status is a move of its table."""
    events = ("turn/started", "turn/completed", "turn/paused", "thread/pause", "thread/unpause")
    last: dict[str, str] = {}
    for params in talk.said("thread/status/changed"):
        before, after = last.get(params["threadId"], "idle"), params["status"]
        moves = {_moved(before, event) for event in events}
        # The end of a turn and a pause that was asked for meanwhile are one change.
        moves |= {_moved(state, "thread/pause") for state in moves if state is not None}
        assert after in moves, (before, after)
        assert ("activeTurn" in params, "pausedBy" in params) == (after == "active", after == "paused")
        last[params["threadId"]] = after


def _moved(state, event):
    try:
        return next_state("thread", state, event)
    except Exception:  # noqa: BLE001 - an illegal move leads nowhere
        return None
