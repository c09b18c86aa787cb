"""What runs without asking, by the permission mode of the thread (APPR-14 to APPR-16)."""

import json
from pathlib import Path

import pytest

from e2e.own import own
from turnwire.agents.base import Question
from turnwire.errors import RemoteError
from turnwire.server.permissions import reference_policy
from turnwire.wire import (
    ApprovalResolveParams,
    FileChange,
    ResumeDecision,
    ThreadReadParams,
    ThreadUpdateParams,
    ToolMetadata,
    TurnResume,
    TurnStartParams,
)

# What a script line is asked about by: the mode, absent first.
MODES = (None, "ask", "acceptEdits", "auto", "readOnly")
ASKED, RUNS, DECLINED = "asked", "runs", "declined"
LINES = {
    # It asks nobody and changes nothing.
    "tool look": (RUNS,) * 5,
    "approve deploy": (ASKED, ASKED, ASKED, RUNS, DECLINED),
    "write note.txt hi": (ASKED, ASKED, RUNS, RUNS, DECLINED),
    "write deep/../note.txt hi": (ASKED, ASKED, RUNS, RUNS, DECLINED),
    "write ../note.txt hi": (ASKED, ASKED, ASKED, ASKED, DECLINED),
    "write out/note.txt hi": (ASKED, ASKED, ASKED, ASKED, DECLINED),
}


def workspace(tmp_path):
    """A directory with a link that leads out of it."""
    here = tmp_path / "here"
    (here / "deep").mkdir(parents=True)
    (tmp_path / "there").mkdir()
    (here / "out").symlink_to(tmp_path / "there")
    return here


def in_mode(mode):
    return {} if mode is None else {"permission_mode": mode}


@pytest.mark.parametrize(
    ("line", "mode", "comes"),
    [(line, mode, comes) for line, row in LINES.items() for mode, comes in zip(MODES, row, strict=True)],
)
async def test_a_mode_says_what_runs(house, tmp_path, line, mode, comes):
    here = workspace(tmp_path)
    talk = await house.connect(approvals="decline")

    ended = await talk.run(await talk.thread(cwd=str(here), **in_mode(mode)), line)
    asked = len(talk.asked)
    approvals = talk.items("approval")
    done = [item["status"] for item in [*talk.items("toolCall"), *talk.items("fileChange")]]

    assert ended.status == "completed"
    assert asked == len(talk.said("approval/requested")) == (1 if comes == ASKED else 0)
    assert done == ["completed" if comes == RUNS else "declined"]
    assert (here / "note.txt").exists() is (comes == RUNS and "note.txt" in line)
    outcomes = [(item["resolution"]["outcome"], item["resolution"]["decision"]) for item in approvals]
    wanted = {ASKED: ("answered", "decline"), RUNS: ("mode", "accept"), DECLINED: ("mode", "decline")}[comes]
    assert outcomes == ([] if line.startswith("tool") else [wanted])
    assert [params["resolution"] for params in talk.said("approval/resolved")] == [
        item["resolution"] for item in approvals
    ]


async def test_without_a_directory_no_file_is_of_the_workspace(house):
    talk = await house.connect(approvals="decline")

    await talk.run(await talk.thread(permission_mode="acceptEdits"), "write note.txt hi")

    assert len(talk.asked) == 1


# What an agent does without asking, and whether it runs in a thread that is read-only.
BEGUN = {
    "none": (lambda turn: turn.tool("t", {}, metadata=ToolMetadata(side_effect="none")).complete(1), True),
    "read": (lambda turn: turn.tool("t", {}, metadata=ToolMetadata(side_effect="read")).complete(1), True),
    "write": (lambda turn: turn.tool("t", {}, metadata=ToolMetadata(side_effect="write")).complete(1), False),
    "external": (lambda turn: turn.tool("t", {}, metadata=ToolMetadata(side_effect="external")).complete(1), False),
    "unsaid": (lambda turn: turn.tool("t", {}).complete(1), False),
    "draft": (lambda turn: turn.draft_tool("t").run({}).complete(1), False),
    "harmless-draft": (
        lambda turn: turn.draft_tool("t", metadata=ToolMetadata(side_effect="read")).run({}).complete(1),
        True,
    ),
    "mcp": (lambda turn: turn.mcp_tool("s", "t", {}).complete(1), False),
    "command": (lambda turn: turn.command("make").complete(0), False),
    "file": (lambda turn: turn.file_change([FileChange(path="a", kind="add")]).complete(), False),
}


