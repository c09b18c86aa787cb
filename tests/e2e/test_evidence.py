"""What the record says of the end of a turn: which event, what it is chained to, and what was said (REC-1)."""

import json
from hashlib import sha256

import pytest

from turnwire.wire import ThreadResumeParams

# A script, how its approval is answered, the status of the turn, that of its evidence.
ENDS = [
    ("text Hi \U0001f600", "accept", "completed", "succeeded"),
    ("notice Hi", "accept", "completed", "succeeded"),
    ("text Hi\nfail no", "accept", "failed", "failed"),
    ("approve rm\ntext Hi", "cancel", "interrupted", "cancelled"),
    ("text Hi\napprove rm", "defer", "paused", "blocked"),
    ("usage 99 99\ntext Hi", "accept", "failed", "budgetExhausted"),
]


@pytest.mark.parametrize(("script", "answer", "status", "said"), ENDS)
async def test_evidence_can_be_checked_against_the_record(house, script, answer, status, said):
    talk = await house.connect(approvals=answer)
    thread_id = await talk.thread(config={"budget": {"limitTokens": 100}})
    ended = await talk.run(thread_id, script)
    page = json.loads(bytes(await talk.client.call_raw("thread/events/list", {"threadId": thread_id})))
    events = {event["seq"]: event for event in page["data"]}
    evidence = ended.evidence
    output = ended.final_output

    assert (ended.status, evidence.status) == (status, said)
    assert events[evidence.seq]["type"] == "turn/completed"
    assert events[evidence.seq]["payload"]["turn"]["id"] == ended.id
    assert events[evidence.seq]["prev"] == evidence.head_hash
    assert (evidence.output_digest or None) == (sha256(output.encode()).hexdigest() if output else None)


async def test_the_evidence_of_a_turn_that_goes_on_is_its_own(house):
    talk = await house.connect(approvals="defer")
    thread_id = await talk.thread()
    paused = await talk.run(thread_id, "text one\napprove rm\ntext two")
    pending = (await talk.client.thread_resume(ThreadResumeParams(thread_id=thread_id))).pending
    nonce = pending[0].approval.binding.nonce
    decision = {"approvalId": pending[0].approval.approval_id, "answer": {"decision": "decline", "nonce": nonce}}
    params = {"threadId": thread_id, "resume": {"decisions": [decision]}}
    turn = json.loads(bytes(await talk.client.call_raw("turn/start", params)))["turn"]
    ended = (await talk.heard("turn/completed", lambda params: params.turn.id == turn["id"])).turn
    await talk.client.ping()

    assert (paused.evidence.status, ended.evidence.status) == ("blocked", "succeeded")
    assert ended.evidence.seq > paused.evidence.seq
    assert ended.evidence.output_digest == sha256(b"two").hexdigest()
