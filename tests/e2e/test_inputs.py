"""Questions to the person (INPUT-*): who is asked, what an answer may be, what is kept of it, and what waits."""

import asyncio
import json

import pytest

from turnwire.agents.base import Agent
from turnwire.errors import RemoteError
from turnwire.server import DefaultHost, Server
from turnwire.store.memory import MemoryStore
from turnwire.wire import (
    AgentSupport,
    Question,
    QuestionAnswer,
    QuestionOption,
    ResumeResponse,
    ThreadResumeParams,
    TurnInterruptParams,
    TurnResume,
    TurnStartParams,
    UserInputAnswer,
    UserInputResolveParams,
)

COLORS = [QuestionOption(id="red", label="Red"), QuestionOption(id="blue", label="Blue")]


def text(words):
    """Answers every question with these words."""

    def answer(asked):
        answers = [QuestionAnswer(question_id=question.id, text=words) for question in asked.questions]
        return UserInputAnswer(nonce=asked.binding.nonce, answers=answers)

    return answer


async def never(_asked):
    await asyncio.Event().wait()


class Asking(Agent):
    """An agent that asks these questions, and says what came of it."""

    supports = AgentSupport(steer=True)

    def __init__(self, *questions, aside=False):
        self.questions = questions
        self.aside = aside
        self.heard = []

    async def run(self, turn):
        if not self.aside:
            self.heard.append(await turn.ask(self.questions))
            return
        answer = turn.ask_aside(self.questions)
        with turn.message() as message:
            await message.write("Meanwhile")
        await turn.wait_steered()
        if answer.done():
            self.heard.append(await answer)


def over(house, agent, **members):
    house._server = Server(DefaultHost(agent), **members)
    return house


async def test_a_question_is_asked_in_order_and_its_answer_said(connect):
    talk = await connect(inputs=text("Ada"))
    ended = await talk.run(await talk.thread(), "ask name Who are you?")
    (item,) = talk.items("userInput")

    assert (ended.status, ended.final_output) == ("completed", "Ada")
    assert [name for name in talk.methods() if "nput" in name] == [
        "userInput/requested",
        "userInput/request",
        "userInput/resolved",
    ]
    assert item["status"] == "completed"
    assert item["resolution"] == talk.said("userInput/resolved")[0]["resolution"]
    assert item["resolution"]["answers"] == [{"questionId": "name", "text": "Ada"}]
    assert "nonce" not in json.dumps([item, talk.said("userInput/requested")])


async def test_the_turn_waits_for_a_question_that_is_blocking(house):
    talk = await house.connect(inputs=never)
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "ask name Who?")
    await talk.heard("userInput/requested")
    seen = await talk.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id))
    ended = await talk.ended(turn)

    assert (seen.active_turn.status, seen.pending[0].user_input.questions[0].id) == ("waitingInput", "name")
    assert ended.status == "interrupted"
    assert [params["resolution"]["outcome"] for params in talk.said("userInput/resolved")] == ["interrupted"]


@pytest.mark.parametrize(("policy", "outcome"), [("decline", "no answer"), ("pause", None)])
async def test_a_question_that_nobody_can_answer(house, policy, outcome):
    talk = await house.connect()
    ended = await talk.run(await talk.thread(approval_policy=policy), "ask name Who?")

    assert (ended.status, ended.final_output or None) == (("completed", outcome) if outcome else ("paused", None))
    assert len(talk.said("userInput/resolved")) == (1 if outcome else 0)


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_paused_turn_goes_on_with_the_answer(house, restarted):
    house.host = {"store": MemoryStore()}
    talk = await house.connect()
    thread_id = await talk.thread(approval_policy="pause")
    paused = await talk.run(thread_id, "text Before\nask name Who?\ntext After")
    if restarted:
        house._server = None
    answering = await house.connect(inputs=text("unasked"))
    seen = await answering.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    asked = seen.pending[0].user_input
    response = ResumeResponse(user_input_id=asked.user_input_id, answer=text("Ada")(asked))
    started = await answering.client.turn_start(
        TurnStartParams(thread_id=thread_id, resume=TurnResume(responses=[response]))
    )
    ended = await answering.ended(started.turn)
    said = [item["text"] for item in answering.items("agentMessage")]

    assert paused.pending[0].user_input.user_input_id == asked.user_input_id
    assert (ended.status, said, answering.questions) == ("completed", ["Ada", "After"], [])


async def test_a_paused_turn_without_an_answer_asks_again_under_the_same_id(house):
    talk = await house.connect()
    thread_id = await talk.thread(approval_policy="pause")
    paused = await talk.run(thread_id, "ask name Who?")
    answering = await house.connect(inputs=text("Ada"))
    await answering.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    started = await answering.client.turn_start(TurnStartParams(thread_id=thread_id, resume=TurnResume()))
    ended = await answering.ended(started.turn)

    assert (ended.final_output, answering.questions[0].user_input_id) == (
        "Ada",
        paused.pending[0].user_input.user_input_id,
    )


RESOLVES = [
    ({"nonce": "0" * 48}, -32040),
    ({"nonce": "short"}, -32602),
    ({"answers": [{"questionId": "other", "text": "x"}]}, -32602),
    ({"answers": [{"questionId": "w!", "text": "x"}]}, -32602),
    ({"answers": [{"questionId": "color", "text": "green"}]}, -32602),
    ({"answers": [{"questionId": "color", "optionIds": ["green"]}]}, -32602),
    ({"answers": [{"questionId": "color", "optionIds": ["red", "blue"]}]}, -32602),
    ({"answers": [{"questionId": "color", "optionIds": ["red"]}, {"questionId": "color"}]}, -32602),
    ({"answers": [{"questionId": "color", "optionIds": ["red"]}]}, None),
    ({"answers": []}, None),
]


