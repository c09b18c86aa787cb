"""Other processes, forked so that a test can afford many: they report over a pipe, and can be killed at any moment."""

import atexit
import os
import shutil
import signal
import struct
import traceback
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Self

__all__ = ["Child", "lasting_directory"]

_NUMBER = struct.Struct("<q")


class Child:
    """A process that runs `work(report)`; what it reported is kept by the kernel, whatever becomes of it."""

    def __init__(self, work: Callable[[Callable[[int], None]], None]) -> None:
        self._reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._reading)
            _run(work, lambda number: os.write(writing, _NUMBER.pack(number)))
        os.close(writing)
        self._status: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.kill()
        os.close(self._reading)

    def report(self) -> int | None:
        """The next number that it reports; None when it has ended."""
        data = os.read(self._reading, _NUMBER.size)
        return _NUMBER.unpack(data)[0] if data else None

    def reports(self) -> list[int]:
        """All numbers that are still to come, until it has ended."""
        return list(iter(self.report, None))

    def kill(self) -> None:
        """Ends it without a word (`kill -9`), unless it has ended."""
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()

    def wait(self) -> int:
        """Its exit code; negative for the signal that ended it."""
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._status


def lasting_directory() -> Path:
    """An empty directory that is gone when this process ends; a child, which ends by force, leaves it alone."""
    directory = Path(mkdtemp())
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def _run(work: Callable[[Callable[[int], None]], None], report: Callable[[int], None]) -> None:
    try:
        work(report)
    except BaseException:  # noqa: BLE001 - the process ends here, and must not go on with the tests of its parent
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
