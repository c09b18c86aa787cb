"""Saved answers (APPR-12, APPR-13): what is offered, what a rule answers, how long it holds, and how it is removed."""

import pytest

from e2e.talk import Talk
from turnwire.errors import RemoteError
from turnwire.store.memory import MemoryStore
from turnwire.wire import (
    ApprovalAnswer,
    ApprovalRulesListParams,
    ApprovalRulesRemoveParams,
    ThreadUnsubscribeParams,
)

ONCE = ["accept", "decline", "cancel", "defer"]
SCOPED = [*ONCE, "acceptForTurn", "acceptForSession"]
HERE = [*SCOPED, "acceptAlways", "declineAlways"]


@pytest.mark.parametrize(
    ("line", "cwd", "offered"), [("write a b", True, ONCE), ("approve rm", False, SCOPED), ("approve rm", True, HERE)]
)
async def test_answers_are_saved_only_for_what_has_a_scope(connect, tmp_path, line, cwd, offered):
    talk = await connect(approvals="decline")
    await talk.run(await talk.thread(**({"cwd": str(tmp_path)} if cwd else {})), line)
    options = talk.asked[0].approval.available_decisions

    assert [option.decision for option in options] == offered
    assert [option.rule.scope_key for option in options if option.rule] == ["rm"] * (len(offered) - len(ONCE))


# The decision; then how often it is asked of `approve rm`: twice in one turn, in the next, in another thread of the
# same directory, in a thread of another one.
HOLDS = [
    ("accept", (2, 1, 1, 1)),
    ("acceptForTurn", (1, 1, 1, 1)),
    ("acceptForSession", (1, 0, 1, 1)),
    ("acceptAlways", (1, 0, 0, 1)),
    ("decline", (2, 1, 1, 1)),
    ("declineAlways", (1, 0, 0, 1)),
]


@pytest.mark.parametrize(("decision", "asked"), HOLDS)
async def test_a_rule_holds_in_its_turn_thread_or_workspace(connect, tmp_path, decision, asked):
    talk = await connect(approvals=decision)
    here = await talk.thread(cwd="/here")
    counts = []
    for thread_id, script in [
        (here, "approve rm\napprove rm"),
        (here, "approve rm"),
        (await talk.thread(cwd="/here"), "approve rm"),
        (await talk.thread(cwd="/there"), "approve rm"),
    ]:
        before = len(talk.asked)
        await talk.run(thread_id, script)
        counts.append(len(talk.asked) - before)
    outcome = "completed" if decision.startswith("accept") else "declined"
    by_rule = [one["resolution"] for one in talk.said("approval/resolved") if one["resolution"]["outcome"] == "rule"]

    assert tuple(counts) == asked
    assert {item["status"] for item in talk.items("toolCall")} == {outcome}
    assert {one["decision"] for one in by_rule} <= {"accept" if decision.startswith("accept") else "decline"}
    assert len(by_rule) == 5 - sum(asked)


async def test_a_rule_is_about_one_kind_and_key(house):
    talk = await house.connect(approvals="acceptForSession")
    await talk.run(await talk.thread(), "approve rm\napprove mv\napprove rm")

    assert [params.approval.tool_name for params in talk.asked] == ["rm", "mv"]


async def test_a_rule_of_a_thread_goes_when_it_is_unloaded(house):
    talk = await house.connect(approvals="acceptForSession")
    thread_id = await talk.thread()
    await talk.run(thread_id, "approve rm")
    await talk.client.thread_unsubscribe(ThreadUnsubscribeParams(thread_id=thread_id))
    again = await house.connect(approvals="accept")
    await again.client.call_raw("thread/resume", {"threadId": thread_id})
    await again.run(thread_id, "approve rm")

    assert len(again.asked) == 1
    again.hears_all = False


async def test_where_two_rules_differ_nothing_runs(house):
    decisions = iter(["acceptForSession", "declineAlways"])

    def next_one(params):
        return ApprovalAnswer(decision=next(decisions), nonce=params.approval.binding.nonce)

    talk = await house.connect(approvals=next_one)
    one, two = await talk.thread(cwd="/here"), await talk.thread(cwd="/here")
    for thread_id in (one, two, one):
        await talk.run(thread_id, "approve rm")

    assert [item["status"] for item in talk.items("toolCall")] == ["completed", "declined", "declined"]


