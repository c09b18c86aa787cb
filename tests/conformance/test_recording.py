"""`check trace`: the transcripts of the repository pass, and one that is spoilt fails by the name of the rule."""

import copy
import io
import json
import tracemalloc
from pathlib import Path

import pytest

from turnwire.cli import main
from turnwire.conformance.model import Level
from turnwire.conformance.passive import Conversation, Folded, Payloads
from turnwire.conformance.profiles import load_profile
from turnwire.conformance.recording import CHECKS, CheckTraceOptions, run_check_trace
from turnwire.conformance.registry import catalogue
from turnwire.conformance.reports import document
from turnwire.schemas import faults

FOLDER = Path(__file__).resolve().parents[2] / "protocol" / "transcripts"
PATHS = sorted(FOLDER.glob("*.jsonl"))
APPROVED = "a-turn-with-an-approval"
STOPPED = "a-turn-that-is-interrupted"
REFUSED = "each-kind-of-error"
FAILED = "a-question-then-a-queued-turn-that-fails"
LEVELS = {check.id: check.level for check in catalogue()}


def judged(lines, **options):
    """The exit code, the report and what was said beside it."""
    stdout, stderr = io.StringIO(), io.StringIO()
    wanted = CheckTraceOptions(file="run.jsonl", format="json", **options)
    code = run_check_trace(wanted, [json.dumps(line).encode() + b"\n" for line in lines], stdout, stderr)
    return code, json.loads(stdout.getvalue() or "null"), stderr.getvalue()


def broken(report):
    return sorted(row["id"] for row in report["checks"] if row["verdict"] in ("fail", "warn"))


class Spoilt:
    """A transcript that is spoilt step by step."""

    def __init__(self, name):
        text = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
        self.lines = [json.loads(line) for line in text.splitlines()]

    def at(self, method, item=None):
        """Where a method comes first, or first with this item."""
        for index, line in enumerate(self.lines):
            msg = line["msg"]
            params = msg.get("params", {}) if isinstance(msg, dict) else {}
            named = (None, params.get("itemId"), params.get("item", {}).get("id"))
            if isinstance(msg, dict) and msg.get("method") == method and item in named:
                return index
        raise LookupError(method)

    def params(self, method, item=None):
        return self.lines[self.at(method, item)]["msg"]["params"]

    def answer(self, number):
        found = (at for at, line in enumerate(self.lines) if line["dir"] == "s2c" and line["msg"].get("id") == number)
        return next(found)

    def drop(self, index):
        del self.lines[index]

    def repeat(self, index):
        self.lines.insert(index, copy.deepcopy(self.lines[index]))

    def move(self, index, to):
        self.lines.insert(to, self.lines.pop(index))

    def rename(self, before, after):
        self.lines = json.loads(json.dumps(self.lines).replace(f'"{before}"', f'"{after}"'))


def answered_last(talk):
    """What is asked for without a key is not answered from memory, so its answer comes first."""
    del talk.params("thread/start")["idempotencyKey"]
    talk.move(talk.answer(1), talk.at("thread/started"))


def second_turn(talk):
    """Another turn starts before the first has ended."""
    at = talk.at("turn/started")
    other = copy.deepcopy(talk.lines[at])
    other["msg"]["params"]["turn"]["id"] = "turn_9"
    talk.lines.insert(talk.at("turn/completed"), other)


def asked_again(talk, thread, **changes):
    """The request with the key of the transcript comes once more, and makes this thread."""
    asked = copy.deepcopy(talk.lines[talk.at("thread/start")])
    made = copy.deepcopy(talk.lines[talk.answer(asked["msg"]["id"])])
    asked["msg"]["params"].update(changes)
    made["msg"]["result"]["thread"]["id"] = thread
    asked["msg"]["id"] = made["msg"]["id"] = "again"
    talk.lines += [asked, made]


