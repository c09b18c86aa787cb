"""Files that can be taken back, by git: what a work tree holds is kept in a bare object store of our own.

The user's repository is only asked where its top is. Its index, refs, objects, hooks and configuration are never
touched or used, and neither are files that it ignores.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from turnwire.server.host import HostError

__all__ = ["GitFiles", "git_files"]

# A work tree that takes longer than this to read is not kept; the turn goes on without.
_SECONDS = 60.0
# Bytes are kept as they are: whatever the attributes of the work tree ask for is not done.
_ATTRIBUTES = "* -text -filter -ident -working-tree-encoding\n"
_CONFIG = (
    *("core.autocrlf=false", "core.safecrlf=false", "core.fsmonitor=false", "core.quotePath=false"),
    *("core.looseCompression=1", "core.hooksPath=/dev/null", "core.excludesFile=", "core.attributesFile="),
    *("gc.auto=0", "maintenance.auto=false", "advice.addEmbeddedRepo=false"),
)
# What the user's shell says of a repository must not lead us to it, and nothing of the user's is read.
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}


@contextlib.contextmanager
def git_files(state_directory: str | os.PathLike[str] | None) -> Iterator[GitFiles]:
    """Files that are kept in a state directory, beside the record; without one for as long as the block runs."""
    if state_directory is not None:
        files = GitFiles(Path(state_directory) / "files")
        try:
            yield files
        finally:
            files.close()
        return
    with tempfile.TemporaryDirectory(prefix="turnwire-") as directory:
        yield GitFiles(directory)


class GitFiles:
    """See `FileProvider`. `directory` is where the object stores lie, one for each work tree."""

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self._directory = Path(directory)
        self._trees: dict[str, _Tree] = {}
        self._locks: dict[Path, asyncio.Lock] = {}

    async def keep(self, cwd: str) -> str:
        tree = await self._tree(cwd)
        async with self._lock(tree):
            return await _written(tree)

    async def restore(self, cwd: str, kept: str) -> None:
        tree = await self._tree(cwd)
        async with self._lock(tree):
            # What is there now is kept first: git takes away only what it knows, and nothing is ever lost by it.
            await _written(tree)
            await _git(tree, "read-tree", "--reset", "-u", kept)

    async def diff(self, cwd: str, kept: str) -> str:
        tree = await self._tree(cwd)
        async with self._lock(tree):
            now = await _written(tree)
            if now == kept:
                return ""
            output = await _git(tree, "diff-tree", "-p", "-r", "-M", "--no-ext-diff", "--no-textconv", kept, now)
        return output.decode("utf-8", "replace")

    def close(self) -> None:
        """Takes away what only this process was to know; what was kept stays."""
        for tree in self._trees.values():
            tree.seen.unlink(missing_ok=True)

    async def _tree(self, cwd: str) -> _Tree:
        known = self._trees.get(cwd)
        if known is None:
            known = self._placed(cwd, await _top_of(cwd))
            if not _is_begun(known.store):
                # A store that somebody else makes at the same time is made twice, in the same way.
                await _run(["git", "init", "--quiet", "--bare", "--template=", str(known.store)])
                _set_up(known.store)
            self._trees[cwd] = known
        return known

    def _placed(self, cwd: str, top: bytes) -> _Tree:
        root = Path(os.fsdecode(top)).resolve()
        store = self._directory / f"{sha256(os.fsencode(root)).hexdigest()[:32]}.git"
        part = Path(cwd).resolve().relative_to(root).as_posix()
        name = sha256(part.encode()).hexdigest()[:16]
        return _Tree(store, root, part, store / f"index.{os.getpid()}.{name}")

    def _lock(self, tree: _Tree) -> asyncio.Lock:
        return self._locks.setdefault(tree.store, asyncio.Lock())


class _Tree(NamedTuple):
    """A work tree: the store of what it held, its top, the part of it that a thread works in, and what git last saw
    of that part; other processes and parts have an index of their own."""

    store: Path
    top: Path
    part: str
    seen: Path


async def _top_of(cwd: str) -> bytes:
    """The top of the repository that a directory is in.

    Raises:
        HostError: it is in none.
    """
    try:
        output = await _run(["git", "-C", cwd, "rev-parse", "--show-toplevel"])
    except _GitError:
        raise HostError("The directory of this thread is in no git repository.", code="notARepository") from None
    return output.removesuffix(b"\n")


def _is_begun(store: Path) -> bool:
    store.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return (store / "info" / "attributes").exists()


def _set_up(store: Path) -> None:
    store.chmod(0o700)
    (store / "info").mkdir(exist_ok=True)
    (store / "info" / "attributes").write_text(_ATTRIBUTES, encoding="utf-8")


async def _written(tree: _Tree) -> str:
    """The name of the tree object that holds what the part of the work tree holds now."""
    _unlock(tree.seen)
    await _git(tree, "add", "--all", "--", tree.part)
    return (await _git(tree, "write-tree")).decode().strip()


def _unlock(index: Path) -> None:
    """The index is ours alone, so a lock on it is of a git that was stopped."""
    index.with_name(f"{index.name}.lock").unlink(missing_ok=True)


async def _git(tree: _Tree, *words: str) -> bytes:
    settings = [word for setting in _CONFIG for word in ("-c", setting)]
    argv = ["git", f"--git-dir={tree.store}", f"--work-tree={tree.top}", "--literal-pathspecs", *settings, *words]
    return await _run(argv, cwd=tree.top, GIT_INDEX_FILE=str(tree.seen))


class _GitError(HostError):
    """Git said no; what it said is for whoever keeps the server."""


async def _run(argv: Sequence[str], *, cwd: Path | None = None, **environment: str) -> bytes:
    """What git prints.

    Raises:
        HostError: it is not there, took too long, or failed.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            cwd=cwd,
            env={**inherited, **_ENVIRONMENT, **environment},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except FileNotFoundError:
        raise HostError("Files cannot be kept: git is not installed.", code="gitMissing") from None
    try:
        async with asyncio.timeout(_SECONDS):
            output, said = await process.communicate()
    except TimeoutError:
        raise HostError("Files cannot be kept: git took too long.", code="gitSlow") from None
    finally:
        if process.returncode is None:
            process.kill()
            await asyncio.shield(process.wait())
    if process.returncode:
        raise _GitError("Files cannot be kept: git failed.", code="gitFailed") from OSError(
            said.decode("utf-8", "replace").strip()
        )
    return output
