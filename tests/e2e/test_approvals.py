"""Approvals with several connections on one server (APPR-*): who is asked, whose answer counts, who is too late."""

import asyncio
import json
from hashlib import sha256

import pytest
import rfc8785

from turnwire.errors import RemoteError, invalid_request
from turnwire.store.memory import MemoryStore
from turnwire.wire import (
    ApprovalAnswer,
    ApprovalResolveParams,
    ThreadResumeParams,
    ThreadUnsubscribeParams,
    TurnInterruptParams,
)


class Slow:
    """Answers an approval when it is told to."""

    def __init__(self):
        self.go = asyncio.Event()
        self.decision = "accept"

    async def __call__(self, params):
        await self.go.wait()
        return ApprovalAnswer(decision=self.decision, nonce=params.approval.binding.nonce)


async def test_everybody_who_can_answer_is_asked_and_the_first_answer_wins(house):
    slow = Slow()
    one, two = await house.connect(approvals=slow), await house.connect(approvals="decline")
    three = await house.connect()
    thread_id = await one.thread()
    turn = await one.turn(thread_id, "approve rm")
    await one.heard("approval/requested")

    await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    ended = await one.ended(turn)
    slow.go.set()
    await one.client.ping()

    assert (len(one.asked), len(two.asked), len(three.asked)) == (1, 1, 0)
    assert one.asked[0] == two.asked[0]
    assert [params["resolution"]["decision"] for params in one.said("approval/resolved")] == ["decline"]
    assert ended.status == "completed"
    two.hears_all = False


async def test_a_late_resolve_hears_how_it_was_resolved(house):
    talk = await house.connect(approvals="accept")
    await talk.run(await talk.thread(), "approve rm")
    approval = talk.asked[0].approval
    answer = ApprovalAnswer(decision="decline", nonce=approval.binding.nonce)

    with pytest.raises(RemoteError, match="requestClosed") as refused:
        await talk.client.approval_resolve(ApprovalResolveParams(approval_id=approval.approval_id, answer=answer))

    assert refused.value.data["resolution"] == "answered"
    assert [item["status"] for item in talk.items("toolCall")] == ["completed"]


RESOLVES = [
    ({"nonce": "0" * 48}, -32040),
    ({"decision": "acceptAlways"}, -32602),
    ({"decision": "no such thing"}, -32602),
    ({"optionId": "decline"}, -32602),
    ({"optionId": "w!"}, -32602),
    ({"decision": None}, -32602),
    ({"nonce": "short"}, -32602),
]


@pytest.mark.parametrize(("changes", "code"), RESOLVES)
async def test_resolve_answers_out_of_band_by_the_same_rules(house, changes, code):
    slow = Slow()
    one, two = await house.connect(approvals=slow), await house.connect()
    turn = await one.turn(await one.thread(), "approve rm")
    await one.heard("approval/requested")
    await one.client.ping()
    approval = one.asked[0].approval
    good = {"decision": "accept", "nonce": approval.binding.nonce, "reason": "fine", "metadata": {"by": "ann"}}

    resolve = {"approvalId": approval.approval_id, "answer": {**good, **changes}}

    with pytest.raises(RemoteError) as refused:
        await two.client.call_raw("approval/resolve", resolve)
    assert refused.value.code == code
    assert one.said("approval/resolved") == []
    result = await two.client.call_raw("approval/resolve", {**resolve, "answer": good})

    resolution = json.loads(bytes(result))["resolution"]
    assert (resolution["decision"], resolution["reason"], resolution["metadata"]) == ("accept", "fine", {"by": "ann"})
    assert (await one.ended(turn)).status == "completed"
    assert one.said("approval/resolved")[0]["resolution"] == resolution
    slow.go.set()


async def test_resolve_of_what_never_was_is_not_found(house):
    talk = await house.connect()
    answer = ApprovalAnswer(decision="accept", nonce="0" * 16)

    with pytest.raises(RemoteError, match="notFound") as refused:
        await talk.client.approval_resolve(ApprovalResolveParams(approval_id="appr_x", answer=answer))

    assert refused.value.data["kind"] == "approval"


def _raises(_):
    raise invalid_request("I do not want to.")


NO_ANSWERS = [
    _raises,
    lambda _: {"decision": "accept"},
    lambda _: 5,
    lambda params: ApprovalAnswer(decision="acceptAlways", nonce=params.approval.binding.nonce),
    lambda _: ApprovalAnswer(decision="accept", nonce="0" * 48),
    lambda params: {"decision": "accept", "nonce": params.approval.binding.nonce, "optionId": "decline"},
    lambda params: {"decision": "accept", "nonce": params.approval.binding.nonce, "optionId": "w!"},
]


@pytest.mark.parametrize("answer", NO_ANSWERS)
async def test_what_is_no_answer_declines_when_nobody_else_answers(house, answer):
    talk = await house.connect(approvals=answer)

    await talk.run(await talk.thread(), "approve rm")

    resolution = talk.said("approval/resolved")[0]["resolution"]
    assert (resolution["outcome"], resolution["decision"]) == ("unanswered", "decline")
    assert [item["status"] for item in talk.items("toolCall")] == ["declined"]


async def test_one_failure_leaves_the_others_their_say(house):
    slow = Slow()
    one, two = await house.connect(approvals=slow), await house.connect(approvals=_raises)
    thread_id = await one.thread()
    await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    turn = await one.turn(thread_id, "approve rm")
    await two.heard("approval/requested")
    await two.client.ping()

    slow.go.set()
    ended = await one.ended(turn)

    assert ended.status == "completed"
    assert one.said("approval/resolved")[0]["resolution"]["outcome"] == "answered"


