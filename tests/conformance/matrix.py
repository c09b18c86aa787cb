"""The matrix of the judge, an output of the tests: each check, the broken servers it fails, the lawful ones it passes.

Tests note what they saw as a property, so that it is gathered wherever they ran; at the end it is one file and a line.
"""

from pathlib import Path

__all__ = ["note_broken", "note_lawful", "pytest_terminal_summary"]

FILE = Path(__file__).resolve().parents[2] / "build" / "conformance-matrix.md"
BROKEN, LAWFUL = "matrix of broken servers", "matrix of lawful servers"
UNMET = ("fail", "warn", "non-strict")
HEAD = """# What each check fails and passes

A broken server breaks one clause, and the check of that clause must fail it.
A lawful server differs in what the clauses leave open, and no check may fail it.

"""


def note_broken(record, check, server, verdict):
    """A check has judged a broken server."""
    record(BROKEN, [check, server, verdict])


def note_lawful(record, server, verdicts):
    """All checks have judged a lawful server."""
    record(LAWFUL, [server or "plain", verdicts])


def pytest_terminal_summary(terminalreporter):
    """Write the matrix down, where tests have noted any of it."""
    reports = [report for name in ("passed", "failed") for report in terminalreporter.stats.get(name, [])]
    noted = [one for report in reports for one in getattr(report, "user_properties", ()) if report.when == "call"]
    broken = [row for name, row in noted if name == BROKEN]
    lawful = dict(row for name, row in noted if name == LAWFUL)
    if not broken and not lawful:
        return
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(HEAD + table(broken, lawful), encoding="utf-8")
    terminalreporter.write_line(summary(broken, lawful))


def summary(broken, lawful):
    """The line at the end of the tests."""
    caught = sum(verdict in UNMET for _, _, verdict in broken)
    checks = {check for check, _, _ in broken}
    false = sum(verdict in UNMET[:2] for verdicts in lawful.values() for verdict in verdicts.values())
    return (
        f"conformance matrix: {caught} of {len(broken)} broken servers caught by {len(checks)} checks, "
        f"{false} false alarms over {len(lawful)} lawful servers: build/{FILE.name}"
    )


def table(broken, lawful):
    """A row a check, a column a lawful server."""
    names = sorted(lawful)
    checks = sorted({check for check, _, _ in broken} | {check for verdicts in lawful.values() for check in verdicts})
    lines = ["| check | broken servers | " + " | ".join(names) + " |", "|---" * (len(names) + 2) + "|"]
    for check in checks:
        servers = ", ".join(f"{server}: {verdict}" for of, server, verdict in sorted(broken) if of == check)
        verdicts = " | ".join(lawful[name].get(check, "") for name in names)
        lines.append(f"| {check} | {servers} | {verdicts} |")
    return "\n".join(lines) + "\n"