# Each row: a transcript, what is done to it, and the rule that must say so; other rules may say so too.
SPOILS = {
    "another shape": (APPROVED, lambda t: t.params("turn/started")["turn"].pop("status"), "rpc.schema-valid-out"),
    "unknown method": (
        APPROVED,
        lambda t: t.lines[t.at("turn/usage/updated")]["msg"].update(method="turn/used"),
        "rpc.schema-valid-out",
    ),
    "result of another shape": (
        APPROVED,
        lambda t: t.lines[t.answer(4)]["msg"]["result"].pop("thread"),
        "rpc.schema-valid-out",
    ),
    "an unknown method by another code": (
        REFUSED,
        lambda t: t.lines[t.answer("")]["msg"]["error"].update(code=-32600),
        "rpc.method-not-found",
    ),
    "wrong params by another code": (
        REFUSED,
        lambda t: t.lines[t.answer(13)]["msg"]["error"].update(code=-32603),
        "rpc.invalid-params-type",
    ),
    "what nobody asked for": (
        APPROVED,
        lambda t: t.lines[t.answer(0)]["msg"]["result"]["capabilities"].update(dynamicTools=True),
        "life.experimental-unsent",
    ),
    "a key is good for other params": (
        APPROVED,
        lambda t: asked_again(t, "thr_login", title="another"),
        "idem.other-params",
    ),
    "a key makes two threads": (APPROVED, lambda t: asked_again(t, "thr_2"), "idem.same-key"),
    "no reply": (APPROVED, lambda t: t.drop(t.answer(4)), "rpc.reply-once"),
    "two replies": (APPROVED, lambda t: t.repeat(t.answer(4)), "rpc.reply-once"),
    "id of another type": (APPROVED, lambda t: t.lines[t.answer(4)]["msg"].update(id="4"), "rpc.reply-once"),
    "sequence goes back": (APPROVED, lambda t: t.params("turn/usage/updated").update(seq=3), "thread.seq-increases"),
    "status not told": (APPROVED, lambda t: t.drop(t.at("thread/status/changed")), "thread.status-transitions"),
    "wrong status": (
        APPROVED,
        lambda t: t.lines[t.at("turn/completed") + 1]["msg"]["params"].update(status="active"),
        "thread.status-transitions",
    ),
    "answer last": (APPROVED, lambda t: t.move(t.answer(2), t.at("turn/started")), "thread.response-first"),
    "thread answered last": (APPROVED, answered_last, "thread.response-first"),
    "no start": (APPROVED, lambda t: t.drop(t.at("turn/started")), "turn.started-once-first"),
    "two starts": (APPROVED, lambda t: t.repeat(t.at("turn/started")), "turn.started-once-first"),
    "no end": (APPROVED, lambda t: t.drop(t.at("turn/completed")), "thread.status-transitions"),
    "two ends": (APPROVED, lambda t: t.repeat(t.at("turn/completed")), "turn.exactly-one-terminal"),
    "event after the end": (
        APPROVED,
        lambda t: t.move(t.at("turn/usage/updated"), t.at("turn/completed")),
        "turn.no-events-after-terminal",
    ),
    "item left open": (APPROVED, lambda t: t.drop(t.at("item/completed", "item_5")), "turn.all-items-closed"),
    "two turns": (APPROVED, second_turn, "turn.one-active"),
    "error of a turn that did not fail": (
        APPROVED,
        lambda t: t.params("turn/completed")["turn"].update(
            error={"code": "agentFailed", "message": "", "retryable": False}
        ),
        "turn.terminal-status",
    ),
    "no time": (APPROVED, lambda t: t.params("turn/completed")["turn"].pop("completedAt"), "turn.terminal-status"),
    "ends before it starts": (
        APPROVED,
        lambda t: t.params("turn/completed")["turn"].update(completedAt=1),
        "turn.timestamps-monotonic",
    ),
    "id of an earlier turn": (FAILED, lambda t: t.rename("turn_4", "turn_1"), "turn.ids-unique"),
    "interrupt answered first": (
        STOPPED,
        lambda t: t.move(t.answer(4), t.at("turn/completed")),
        "turn.interrupt-answers-last",
    ),
    "item starts twice": (APPROVED, lambda t: t.repeat(t.at("item/started", "item_5")), "item.lifecycle-order"),
    "item ends alone": (APPROVED, lambda t: t.drop(t.at("item/started", "item_5")), "item.lifecycle-order"),
    "item ends twice": (APPROVED, lambda t: t.repeat(t.at("item/completed", "item_5")), "item.lifecycle-order"),
    "item of another turn": (
        APPROVED,
        lambda t: t.params("item/started", "item_1")["item"].update(turnId="turn_9"),
        "item.type-immutable",
    ),
    "id of an earlier item": (
        APPROVED,
        lambda t: t.params("item/started", "item_19")["item"].update(id="item_1"),
        "item.ids-unique",
    ),
    "delta too early": (
        APPROVED,
        lambda t: t.move(t.at("item/agentMessage/delta"), t.at("item/started", "item_19")),
        "item.delta-known-id",
    ),
    "delta lost": (APPROVED, lambda t: t.drop(t.at("item/agentMessage/delta")), "item.delta-concat"),
    "offset in another unit": (
        APPROVED,
        lambda t: t.lines[t.at("item/agentMessage/delta") + 1]["msg"]["params"].update(offset=22),
        "item.delta-concat",
    ),
    "another text": (
        APPROVED,
        lambda t: t.params("item/completed", "item_2")["item"].update(text="Something else."),
        "item.delta-concat",
    ),
    "ends in progress": (
        APPROVED,
        lambda t: t.params("item/completed", "item_5")["item"].update(status="inProgress"),
        "item.status-terminal",
    ),
    "no cwd": (APPROVED, lambda t: t.params("item/completed", "item_5")["item"].pop("cwd"), "item.completed-whole"),
    "ends as another one": (
        APPROVED,
        lambda t: t.params("item/completed", "item_2")["item"].update(createdAt=1),
        "item.completed-whole",
    ),
    "approval without its item": (APPROVED, lambda t: t.drop(t.at("item/started", "item_4")), "appr.item-first"),
    "approval not told": (APPROVED, lambda t: t.drop(t.at("approval/requested")), "appr.item-first"),
    "another approval": (
        APPROVED,
        lambda t: t.params("approval/request")["approval"].update(title="Run anything"),
        "appr.notification-equals-request",
    ),
    "nonce told to all": (
        APPROVED,
        lambda t: t.params("approval/requested")["approval"]["binding"].update(nonce="n" * 16),
        "appr.nonce-secret",
    ),
    "settled twice": (APPROVED, lambda t: t.repeat(t.at("approval/resolved")), "appr.resolved-once"),
    "never settled": (APPROVED, lambda t: t.drop(t.at("approval/resolved")), "appr.resolved-once"),
}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_lawful_recording_passes(path):
    code, report, said = judged(Spoilt(path.stem).lines, strict=True)

    assert (0, [], "") == (code, broken(report), said)
    assert {"recording": "run.jsonl", "server": {"name": "turnwire", "version": "0.1.0"}} == report["target"]