@pytest.mark.parametrize(("changes", "code"), RESOLVES)
async def test_resolve_answers_out_of_band_by_the_same_rules(house, changes, code):
    talk = await over(house, Asking(Question(id="color", text="Which?", options=COLORS))).connect(inputs=never)
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "go")
    asked = await talk.questioned()
    answer = {"nonce": asked.binding.nonce, "answers": [], **changes}
    resolve = {"userInputId": asked.user_input_id, "answer": answer}
    if code is None:
        await talk.client.call_raw("userInput/resolve", resolve)
        assert (await talk.ended(turn)).status == "completed"
        code = -32040
    else:
        with pytest.raises(RemoteError):
            await talk.client.call_raw("userInput/resolve", {**resolve, "userInputId": "input_none"})
    with pytest.raises(RemoteError) as refused:
        await talk.client.call_raw("userInput/resolve", resolve)

    assert refused.value.code == code
    if not talk.said("turn/completed"):
        await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id))


@pytest.mark.parametrize("way", ["request", "resolve", "resume"])
async def test_a_secret_is_told_to_the_agent_and_nobody_else(house, way):
    store = MemoryStore()
    agent = Asking(Question(id="token", text="Token?", secret=True), Question(id="name", text="Name?"))
    over(house, agent, store=store)
    talk = await house.connect(inputs={"request": text("hunter2"), "resolve": never}.get(way))
    thread_id = await talk.thread(approval_policy="pause")
    turn = await talk.turn(thread_id, "go")
    if way == "resolve":
        asked = await talk.questioned()
        params = UserInputResolveParams(user_input_id=asked.user_input_id, answer=text("hunter2")(asked))
        result = await talk.client.user_input_resolve(params)
        assert [answer.question_id for answer in result.resolution.answers] == ["name"]
    if way == "resume":
        await talk.ended(turn)
        other = await house.connect(inputs=never)
        seen = await other.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
        asked = seen.pending[0].user_input
        response = ResumeResponse(user_input_id=asked.user_input_id, answer=text("hunter2")(asked))
        resumed = TurnStartParams(thread_id=thread_id, resume=TurnResume(responses=[response]), idempotency_key="once")
        turn = (await other.client.turn_start(resumed)).turn
    await talk.ended(turn)
    record = b"".join(store.lines(thread_id))

    assert [answer.text for answer in agent.heard[0].answers] == ["hunter2", "hunter2"]
    # The answer to the other question is there, once in the resolution and once in the item.
    assert record.count(b'"questionId":"token"') == 0
    assert record.count(b'"questionId":"name","text":"hunter2"') == 2
    assert record.count(b"hunter2") == 2
    for frame in talk.trace:
        if frame.way == "s2c":
            assert '"questionId": "token"' not in json.dumps(frame.message)


@pytest.mark.parametrize("answered", [True, False])
async def test_a_question_aside_does_not_stop_the_turn(house, answered):
    agent = Asking(Question(id="name", text="Name?"), aside=True)
    talk = await over(house, agent).connect(inputs=text("Ada") if answered else never)
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "go")
    await talk.heard("item/completed", lambda params: params.item.type == "agentMessage")
    seen = await talk.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    if answered:
        await talk.heard("userInput/resolved")
    await talk.client.ping()
    steer = {"threadId": thread_id, "expectedTurnId": turn.id, "input": [{"type": "text", "text": "go on"}]}
    await talk.client.call_raw("turn/steer", steer)
    ended = await talk.ended(turn)
    (item,) = talk.items("userInput")

    assert (seen.active_turn.status, ended.status) == ("running", "completed")
    assert item["resolution"]["outcome"] == ("answered" if answered else "interrupted")
    assert item["status"] == ("completed" if answered else "interrupted")
    assert [one.answers[0].text for one in agent.heard] == (["Ada"] if answered else [])


async def test_a_step_that_is_aborted_takes_its_questions_back(house):
    class Stepping(Asking):
        async def run(self, turn):
            async def step():
                turn.ask_aside(self.questions)
                if not self.heard:
                    self.heard.append("once")
                    await asyncio.Event().wait()

            await turn.step(step)

    talk = await over(house, Stepping(Question(id="name", text="Name?"))).connect(inputs=never)
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "go")
    await talk.questioned()
    inject = {
        "threadId": thread_id,
        "expectedTurnId": turn.id,
        "mode": "inject",
        "input": [{"type": "text", "text": "x"}],
    }
    await talk.client.call_raw("turn/steer", inject)
    ended = await talk.ended(turn)
    items = talk.items("userInput")

    assert ended.status == "completed"
    assert [(item["status"], item["resolution"]["outcome"]) for item in items] == [("interrupted", "interrupted")] * 2


async def test_everybody_who_can_answer_is_asked_and_the_first_answer_wins(house):
    one, two, three = await house.connect(inputs=never), await house.connect(inputs=text("Ada")), await house.connect()
    thread_id = await one.thread()
    turn = await one.turn(thread_id, "ask name Who?")
    await one.heard("userInput/requested")
    await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    ended = await one.ended(turn)

    assert (ended.final_output, len(one.questions), len(two.questions), three.questions) == ("Ada", 1, 1, [])
    two.hears_all = False


async def test_a_client_that_errs_has_not_answered(house):
    def err(_asked):
        raise RuntimeError("no")

    talk = await house.connect(inputs=err)
    ended = await talk.run(await talk.thread(), "ask name Who?")

    assert (ended.final_output, talk.items("userInput")[0]["resolution"]["outcome"]) == ("no answer", "unanswered")
