"""The system under test as a process: started in a group of its own, read within bounds, gone without a trace.

All waiting happens in `pump`, with a deadline. Reading and writing share one selector, so a server that does not read
cannot block the judge, and one that floods cannot fill its memory. POSIX only: it stands on process groups.
"""

import contextlib
import fcntl
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path

import msgspec

from turnwire.conformance.model import TargetFault, Unmet
from turnwire.conformance.websocket.address import ANY_PORT, Address

__all__ = ["FLOOD_BYTES", "Process", "Target", "Timeouts"]

# One read: a pipe on Linux holds 64 KiB, so a larger buffer only saves a system call when the pipe was enlarged.
CHUNK = 256 * 1024
# A server that has said this much in one process is flooding: the largest lawful answer is one message.
FLOOD_BYTES = 256 * 1024 * 1024
# A line is judged long before that: 64 MiB is four times the largest message that the protocol allows by default.
LINE_BYTES = 64 * 1024 * 1024
# Enough of stderr for a traceback; the report shows the last lines only.
STDERR_LINES = 40
# What was killed is gone in a moment; a process that sleeps in the kernel is not worth more waiting.
KILLED_SECONDS = 2.0
SCRATCH_VARIABLE = "TURNWIRE_SCRATCH"


class Timeouts(msgspec.Struct, frozen=True):
    """Seconds to wait before silence is evidence; all scaled together by `--timeout-scale`."""

    start: float = 20.0
    reply: float = 10.0
    exit: float = 5.0
    # After a barrier was answered: how long a reply that must come may still lag behind it.
    lag: float = 1.0

    def scaled(self, factor: float) -> "Timeouts":
        """The same waits for a slower machine."""
        return Timeouts(self.start * factor, self.reply * factor, self.exit * factor, self.lag * factor)


