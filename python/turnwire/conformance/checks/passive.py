"""Rules of order, read from what the run has recorded, whatever it was recorded for (THR, TURN, ITEM, APPR clauses).

The rules themselves are in turnwire.conformance.passive, where `check trace` has them from.
"""

from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
from turnwire.conformance.passive import Conversation, Folded, Payloads
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject

__all__ = ["RULES"]

RULES = (
    "rpc.reply-once",
    "life.experimental-unsent",
    "thread.seq-increases",
    "thread.status-transitions",
    "thread.response-first",
    "turn.started-once-first",
    "turn.exactly-one-terminal",
    "turn.no-events-after-terminal",
    "turn.all-items-closed",
    "turn.one-active",
    "turn.terminal-status",
    "turn.timestamps-monotonic",
    "turn.ids-unique",
    "turn.interrupt-answers-last",
    "item.lifecycle-order",
    "item.type-immutable",
    "item.ids-unique",
    "item.delta-known-id",
    "item.delta-concat",
    "item.status-terminal",
    "item.completed-whole",
    "appr.item-first",
    "appr.notification-equals-request",
    "appr.nonce-secret",
    "appr.resolved-once",
)
# What only turns show.
OF_TURNS = frozenset({"turn", "item", "appr"})
# What a thread without a turn shows already.
OF_THREADS = frozenset({"thread.seq-increases", "thread.response-first"})


def _bind(rule: str) -> None:
    @check(rule)
    def judge(subject: Subject) -> None:
        """One rule of the fold over every conversation of the run."""
        folded = _folded(subject)
        if rule in folded.first:
            found = folded.first[rule]
            raise Unmet(found.breach.expected, found.breach.actual, found.excerpt)
        if rule in folded.judged:
            return
        if rule == "life.experimental-unsent" and not Payloads(subject.profile).marked:
            raise NotApplicable("the contract marks nothing as experimental")
        promised = Payloads(subject.profile).promised
        if promised is not None and rule not in promised:
            raise NotApplicable(f"the profile {subject.profile.name} promises no such thing")
        if promised is not None and not subject.profile.script.completed and rule.partition(".")[0] in OF_TURNS:
            raise NotApplicable(f"the profile {subject.profile.name} does not say how a turn is started")
        if rule in OF_THREADS:
            # Raises where the server offers no threads, of which there is nothing to say then.
            subject.operation("create")
        raise NotExercised("the server said nothing that this rule is about")


for _rule in RULES:
    _bind(_rule)


def _folded(subject: Subject) -> Folded:
    count = sum(len(trace.frames) for trace in subject.traces)
    kept = subject.facts.folded
    if kept is not None and kept[0] == count:
        return kept[1]
    folded, payloads = Folded(), Payloads(subject.profile)
    for trace in subject.traces:
        folded.begin()
        talk = Conversation(payloads, lacks_frames=trace.lacks_frames, lifted=trace.lifted)
        for frame in trace.frames:
            # A line that is no JSON of the server is judged by other checks.
            if frame.sent or not frame.fault:
                folded.hear(talk, frame.value, frame.raw, sent=frame.sent)
        folded.finish(talk)
    subject.facts.folded = count, folded
    return folded