async def test_an_approval_that_expires_is_declined(house):
    house.limits = {"approval_ttl_ms": 60}
    talk = await house.connect(approvals=Slow())

    await talk.run(await talk.thread(), "approve rm")

    resolution = talk.said("approval/resolved")[0]["resolution"]
    assert (resolution["outcome"], resolution["decision"]) == ("expired", "decline")
    assert talk.asked[0].approval.binding.expires_at > 0


GONE = [("decline", "completed"), ("pause", "paused")]


@pytest.mark.parametrize(("policy", "status"), GONE)
@pytest.mark.parametrize("how", ["lost", "unsubscribe"])
async def test_when_the_last_who_could_answer_has_gone_the_policy_decides(house, policy, status, how):
    house.limits = {"approval_grace_ms": 50}
    one, two = await house.connect(approvals=Slow()), await house.connect()
    thread_id = await one.thread(approval_policy=policy)
    await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    turn = await one.turn(thread_id, "approve rm")
    await two.heard("approval/requested")

    if how == "lost":
        one.transport.abort("lost")
    else:
        await one.client.thread_unsubscribe(ThreadUnsubscribeParams(thread_id=thread_id))
        one.hears_all = False
    ended = await two.ended(turn)

    assert ended.status == status
    assert two.said("approval/resolved")[0]["resolution"]["outcome"] == "abandoned"


async def test_who_comes_within_the_grace_is_asked(house):
    house.limits = {"approval_grace_ms": 5000}
    one, two = await house.connect(approvals=Slow()), await house.connect(approvals="accept")
    thread_id = await one.thread()
    turn = await one.turn(thread_id, "approve rm")
    await one.heard("approval/requested")
    one.transport.abort("lost")
    await two.client.ping()

    resumed = await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    ended = await two.ended(turn)

    assert ended.status == "completed"
    assert resumed.pending[0].approval == two.asked[0].approval
    two.hears_all = False


async def test_pending_shows_the_nonce_to_who_may_answer_only(house):
    slow = Slow()
    one, two = await house.connect(approvals=slow), await house.connect()
    thread_id = await one.thread()
    await one.turn(thread_id, "approve rm")
    await one.heard("approval/requested")

    able = await one.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    other = await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id))

    assert able.pending[0].approval.binding.nonce == one.asked[0].approval.binding.nonce
    assert not other.pending[0].approval.binding.nonce
    assert able.active_turn.status == able.thread.active_turn.status == "waitingApproval"
    assert len(one.asked) == 1
    await one.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id))
    two.hears_all = False


async def test_the_digest_is_what_the_client_can_compute(house, tmp_path):
    talk = await house.connect(approvals="decline")
    thread_id = await talk.thread(cwd=str(tmp_path))
    await talk.run(thread_id, 'approve rm {"b":1.50,"a":[true,null,"é"],"n":-0.0}\nwrite x.txt w')

    for asked, members in zip(
        talk.said("approval/request"),
        [("kind", "operation", "arguments", "toolName"), ("kind", "operation", "target")],
        strict=True,
    ):
        approval = asked["approval"]
        form = rfc8785.dumps({name: approval[name] for name in members})
        assert approval["binding"]["operationDigest"] == sha256(form).hexdigest()


async def test_who_failed_and_who_left_leave_nobody(house):
    house.limits = {"approval_grace_ms": 50}
    one, two = await house.connect(approvals=_raises), await house.connect(approvals=Slow())
    thread_id = await one.thread()
    await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    turn = await one.turn(thread_id, "approve rm")
    await two.heard("approval/requested")
    await two.client.ping()
    await one.client.ping()

    await two.client.thread_unsubscribe(ThreadUnsubscribeParams(thread_id=thread_id))
    two.hears_all = False

    assert (await one.ended(turn)).status == "completed"
    assert one.said("approval/resolved")[0]["resolution"]["outcome"] == "abandoned"


async def test_a_decision_that_cannot_be_recorded_is_none(house, caplog):
    class Full(MemoryStore):
        def append(self, header, event):
            if event.type == "approval/resolved":
                raise OSError("no space left")
            return super().append(header, event)

    house.host = {"store": Full()}
    talk = await house.connect(approvals="accept")

    turn = await talk.turn(await talk.thread(), "approve rm")
    completed = await talk.heard("turn/completed")

    assert (completed.turn.id, completed.turn.status) == (turn.id, "failed")
    assert talk.items("toolCall") == []
    assert "no space left" in caplog.text
    talk.hears_all = False


@pytest.mark.parametrize("method", ["approval/request", "userInput/request"])
async def test_a_client_that_leaves_while_its_person_thinks_has_not_refused(house, method):
    house.limits = {"approval_grace_ms": 20}
    stays, leaves = await house.connect(), await house.connect(approvals=_think, inputs=_think)
    thread_id = await leaves.thread()
    await stays.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    turn = await leaves.turn(thread_id, "approve rm" if method == "approval/request" else "ask name Who?")
    asked = method.replace("request", "requested")
    await stays.heard(asked)
    await leaves.heard(asked)
    await leaves.client.ping()
    await leaves.client.close()
    await stays.ended(turn)

    answers = [frame.message for frame in leaves.trace if frame.way == "c2s" and "method" not in frame.message]
    resolved = stays.said(method.replace("request", "resolved"))
    assert answers == []
    assert [params["resolution"]["outcome"] for params in resolved] == ["abandoned"]


async def _think(_asked):
    await asyncio.Event().wait()
