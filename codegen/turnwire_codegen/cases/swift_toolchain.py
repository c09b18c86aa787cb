"""The Swift compiler of this machine: the one on the path, or the one that tests/toolchains/swift.sh has made.

A package that is built is kept outside of any checkout, so that a later build compiles what has changed and no more.
"""

import functools
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from turnwire_codegen.cases.trial import ToolchainError, alone, cache

__all__ = ["Build", "Swift", "build", "swift"]

_FAULT = re.compile(r"^(?P<path>/.*?\.swift):\d+:\d+: error: (?P<text>.*)$", re.MULTILINE)
_MISSING = "swift is missing; install Swift 5.9 or newer (https://swift.org/install), or run tests/toolchains/swift.sh"


class Swift(NamedTuple):
    """The compiler; `chroot` is the script of the chroot that it lives in, where it does not live on the machine."""

    command: str
    chroot: bool

    def run(self, words: list[str], folder: Path, text: str = "") -> "subprocess.CompletedProcess[str]":
        """A program that was built, or `swift` itself, with the same files in sight."""
        command, environment = words, dict(os.environ)
        if words[0] == "swift":
            command = [self.command, *words[1:]]
        elif self.chroot:
            command, environment = [self.command, *words[1:]], {**os.environ, "RUN": words[0]}
        return subprocess.run(  # noqa: S603 -- the words are ours; no shell reads them
            command, cwd=folder, env=environment, input=text, capture_output=True, encoding="utf-8", check=False
        )


class Build(NamedTuple):
    """The folder of the programs, the first complaint about each file that does not compile, and what it took.

    `seconds` are those of the processor, which others on the machine lengthen least, and of the last time that anything
    was compiled: all of it, or what had changed.
    """

    programs: Path
    faults: Mapping[str, str]
    seconds: float


def swift() -> Swift:
    """The compiler. Raises ToolchainError where there is none."""
    found = shutil.which("swift")
    if found is not None:
        return Swift(found, chroot=False)
    root = cache() / "toolchains" / "swift"
    if not (root / "ready").exists():
        raise ToolchainError(_MISSING)
    return Swift(str(root / "swift"), chroot=True)


def build(tools: Swift, name: str, sources: Mapping[str, str], *options: str) -> Build:
    """Build the package of these files, which is called `name` in the cache. Raises ToolchainError.

    `options` are words for the compiler, such as `-O`; a package of that name is built by one process at a time.
    """
    home = cache() / "swift" / name
    told = _digest([tools.command, _version(tools), *options], sources)
    programs = home / ".build" / ("release" if "release" in options else "debug")
    with alone(home):
        known, _, took = (_read(home / "built") or "").partition(" ")
        if known == told and took:
            return Build(programs, {}, float(took))
        (home / "built").unlink(missing_ok=True)
        _lay_out(home, sources)
        before = os.times()
        done = tools.run(["swift", "build", "-j", "2", *options], home)
        after = os.times()
        seconds = sum(after[2:4]) - sum(before[2:4])
        faults: dict[str, str] = {}
        for match in _FAULT.finditer(done.stdout + done.stderr):
            faults.setdefault(str(Path(match["path"]).relative_to(home)), match["text"])
        if done.returncode and not faults:
            raise ToolchainError(f"swift build failed: {(done.stderr or done.stdout).strip()[-400:]}")
        if not done.returncode:
            (home / "built").write_text(f"{told} {seconds:.1f}")
        return Build(programs, faults, seconds)


@functools.cache
def _version(tools: Swift) -> str:
    """What the compiler says of itself: another one builds anew."""
    return tools.run(["swift", "--version"], Path.cwd()).stdout


def _digest(words: list[str], sources: Mapping[str, str]) -> str:
    """What makes two builds the same."""
    digest = hashlib.sha256("\0".join(words).encode())
    for path in sorted(sources):
        digest.update(f"\0{path}\0{sources[path]}".encode())
    return digest.hexdigest()


def _lay_out(home: Path, sources: Mapping[str, str]) -> None:
    """Write what differs, so that the rest is not compiled again, and remove what is left of other builds."""
    for path, text in sources.items():
        place = home / path
        if _read(place) != text:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    for place in (home / "Sources").rglob("*.swift"):
        if str(place.relative_to(home)) not in sources:
            place.unlink()


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None
