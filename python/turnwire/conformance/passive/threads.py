"""One thread as a subscriber hears it: its status, its numbers, and its turns one after another.

A message that repeats the record (THR-18: "the events beyond `afterSeq` in order, then the live ones") is judged by its
number only; what it tells is in the answer that came before it.
"""

from typing import Any

from turnwire.conformance.passive.approvals import ApprovalLog
from turnwire.conformance.passive.findings import Findings, Recent
from turnwire.conformance.passive.items import ItemLog
from turnwire.wire import MACHINES

__all__ = ["ThreadLog"]

ENDS = MACHINES["turn"].terminal
# What waits outlives a turn that paused, so what becomes of it is told later.
OUTLIVES = frozenset({"approval/resolved", "userInput/resolved"})


class ThreadLog:
    """What has been told of one thread."""

    def __init__(self, findings: Findings, turns: Recent, identifier: str, *, is_whole: bool) -> None:
        self._items = ItemLog(findings)
        self._approvals = ApprovalLog(findings, self._items)
        self._findings = findings
        self._turns = turns
        self._id = identifier
        self._running = ""
        # Whether everything was heard from the first turn on; else what began earlier is unknown, and not wrong.
        self._is_whole = is_whole
        self._seq = -1
        self._repeats_to = -1
        self._status = ""
        # Whether the status came as a change; else a snapshot said it, and the change may be on its way.
        self._is_told = False
        self._owed: frozenset[str] = frozenset()

    def is_shown(self, thread: dict[str, Any]) -> None:
        """A snapshot came: it says the status where none was told before; that may be told still."""
        if not self._status:
            self._status, self._is_told = thread["status"], False

    def resumed(self, params: dict[str, Any], result: dict[str, Any]) -> None:
        """An answer that holds all that is open: what was heard before it counts no more."""
        after = params.get("afterSeq")
        # Without `afterSeq` nothing is replayed; the last event may be on its way to everyone, told as it was recorded.
        self._seq = after if type(after) is int else max(self._seq, result["seq"] - 1)
        self._repeats_to = result["seq"]
        self._status = result["thread"]["status"]
        self._owed = frozenset()
        self._running = result["activeTurn"]["id"] if "activeTurn" in result else ""
        if self._running:
            self._turns.add(self._running, self._id)
        self._items.seed(result["items"])
        self._approvals.seed(result["pending"])

    def hear(self, method: str, params: dict[str, Any]) -> None:
        """Judge the next notification."""
        if "seq" in params:
            self._number(method, params["seq"])
            if params["seq"] <= self._repeats_to:
                return
        if method == "turn/started":
            self._turn_started(params["turn"])
        elif method == "turn/completed":
            self._turn_completed(params["turn"])
        elif method == "thread/status/changed":
            self._status_changed(params["status"])
        elif method == "thread/rewound":
            self._rewound()
        elif "turnId" in params and self._is_of_turn(method, params["turnId"]):
            self._event(method, params)

    def asked(self, approval: dict[str, Any]) -> None:
        """`approval/request` came; in a turn whose beginning was not heard it may have been told of before."""
        if self._is_whole or approval["turnId"] == self._running:
            self._approvals.asked(approval)

    def interrupted(self, turn: dict[str, Any]) -> None:
        """TURN-7: "`turn/interrupt` answers when the work has stopped and `turn/completed` was sent"."""
        self._findings.judge("turn.interrupt-answers-last")
        if turn["id"] == self._running:
            self._findings.broke(
                "turn.interrupt-answers-last", "turn/completed, then the answer to turn/interrupt", "the answer first"
            )

    def stopped(self) -> None:
        """The server has answered `shutdown`: nothing runs any more."""
        if self._running:
            self._findings.broke("turn.exactly-one-terminal", f"an end of {self._running}", "the server has stopped")

    def _number(self, method: str, seq: int) -> None:
        # THR-17: "the number of its event, which increases within the thread; gaps are lawful".
        self._findings.judge("thread.seq-increases")
        if seq <= self._seq:
            self._findings.broke("thread.seq-increases", f"a seq above {self._seq}", f"{method} with seq {seq}")
        self._seq = max(self._seq, seq)

    def _is_of_turn(self, method: str, turn_id: str) -> bool:
        """Whether an event is one of the turn that runs; what else it may be is judged."""
        self._findings.judge("turn.no-events-after-terminal")
        if turn_id == self._running:
            return True
        word = self._turns.get(turn_id)
        if word in ENDS:
            if word == "paused" and method in OUTLIVES:
                return True
            self._findings.broke(
                "turn.no-events-after-terminal", f"nothing of {turn_id} after its turn/completed", method
            )
        elif self._is_whole:
            self._findings.broke("turn.started-once-first", f"turn/started of {turn_id} before anything of it", method)
        return False

    def _event(self, method: str, params: dict[str, Any]) -> None:
        if method == "item/started":
            self._items.started(params["item"])
            self._approvals.item_told(params["item"])
        elif method == "item/completed":
            self._items.completed(params["item"])
            self._approvals.item_told(params["item"])
        elif method == "item/reset":
            self._items.reset(params["itemIds"])
        elif method == "approval/requested":
            self._approvals.requested(params["approval"])
        elif method == "approval/resolved":
            self._approvals.resolved(params["approvalId"], params["resolution"])
        elif "offset" in params:
            self._items.delta(params["itemId"], params["offset"], params["delta"])

    def _turn_started(self, turn: dict[str, Any]) -> None:
        self._findings.judge("turn.started-once-first", "turn.ids-unique", "turn.one-active")
        identifier = turn["id"]
        if identifier == self._running:
            self._findings.broke("turn.started-once-first", f"turn/started of {identifier} once", "it came again")
            return
        if identifier in self._turns:
            self._findings.broke("turn.ids-unique", "an id that no turn had before", identifier)
        if self._running:
            self._findings.broke("turn.one-active", f"{self._running} ended before another turn starts", identifier)
        self._expect_no_owed(f"turn/started of {identifier}")
        self._turns.add(identifier, self._id)
        self._running, self._is_whole = identifier, True
        self._items.begin()

    def _turn_completed(self, turn: dict[str, Any]) -> None:
        self._findings.judge("turn.exactly-one-terminal")
        identifier, status = turn["id"], turn["status"]
        if identifier != self._running:
            if self._turns.get(identifier) in ENDS:
                self._findings.broke("turn.exactly-one-terminal", f"one end of {identifier}", "turn/completed again")
            elif self._is_whole:
                self._findings.broke("turn.started-once-first", f"turn/started of {identifier}", "turn/completed alone")
            return
        if self._status not in ("", "active"):
            self._findings.broke("thread.status-transitions", "active while a turn runs", f"{self._status} to its end")
        self._judge_end(turn)
        self._running = ""
        self._turns.add(identifier, status if status in ENDS else "completed")
        # THR-12: a pause that was asked for during the turn holds when it ends, so `idle` may be `paused`.
        self._owed = frozenset({"paused"} if status == "paused" else {"idle", "paused"})

    def _judge_end(self, turn: dict[str, Any]) -> None:
        self._findings.judge("turn.terminal-status")
        status = turn["status"]
        if status not in ENDS or "completedAt" not in turn or ("error" in turn) is not (status == "failed"):
            members = ", ".join(name for name in ("error", "completedAt") if name in turn) or "neither"
            self._findings.broke(
                "turn.terminal-status", "a terminal status, completedAt, and error where it failed, nowhere else",
                f"{status} with {members} of error and completedAt",
            )  # fmt: skip
        self._findings.expect_in_time(turn["id"], turn.get("startedAt"), turn.get("completedAt"))
        self._items.turn_over(turn["id"])
        self._approvals.turn_over(is_paused=status == "paused")

    def _status_changed(self, status: str) -> None:
        """THR-16: "`thread.status` follows the machine `thread` of the state table, and each change is notified"."""
        self._findings.judge("thread.status-transitions")
        if self._running and self._status == "active":
            self._findings.broke("thread.status-transitions", "active while a turn runs", status)
        elif status == self._status and self._is_told:
            self._findings.broke("thread.status-transitions", f"another status than {status}", "the same again")
        elif self._owed and status not in self._owed:
            self._findings.broke("thread.status-transitions", " or ".join(sorted(self._owed)), status)
        self._status, self._is_told, self._owed = status, True, frozenset()

    def _expect_no_owed(self, what: str) -> None:
        if self._owed and self._status == "active":
            wanted = " or ".join(sorted(self._owed))
            self._findings.broke("thread.status-transitions", f"thread/status/changed to {wanted}", f"{what} first")
        self._owed = frozenset()

    def _rewound(self) -> None:
        """THR-8: a rewind clears what waits, and tells the status where it changes."""
        self._owed = frozenset()
        self._approvals.seed([])
