"""The only writer. A run is all or nothing: every file is written beside its place first, then all are moved in.

What a run wrote stands in `manifest.json`, so that a later run knows which files are orphans and touches nothing else.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

__all__ = ["MANIFEST", "Difference", "OutputError", "diff_all", "manifested", "orphans", "write_all"]

MANIFEST = "manifest.json"


class OutputError(Exception):
    """The output folder cannot be read or written; the text is for the user."""


class Difference(msgspec.Struct, frozen=True):
    """A file that is not what a run would make it."""

    path: str
    state: Literal["stale", "missing", "orphan"]


def manifested(
    folder: Path,
    output: Mapping[str, bytes],
    *,
    keep_orphans: bool,
    facts: Mapping[str, str],
) -> dict[str, bytes]:
    """`output` with its manifest. Orphans that stay on disk stay known, or a later `--clean` could not find them."""
    files = {path: hashlib.sha256(data).hexdigest() for path, data in output.items()}
    if keep_orphans:
        files |= dict.fromkeys(orphans(folder, output), "orphan")
    manifest = {"generator": "turnwire", **facts, "files": files}
    return {**output, MANIFEST: (json.dumps(manifest, indent=2, sort_keys=True) + "\n").encode()}


def write_all(folder: Path, output: Mapping[str, bytes], *, remove: Iterable[str] = ()) -> None:
    """Write what differs and remove `remove`, all or nothing as far as a filesystem allows. Raises OutputError."""
    changed = {path: data for path, data in output.items() if _read(folder / path) != data}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _move_in(folder, changed)
        for path in remove:
            (folder / path).unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(_refused(folder, error)) from error


def diff_all(folder: Path, output: Mapping[str, bytes]) -> list[Difference]:
    """Every difference of `folder` from `output`, by path; orphans where it has a manifest. Raises OutputError."""
    left = orphans(folder, output) if MANIFEST in output else []
    found = [Difference(path, "orphan") for path in left]
    for path, data in output.items():
        old = _read(folder / path)
        if old is None:
            found.append(Difference(path, "missing"))
        elif old != data:
            found.append(Difference(path, "stale"))
    return sorted(found, key=lambda difference: difference.path)


def orphans(folder: Path, output: Mapping[str, bytes]) -> list[str]:
    """Files that an earlier run wrote, that are still there, and that this one no longer writes."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} is a file; name a folder with --out")
    data = _read(folder / MANIFEST)
    if data is None:
        return []
    try:
        earlier = json.loads(data)["files"]
        paths = [path for path in earlier if isinstance(path, str)]
    except (ValueError, KeyError, TypeError) as error:
        raise OutputError(f"{folder / MANIFEST} is damaged; delete it and generate again") from error
    return sorted(path for path in paths if _is_orphan(folder, path, output))


def _move_in(folder: Path, output: Mapping[str, bytes]) -> None:
    """All files are complete on the same filesystem before the first one takes its place."""
    if not output:
        return
    stage = Path(tempfile.mkdtemp(prefix=".turnwire-", dir=folder))
    try:
        for index, data in enumerate(output.values()):
            (stage / str(index)).write_bytes(data)
        for parent in {(folder / path).parent for path in output}:
            parent.mkdir(parents=True, exist_ok=True)
        for index, path in enumerate(output):
            (stage / str(index)).replace(folder / path)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OutputError(_refused(path, error)) from error


def _is_orphan(folder: Path, path: str, output: Mapping[str, bytes]) -> bool:
    return path not in output and _inside(folder, path) and (folder / path).is_file()


def _inside(folder: Path, path: str) -> bool:
    """A manifest is a file that anyone can edit; it names nothing outside its folder."""
    return (folder / path).resolve().is_relative_to(folder.resolve())


def _refused(path: Path, error: OSError) -> str:
    reason = (error.strerror or type(error).__name__).lower()
    return f"{error.filename or path}: {reason}; name a folder that can be written with --out"
