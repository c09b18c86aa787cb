"""A server as a child process, spoken to over its stdin and stdout.

It is started from an argument vector, never from a shell string, in a process group of its own; when the connection
ends, nothing of that group is left.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, cast

from turnwire.events import CloseReason
from turnwire.transports.base import Receiver, SlowReader

__all__ = ["ProcessNotStarted", "ProcessTransport", "Stderr"]

Stderr: TypeAlias = Literal["inherit", "capture", "discard"]
"""Where the server's stderr goes: to ours, to `ProcessTransport.stderr` (its last 64 KiB), or nowhere."""

# STDIO-13: a server exits "within 5 seconds" of the end of its input; a little more for the machine.
_EXIT_SECONDS = 5.5
# STDIO-15 gives a server time after SIGTERM, but one that did not heed the end of its input has had its time.
_TERM_SECONDS = 1.0
# The output of a server that has exited arrives at once, unless a grandchild still holds the pipe.
_HELD_PIPE_SECONDS = 0.5
# A process whose output has ended mostly ends at once.
_LAST_WORDS_SECONDS = 1.0
_STDERR_BYTES = 64 * 1024


class ProcessNotStarted(OSError):  # noqa: N818 - says what happened
    """The command cannot be run; the message says which and why."""


class ProcessTransport:
    """The pipes of one child process."""

    slow_reader: SlowReader = "pause"

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stderr: Stderr = "inherit",
    ) -> None:
        self.argv = list(argv)
        self._cwd = cwd
        self._env = env
        self._stderr_mode = stderr
        self._stderr = bytearray()
        self._receiver: Receiver | None = None
        self._process: asyncio.SubprocessTransport | None = None
        self._input: asyncio.WriteTransport | None = None
        self._output: asyncio.ReadTransport | None = None
        self._exited = asyncio.Event()
        self._ending: asyncio.Task[None] | None = None

    @property
    def stderr(self) -> str:
        """The last of what the server wrote to stderr, where that is captured."""
        return self._stderr.decode("utf-8", "replace")

    @property
    def returncode(self) -> int | None:
        """How the process ended; negative for a signal, None while it runs."""
        return None if self._process is None else self._process.get_returncode()

    @property
    def pid(self) -> int | None:
        """The process id, once it is started."""
        return None if self._process is None else self._process.get_pid()

    async def last_words(self) -> list[str]:
        """How the process ended, if it did, and the end of its captured stderr: sentences for an error message."""
        if not await self._exits_within(_LAST_WORDS_SECONDS):
            return []
        code = self.returncode
        how = "ended" if code is None else f"was killed by signal {-code}" if code < 0 else f"exited with status {code}"
        lines = self.stderr.strip().splitlines()
        return [f"the server {how}"] + ([f"its stderr ends with: {lines[-1]}"] if lines else [])

    async def start(self, receiver: Receiver) -> None:
        """See `Transport.start`.

        Raises:
            ProcessNotStarted: there is no such command, it cannot be executed, or `cwd` is no directory.
        """
        self._receiver = receiver
        if not self.argv:
            raise ProcessNotStarted("no command was given")
        streams = {"inherit": None, "capture": subprocess.PIPE, "discard": subprocess.DEVNULL}
        try:
            self._process, _ = await asyncio.get_running_loop().subprocess_exec(
                lambda: _Pipes(receiver, self._stderr, self._exited),
                *self.argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=streams[self._stderr_mode],
                cwd=self._cwd,
                env=self._env,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise ProcessNotStarted(f"cannot start {self.argv[0]!r}: {why}") from error
        self._input = cast(asyncio.WriteTransport, self._process.get_pipe_transport(0))
        self._output = cast(asyncio.ReadTransport, self._process.get_pipe_transport(1))

    def write(self, lines: Sequence[bytes]) -> None:
        """See `Transport.write`. What a process that has exited does not read is lost without an error."""
        if self._input is not None and not self._input.is_closing():
            self._input.write(b"\n".join([*lines, b""]))

    def pause_reading(self) -> None:
        """See `Transport.pause_reading`."""
        if self._output is not None:
            self._output.pause_reading()

    def resume_reading(self) -> None:
        """See `Transport.resume_reading`."""
        if self._output is not None:
            self._output.resume_reading()

    def close(self) -> None:
        """See `Transport.close`: the end of its input asks the server to exit; what does not heed it is killed."""
        self._end(_EXIT_SECONDS)

    def abort(self, reason: CloseReason) -> None:  # noqa: ARG002 - a process that is killed is told nothing
        """See `Transport.abort`."""
        self._kill(signal.SIGKILL)
        self._end(0.0)

    def _end(self, exit_seconds: float) -> None:
        if self._ending is None and self._process is not None:
            self._ending = asyncio.get_running_loop().create_task(self._wait_or_kill(exit_seconds))

    async def _wait_or_kill(self, exit_seconds: float) -> None:
        assert self._process is not None, "only what was started ends"
        if self._input is not None:
            self._input.close()
        for seconds, number in ((exit_seconds, signal.SIGTERM), (_TERM_SECONDS, signal.SIGKILL)):
            if not await self._exits_within(seconds):
                self._kill(number)
        await self._exited.wait()
        # What the server left behind in its group.
        self._kill(signal.SIGKILL)
        self._process.close()
        assert self._receiver is not None, "what was started has a receiver"
        self._receiver.connection_lost(None)

    async def _exits_within(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._exited.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def _kill(self, number: signal.Signals) -> None:
        if self.pid is None:
            return
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            # The group is empty; macOS says so of zombies by refusing permission.
            return


class _Pipes(asyncio.SubprocessProtocol):
    """What asyncio tells of the child. Its loss is told by `ProcessTransport`, when nothing of the group is left."""

    def __init__(self, receiver: Receiver, stderr: bytearray, exited: asyncio.Event) -> None:
        self._receiver = receiver
        self._stderr = stderr
        self._exited = exited
        self._ended = False

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._receiver.data_received(data)
        else:
            self._stderr += data
            del self._stderr[:-_STDERR_BYTES]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        del exc
        if fd == 1:
            self._end_output()

    def process_exited(self) -> None:
        self._exited.set()
        asyncio.get_running_loop().call_later(_HELD_PIPE_SECONDS, self._end_output)

    def pause_writing(self) -> None:
        self._receiver.pause_writing()

    def resume_writing(self) -> None:
        self._receiver.resume_writing()

    def _end_output(self) -> None:
        if not self._ended:
            self._ended = True
            self._receiver.eof_received()