def test_every_rule_is_shown_by_a_recording():
    rows = [row for path in PATHS for row in judged(Spoilt(path.stem).lines)[1]["checks"]]

    assert set(CHECKS) == {row["id"] for row in rows if row["verdict"] == "pass"}


@pytest.mark.parametrize(("name", "spoil", "rule"), SPOILS.values(), ids=SPOILS)
def test_a_spoilt_recording_fails_by_the_rule(name, spoil, rule):
    talk = Spoilt(name)
    spoil(talk)

    code, report, _ = judged(talk.lines)

    assert rule in broken(report)
    assert (1 if LEVELS[rule] is Level.MUST else 0) <= code
    (row,) = [row for row in report["checks"] if row["id"] == rule]
    assert row["expected"]
    assert f"turnwire check trace run.jsonl --select {rule}" == row["repro"]
    assert row["excerpt"]


def test_every_rule_has_a_spoilt_recording():
    assert set(CHECKS) == {rule for _, _, rule in SPOILS.values()}


@pytest.mark.parametrize("cut", range(1, 40, 3))
def test_a_recording_may_end_anywhere_and_begin_anywhere(cut):
    lines = Spoilt(APPROVED).lines

    assert [] == broken(judged(lines[:cut])[1])
    assert [] == broken(judged(lines[cut:])[1])


def test_a_raw_line_is_a_message_too():
    lines = [{"dir": line["dir"], "raw": json.dumps(line["msg"])} for line in Spoilt(APPROVED).lines]

    assert 0 == judged(lines)[0]
    assert ["rpc.schema-valid-out"] == broken(judged([*lines, {"dir": "s2c", "raw": "Listening on 4500"}])[1])


def test_other_recorders_write_a_raw_line_as_a_message():
    lines = [{"dir": line["dir"], "msg": {"$raw": json.dumps(line["msg"])}} for line in Spoilt(APPROVED).lines]

    assert 0 == judged(lines)[0]
    assert ["rpc.schema-valid-out"] == broken(judged([*lines, {"dir": "s2c", "msg": {"$raw": "Listening on 4500"}}])[1])


