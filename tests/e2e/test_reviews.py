"""Reviews (REVIEW-1): a turn in a thread of its own, whose findings are shown as an item and with the turn."""

import asyncio
import json

import pytest
from msgspec import UNSET

from e2e.own import Own, own
from turnwire.agents.base import AgentFailed
from turnwire.errors import RemoteError
from turnwire.server import DefaultHost, HostError
from turnwire.wire import (
    AgentSupport,
    BaseBranchTarget,
    CommitTarget,
    CustomTarget,
    Review,
    ReviewFinding,
    ReviewLocation,
    ReviewStartParams,
    ThreadListParams,
    ThreadTurnsListParams,
    UncommittedChangesTarget,
)

FOUND = Review(
    findings=[ReviewFinding(title="Off by one", body="…", priority=1, location=ReviewLocation(path="a.py"))],
    overall_correctness="incorrect",
)


class Reviewer(Own):
    """Notes what it is to review, and finds what it is told to find."""

    supports = AgentSupport(review=True, steer=True)

    def __init__(self, found=FOUND):
        super().__init__(self._listen)
        self.found = found
        self.targets = []
        self.go = asyncio.Event()
        self.go.set()

    async def _listen(self, turn):
        await turn.wait_steered()

    async def review(self, turn, target):
        self.targets.append(target)
        with turn.message() as message:
            await message.write("I look.")
        await self.go.wait()
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


def review(talk, thread_id, target=None, **members):
    params = ReviewStartParams(thread_id=thread_id, target=target or UncommittedChangesTarget(), **members)
    return talk.client.review_start(params)


TARGETS = [
    UncommittedChangesTarget(),
    BaseBranchTarget(branch="main"),
    CommitTarget(sha="0" * 40, title="Mend it"),
    CustomTarget(instructions="Look at the names."),
]


@pytest.mark.parametrize("target", TARGETS)
async def test_a_review_tells_what_it_found(house, target):
    agent = Reviewer()
    talk = await own(house, agent).connect()
    thread_id = await talk.thread(cwd="/src")
    started = await review(talk, thread_id, target)
    ended = await talk.ended(started.turn)
    (item,) = talk.items("review")
    again = await talk.client.thread_turns_list(ThreadTurnsListParams(thread_id=started.review_thread_id))
    (_, thread) = [params["thread"] for params in talk.said("thread/started")]

    assert agent.targets == [target]
    assert (ended.status, ended.review, ended.final_output) == ("completed", FOUND, "I look.")
    assert again.data == [ended]
    assert (item["target"]["type"], item["review"]["overallCorrectness"]) == (item["target"]["type"], "incorrect")
    assert (thread["id"], thread["parentThreadId"], thread["cwd"]) == (started.review_thread_id, thread_id, "/src")
    talk.assert_lawful()


@pytest.mark.parametrize("fault", [AgentFailed("No git here."), KeyError("x")])
async def test_a_review_that_fails_has_no_findings(house, fault):
    talk = await own(house, Reviewer(fault)).connect()
    ended = await talk.ended((await review(talk, await talk.thread())).turn)

    assert (ended.status, ended.error.code, ended.review) == ("failed", "agentFailed", UNSET)
    assert talk.items("review")[0]["status"] == "failed"
    assert "review" not in talk.items("review")[0]


async def test_a_review_is_started_once_a_key(house):
    one = await own(house, Reviewer()).connect()
    thread_id = await one.thread()
    first = await review(one, thread_id, idempotency_key="k")
    joined = await review(one, thread_id, idempotency_key="k")
    await one.ended(first.turn)
    await house.restart()
    two = await house.connect()

    again = await review(two, thread_id, idempotency_key="k")
    with pytest.raises(RemoteError, match="conflict"):
        await review(two, thread_id, CustomTarget(instructions="Other"), idempotency_key="k")

    for replayed in (joined, again):
        assert (replayed.review_thread_id, replayed.turn.id, replayed.replayed) == (
            first.review_thread_id,
            first.turn.id,
            True,
        )
    assert (await two.client.thread_list(ThreadListParams())).total_matched == 2


class Refusing(DefaultHost):
    """Refuses what is run for a review."""

    async def build_run_config(self, request):
        if request.thread.parent_thread_id:
            raise HostError("No credit is left.", code="noCredit")


async def _archived(talk, thread_id):
    await talk.client.call_raw("thread/archive", {"threadId": thread_id})


async def _busy(talk, thread_id):
    await talk.turn(thread_id, "x")


async def _nothing(_talk, _thread_id):
    """The thread is as it began."""


REFUSED = [
    (_nothing, Refusing, {"target": {"type": "uncommittedChanges"}}, "hostError"),
    (_nothing, DefaultHost, {"target": {"type": "sideways"}}, "invalidParams"),
    (_nothing, DefaultHost, {"target": {"type": "uncommittedChanges"}, "threadId": "x"}, "notFound"),
    (_archived, DefaultHost, {"target": {"type": "uncommittedChanges"}}, "threadArchived"),
    (_busy, DefaultHost, {"target": {"type": "uncommittedChanges"}}, "turnActive"),
]


@pytest.mark.parametrize(("prepare", "host", "params", "name"), REFUSED)
async def test_a_review_that_is_refused_leaves_nothing(house, prepare, host, params, name):
    talk = await own(house, Reviewer(), host=host).connect()
    thread_id = await talk.thread()
    await prepare(talk, thread_id)
    with pytest.raises(RemoteError, match=name):
        await talk.client.call_raw("review/start", {"threadId": thread_id, **params})

    assert len(talk.said("thread/started")) == 1
    listed = [await talk.client.thread_list(ThreadListParams(archived=archived)) for archived in (False, True)]
    assert sum(page.total_matched for page in listed) == 1
    await talk.client.call_raw("thread/delete", {"threadId": thread_id})


async def test_an_agent_that_does_not_review_says_so(house):
    talk = await own(house, Reviewer()).connect()
    thread_id = await talk.thread(agent="scripted")
    with pytest.raises(RemoteError, match="agentUnsupported") as refused:
        await review(talk, thread_id)

    assert refused.value.data["operation"] == "review"


@pytest.mark.parametrize(("agent", "offered"), [(Reviewer(), True), (Own(None), False)])
async def test_reviews_are_offered_where_an_agent_reviews(house, agent, offered):
    talk = await own(house, agent).connect(initialize=False)
    capabilities = (await talk.initialize()).capabilities
    thread_id = await talk.thread()
    params = {"threadId": thread_id, "target": {"type": "nothing"}}
    with pytest.raises(RemoteError) as refused:
        await talk.client.call_raw("review/start", params)

    assert (capabilities.reviews is True) is offered
    assert refused.value.name == ("invalidParams" if offered else "methodNotFound")
    assert json.dumps(refused.value.data).count("reviews") == (0 if offered else 1)
