"""The plans behind a schema's validators: what no type can hold is checked by them, with the pointer of the fault."""

from collections.abc import Mapping
from typing import Any

import msgspec

from turnwire_codegen.lower import lower_each
from turnwire_codegen.problems import Finding, Problem
from turnwire_codegen.rules import Plans

__all__ = ["UNCHECKED", "Checks", "checks_of", "unchecked"]


class Checks(msgspec.Struct, frozen=True):
    """Plans by name of the type; `problems` is what there is to say of them, `faults` what could not be lowered."""

    plans: Plans | None
    roots: Mapping[str, str]
    problems: list[Problem]
    faults: tuple[Problem, ...] = ()


# What has no validators at all.
UNCHECKED = Checks(None, {}, [])


def checks_of(schema: Any, file: str, roots: Mapping[str, str]) -> Checks:
    """The plans of the definitions at `roots`; those that have none are left out, and their problems are warnings."""
    lowered = lower_each(schema, file=file, roots=roots.values())
    good = {name: at for name, at in roots.items() if at not in lowered.faulty}
    problems = [msgspec.structs.replace(problem, severity="warning") for problem in lowered.problems]
    faults = tuple(problem for problem in lowered.problems if problem.severity == "error")
    return Checks(lowered.plans if good else None, good, problems, faults)


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
    # The types may look as if they held what cannot even be checked.
    known = {finding.pointer for finding in told if finding.verdict == "degraded"}
    told += [
        Finding(fault.where, "degraded", f"{fault.what}, and there is no validator")
        for fault in checks.faults
        if not known & {fault.where, fault.where.rpartition("/")[0]}
    ]
    return told