class Target(msgspec.Struct, frozen=True):
    """How the system under test is started. `{scratch}` in its words is a fresh directory for each scenario.

    One that has an address is there already: it is connected to instead.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = {}
    cwd: str | None = None
    timeouts: Timeouts = Timeouts()
    address: Address | None = None

    @property
    def transport(self) -> str:
        """As the catalogue calls it."""
        return "stdio" if self.address is None else "ws"


class Process:
    """One running server and its three pipes."""

    def __init__(self, target: Target, scratch: Path | None = None, env: Mapping[str, str] | None = None) -> None:
        """Start it.

        Raises:
            TargetFault: the program does not exist, may not be run, or cannot be run.
        """
        self.target = target
        self._own_scratch = scratch is None
        self.scratch = scratch or Path(tempfile.mkdtemp(prefix="turnwire-check-"))
        self.stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._stderr_tail = b""
        self._outgoing: deque[memoryview] = deque()
        self._received = 0
        self._stopped = False
        self._unread = b""
        # The start of a line whose end has not come yet.
        self._begun = bytearray()
        self.ended_output = False
        # Seconds for which it was listened to whatever it said: what a run costs however fast the server is.
        self.listened = 0.0
        try:
            self._popen = self._start(env or {})
        except TargetFault:
            self._drop_scratch()
            raise
        self._selector = selectors.DefaultSelector()
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)

    @property
    def pid(self) -> int:
        """The process id, which is the id of its group too."""
        return self._popen.pid

    def write(self, data: bytes) -> None:
        """Queue bytes for its stdin; `pump` writes them as the pipe takes them."""
        if not data or self._stdin.closed:
            return
        if not self._outgoing:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        self._outgoing.append(memoryview(data))

    @property
    def untaken(self) -> int:
        """Bytes that the server has not read yet: those not written, and those that wait in the pipe."""
        waiting = bytearray(4)
        with contextlib.suppress(OSError, ValueError):
            fcntl.ioctl(self._stdin.fileno(), termios.FIONREAD, waiting)
        return sum(len(piece) for piece in self._outgoing) + int.from_bytes(waiting, sys.byteorder)

    def take_output(self) -> bytes:
        """What stdout has said since it was last asked."""
        taken, self._unread = self._unread, b""
        return taken

    def take_messages(self) -> list[tuple[bytes, bool]]:
        """The lines that have ended since it was last asked; at the end of it all also one that has no end.

        Raises:
            Unmet: a line does not end.
        """
        lines: list[tuple[bytes, bool]] = []
        if said := self.take_output():
            self._begun += said
            if b"\n" in said:
                *ended, tail = bytes(self._begun).split(b"\n")
                self._begun = bytearray(tail)
                lines += [(line, True) for line in ended]
        if len(self._begun) > LINE_BYTES:
            raise Unmet("lines that end", f"one line of more than {LINE_BYTES >> 20} MiB on stdout")
        if self.ended_output and self._begun:
            lines.append((bytes(self._begun), False))
            self._begun.clear()
        return lines

    def pump(self, seconds: float) -> None:
        """Wait at most this long for anything to happen, and let it happen.

        Raises:
            TargetFault: the server floods.
        """
        if self.ended_output and not self._selector.get_map():
            time.sleep(min(seconds, 0.01))
            return
        for key, _ in self._selector.select(max(0.0, seconds)):
            if key.fileobj is self._stdin:
                self._write_some()
            elif key.fileobj is self._stderr:
                self._read_stderr()
            else:
                self._read_stdout()

    def leave_unread(self, seconds: float) -> None:
        """Let it write into full pipes for this long, as a host does that is busy with something else."""
        time.sleep(seconds)
        self.listened += seconds

    def close_input(self) -> None:
        """End of input, once everything queued is written or the server has had its time to read it."""
        deadline = time.monotonic() + self.target.timeouts.reply
        while self._outgoing and time.monotonic() < deadline and self.exit_code() is None:
            self.pump(0.05)
        self._abandon_input()

    def close_output(self) -> None:
        """Close the reading end of its stdout, as a host does that has gone away."""
        if not self.ended_output:
            self._selector.unregister(self._stdout)
            self._stdout.close()
            self.ended_output = True

    def exit_code(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._popen.poll()

    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.exit_code() is not None

    def wait_exit(self, seconds: float) -> int | None:
        """Keep its pipes drained until it ends or the time is up."""
        deadline = time.monotonic() + seconds
        while self.exit_code() is None and time.monotonic() < deadline:
            self.pump(0.02)
        return self.exit_code()

    def ending(self) -> str:
        """How it ended, in words."""
        code = self.exit_code()
        if code is None:
            return "it closed its stdout and still runs"
        return f"it was killed by signal {-code}" if code < 0 else f"it ended with exit code {code}"

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the server itself, not to its children."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def resident_bytes(self) -> int | None:
        """The largest memory that it has held so far; None where the system does not tell."""
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
        return None

    def wanted_seconds(self) -> float | None:
        """Processor time that it has used so far or has waited for; None where the system does not tell."""
        with contextlib.suppress(OSError, ValueError):
            tasks = [path.read_text().split() for path in Path(f"/proc/{self.pid}/task").glob("*/schedstat")]
            return sum(int(used) + int(waited) for used, waited, _ in tasks) / 1e9 if tasks else None
        return None

    def survivors(self) -> list[int]:
        """Processes that it started and that live on, also those that left its group (where /proc shows them)."""
        marker = f"{SCRATCH_VARIABLE}={self.scratch}".encode()
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, ValueError):
                state, _, group = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
                inherited = marker in (entry / "environ").read_bytes().split(b"\0")
                if int(entry.name) != self.pid and state != "Z" and (int(group) == self.pid or inherited):
                    found.append(int(entry.name))
        return found

    def stop(self) -> None:
        """Kill the group and whatever else it started, and give back pipes and scratch directory.

        A second call does nothing: by then another process may have the number of this one.
        """
        if self._stopped:
            return
        self._stopped = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._popen.wait()
        deadline = time.monotonic() + KILLED_SECONDS
        while (left := self.survivors()) and time.monotonic() < deadline:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.001)
        self._drain_stderr()
        self._selector.close()
        for pipe in (self._stdin, self._stdout, self._stderr):
            with contextlib.suppress(OSError):
                pipe.close()
        self._drop_scratch()

    def _start(self, extra: Mapping[str, str]) -> "subprocess.Popen[bytes]":
        argv = [self._filled(argument) for argument in self.target.argv]
        own = {name: self._filled(value) for name, value in self.target.env.items()}
        env = {**os.environ, **own, **extra, SCRATCH_VARIABLE: str(self.scratch)}
        pipe = subprocess.PIPE
        try:
            popen = subprocess.Popen(  # noqa: S603 - running the given argv is the purpose
                argv,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                bufsize=0,
                env=env,
                cwd=self.target.cwd,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            what = "the directory of --cwd" if error.filename == self.target.cwd else "no such program:"
            raise TargetFault(f"target not started: {what} {error.filename!s}") from None
        except PermissionError:
            raise TargetFault(f"target not started: {argv[0]} may not be executed (chmod +x?)") from None
        except OSError as error:
            raise TargetFault(f"target not started: {argv[0]}: {error.strerror}") from None
        assert popen.stdin, "Popen gives every pipe that was asked for"
        assert popen.stdout, "Popen gives every pipe that was asked for"
        assert popen.stderr, "Popen gives every pipe that was asked for"
        self._stdin, self._stdout, self._stderr = popen.stdin, popen.stdout, popen.stderr
        return popen

    def _filled(self, word: str) -> str:
        word = word.replace("{scratch}", str(self.scratch))
        return word if self.target.address is None else word.replace(ANY_PORT, str(self.target.address.port))

    def _write_some(self) -> None:
        piece = self._outgoing[0]
        try:
            written = os.write(self._stdin.fileno(), piece)
        except BlockingIOError:
            return
        except OSError:
            # The reader is gone; what that means is for the check to say, from the exit status.
            self._abandon_input()
            return
        if written < len(piece):
            self._outgoing[0] = piece[written:]
            return
        self._outgoing.popleft()
        if not self._outgoing:
            self._selector.unregister(self._stdin)

    def _abandon_input(self) -> None:
        if self._outgoing:
            self._selector.unregister(self._stdin)
            self._outgoing.clear()
        with contextlib.suppress(OSError):
            self._stdin.close()

    def _read_stdout(self) -> None:
        said = os.read(self._stdout.fileno(), CHUNK)
        if not said:
            self._selector.unregister(self._stdout)
            self.ended_output = True
        self._received += len(said)
        if self._received > FLOOD_BYTES:
            raise TargetFault(f"the server floods: more than {FLOOD_BYTES >> 20} MiB on stdout")
        self._unread += said

    def _read_stderr(self) -> None:
        said = os.read(self._stderr.fileno(), CHUNK)
        if not said:
            self._selector.unregister(self._stderr)
        *lines, tail = (self._stderr_tail + said).split(b"\n")
        self.stderr.extend(line.decode("utf-8", "replace").rstrip() for line in lines)
        self._stderr_tail = tail[-CHUNK:]

    def _drain_stderr(self) -> None:
        with contextlib.suppress(OSError, ValueError, KeyError):
            while self._stderr in {key.fileobj for key in self._selector.get_map().values()}:
                self._read_stderr()
        if self._stderr_tail:
            self.stderr.append(self._stderr_tail.decode("utf-8", "replace"))
            self._stderr_tail = b""

    def _drop_scratch(self) -> None:
        if self._own_scratch:
            shutil.rmtree(self.scratch, ignore_errors=True)