@pytest.mark.parametrize("mode", [None, "readOnly"])
@pytest.mark.parametrize("begun", BEGUN)
async def test_nothing_that_may_change_something_begins_in_a_thread_that_is_read_only(house, begun, mode):
    begin, harmless = BEGUN[begun]
    ran = []

    async def work(turn):
        begin(turn)
        ran.append(begun)

    talk = await own(house, work).connect()
    ended = await talk.run(await talk.thread(**in_mode(mode)), "go")
    runs = harmless or mode is None

    assert ended.status == ("completed" if runs else "failed")
    assert (ended.error.code if ended.error else None) == (None if runs else "toolFailed")
    assert len(ran) == runs
    done = [params["item"] for params in talk.said("item/completed") if params["item"]["type"] != "userMessage"]
    assert all(item["status"] == "completed" for item in done) is (runs or not done)


async def test_a_tool_of_a_client_does_not_run_in_a_thread_that_is_read_only(house):
    async def work(turn):
        await turn.client_tool("look", {})

    talk = await own(house, work).connect()

    assert (await talk.run(await talk.thread(permission_mode="readOnly"), "go")).error.code == "toolFailed"


async def test_what_says_that_it_only_reads_runs_in_every_mode(house):
    verdicts = []

    async def work(turn):
        asked = Question(kind="shell", title="List", operation="ls", side_effect="read")
        verdict = await turn.approve(asked)
        turn.command("ls", item_id=verdict.subject_item_id).complete(0)
        verdicts.append(verdict.accepted)

    talk = await own(house, work).connect()
    for mode in MODES[1:]:
        assert (await talk.run(await talk.thread(permission_mode=mode), "go")).status == "completed"

    assert verdicts == [True] * 4


async def test_a_rule_that_declines_holds_in_every_mode(house, tmp_path):
    talk = await house.connect(approvals="declineAlways")
    await talk.run(await talk.thread(cwd=str(tmp_path)), "approve deploy")

    await talk.run(await talk.thread(cwd=str(tmp_path), permission_mode="auto"), "approve deploy")

    assert [item["status"] for item in talk.items("toolCall")] == ["declined"] * 2
    assert [item["resolution"]["outcome"] for item in talk.items("approval")] == ["answered", "rule"]


async def test_a_rule_that_accepts_makes_nothing_run_in_a_thread_that_is_read_only(house, tmp_path):
    talk = await house.connect(approvals="acceptAlways")
    await talk.run(await talk.thread(cwd=str(tmp_path)), "approve deploy")

    await talk.run(await talk.thread(cwd=str(tmp_path), permission_mode="readOnly"), "approve deploy")

    assert [item["status"] for item in talk.items("toolCall")] == ["completed", "declined"]


async def test_an_answer_to_a_paused_turn_makes_nothing_run_in_a_thread_that_is_read_only(house):
    talk = await house.connect(approvals="defer")
    thread_id = await talk.thread(approval_policy="pause")
    assert (await talk.run(thread_id, "approve deploy")).status == "paused"
    approval = talk.asked[0].approval
    await talk.client.thread_update(ThreadUpdateParams(thread_id=thread_id, permission_mode="readOnly"))

    decision = ResumeDecision(
        approval_id=approval.approval_id,
        answer={"decision": "accept", "nonce": approval.binding.nonce},
    )
    params = TurnStartParams(thread_id=thread_id, resume=TurnResume(decisions=[decision]))
    await talk.ended((await talk.client.turn_start(params)).turn)

    assert [item["status"] for item in talk.items("toolCall")] == ["declined"]
    assert talk.items("approval")[-1]["resolution"]["outcome"] == "mode"
    with pytest.raises(RemoteError, match="requestClosed"):
        await talk.client.approval_resolve(
            ApprovalResolveParams(approval_id=approval.approval_id, answer=decision.answer)
        )


