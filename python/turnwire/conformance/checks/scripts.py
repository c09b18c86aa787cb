"""The scripted agent does what its grammar says (SCRIPT clauses); catalogues that hosts provide (MODEL, SCHEMA)."""

import hashlib
from typing import Any

from turnwire.conformance.checks.work import same, shared, unscripted
from turnwire.conformance.model import Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.strict import canonical
from turnwire.conformance.subject import Subject

__all__: list[str] = []

# What a line makes: the type of its item, where in the item a fact stands, and the fact.
COMMANDS: tuple[tuple[str, str, str, Any], ...] = (
    ("text Grüße, 😀", "agentMessage", "/text", "Grüße, 😀"),
    ("Hello there", "agentMessage", "/text", "Hello there"),
    ("slow 3 1", "agentMessage", "/text", "1 2 3 "),
    ("think of 😀 it", "reasoning", "/text", "of 😀 it"),
    ('tool check {"a": [1]}', "toolCall", "/result", {"echo": {"a": [1]}}),
    ("tool check", "toolCall", "/result", {"echo": {}}),
    ("plan read; write", "plan", "/steps/1/text", "write"),
    ("notice Mind the gap", "notice", "/text", "Mind the gap"),
)
UNLAWFUL = (("slow x y", "slow"), ("tool check [1]", "tool"), ("usage 1", "usage"))


@check("script.commands")
def commands(subject: Subject) -> None:
    """Each line of a script makes its item, in the order of the lines."""
    asked = shared(subject)
    turn = asked.play(asked.thread(), *(line for line, _, _, _ in COMMANDS), "", "text the end")
    items = [item for item in turn.items() if pick(item, "/type") != "userMessage"]
    kinds = [kind for _, kind, _, _ in COMMANDS]
    same([*kinds, "agentMessage"], [pick(item, "/type") for item in items], "the types of the items")
    for item, (line, _, pointer, fact) in zip(items, COMMANDS, strict=False):
        same(fact, pick(item, pointer), f"{pointer} of the item that {line!r} makes")
    same(("completed", "the end"), (turn.status(), pick(turn.end, "/finalOutput")), "the end, and the final output")


@check("script.bad-argument")
def bad_argument(subject: Subject) -> None:
    """A command that cannot be carried out fails its turn, and the error says which one."""
    asked = shared(subject)
    thread = asked.thread()
    for line, command in UNLAWFUL:
        turn = asked.play(thread, "text before", line)
        same(
            ("failed", "agentFailed"), (turn.status(), pick(turn.end, "/error/code")), f"the end of {line!r}, its error"
        )
        message = str(pick(turn.end, "/error/message"))
        if command not in message or "2" not in message:
            raise Unmet(f"a message that names line 2 and {command!r}", repr(message))


@check("host.models")
def models(subject: Subject) -> None:
    """The models are a list, each with an id of its own."""
    asked = unscripted(subject, "models")
    data = pick(asked.result("model/list"), "/data")
    if not isinstance(data, list):
        raise Unmet("a list at /data in the result of model/list", repr(data))
    ids = [pick(model, "/id") for model in data]
    same(len(ids), len({repr(identifier) for identifier in ids}), "ids of models that differ")


@check("host.schema-export")
def schema_export(subject: Subject) -> None:
    """What is exported is what the handshake named, to the last digit of its digest."""
    asked = unscripted(subject, "schemaExport")
    greeted = pick(subject.facts.result, "/schema/digest")
    exported = asked.result("schema/export", format="jsonSchema")
    same(greeted, pick(exported, "/digest"), "the digest of the handshake")
    bundle = pick(exported, "/jsonSchema")
    same(greeted, hashlib.sha256(canonical(bundle)).hexdigest(), "the digest of the bundle that was exported")
