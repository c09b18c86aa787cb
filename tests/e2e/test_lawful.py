"""The helper that judges every trace can fail: one doctored trace for each thing that it looks at."""

import copy

import pytest

from e2e.lawful import assert_lawful
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