async def test_the_last_answer_about_the_same_holds(house):
    talk = await house.connect(approvals="acceptAlways")
    thread_id = await talk.thread(cwd="/here")
    await talk.run(thread_id, "approve rm")
    (rule,) = (await talk.client.approval_rules_list(ApprovalRulesListParams())).data

    assert (rule.effect, rule.scope, rule.workspace_path, rule.kind, rule.scope_key) == (
        "accept",
        "workspace",
        "/here",
        "tool",
        "rm",
    )
    await talk.client.approval_rules_remove(ApprovalRulesRemoveParams(rule_id=rule.id))
    await talk.run(thread_id, "approve rm")

    assert len(talk.asked) == 2
    with pytest.raises(RemoteError, match="notFound"):
        await talk.client.approval_rules_remove(ApprovalRulesRemoveParams(rule_id=rule.id))


async def test_rules_are_listed_by_thread_and_page_by_page(house):
    talk = await house.connect(approvals="acceptAlways")
    one, two = await talk.thread(cwd="/one"), await talk.thread(cwd="/two")
    await talk.run(one, "approve a\napprove b\napprove c")
    talk.client.on_request("approval/request", talk._answering("acceptForSession"))
    await talk.run(two, "approve d")

    keys, cursor = [], {}
    while True:
        listed = await talk.client.approval_rules_list(ApprovalRulesListParams(limit=1, **cursor))
        keys += [rule.scope_key for rule in listed.data]
        if not listed.next_cursor:
            break
        cursor = {"cursor": listed.next_cursor}
    of_two = await talk.client.approval_rules_list(ApprovalRulesListParams(thread_id=two))
    of_one = await talk.client.approval_rules_list(ApprovalRulesListParams(thread_id=one))

    assert sorted(keys) == ["a", "b", "c"]
    assert [(rule.scope_key, rule.scope, rule.thread_id) for rule in of_two.data] == [("d", "thread", two)]
    assert sorted(rule.scope_key for rule in of_one.data) == ["a", "b", "c"]
    await talk.client.approval_rules_remove(ApprovalRulesRemoveParams(rule_id=of_two.data[0].id))
    assert (await talk.client.approval_rules_list(ApprovalRulesListParams(thread_id=two))).data == []


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("approvalRules/list", {"threadId": "nobody"}, -32004),
        ("approvalRules/list", {"limit": 501}, -32602),
        ("approvalRules/list", {"limit": 0}, -32602),
        ("approvalRules/list", {"cursor": "x"}, -32008),
        ("approvalRules/remove", {"ruleId": "nobody"}, -32004),
        ("approvalRules/remove", {}, -32602),
    ],
)
async def test_wrong_params_are_refused(house, method, params, code):
    talk = await house.connect()
    with pytest.raises(RemoteError) as refused:
        await talk.client.call_raw(method, params)

    assert refused.value.code == code


async def test_rules_of_a_workspace_outlive_the_process(tmp_path):
    one = await Talk.over_stdio("{}", str(tmp_path), approvals="acceptAlways")
    thread_id = await one.thread(cwd="/here")
    await one.run(thread_id, "approve rm")
    await one.close()
    # What a full disk left of a line is no rule, and swallows none.
    with (tmp_path / "notes.jsonl").open("ab") as notes:
        notes.write(b'{"rule":{"id":"torn')
    two = await Talk.over_stdio("{}", str(tmp_path), approvals="declineAlways")
    await two.run(await two.thread(cwd="/here"), "approve rm\napprove mv")
    await two.close()
    three = await Talk.over_stdio("{}", str(tmp_path))
    listed = (await three.client.approval_rules_list(ApprovalRulesListParams())).data
    await three.close()

    assert [params.approval.tool_name for params in two.asked] == ["mv"]
    assert [(rule.scope_key, rule.effect) for rule in listed] == [("rm", "accept"), ("mv", "decline")]
    assert (tmp_path / "notes.jsonl").stat().st_mode & 0o777 == 0o600


async def test_a_rule_that_cannot_be_kept_lets_nothing_run(house):
    class Full(MemoryStore):
        def note(self, line):
            raise OSError("no space left")

    house.host = {"store": Full()}
    talk = await house.connect(approvals="acceptAlways")
    ended = await talk.run(await talk.thread(cwd="/here"), "approve rm")

    assert (ended.status, talk.items("toolCall")) == ("failed", [])
