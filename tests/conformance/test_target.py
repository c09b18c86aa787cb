"""Targets that misbehave before anything can be judged: each has its own line, its own exit code and no child left."""

import contextlib
import os
import sys
import time
from pathlib import Path

import pytest

from turnwire.conformance.model import TargetFault
from turnwire.conformance.target import Process, Target, Timeouts

FIXTURE = Path(__file__).parent / "fixture"
IMPATIENT = 0.02
BANNER = "print('INFO listening', flush=True); import time; time.sleep(60)"
FLOOD = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
CHATTER = "import sys\nwhile True: sys.stdout.write(('{}' + chr(10)) * 20_000)"
TRACEBACK = "raise RuntimeError('no such model')"
KILLED = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
SILENT = "import time; time.sleep(60)"
CLOSED = "import os, time; os.close(1); time.sleep(60)"


def python(script):
    return [sys.executable, "-S", "-E", "-c", script]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["/no/such/program"], "target not started: no such program: /no/such/program"),
        ([sys.executable, "-S", "/no/such/script.py"], "it ended with exit code 2; stderr ends: "),
        (python(TRACEBACK), "it ended with exit code 1; stderr ends: RuntimeError: no such model"),
        (python(KILLED), "it was killed by signal 9"),
        (python(SILENT), "target not reached: no answer to initialize: nothing of the kind within 0.4 s"),
        (python(CLOSED), "it closed its stdout and still runs"),
        (python(BANNER), "within 0.4 s; stdout said 'INFO listening'"),
        (python(FLOOD), "one line of more than 64 MiB on stdout"),
    ],
    ids=["missing", "script missing", "traceback", "killed", "silent", "closed", "banner", "flood"],
)
def test_an_unreachable_target_has_its_own_line(argv, said, judge):
    scale = 1.0 if "65536" in argv[-1] else IMPATIENT

    judged = judge(argv, timeout_scale=scale)

    assert 3 == judged.exit_code
    assert said in judged.stderr
    assert 1 == judged.stderr.count("\n")
    assert "" == judged.stdout


# What a server does once it has a session: the check that says so, its verdict in words, and the exit code of the run.
ROGUES = {
    "hangs": ("life.ping", "nothing of the kind within 1 s", 1),
    "exits": ("life.ping", "it ended with exit code 7", 1),
    "closes": ("life.ping", "it closed its stdout and still runs", 1),
    "twice": ("rpc.reply-once", "one more with id", 1),
    "talks": ("stdio.stdout-pure", "INFO a request has come", 1),
    "floods": (None, "the server floods: more than 256 MiB on stdout", 3),
}


@pytest.mark.parametrize("kind", ROGUES)
def test_a_server_that_goes_wrong_has_its_own_verdict_in_time(kind, judge, fixture_argv, tmp_path):
    identifier, said, exit_code = ROGUES[kind]
    # 256 MiB take their time on a busy machine; the flood is told from a silence by its bytes, not by the clock.
    scale = 8.0 if kind == "floods" else 0.1
    marker = tmp_path / "marker"
    argv = ("env", f"CHECKED_BY={marker}", *fixture_argv()[:3], str(FIXTURE / "rogue.py"), kind)
    began = time.monotonic()

    judged = judge(argv, select=("life.ping", "rpc.reply-once", "stdio.stdout-pure"), timeout_scale=scale)

    assert time.monotonic() - began < 100
    assert exit_code == judged.exit_code
    assert said in (judged.row(identifier)["actual"] if identifier else judged.stderr)
    assert [] == [pid for pid in started_with(marker) if is_running(pid)]


def started_with(marker):
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"CHECKED_BY={marker}".encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


def test_a_file_that_is_not_executable(tmp_path, judge):
    program = tmp_path / "server"
    program.write_text("#!/bin/sh\n")

    judged = judge([str(program)])

    assert (3, f"turnwire: target not started: {program} may not be executed (chmod +x?)\n") == (
        judged.exit_code,
        judged.stderr,
    )


def test_a_directory_that_does_not_exist(judge):
    judged = judge(python(SILENT), cwd="/no/such/directory")

    assert (3, "turnwire: target not started: the directory of --cwd /no/such/directory\n") == (
        judged.exit_code,
        judged.stderr,
    )


def test_a_chatterer_is_bounded():
    process = Process(Target(tuple(python(CHATTER))))
    try:
        with pytest.raises(TargetFault, match="floods: more than 256 MiB"):
            read_for_ever(process)
    finally:
        process.stop()


def read_for_ever(process):
    while True:
        process.pump(1.0)
        process.take_output()


def test_a_server_that_reads_nothing_does_not_block():
    process = Process(Target(tuple(python(SILENT)), timeouts=Timeouts().scaled(IMPATIENT)))
    try:
        process.write(b"x" * (1 << 20))
        began = time.monotonic()
        process.close_input()
    finally:
        process.stop()

    assert time.monotonic() - began < 5


def test_children_are_taken_along(tmp_path):
    pids = tmp_path / "pids"
    script = f"import os, time\nif os.fork() == 0: os.setsid()\nopen({str(pids)!r}, 'a').write(f'{{os.getpid()}} ')\n"
    process = Process(Target(tuple(python(script + "time.sleep(60)"))))
    while not pids.exists() or len(pids.read_text().split()) < 2:
        process.pump(0.01)
    (child,) = set(map(int, pids.read_text().split())) - {process.pid}

    assert [child] == process.survivors()
    process.stop()
    assert not is_running(child)
    assert not process.scratch.exists()


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def test_scratch_is_fresh_for_each_process():
    script = "import os, sys; print(os.environ['TURNWIRE_SCRATCH'], sys.argv[1])"
    target = Target((*python(script), "{scratch}"))
    said = []
    for _ in range(2):
        process = Process(target)
        while not process.ended_output:
            process.pump(0.1)
        said.append(process.take_output().split())
        process.stop()

    assert said[0][0] == said[0][1]
    assert said[0][0] != said[1][0]