async def test_a_mode_that_is_set_during_a_turn_holds_from_its_next_operation_on(house):
    async def set_mode(params):
        await talk.client.thread_update(ThreadUpdateParams(thread_id=thread_id, permission_mode="readOnly"))
        return {"decision": "accept", "nonce": params.approval.binding.nonce}

    talk = await house.connect(approvals=set_mode)
    thread_id = await talk.thread()
    await talk.run(thread_id, "approve one\napprove two")

    # What was asked before the mode was set was answered by a person.
    assert [item["status"] for item in talk.items("toolCall")] == ["completed", "declined"]
    assert [item["resolution"]["outcome"] for item in talk.items("approval")] == ["answered", "mode"]


async def test_a_thread_below_another_has_its_mode(house):
    async def work(turn):
        if turn.thread.parent_thread_id:
            turn.command("make").complete(0)
        else:
            await turn.delegate("go", agent="own")

    talk = await own(house, work).connect()
    await talk.run(await talk.thread(permission_mode="readOnly"), "go")

    assert [(item["status"], item["errorCode"]) for item in talk.items("subagent")] == [("failed", "subagentFailed")]


@pytest.mark.parametrize("policy", ["says no", "breaks"])
async def test_where_the_policy_of_the_host_says_nothing_people_are_asked(house, policy):
    def permits(thread, approval):
        if policy == "breaks":
            raise RuntimeError(policy)
        return False

    async def work(turn):
        await turn.approve(Question(kind="tool", title="T", operation="t"))

    talk = await own(house, work, permits=permits).connect(approvals="accept")
    await talk.run(await talk.thread(permission_mode="auto"), "go")

    assert len(talk.asked) == 1


@pytest.mark.parametrize("risk", ["low", "high"])
@pytest.mark.parametrize("kind", ["tool", "shell", "network", "mcp"])
async def test_the_policy_of_the_reference_server(kind, risk, house, tmp_path):
    async def work(turn):
        await turn.approve(Question(kind=kind, title="T", operation="t", risk=risk))

    talk = await own(house, work, permits=reference_policy).connect(approvals="accept")
    await talk.run(await talk.thread(permission_mode="auto", cwd=str(tmp_path)), "go")

    assert len(talk.asked) == (0 if (kind, risk) == ("tool", "low") else 1)


@pytest.mark.parametrize("method", ["start", "update"])
async def test_a_mode_that_nobody_knows_is_refused(house, method):
    talk = await house.connect()
    thread_id = await talk.thread(permission_mode="ask")
    params = {"permissionMode": "acceptNetwork", **({"threadId": thread_id} if method == "update" else {})}

    with pytest.raises(RemoteError, match="invalidParams") as refused:
        await talk.client.call_raw(f"thread/{method}", params)

    assert [issue["path"] for issue in refused.value.data["issues"]] == ["/permissionMode"]
    assert (await talk.client.thread_read(ThreadReadParams(thread_id=thread_id))).thread.permission_mode == "ask"


async def test_the_modes_are_said_in_the_handshake(house):
    talk = await house.connect(initialize=False)
    result = await talk.initialize()

    assert tuple(result.capabilities.permission_modes.modes) == MODES[1:]


def test_every_mode_of_the_protocol_has_a_column():
    common = Path(__file__).parents[2] / "protocol" / "schema" / "common.json"
    modes = json.loads(common.read_text())["$defs"]["PermissionMode"]["oneOf"]

    assert [mode["const"] for mode in modes] == list(MODES[1:])
