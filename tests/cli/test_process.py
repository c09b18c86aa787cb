"""What only a process can show: closed pipes, signals, locales."""

import os
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from cli.running import TURNWIRE, environment, heed_interrupts, program
from turnwire.cli.exits import Exit

FULL = Path("/dev/full")


@pytest.mark.parametrize(
    "argv", [("check", "list"), ("--help",), ("debug", "send-message", "text Hello")], ids=" ".join
)
def test_pipe_that_closes_early_is_no_error(argv):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*TURNWIRE, *argv], stdout=write, stderr=subprocess.PIPE, check=False, env=environment())
    os.close(write)

    assert (done.returncode, done.stderr) == (Exit.DONE, b"")


@pytest.mark.parametrize("form", ["text", "json"])
def test_reader_that_leaves_during_a_turn_is_no_error(form):
    argv = [*TURNWIRE, "debug", "send-message", "flood 3000 100", "--format", form]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(1)
        process.stdout.close()
        err = process.stderr.read()

    assert (process.returncode, err) == (Exit.DONE, b"")


def test_interrupt_is_130_without_a_traceback():
    argv = [*TURNWIRE, "debug", "send-message", "slow 1000 20"]
    with subprocess.Popen(
        argv,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - there are no threads here
    ) as process:
        assert process.stdout
        process.stdout.read(1)  # the turn is under way
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)

    assert (process.returncode, err) == (Exit.INTERRUPTED, b"")


@pytest.mark.parametrize(
    ("closed", "argv", "code"),
    [
        ("<&-", "version", Exit.DONE),
        (">&-", "version", Exit.DONE),
        ("2>&-", "nope", Exit.USAGE),
        ("<&-", "validate -", Exit.USAGE),
        ("<&- >&- 2>&-", "call ping", Exit.DONE),
        # A server without its streams is another matter.
        ("<&-", "serve", Exit.UNREACHED),
        ("<&- >&-", "serve", Exit.UNREACHED),
    ],
)
def test_stream_that_is_closed_is_as_good_as_empty(closed, argv, code):
    command = f"{shlex.join(TURNWIRE)} {argv} {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=environment())

    assert (done.returncode, done.stderr.count("\n")) == (code, int(code != Exit.DONE and "2>&-" not in closed))


@pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize("argv", ["version", "check list", "call ping", "debug send-message Hello"])
def test_disk_that_is_full_is_one_line(argv):
    with FULL.open("w") as full:
        done = subprocess.run(
            [*TURNWIRE, *argv.split()], stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=environment()
        )

    assert (done.returncode, done.stderr) == (
        Exit.USAGE,
        "turnwire: the output cannot be written: No space left on device\n",
    )


@pytest.mark.parametrize("locale", ["C", "POSIX", "de_DE.ISO-8859-1"])
def test_output_is_utf8_whatever_the_locale(locale):
    done = program("--help", LC_ALL=locale, PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")

    assert (done.code, done.out.splitlines()[0]) == (Exit.DONE, "usage: turnwire [--debug] COMMAND …")
