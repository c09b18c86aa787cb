"""Judging a recording: every rule of `check trace`, against jsonschema alone on the same messages, and its memory."""

import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from measures.rows import Row

from turnwire.conformance.profiles import Profile, load_profile
from turnwire.conformance.recording import CheckTraceOptions, run_check_trace

TRANSCRIPT = Path(__file__).parents[3] / "protocol" / "transcripts" / "a-turn-with-an-approval.jsonl"
# Between the handshake and the end: what may be said again about another thread.
BODY = slice(3, 48)
JUDGED, BY_SCHEMA = 45_000, 450
SHORT, LONG = 100_000, 1_000_000
TIMES, GROWTH = 30, 1.05


def rows() -> Iterator[Row]:
    ours, theirs = seconds_per_message(JUDGED), schema_seconds(list(conversation(BY_SCHEMA)))
    yield Row(
        f"`check trace`: every rule on {JUDGED:,} messages, against jsonschema alone on the same",
        f"{theirs / ours:.0f} times as fast ({1 / ours:,.0f}/s)",
        f"≥ {TIMES} times",
        theirs / ours >= TIMES,
    )
    short, long = peak_bytes(SHORT), peak_bytes(LONG)
    yield Row(
        f"the same: largest resident memory on {LONG:,} messages, on {SHORT:,}",
        f"{long / 1e6:.1f} MB, {short / 1e6:.1f} MB",
        f"≤ {GROWTH} times",
        long / short <= GROWTH,
    )


def conversation(count: int) -> Iterator[bytes]:
    """So many lines of a lawful recording, or a few more: one turn after another, each in a thread of its own."""
    lines = TRANSCRIPT.read_bytes().splitlines(keepends=True)
    yield from lines[: BODY.start]
    said = BODY.start
    number = 0
    while said < count:
        number += 1
        text = b"".join(lines[BODY])
        for word in (b"thr_login", b"turn_1"):
            text = text.replace(b'"' + word + b'"', b'"%s.%d"' % (word, number))
        text = text.replace(b'"idempotencyKey":"', b'"idempotencyKey":"%d.' % number)
        yield from text.splitlines(keepends=True)
        said += BODY.stop - BODY.start


def seconds_per_message(count: int) -> float:
    """What a message costs by all rules, reading of the lines included."""
    lines = list(conversation(count))
    began = time.process_time()
    code = run_check_trace(CheckTraceOptions(file="bench"), lines, io.StringIO(), io.StringIO())
    spent = time.process_time() - began
    if code != 0:
        raise RuntimeError("the recording of the bench is not lawful")
    return spent / len(lines)


def schema_seconds(lines: list[bytes]) -> float:
    """What a message costs by its own definition in the schema, in jsonschema, reading of the lines included."""
    profile = load_profile("turnwire")
    schemas = profile.schemas()
    began = time.process_time()
    for line in lines:
        message = msgspec.json.decode(line)["msg"]
        if schemas.faults(definition(profile, message), payload(message)):
            raise RuntimeError("the recording of the bench is not valid")
    return (time.process_time() - began) / len(lines)


def definition(profile: Profile, message: Any) -> str:
    """The definition of what a message carries; of an answer the envelope, since it does not say what it is to."""
    if "method" in message:
        return profile.params_type(message["method"])
    return "SuccessResponse"


def payload(message: Any) -> Any:
    return message.get("params", {}) if "method" in message else message


def peak_bytes(count: int) -> int:
    """The largest memory of a process of its own that reads so many messages from a pipe."""
    command = [sys.executable, "-m", "turnwire", "check", "trace", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as judge:
        assert judge.stdin, "Popen gives a pipe that was asked for"
        for line in conversation(count):
            judge.stdin.write(line)
        judge.stdin.close()
        _, status, usage = os.wait4(judge.pid, 0)
        judge.returncode = os.waitstatus_to_exitcode(status)
    if judge.returncode != 0:
        raise RuntimeError(f"`check trace` ended with exit code {judge.returncode}")
    return usage.ru_maxrss * 1024
