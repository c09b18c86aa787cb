"""The plans behind a schema's validators: what no type can hold is checked by them, with the pointer of the fault."""

from collections.abc import Mapping
from typing import Any

import msgspec

from turnwire_codegen.lower import lower
from turnwire_codegen.problems import Finding, Problem
from turnwire_codegen.rules import Plans

__all__ = ["Checks", "checks_of", "unchecked"]

# Beyond this many definitions, one that cannot be checked is not searched for: every trial lowers all that it reaches.
_MAX_TRIALS = 200


class Checks(msgspec.Struct, frozen=True):
    """Plans by name of the type; `problems` say what could not be lowered, and why."""

    plans: Plans | None
    roots: Mapping[str, str]
    problems: list[Problem]


def checks_of(schema: Any, file: str, roots: Mapping[str, str]) -> Checks:
    """The plans of the definitions at `roots`; those that have none are left out, and their problems are warnings."""
    plans, problems = lower(schema, file=file, roots=roots.values())
    if plans is not None:
        return Checks(plans, roots, problems)
    good = {}
    if len(roots) <= _MAX_TRIALS:
        good = {name: at for name, at in roots.items() if lower(schema, file=file, roots=(at,))[0] is not None}
    plans = lower(schema, file=file, roots=good.values())[0] if good else None
    return Checks(plans, good, [msgspec.structs.replace(problem, severity="warning") for problem in problems])


def unchecked(findings: list[Finding], declared: Mapping[str, str], checks: Checks) -> list[Finding]:
    """`findings`, where what is left to a definition that has no validator is degraded: nothing will check it."""
    names = {pointer: name for name, pointer in declared.items()}
    told = []
    for finding in findings:
        home = finding.pointer
        while home not in names and "/" in home:
            home = home.rpartition("/")[0]
        lost = checks.plans is None or names.get(home) not in checks.roots
        if finding.verdict == "runtime" and lost:
            told.append(Finding(finding.pointer, "degraded", f"{finding.what}, and there is no validator"))
        else:
            told.append(finding)
    return told
