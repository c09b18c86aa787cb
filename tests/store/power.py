"""Files that remember every step, so that a test can lose power after any of them and see what a disk may hold then.

The model is a pessimist's: what was not forced may be there, be missing, or be torn, each file for itself; a name that
was not forced may lead to what it led to before. What SQLite writes by itself is seen whenever a store returns.
"""

import os
import random
from pathlib import Path
from typing import NamedTuple

from turnwire.store.files import Files

__all__ = ["RecordingFiles", "Step", "lay_out", "losses"]


class Step(NamedTuple):
    """One thing that was done: `what` to the file `inode` or the name `path`."""

    what: str
    path: str = ""
    inode: int = 0
    data: bytes = b""
    size: int = 0
    # For the step "told": what the store has promised by returning.
    promise: object = None


class RecordingFiles(Files):
    """The operating system's files, with a diary."""

    def __init__(self, root: Path) -> None:
        self.steps: list[Step] = []
        self._root = root
        self._inodes: dict[tuple[int, int], int] = {}
        # What SQLite's files held when they were last looked at.
        self._seen: dict[str, bytes] = {}

    def tell(self, promise: object) -> None:
        """Notes that the store has returned, and what follows from it."""
        self.look()
        self.steps.append(Step("told", promise=promise))

    def look(self) -> None:
        """Notes what SQLite has done since."""
        for path in (self._root / "record.sqlite", self._root / "record.sqlite-wal"):
            if not path.exists():
                continue
            name, data = self._name(path), path.read_bytes()
            found = path.stat()
            if (found.st_dev, found.st_ino) not in self._inodes:
                self._inodes[found.st_dev, found.st_ino] = len(self.steps)
                self.steps.append(Step("create", name, len(self.steps)))
            if data != self._seen.get(name, b""):
                self._seen[name] = data
                inode = self._inodes[found.st_dev, found.st_ino]
                self.steps.append(Step("state", inode=inode, data=data))
                if not name.endswith("-wal"):
                    # SQLite forces its main file itself before it counts on it, whatever the policy.
                    self.steps.append(Step("sync by itself", inode=inode))

    def open_to_append(self, path: Path, *, create: bool) -> int:
        new = create and not path.exists()
        descriptor = super().open_to_append(path, create=create)
        if new:
            # An inode of a removed file may come again; here it is another one.
            self._inodes[_identity(descriptor)] = len(self.steps)
            self.steps.append(Step("create", self._name(path), self._inode(descriptor)))
        return descriptor

    def write(self, descriptor: int, data: bytes) -> None:
        super().write(descriptor, data)
        self.steps.append(Step("write", inode=self._inode(descriptor), data=data))

    def sync(self, descriptor: int) -> None:
        # The disk is this diary.
        self.look()
        self.steps.append(Step("sync", inode=self._inode(descriptor)))

    def sync_directory(self, path: Path) -> None:
        self.look()
        self.steps.append(Step("sync names", self._name(path)))

    def cut(self, descriptor: int, size: int) -> None:
        super().cut(descriptor, size)
        self.steps.append(Step("cut", inode=self._inode(descriptor), size=size))

    def replace(self, path: Path, by: Path) -> None:
        super().replace(path, by)
        self.steps.append(Step("replace", self._name(path), data=self._name(by).encode()))

    def remove(self, path: Path) -> None:
        if path.exists():
            super().remove(path)
            self.steps.append(Step("remove", self._name(path)))

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self._root))

    def _inode(self, descriptor: int) -> int:
        return self._inodes[_identity(descriptor)]


class _Disk:
    """What the kernel knows after some steps, and what of it is forced to the disk."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.forced_names: dict[str, int] = {}
        self.contents: dict[int, list[bytes]] = {}
        # The states of each file since it was last forced, the forced one first.
        self.states: dict[int, list[bytes]] = {}

    def take(self, step: Step) -> None:
        """Does one step."""
        match step.what:
            case "create":
                self.names[step.path] = step.inode
                self.states[step.inode] = [b""]
            case "write":
                self.states[step.inode].append(self.states[step.inode][-1] + step.data)
            case "state":
                self.states[step.inode].append(step.data)
            case "cut":
                self.states[step.inode].append(self.states[step.inode][-1][: step.size])
            case "sync" | "sync by itself":
                del self.states[step.inode][:-1]
            case "replace":
                self.names[step.path] = self.names.pop(step.data.decode())
            case "remove":
                del self.names[step.path]
            case "sync names":
                self.forced_names = {
                    name: inode for name, inode in self.forced_names.items() if Path(name).parent != Path(step.path)
                }
                self.forced_names |= {
                    name: inode for name, inode in self.names.items() if Path(name).parent == Path(step.path)
                }


def losses(steps: list[Step], seed: int) -> list[tuple[str, dict[str, bytes]]]:
    """What a disk may hold after these steps: the name of the loss, and the files by name."""
    disk = _Disk()
    for step in steps:
        disk.take(step)
    chance = random.Random(seed)
    return [
        ("kill", {name: disk.states[inode][-1] for name, inode in disk.names.items()}),
        ("power", {name: disk.states[inode][0] for name, inode in disk.forced_names.items()}),
        *(("tear", _torn(disk, chance)) for _ in range(2)),
    ]


def lay_out(files: dict[str, bytes], root: Path) -> None:
    """Makes a directory hold these files."""
    root.mkdir(mode=0o700)
    for name, content in files.items():
        (root / name).parent.mkdir(mode=0o700, exist_ok=True)
        (root / name).write_bytes(content)
        (root / name).chmod(0o600)


def _torn(disk: _Disk, chance: random.Random) -> dict[str, bytes]:
    files = {}
    for name in disk.names.keys() | disk.forced_names.keys():
        inode = chance.choice([disk.names.get(name), disk.forced_names.get(name)])
        if inode is not None:
            files[name] = _some_state(disk.states[inode], chance)
    return files


def _some_state(states: list[bytes], chance: random.Random) -> bytes:
    """A state between the forced one and the last, possibly in the middle of a write."""
    place = chance.randrange(len(states))
    state = states[place]
    if place + 1 < len(states) and states[place + 1].startswith(state):
        added = states[place + 1][len(state) :]
        state += added[: chance.randrange(len(added) + 1)]
    return state


def _identity(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    return found.st_dev, found.st_ino
