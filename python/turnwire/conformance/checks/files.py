"""What a rewind does to the files of a thread, or says that it cannot do (THR-27)."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

from turnwire.conformance.checks.expect import succeeded
from turnwire.conformance.checks.work import Work, same, work
from turnwire.conformance.model import NotExercised
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject

__all__: list[str] = []


@check("thread.rewind-files")
def rewind_files(subject: Subject) -> str | None:
    """Files are what they were after the item; where that is not offered, nothing is taken back."""
    asked = work(subject, "rewind", answers=("approvals",))
    if pick(subject.capabilities, "/rewind/files") is True:
        _taken_back(asked)
        return None
    thread = asked.thread()
    first = asked.play(thread, "text one")
    asked.play(thread, "text two")
    if not first.items():
        raise NotExercised("the scripted turn told of no item")
    before = _state(asked, thread)
    note = asked.refused(
        "agent_unsupported", "thread/rewind", "with files that are not kept",
        threadId=thread, itemId=pick(first.items()[-1], "/id"), files=True,
    )  # fmt: skip
    same(before, _state(asked, thread), "turns and seq after a rewind that was refused")
    return note


def _taken_back(asked: Work) -> None:
    home = _workspace(asked.probe.process.scratch / "files")
    thread = asked.thread(cwd=str(home))
    first = _write(asked, thread, "one.txt as it was")
    _write(asked, thread, "one.txt as it is")
    _write(asked, thread, "two.txt new")
    written, before = {"one.txt": "as it is", "two.txt": "new"}, _state(asked, thread)
    same(written, _files(home), "the files that three turns have written")
    reply = asked.ask("thread/rewind", threadId=thread, itemId=first, files=True)
    if reply.code in asked.subject.codes("host_error"):
        same(
            (written, before), (_files(home), _state(asked, thread)), "files, turns and seq after a rewind that failed"
        )
        raise NotExercised(f"the files of the turns were not kept: {reply}")
    succeeded(reply, to="thread/rewind with files")
    same({"one.txt": "as it was"}, _files(home), "the files after a rewind to the first turn")


def _workspace(home: Path) -> Path:
    """A directory for a thread to work in; a repository, as most are, for servers that keep the files of those only."""
    home.mkdir()
    if git := shutil.which("git"):
        subprocess.run([git, "init", "--quiet", home], check=False)  # noqa: S603 - words of our own
    return home


def _write(asked: Work, thread: str, what: str) -> Any:
    """Let a turn write a file, and return the id of its last item."""
    turn = asked.start(thread, f"write {what}")
    turn.accept()
    turn.wait()
    return pick(turn.items()[-1], "/id")


def _files(home: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in home.iterdir() if path.is_file()}


def _state(asked: Work, thread: str) -> tuple[list[Any], Any]:
    turns = [pick(turn, "/id") for turn in asked.turns(thread)]
    return turns, pick(asked.result("thread/read", threadId=thread), "/thread/seq")
