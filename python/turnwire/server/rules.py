"""Saved answers (APPR-12): a rule matches kind and scopeKey within its turn, its loaded thread, or its workspace.

Rules of turns and threads go with them. Those of workspaces are notes of the store, and hold until they are removed,
over all threads and processes.
"""

from typing import NamedTuple

from msgspec import UNSET, UnsetType

from turnwire.errors import not_found
from turnwire.server.ids import new_id, now_ms
from turnwire.server.thread import LiveThread
from turnwire.server.threads import Threads
from turnwire.store.base import Store
from turnwire.store.notes import Note, rules_of
from turnwire.wire import Approval, ApprovalOption, ApprovalRule, ApprovalRuleDraft, Thread

__all__ = ["Rules", "options_for", "workspace_of"]


class _Choice(NamedTuple):
    """What may be answered: the decision, what people read, and the rule that it saves (effect and scope)."""

    decision: str
    label: str
    effect: str | None = None
    scope: str = ""


# The answers that save nothing come first: where people choose by number, the number of `decline` is always the same.
_CHOICES = (
    _Choice("accept", "Run it"),
    _Choice("decline", "Do not run it"),
    _Choice("cancel", "Do not run it, and stop the turn"),
    _Choice("defer", "Decide later, and pause the turn"),
    _Choice("acceptForTurn", "Run it and its like until the turn ends", "accept", "turn"),
    _Choice("acceptForSession", "Run it and its like while the thread is open", "accept", "thread"),
    _Choice("acceptAlways", "Always run it and its like here", "accept", "workspace"),
    _Choice("declineAlways", "Never run it and its like here", "decline", "workspace"),
)


def workspace_of(header: Thread) -> str | UnsetType:
    """Where a thread works: its directory, or the workspace of its identity; absent where it has neither."""
    if header.cwd is UNSET and header.identity is not UNSET:
        return header.identity.workspace_path
    return header.cwd


def options_for(header: Thread, kind: str, scope_key: str | UnsetType) -> list[ApprovalOption]:
    """What may be answered. APPR-13: without `scopeKey` nothing that saves a rule; without a workspace none for one."""
    here = workspace_of(header) is not UNSET
    options = []
    for decision, label, effect, scope in _CHOICES:
        rule: ApprovalRuleDraft | UnsetType = UNSET
        if effect is not None:
            if scope_key is UNSET or (scope == "workspace" and not here):
                continue
            rule = ApprovalRuleDraft(kind=kind, scope_key=scope_key, effect=effect, scope=scope)
        options.append(ApprovalOption(option_id=decision, label=label, decision=decision, rule=rule))
    return options


class Rules:
    """The rules of one server."""

    def __init__(self, store: Store, threads: Threads) -> None:
        self._store = store
        self._threads = threads

    def effect_on(self, thread: LiveThread, approval: Approval) -> str | None:
        """What a rule answers, `accept` or `decline`; None where none does. Where two do, nothing runs."""
        if approval.scope_key is UNSET:
            return None
        effects = {
            rule.effect
            for rule in self.holding_in(thread.header, thread)
            if (rule.kind, rule.scope_key) == (approval.kind, approval.scope_key)
            and rule.turn_id in (UNSET, approval.turn_id)
        }
        return "decline" if "decline" in effects else "accept" if "accept" in effects else None

    def save(self, thread: LiveThread, approval: Approval, decision: str) -> None:
        """Keeps the rule that a decision saves, if it saves one; it takes the place of one for the same operations.

        Raises:
            OSError: it could not be kept.
        """
        draft = next((one.rule for one in approval.available_decisions if one.decision == decision), UNSET)
        if draft is UNSET:
            return
        rule = ApprovalRule(
            id=new_id("rule"),
            kind=draft.kind,
            scope_key=draft.scope_key,
            effect=draft.effect,
            scope=draft.scope,
            thread_id=UNSET if draft.scope == "workspace" else thread.id,
            turn_id=approval.turn_id if draft.scope == "turn" else UNSET,
            workspace_path=workspace_of(thread.header) if draft.scope == "workspace" else UNSET,
            created_at=now_ms(),
        )
        if draft.scope != "workspace":
            thread.rules = [*(one for one in thread.rules if _place(one) != _place(rule)), rule]
            return
        replaced = [one.id for one in self.of_workspaces() if _place(one) == _place(rule)]
        self._threads.note(Note(rule=rule))
        for rule_id in replaced:
            self._threads.note(Note(removed_rule=rule_id))

    def of_workspaces(self) -> list[ApprovalRule]:
        """The rules that hold longer than a thread."""
        return rules_of(self._store.notes())

    def holding_in(self, header: Thread, live: LiveThread | None) -> list[ApprovalRule]:
        """The rules that hold in a thread: its own while it is loaded, and those of its workspace."""
        here = workspace_of(header)
        of_workspace = [] if here is UNSET else [one for one in self.of_workspaces() if one.workspace_path == here]
        return [*([] if live is None else live.rules), *of_workspace]

    def remove(self, rule_id: str) -> None:
        """Ends a rule.

        Raises:
            Refusal: notFound.
            OSError: that could not be kept.
        """
        if any(rule.id == rule_id for rule in self.of_workspaces()):
            self._threads.note(Note(removed_rule=rule_id))
            return
        for thread in self._threads.all_loaded():
            for rule in thread.rules:
                if rule.id == rule_id:
                    thread.rules.remove(rule)
                    return
        raise not_found("object", rule_id)


def _place(rule: ApprovalRule) -> tuple[object, ...]:
    """What a rule is about; of two about the same the later one holds."""
    return (rule.kind, rule.scope_key, rule.scope, rule.thread_id, rule.turn_id, rule.workspace_path)
