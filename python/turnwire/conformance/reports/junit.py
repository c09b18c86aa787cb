"""The report as JUnit XML: a suite per layer, a case per check, and no verdict turned green that is not.

JUnit knows failure, error and skipped only; warnings are passing cases with a property and their text in system-out.
"""

import re
import xml.etree.ElementTree as ET
from itertools import groupby

from turnwire.conformance.model import Outcome, Verdict
from turnwire.conformance.reports.document import Run, repro

__all__ = ["render_junit"]

# What XML 1.0 cannot hold even escaped; wire excerpts may hold it.
ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SKIPPED = (Verdict.SKIP, Verdict.NOT_VERIFIED, Verdict.XFAIL)
FAILED = (Verdict.FAIL, Verdict.XPASS)


def render_junit(run: Run) -> str:
    """The whole document, with its declaration."""
    root = ET.Element("testsuites", name=f"turnwire check {'trace' if run.recording else 'server'}")
    for layer, group in groupby(sorted(run.outcomes, key=_layer), key=_layer):
        root.append(_suite(run, layer, list(group)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _layer(outcome: Outcome) -> str:
    return outcome.check.layer


def _suite(run: Run, layer: str, outcomes: list[Outcome]) -> ET.Element:
    counts = {
        "tests": len(outcomes),
        "failures": sum(outcome.verdict in FAILED for outcome in outcomes),
        "errors": sum(outcome.verdict is Verdict.ERROR for outcome in outcomes),
        "skipped": sum(outcome.verdict in SKIPPED for outcome in outcomes),
    }
    spent = sum(attempt.duration_ms for outcome in outcomes for attempt in outcome.attempts)
    members = {name: str(count) for name, count in counts.items()}
    suite = ET.Element("testsuite", {"name": f"turnwire.{layer}", **members, "time": f"{spent / 1000:.3f}"})
    suite.extend(_case(run, outcome) for outcome in outcomes)
    return suite


def _case(run: Run, outcome: Outcome) -> ET.Element:
    check = outcome.check
    spent = sum(attempt.duration_ms for attempt in outcome.attempts)
    case = ET.Element("testcase", classname=f"turnwire.{check.layer}", name=check.id, time=f"{spent / 1000:.3f}")
    properties = ET.SubElement(case, "properties")
    facts = {"level": check.level.value, "clause": check.clause, "url": check.url, "verdict": outcome.verdict.value}
    for name, value in facts.items():
        ET.SubElement(properties, "property", name=name, value=value)
    text = _told(run, outcome)
    message = _clean(outcome.note or outcome.last.note or outcome.last.actual)
    if outcome.verdict in FAILED:
        ET.SubElement(case, "failure", type=check.level.value, message=message).text = text
    elif outcome.verdict is Verdict.ERROR:
        ET.SubElement(case, "error", type="checker", message=message.partition("\n")[0]).text = text
    elif outcome.verdict in SKIPPED:
        ET.SubElement(case, "skipped", message=f"{outcome.verdict.value}: {message}")
    elif outcome.verdict is not Verdict.PASS:
        ET.SubElement(case, "system-out").text = text
    return case


def _told(run: Run, outcome: Outcome) -> str:
    last = outcome.last
    told = [outcome.check.says]
    if last.expected:
        told += [f"expected: {last.expected}", f"actual: {last.actual}", *last.excerpt, f"again: {repro(run, outcome)}"]
    return _clean("\n".join([*told, outcome.note or last.note]).strip())


def _clean(text: str) -> str:
    return ILLEGAL.sub("\ufffd", text)
