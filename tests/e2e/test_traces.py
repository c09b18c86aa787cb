"""What a turn spent its time on: spans live and read later, and the trace of a client (TRACE-*)."""

import asyncio

import msgspec
import pytest

from e2e.own import own
from e2e.talk import Talk
from turnwire.agents.base import AgentFailed
from turnwire.agents.builtin import builtin_agent
from turnwire.errors import RemoteError
from turnwire.server import DefaultHost, MemoryTraces, Server
from turnwire.wire import (
    Span,
    TextPart,
    ThreadDeleteParams,
    ThreadEventsListParams,
    ThreadResumeParams,
    TraceContext,
    TraceReadParams,
    TurnEnqueueParams,
    TurnInterruptParams,
    TurnStartParams,
)

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARENT = TraceContext(traceparent=f"00-{TRACE}-{SPAN}-01")


def traced(house, work, **members):
    return own(house, work, traces=MemoryTraces(), **members)


async def spans_of(talk, turn):
    return await talk.client.trace_read(TraceReadParams(thread_id=turn.thread_id, turn_id=turn.id))


def told(talk, turn):
    """The spans of a turn that were notified, as they came."""
    return [msgspec.convert(one["span"], Span) for one in talk.said("trace/span") if one["turnId"] == turn.id]


def assert_tree(spans):
    """TRACE-3: one tree whose root ends last, and every span lies within its parent."""
    known = {span.id: span for span in spans}
    assert len(known) == len(spans)
    assert [span.name for span in spans if span.parent_id not in known] == ["turn"]
    assert spans[-1].name == "turn"
    for span in spans[:-1]:
        around = known[span.parent_id]
        assert around.started_at <= span.started_at
        assert span.started_at + span.duration_ms <= around.started_at + around.duration_ms


async def everything(turn):
    """One of each: what an agent names, a call within it, a call that goes wrong, work of another, what is denied."""
    with turn.span("plan", {"model": "m"}):
        with turn.span("think"):
            turn.tool("look", {}).complete(1)
        with turn.message() as message:
            await message.write("Hi")
    turn.tool("fall", {}).fail("broken")
    with turn.subagent("Dig") as below:
        below.tool("dig", {}).complete(1)
        with below.span("deep"):
            pass
    turn.declined_tool("drop", {}, item_id=f"dropped:{turn.turn.id}")


async def test_spans_are_told_as_they_end_and_read_later_alike(house):
    talk = await traced(house, everything).connect(traces=True)
    turn = await talk.run(await talk.thread(), "go")
    read = await spans_of(talk, turn)

    assert read.spans == told(talk, turn)
    assert_tree(read.spans)
    assert [(span.name, span.status) for span in read.spans] == [
        ("userMessage", "ok"),
        ("toolCall", "ok"),
        ("think", "ok"),
        ("agentMessage", "ok"),
        ("plan", "ok"),
        ("toolCall", "error"),
        ("toolCall", "ok"),
        ("deep", "ok"),
        ("subagent", "ok"),
        ("toolCall", "interrupted"),
        ("turn", "ok"),
    ]
    assert {one["traceId"] for one in talk.said("trace/span")} == {read.trace_id}
    assert (read.spans[-1].started_at, read.spans[-1].parent_id) == (turn.started_at, msgspec.UNSET)
    last = [method for method in talk.methods() if method in ("trace/span", "turn/completed")]
    assert last[-1] == "turn/completed"


async def test_a_span_is_within_what_it_is_a_part_of(house):
    talk = await traced(house, everything).connect()
    turn = await talk.run(await talk.thread(), "go")
    spans = (await spans_of(talk, turn)).spans
    named = {(span.attributes or {}).get("toolName", span.name): span for span in spans}
    around = {name: next((one.name for one in spans if one.id == span.parent_id), None) for name, span in named.items()}

    assert around == {
        "userMessage": "turn",
        "look": "turn",
        "think": "plan",
        "agentMessage": "turn",
        "plan": "turn",
        "fall": "turn",
        "dig": "subagent",
        "deep": "subagent",
        "subagent": "turn",
        "drop": "turn",
        "turn": None,
    }
    assert named["plan"].attributes == {"model": "m"}
    items = {item["id"]: item["type"] for kind in ("toolCall", "subagent", "agentMessage") for item in talk.items(kind)}
    assert {named[name].attributes["itemId"] for name in ("look", "fall", "dig", "drop")} <= items.keys()