def test_what_is_not_asked_is_not_judged():
    talk = Spoilt(APPROVED)
    talk.repeat(talk.answer(4))

    assert [0, 1] == [judged(talk.lines, select=(name,))[0] for name in ("turn.*", "rpc.*")]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", "run.jsonl: holds no message"),
        (b"{", "run.jsonl:1: the line is not JSON"),
        (b"[]", "run.jsonl:1: a frame has `dir`"),
        (b'{"dir":"up","msg":{}}', "run.jsonl:1: a frame has `dir`"),
        (b'{"dir":"c2s"}', "run.jsonl:1: a frame has `msg`"),
    ],
)
def test_what_is_no_recording_is_one_line_and_exit_code_2(line, said):
    stderr = io.StringIO()

    code = run_check_trace(CheckTraceOptions(file="run.jsonl"), [line], io.StringIO(), stderr)

    assert 2 == code
    assert stderr.getvalue().startswith(f"turnwire: {said}")
    assert 1 == stderr.getvalue().count("\n")


@pytest.mark.parametrize(
    ("entries", "code", "verdict", "faults"),
    [
        (["rpc.reply-once"], 0, "xfail", []),
        (["rpc.reply-once", "turn.ids-unique"], 1, "xfail", []),
        (["no.such"], 1, "fail", ["no.such: no check has this id; `turnwire check list` prints them all"]),
    ],
    ids=["known", "stale", "unknown"],
)
def test_a_known_failure_is_excused_and_nothing_else(entries, code, verdict, faults, tmp_path):
    talk, file = Spoilt(APPROVED), tmp_path / "known.toml"
    talk.repeat(talk.answer(4))
    file.write_text("".join(f'[[expect]]\nid = "{name}"\nreason = "known"\n' for name in entries), encoding="utf-8")

    found, report, _ = judged(talk.lines, expect=file)

    assert (code, faults) == (found, report["summary"]["expectationFaults"])
    assert [verdict] == [row["verdict"] for row in report["checks"] if row["id"] == "rpc.reply-once"]


def test_a_file_of_known_failures_that_is_none_is_a_line(tmp_path):
    file, stderr = tmp_path / "known.toml", io.StringIO()
    file.write_text("[[expect]", encoding="utf-8")

    assert 2 == run_check_trace(CheckTraceOptions(file="f", expect=file), [], io.StringIO(), stderr)
    assert stderr.getvalue().startswith(f"turnwire: {file}: ")
    assert 1 == stderr.getvalue().count("\n")


def test_a_rule_that_no_recording_can_show_is_not_selected():
    stderr = io.StringIO()

    code = run_check_trace(CheckTraceOptions(file="f", select=("stdio.*",)), [], io.StringIO(), stderr)

    assert (2, True) == (code, "nothing is selected" in stderr.getvalue())


def test_memory_does_not_grow_with_the_recording():
    # One long item: its deltas are counted and hashed, and none is kept.
    talk, folded = Conversation(Payloads(load_profile("turnwire"))), Folded()
    lines = Spoilt(APPROVED).lines
    for line in lines[: lines.index(lines[Spoilt(APPROVED).at("item/agentMessage/delta")])]:
        folded.hear(talk, line["msg"], b"", sent=line["dir"] == "c2s")
    delta = lines[Spoilt(APPROVED).at("item/agentMessage/delta")]["msg"]
    early = 0
    tracemalloc.start()
    for number in range(2000):
        params = {**delta["params"], "offset": number * 1000, "delta": "x" * 1000}
        folded.hear(talk, {**delta, "params": params}, b"", sent=False)
        if number == 200:
            early = tracemalloc.get_traced_memory()[0]
    late = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()

    assert {} == folded.first
    assert late - early < 10_000


@pytest.mark.parametrize("spoil", [lambda t: None, lambda t: t.repeat(t.answer(4))])
def test_the_report_has_the_form_that_is_promised(spoil):
    schema = json.loads((Path(document.__file__).parent / "report.schema.json").read_text(encoding="utf-8"))
    talk = Spoilt(APPROVED)
    spoil(talk)

    assert [] == faults(schema, judged(talk.lines)[1])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([str(PATHS[0])], 0, "Conformant in everything that was checked."),
        ([str(PATHS[0]), "--select", "turn.*", "--format", "json"], 0, '"turnwire check trace"'),
        (["no-such-file.jsonl"], 2, "turnwire: no-such-file.jsonl: cannot be read: No such file or directory"),
        ([str(PATHS[0]), "--profile", "no-such"], 2, "no-such"),
    ],
)
def test_the_words_of_the_command_line_reach_it(words, code, said):
    stdout, stderr = io.StringIO(), io.StringIO()

    assert code == main(["check", "trace", *words], io.StringIO(), stdout, stderr)
    assert said in stdout.getvalue() + stderr.getvalue()
