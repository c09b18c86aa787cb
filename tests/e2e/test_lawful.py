"""The helper that judges every trace can fail: one doctored trace for each thing that it looks at."""

import copy

import pytest

from e2e.lawful import assert_lawful
from e2e.own import own
from e2e.recording import Frame


def _swap_response(trace):
    at = _index(trace, "turn/started")
    response = next(i for i in range(at, 0, -1) if "result" in trace[i].message)
    trace.insert(at, trace.pop(response))


def _index(trace, method, **members):
    for index, frame in enumerate(trace):
        params = frame.message.get("params", {})
        item = params.get("item", {})
        if frame.message.get("method") == method and all(item.get(name) == value for name, value in members.items()):
            return index
    raise AssertionError(method)


def _params(trace, method, **members):
    return trace[_index(trace, method, **members)].message["params"]


DOCTORED = {
    "a reply twice": lambda trace: trace.insert(2, trace[1]),
    "a reply missing": lambda trace: trace.pop(1),
    "two terminals": lambda trace: trace.append(trace[_index(trace, "turn/completed")]),
    "no terminal": lambda trace: trace.pop(_index(trace, "turn/completed")),
    "an item without an end": lambda trace: trace.pop(_index(trace, "item/completed", type="agentMessage")),
    "an item without a start": lambda trace: trace.pop(_index(trace, "item/started", type="agentMessage")),
    "an item twice": lambda trace: trace.insert(
        _index(trace, "turn/completed"), trace[_index(trace, "item/completed", type="agentMessage")]
    ),
    "a delta missing": lambda trace: trace.pop(_index(trace, "item/agentMessage/delta")),
    "a text that differs": lambda trace: _params(trace, "item/completed", type="agentMessage")["item"].update(text="x"),
    "a number again": lambda trace: _params(trace, "turn/started").update(seq=1),
    "a number on a delta": lambda trace: _params(trace, "item/agentMessage/delta").update(seq=99),
    "the response late": _swap_response,
    "a nonce in the open": lambda trace: _params(trace, "turn/started").update(nonce="0" * 16),
    "a member missing": lambda trace: _params(trace, "turn/started").pop("threadId"),
    "something between the end and the status": lambda trace: trace.insert(
        _index(trace, "turn/completed") + 1, Frame("s2c", _updated(trace))
    ),
    "an error without a failure": lambda trace: _params(trace, "turn/completed")["turn"].update(
        error={"code": "agentFailed", "message": "x"}
    ),
}


def _updated(trace):
    params = copy.deepcopy(_params(trace, "turn/completed"))
    usage = {"threadId": params["threadId"], "turnId": params["turn"]["id"], "usage": {}, "seq": params["seq"]}
    return {"jsonrpc": "2.0", "method": "turn/usage/updated", "params": usage}


@pytest.mark.parametrize("doctor", DOCTORED.values(), ids=DOCTORED)
async def test_a_doctored_trace_is_found(house, doctor):
    talk = await house.connect(approvals="accept")
    await talk.run(await talk.thread(), "text Hello wonderful world\napprove rm")
    assert_lawful(talk.trace)
    doctored = copy.deepcopy(talk.trace)

    doctor(doctored)

    with pytest.raises((AssertionError, KeyError)):
        assert_lawful(doctored)


async def _work(turn):
    """A command that writes, arguments that are written, and items that are taken back."""
    command = turn.command("make")
    await command.write("done\n")
    command.complete(0)
    draft = turn.draft_tool("grep")
    await draft.write('{"for":"x"}')
    draft.run({"for": "x"}).complete(1)
    message = turn.message()
    await message.write("half")
    turn.reset([message.item_id], "The model is gone.")


def _end_of_reset(trace):
    """Completes what was taken back."""
    (item_id,) = _params(trace, "item/reset")["itemIds"]
    at = _index(trace, "item/reset")
    started = next(frame for frame in trace if frame.message.get("params", {}).get("item", {}).get("id") == item_id)
    params = copy.deepcopy(started.message["params"])
    params["item"].update(status="completed", completedAt=params["item"]["createdAt"], text="half")
    trace.insert(at + 1, Frame("s2c", {"jsonrpc": "2.0", "method": "item/completed", "params": params}))
    params["seq"] = _params(trace, "item/reset")["seq"]


DOCTORED_WORK = {
    "an output that differs": lambda trace: _params(trace, "item/completed", type="commandExecution")["item"].update(
        output="x"
    ),
    "arguments that differ": lambda trace: _params(trace, "item/completed", type="toolCall")["item"].update(
        arguments={"for": "y"}
    ),
    "a reset missing": lambda trace: trace.pop(_index(trace, "item/reset")),
    "a reset twice": lambda trace: trace.insert(_index(trace, "item/reset"), trace[_index(trace, "item/reset")]),
    "a reset of what nobody started": lambda trace: _params(trace, "item/reset").update(itemIds=["x"]),
    "an end of what was taken back": _end_of_reset,
}


@pytest.mark.parametrize("doctor", DOCTORED_WORK.values(), ids=DOCTORED_WORK)
async def test_a_doctored_trace_of_work_is_found(house, doctor):
    talk = await own(house, _work).connect()
    await talk.run(await talk.thread(), "x")
    assert_lawful(talk.trace)
    doctored = copy.deepcopy(talk.trace)

    doctor(doctored)

    with pytest.raises((AssertionError, KeyError)):
        assert_lawful(doctored)
