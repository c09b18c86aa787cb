"""What became of each part of a schema in one language: kept by the type, left to a check at run time, or degraded."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import msgspec

from turnwire_codegen.ir import Alias, Declaration, Enum, Protocol, Record, TypeNode, Union
from turnwire_codegen.problems import Finding
from turnwire_codegen.rules import FORMATS, Bound, Count, Format, Length, Multiple, Pattern, Rule, Unique

__all__ = ["findings", "is_of_node", "report_json"]

# The rules that a node of the IR can have.
_RULES = (Bound, Multiple, Length, Pattern, Format, Count, Unique)


def is_of_node(rule: Rule) -> bool:
    """Whether it is a rule that a type can hold in all languages that have words for it."""
    return isinstance(rule, _RULES)


def findings(
    said: Protocol,
    typed: Protocol,
    origins: Mapping[str, str],
    is_held: Callable[[Rule], bool] = is_of_node,
) -> list[Finding]:
    """An entry for each declaration and member of `said`, of which the types hold what is in `typed`.

    `origins` are the pointers of the declarations, `is_held` says which rules the language's types keep.
    """
    kept: dict[str, list[Rule]] = {}
    for place, node in _all_places(typed, origins):
        kept[place] = [rule for rule in _rules(node) if is_held(rule)]
    return sorted(
        (_judged(place, _rules(node), kept.get(place, [])) for place, node in _all_places(said, origins)),
        key=lambda entry: entry.pointer,
    )


def report_json(source: str, language: str, names: Mapping[str, str], found: list[Finding]) -> bytes:
    """The report as a file; `names` is what each declaration is called, with its pointer."""
    counts = Counter(entry.verdict for entry in found)
    report = {
        "schemaVersion": 1,
        "tool": "turnwire",
        "source": source,
        "language": language,
        "names": {pointer: name for name, pointer in sorted(names.items(), key=lambda item: item[1])},
        "entries": [_entry(entry) for entry in found],
        "summary": {verdict: counts[verdict] for verdict in ("kept", "runtime", "degraded")},
    }
    return (json.dumps(report, indent=2, ensure_ascii=False) + "\n").encode()


def _entry(entry: Finding) -> dict[str, str]:
    shown = {"pointer": entry.pointer, "verdict": entry.verdict}
    return {**shown, "what": entry.what} if entry.what else shown


def _all_places(protocol: Protocol, origins: Mapping[str, str]) -> Iterator[tuple[str, TypeNode | None]]:
    for family in protocol.families:
        for declaration in family.declarations:
            if declaration.name in origins:
                yield from _places(declaration, origins[declaration.name])


def _places(declaration: Declaration, pointer: str) -> Iterator[tuple[str, TypeNode | None]]:
    match declaration:
        case Record(fields=fields):
            yield pointer, None
            for field in fields:
                yield f"{pointer}/properties/{_escaped(field.wire)}", field.type
        case Alias(type=node):
            yield pointer, node
        case Enum() | Union():
            yield pointer, None


def _judged(pointer: str, said: list[Rule], kept: list[Rule]) -> Finding:
    # JSON Schema takes a format for a remark; of some of them no validator knows what they ask for.
    remarks = {rule: f"format {rule.name}" for rule in said if isinstance(rule, Format) and rule.name not in FORMATS}
    left = [type(rule).__name__.lower() for rule in said if rule not in kept and rule not in remarks]
    if left:
        return Finding(pointer, "runtime", f"the type does not hold: {', '.join(dict.fromkeys(left))}")
    return Finding(pointer, "kept", f"nothing checks: {', '.join(remarks.values())}" if remarks else "")


def _rules(node: object) -> list[Rule]:
    if not isinstance(node, msgspec.Struct):
        return []
    own = list(getattr(node, "rules", ()))
    for name in ("item", "value", "of", "rest"):
        own += _rules(getattr(node, name, None))
    for item in getattr(node, "items", ()):
        own += _rules(item)
    return own


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