async def test_who_did_not_ask_for_spans_is_not_told(house):
    traced(house, everything)
    one, two = await house.connect(traces=True), await house.connect()
    thread_id = await one.thread()
    await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
    turn = await one.run(thread_id, "go")
    await two.heard("turn/completed")

    assert len(told(one, turn)) == 11
    assert two.said("trace/span") == []


async def fails(turn):
    turn.tool("look", {})
    raise AgentFailed("It is over.")


async def breaks(turn):
    with turn.span("broken"):
        raise RuntimeError


async def takes_back(turn):
    turn.reset([turn.tool("look", {}).item_id], "another model")


ENDS = [
    (fails, [("toolCall", "error"), ("turn", "error")]),
    (breaks, [("broken", "error"), ("turn", "error")]),
    (takes_back, [("toolCall", "interrupted"), ("turn", "ok")]),
]


@pytest.mark.parametrize(("work", "wanted"), ENDS)
async def test_a_span_says_how_it_ended(house, work, wanted):
    talk = await traced(house, work).connect(traces=True)
    turn = await talk.run(await talk.thread(), "go")

    assert_tree(told(talk, turn))
    assert [(span.name, span.status) for span in told(talk, turn)] == [("userMessage", "ok"), *wanted]


async def test_a_turn_that_is_stopped_ends_all_its_spans(house):
    begun = asyncio.Event()

    async def work(turn):
        with turn.span("wait"):
            turn.tool("look", {})
            begun.set()
            await asyncio.sleep(3600)

    talk = await traced(house, work).connect(traces=True)
    thread_id = await talk.thread()
    turn = await talk.turn(thread_id, "go")
    await begun.wait()
    early = await spans_of(talk, turn)
    await talk.client.turn_interrupt(TurnInterruptParams(thread_id=thread_id))

    assert [span.name for span in early.spans] == ["userMessage"]
    assert [(span.name, span.status) for span in told(talk, turn)] == [
        ("userMessage", "ok"),
        ("wait", "interrupted"),
        ("toolCall", "interrupted"),
        ("turn", "interrupted"),
    ]
    assert_tree(told(talk, turn))


async def test_what_an_agent_leaves_open_ends_with_what_it_is_a_part_of(house):
    late = []
    over = asyncio.Event()

    async def beside(turn):
        with turn.span("left open"):
            await over.wait()

    async def work(turn):
        late.append(asyncio.create_task(beside(turn)))
        await asyncio.sleep(0)

    talk = await traced(house, work).connect(traces=True)
    turn = await talk.run(await talk.thread(), "go")
    over.set()
    await late[0]

    assert_tree(told(talk, turn))
    assert [(span.name, span.status) for span in told(talk, turn)][1:] == [("left open", "interrupted"), ("turn", "ok")]


async def test_a_turn_belongs_to_the_trace_of_its_client(house):
    seen = []

    async def work(turn):
        seen.append(turn.traceparent)

    talk = await traced(house, work).connect()
    turn = await talk.run(await talk.thread(), "go", trace=PARENT)
    read = await spans_of(talk, turn)
    root = read.spans[-1]

    assert (read.trace_id, root.parent_id) == (TRACE, SPAN)
    assert seen == [f"00-{TRACE}-{root.id}-01"]


async def test_turns_have_traces_of_their_own(house):
    talk = await traced(house, everything).connect()
    thread_id = await talk.thread()
    ids = {(await spans_of(talk, await talk.run(thread_id, "go"))).trace_id for _ in range(3)}

    assert len(ids) == 3


@pytest.mark.parametrize(
    "traceparent",
    [f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{'0' * 16}-01", f"01-{TRACE}-{SPAN}-01", f"00-{TRACE}-{SPAN}", "", "x"],
)
async def test_what_is_no_trace_starts_no_turn(house, traceparent):
    talk = await traced(house, everything).connect()
    thread_id = await talk.thread()
    params = {"threadId": thread_id, "input": [{"type": "text", "text": "go"}], "trace": {"traceparent": traceparent}}

    with pytest.raises(RemoteError, match="invalidParams") as refused:
        await talk.client.call_raw("turn/start", params)

    assert [issue["path"] for issue in refused.value.data["issues"]] == ["/trace/traceparent"]
    assert talk.said("turn/started") == []


async def test_the_trace_is_no_part_of_what_a_key_compares(house):
    talk = await traced(house, everything).connect()
    thread_id = await talk.thread()
    params = TurnStartParams(thread_id=thread_id, input=[TextPart(text="go")], idempotency_key="k", trace=PARENT)
    first = await talk.client.turn_start(params)
    other = TraceContext(traceparent=f"00-{TRACE}-{SPAN[::-1]}-01")

    again = await talk.client.turn_start(msgspec.structs.replace(params, trace=other))

    assert (again.replayed, again.turn.id) == (True, first.turn.id)


async def events_of(talk, thread_id):
    return (await talk.client.thread_events_list(ThreadEventsListParams(thread_id=thread_id))).data


async def test_the_record_says_which_events_are_of_the_trace(house):
    talk = await traced(house, everything).connect()
    thread_id = await talk.thread(title="A")
    turn = await talk.run(thread_id, "go", trace=PARENT)
    events = await events_of(talk, thread_id)
    of_turn = [event for event in events if turn.id in str(event.payload.get("turnId") or event.payload.get("turn"))]

    assert len(of_turn) > 10
    assert {event.trace for event in of_turn} == {TRACE}
    assert {event.trace for event in events if event.type.startswith("thread/")} == {msgspec.UNSET}


async def test_what_a_restart_ends_is_of_the_trace_too(house, monkeypatch):
    begun = asyncio.Event()

    async def work(turn):
        turn.tool("look", {})
        begun.set()
        await asyncio.sleep(3600)

    talk = await traced(house, work).connect()
    thread_id = await talk.thread()
    await talk.turn(thread_id, "go", trace=PARENT)
    await begun.wait()
    # The server dies without a word: nothing ends its turns.
    store = house.server._state.store
    with monkeypatch.context() as dead:
        dead.setattr(type(store), "append", lambda *_: (_ for _ in ()).throw(OSError("gone")))
        talk.hears_all = False
        await house.restart()
    talk = await house.connect()
    events = await events_of(talk, thread_id)
    ends = [event for event in events if event.type in ("turn/started", "turn/completed", "item/completed")]

    assert [event.type for event in ends] == ["turn/started", *["item/completed"] * 2, "turn/completed"]
    assert {event.trace for event in ends} == {TRACE}


async def test_a_turn_of_which_nothing_is_kept_is_not_found(house):
    talk = await traced(house, everything).connect()
    thread_id = await talk.thread()
    turn = await talk.run(thread_id, "go")
    talk.hears_all = False
    await house.restart()
    talk = await traced(house, everything).connect()
    kinds = []
    for place in [(thread_id, turn.id), (thread_id, "turn_x"), ("thr_x", turn.id)]:
        with pytest.raises(RemoteError, match="notFound") as refused:
            await talk.client.trace_read(TraceReadParams(thread_id=place[0], turn_id=place[1]))
        kinds.append(refused.value.data["kind"])

    assert kinds == ["trace", "turn", "thread"]


async def test_what_is_deleted_leaves_no_spans(house):
    traces = MemoryTraces()
    talk = await own(house, everything, traces=traces).connect()
    thread_id = await talk.thread()
    turn = await talk.run(thread_id, "go")
    assert traces.read(thread_id, turn.id) is not None

    await talk.client.thread_delete(ThreadDeleteParams(thread_id=thread_id))

    assert traces.read(thread_id, turn.id) is None


async def test_a_turn_that_waited_is_traced(house):
    talk = await traced(house, everything).connect(traces=True)
    thread_id = await talk.thread()
    params = TurnEnqueueParams(thread_id=thread_id, input=[TextPart(text="go")])
    await talk.client.turn_enqueue(params)
    completed = await talk.heard("turn/completed")

    assert_tree(told(talk, completed.turn))


class Broken:
    """A provider that can do nothing."""

    def begin(self, *_place):
        raise RuntimeError

    add = forget = begin

    def read(self, *_place):
        return None


async def test_a_provider_that_breaks_disturbs_no_turn(house):
    talk = await own(house, everything, traces=Broken()).connect(traces=True)
    turn = await talk.run(await talk.thread(), "go")

    assert turn.status == "completed"
    assert len(told(talk, turn)) == 11


async def test_without_a_provider_nothing_is_offered():
    talk = await Talk.over_memory(Server(DefaultHost(builtin_agent("scripted"))), initialize=False)
    result = await talk.initialize(traces=True)
    thread_id = await talk.thread()
    turn = await talk.run(thread_id, "text Hi")
    codes = []
    for method, params in [
        ("trace/read", {"threadId": thread_id, "turnId": turn.id}),
        ("turn/start", {"threadId": thread_id, "input": [], "trace": {"traceparent": PARENT.traceparent}}),
    ]:
        with pytest.raises(RemoteError, match="methodNotFound") as refused:
            await talk.client.call_raw(method, params)
        codes.append(refused.value.data["capability"])
    await talk.close()

    assert result.capabilities.traces is msgspec.UNSET
    assert codes == ["traces"] * 2
    assert talk.said("trace/span") == []
